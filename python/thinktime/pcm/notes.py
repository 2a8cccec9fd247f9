"""Notes on parts that an import left out or approximated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Note:
    """One thing that is left out or approximated.

    Attributes:
        file: The name of its file.
        element: The element's kind and name, as in "ForkAction `audit`".
        text: The treatment.
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
        """Note the treatment of the element at `place`: its file, and its kind and name."""
        self.found.setdefault(Note(*place, text))

    def __iter__(self) -> Iterator[Note]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)
