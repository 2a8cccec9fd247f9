"""A table turned for a narrow terminal: figures in rows, and its own rows side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.cells import cell_len
from rich.text import Text

from thinktime.present.table import Cell, Group, Line, Table

VERDICTS = {
    "met": "green", "held": "green", "not met": "bold red", "broken": "bold red",
    "not to be trusted": "bold red", "cannot tell": "yellow", "doubtful": "yellow",
}  # fmt: skip
"""The styles of cells that are verdicts; all other cells have that of their row."""

_GAP = 2  # between columns
_HEADING_MIN = 16  # columns of a heading before it wraps


@dataclass(frozen=True)
class _Column:
    """A row of the table as a column: its heading, and its numbers with their additions."""

    heading: Sequence[str]
    below: Sequence[str]
    cells: Sequence[Cell]

    @property
    def numbers(self) -> int:
        """The width of its numbers."""
        return max(cell_len(cell.text) for cell in self.cells)

    @property
    def seconds(self) -> int:
        """The width of the additions to its numbers, with the gap before it."""
        widest = max(cell_len(cell.below) for cell in self.cells)
        return widest + 1 if widest else 0

    @property
    def width(self) -> int:
        """Its own width, without the gap before it."""
        texts = max((cell_len(text) for text in (*self.heading, *self.below)), default=0)
        return max(texts, self.numbers + self.seconds)

    def cell(self, place: int) -> str:
        """One of its numbers, with its addition."""
        cell = self.cells[place]
        number = _right(cell.text, self.width - self.seconds)
        return number + _right(cell.below, self.seconds)


def narrow(table: Table, width: int) -> list[Text] | None:
    """The lines of a table without empty columns; None if even one row is too wide."""
    first = max(map(cell_len, table.headings), default=0)
    lines: list[Text] = []
    for group in table.groups:
        columns = [_column(line) for line in group.lines]
        if any(first + _GAP + one.width > width for one in columns):
            return None
        lines += _group(table, group, columns, first, width)
    return lines


def _group(
    table: Table, group: Group, columns: Sequence[_Column], first: int, width: int
) -> Iterator[Text]:
    if group.title:
        title = Text(group.title, style="bold")
        yield title.append(f"  {group.small}" if group.small else "", style="dim")
    for part in _parts(columns, width - first):
        yield from _part(table.headings, part, first)
        yield Text()
    for line in (line for line in group.lines if line.note):
        yield Text(f"{line.name}: {line.note}" if line.name else line.note, style="dim")
        yield Text()


def _parts(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    """As many columns at a time as fit."""
    part: list[_Column] = []
    for one in columns:
        if part and sum(_GAP + other.width for other in (*part, one)) > room:
            yield part
            part = []
        part.append(one)
    if part:
        yield part


def _part(headings: Sequence[str], columns: Sequence[_Column], first: int) -> Iterator[Text]:
    for texts, style in (([one.heading for one in columns], ""),
                         ([one.below for one in columns], "dim")):  # fmt: skip
        for n in range(max(map(len, texts))):
            row = [text[n] if n < len(text) else "" for text in texts]
            yield _row("", row, columns, first, style)
    whole = first + sum(_GAP + one.width for one in columns)
    yield Text("─" * whole, style="dim", no_wrap=True)
    for place, heading in enumerate(headings):
        if any(one.cells[place].text for one in columns):
            yield _row(heading, [one.cell(place) for one in columns], columns, first, "")


def _row(
    name: str, texts: Sequence[str], columns: Sequence[_Column], first: int, style: str
) -> Text:
    cells = [(text, _GAP + one.width) for text, one in zip(texts, columns, strict=True)]
    return row_of(name + " " * (first - cell_len(name)), cells, style)


def row_of(first: str, cells: Sequence[tuple[str, int]], style: str) -> Text:
    """A line: its beginning, and cells that end at their widths, with the gap before them."""
    row = Text(first, style=style, no_wrap=True)
    for text, width in cells:
        row.append(" " * (width - cell_len(text)))
        row.append(text, VERDICTS.get(text.strip()))
    row.rstrip()
    return row


def _column(line: Line) -> _Column:
    numbers = max((cell_len(cell.text) for cell in line.cells), default=0)
    room = max(numbers, _HEADING_MIN)
    below = line.brief
    return _Column(_wrapped(line.name, room), _wrapped(below, room), line.cells)


def _wrapped(text: str, room: int) -> list[str]:
    return wrap(text, room, break_long_words=False, break_on_hyphens=False)


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text
