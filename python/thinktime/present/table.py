"""Tables, for pages and terminals alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from thinktime.present import units

TURNED_MAX = 4
"""More rows than these are easier to compare one below the other."""

_PROSE = 32
"""More letters than these are words, which may stand in several lines."""

_BRIEF = 8  # letters of a name that is no longer than a number

_WIDE = 4  # columns beside the first one that a telephone has no room for

LineStyle = Literal["", "measured", "simulated", "long", "exact"]


@dataclass(frozen=True)
class Cell:
    """A number as text, and its addition below it."""

    text: str
    below: str = ""
    strong: Literal["", "text", "below"] = ""
    """The part to emphasize."""

    interval: str = ""
    """The 95 % interval of the number, which a page shows below it."""

    @property
    def is_known(self) -> bool:
        """Whether it says anything."""
        return self.text not in ("", units.NOTHING)

    @property
    def is_prose(self) -> bool:
        """Whether it has words rather than a number."""
        return len(self.text) > _PROSE


@dataclass(frozen=True)
class Line:
    """A row: a name with an addition below it, and its cells."""

    name: str
    cells: Sequence[Cell]
    below: str = ""
    style: LineStyle = ""
    """The method behind its numbers, which charts show by the style of a line."""

    note: str = ""
    """More words about it, below it across all columns."""

    folded: Sequence[tuple[str, str]] = ()
    """The details that a page shows below it when it is opened: names, each with a sentence."""

    fold: str = "What was found"
    """The words that open the details."""

    @property
    def brief(self) -> str:
        """The addition without a source in brackets or the reference of percentages."""
        return self.below.partition(" (")[0].partition("; ")[0]

    @property
    def heading(self) -> str:
        """The name, with the brief addition in brackets."""
        return f"{self.name} ({self.brief})" if self.brief else self.name


@dataclass(frozen=True)
class Group:
    """Rows that belong together."""

    lines: Sequence[Line]
    title: str = ""
    small: str = ""
    """A remark about it, beside the title."""

    place: int | None = None
    """The number of its colour in the charts; None without one."""


@dataclass(frozen=True)
class Table:
    """A table with a heading of its own."""

    name: str
    """Its name in links."""

    title: str
    first: str
    """The heading of the first column."""

    headings: Sequence[str]
    groups: Sequence[Group]
    caption: str = ""
    note: str = ""
    """The text below it."""

    spare: Sequence[str] = ()
    """Headings of columns that a narrow terminal leaves out, the first one first."""

    folded: bool = False
    """Whether a page shows its title alone until a reader opens it."""

    @property
    def is_turned(self) -> bool:
        """Whether a telephone shows each row as a block: it has few rows, and many columns."""
        return len(self.lines) <= TURNED_MAX and len(self.headings) >= _WIDE

    @property
    def is_brief(self) -> bool:
        """Whether its rows have names as short as numbers: a telephone spares their room."""
        return all(len(line.name) <= _BRIEF and not line.below for line in self.lines)

    @property
    def prose(self) -> list[bool]:
        """Whether each column has words, in any of its rows."""
        return [
            any(line.cells[place].is_prose for line in self.lines)
            for place in range(len(self.headings))
        ]

    @property
    def lines(self) -> list[Line]:
        """All its rows."""
        return [line for group in self.groups for line in group.lines]

    def without_empty(self) -> Table:
        """The table without its empty columns."""
        kept = [
            place
            for place in range(len(self.headings))
            if any(line.cells[place].is_known for line in self.lines)
        ]
        return self.with_columns(kept)

    def beginning_with(self, *first: str) -> Table:
        """The table with these columns first, and of the others those that have a figure."""
        told = [
            place
            for place, heading in enumerate(self.headings)
            if heading in first or any(line.cells[place].is_known for line in self.lines)
        ]
        rank = {heading: place for place, heading in enumerate(first)}
        return self.with_columns(
            sorted(told, key=lambda place: rank.get(self.headings[place], len(rank)))
        )

    def with_columns(self, kept: Sequence[int]) -> Table:
        """The table with these columns only, by their places after the first one."""
        groups = [
            replace(
                group,
                lines=[replace(line, cells=[line.cells[n] for n in kept]) for line in group.lines],
            )
            for group in self.groups
        ]
        return replace(self, headings=[self.headings[n] for n in kept], groups=groups)

    def turned(self) -> Table:
        """The table with its columns as rows, and its rows side by side."""
        lines = [
            Line(heading, [line.cells[n] for line in self.lines])
            for n, heading in enumerate(self.headings)
        ]
        headings = [line.heading for line in self.lines]
        return replace(self, first="", headings=headings, groups=[Group(lines)])
