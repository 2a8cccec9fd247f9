"""The parts that an import could not carry over, each once, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from thinktime.importing.toml import line

TEXT_MAX = 300
"""Longer texts are cut: their quotations come from a foreign file."""

REASONS_MAX = 3
"""At most this many notes stand in a message."""


@dataclass
class Notes:
    """The notes of one import, in their order of discovery."""

    places: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, place: str, text: str) -> None:
        """Note at a place, as in ``entry 3`` or ``line 12``, the omitted part and the reason."""
        text = line(text)
        text = text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 3] + "..."
        self.places.setdefault(text, {})[line(place)] = None

    def __iter__(self) -> Iterator[str]:
        for text, places in self.places.items():
            first = next(iter(places))
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            yield f"{first}{more}: {text}"

    def reasons(self) -> str:
        """The end of a message that nothing could be taken: the first notes, if there are any."""
        first = list(islice(self, REASONS_MAX))
        more = f"; and {len(self) - len(first)} more" if len(self) > len(first) else ""
        return f" ({'; '.join(first)}{more})" if first else ""

    def __len__(self) -> int:
        return len(self.places)
