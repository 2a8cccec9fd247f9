"""What an import could not carry over, or only approximately."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Note:
    """One thing that is left out or approximated.

    Attributes:
        file: The file that it stands in, by its name.
        element: The element's kind and name, as in "ForkAction `audit`".
        text: What became of it.
    """

    file: str
    element: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.element}: {self.text}"


@dataclass
class Notes:
    """The notes of one import, each once, in the order in which they came up."""

    found: dict[Note, None] = field(default_factory=dict)

    def add(self, place: tuple[str, str], text: str) -> None:
        """Note what became of the element at `place`: its file, and its kind and name."""
        self.found.setdefault(Note(*place, text))

    def __iter__(self) -> Iterator[Note]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)
