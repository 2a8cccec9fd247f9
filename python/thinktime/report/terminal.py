"""Tables that fit the width of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from thinktime.present.narrow_table import narrow, row_of
from thinktime.present.table import TURNED_MAX, Cell, Line, Table
from thinktime.present.table import Group as LineGroup
from thinktime.present.units import listed
from thinktime.report import (
    by_population,
    by_request,
    clusters,
    cpu_limits,
    failures,
    links,
    machines,
    objectives,
    results,
    token_servers,
    validity_table,
)
from thinktime.report.results import Row

if TYPE_CHECKING:
    from thinktime import Result

_STYLES = {"measured": "bold", "exact": "italic cyan"}
_GAP = 2  # between columns
_LEFT_OUT_MAX = 3  # with more columns than these, names go above the numbers
_INDENT = 2  # columns of additions to a title
_NOTE_MIN = 20  # columns of words below a row


def render(rows: Sequence[Row], *, verbose: bool = False) -> RenderableType:
    """The rows as a table; below it populations, pages, objectives, failures, checks, machines.

    Request names are shown for systems with machines, clusters, links or servers of tokens; each
    has a line. With `verbose` each check of validity has one, too.
    """
    named = len(rows) > 1
    parts = [render_times(rows)]
    below: list[tuple[TableOf, LinesOf]] = [
        (by_population.table, _populations),
        (by_population.page_table, lambda row: row.lines(by_population.page_lines_of)),
        (objectives.table, lambda row: row.lines(objectives.lines_of)),
        (failures.table, lambda row: row.lines(failures.lines_of)),
        (objectives.checks_table, lambda row: row.lines(objectives.check_lines_of)),
        (validity_table.table, partial(_validity, verbose=verbose)),
    ]
    for table, lines in below:
        groups = _groups(rows, lines, named=named)
        parts += [FittedTable(table(groups))] if groups else []
    unseen = validity_table.unseen_words([one for row in rows for one in row.findings])
    if unseen and not verbose:
        parts += [Text(f"{unseen} (--verbose says why)", style="dim"), Text()]
    for row in rows:
        if row.entry is not None:
            parts += _details(row.entry.result, _title(row, named=named))
    return Group(*parts)


def render_times(rows: Sequence[Row]) -> RenderableType:
    """The table of response times alone."""
    return Group(FittedTable(results.table(rows)), *_legend(rows))


def _legend(rows: Sequence[Row]) -> list[RenderableType]:
    """The reference of the signed percentages below times."""
    kinds: dict[str, list[str]] = {}
    for row in rows:
        if row.deviations:
            kinds.setdefault(row.reference, []).append(row.kind)
    if not kinds:
        return []
    apart = [f"{listed(list(dict.fromkeys(of)))} against {name}" for name, of in kinds.items()]
    words = f"against {next(iter(kinds))}" if len(kinds) == 1 else "; ".join(apart)
    return [Text(f"signed %: {words}", style="dim"), Text()]


TableOf = Callable[[Sequence[LineGroup]], Table]
LinesOf = Callable[[Row], Sequence[Line]]


def _populations(row: Row) -> Sequence[Line]:
    exact = by_population.exact_lines(row.case.theory) if row.entry is None else []
    return exact or row.lines(by_population.lines_of)


def _validity(row: Row, *, verbose: bool) -> Sequence[Line]:
    if verbose:
        return [validity_table.line_of(one) for one in row.findings]
    return validity_table.short_lines(row.findings)


def _groups(rows: Sequence[Row], of: LinesOf, *, named: bool) -> list[LineGroup]:
    """A group for each result that has such lines."""
    found = [(row, of(row)) for row in rows]
    return [LineGroup(lines, _title(row, named=named)) for row, lines in found if lines]


def _title(row: Row, *, named: bool) -> str:
    return f"{row.case.label}: {row.words}" if named else ""


def _details(result: Result, title: str) -> list[RenderableType]:
    """Times by request name, a line for each machine or link, the servers of each cluster.

    Empty for a system without machines, clusters, links or servers of tokens.
    """
    of_machines, of_links = machines.sentences(result), links.sentences(result)
    batched, balanced = token_servers.sentences(result), list(clusters.sentences(result))
    if not any((of_machines, of_links, batched, balanced)):
        return []
    lines = by_request.lines_of(result)
    parts: list[RenderableType] = []
    if lines:
        parts.append(FittedTable(by_request.table([LineGroup(lines, title)])))
    elif title:
        parts.append(Text(title, style="bold"))
    sentences = [*of_machines, *cpu_limits.sentences(result), *of_links, *batched]
    parts += map(Text, sentences)
    for sentence, servers in balanced:
        parts += [Text(sentence), Text(), FittedTable(servers)]
    return parts if balanced else [*parts, Text()]


@dataclass(frozen=True)
class FittedTable:
    """A table that fits: names beside the numbers if there is room.

    Otherwise it is turned if it has few rows; with many rows, names stand above the numbers. If
    even the numbers have no room it leaves out the least important columns, and names them.
    """

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Its lines."""
        table, width = self.table.without_empty(), options.max_width
        kept, left_out = _fitting(table, width, beside=True)
        if left_out and len(table.lines) <= TURNED_MAX:
            lines = narrow(table, width)
            if lines is not None:
                yield from lines
                return
        beside = len(left_out) <= _LEFT_OUT_MAX and _Layout(kept, beside=True).width <= width
        if not beside:
            kept, left_out = _fitting(table, width, beside=False)
        yield from _Layout(kept, beside=beside).lines(width)
        if left_out:
            words = f"not shown in {width} columns: {', '.join(left_out)}"
            yield Text(words, style="dim")


def _fitting(table: Table, width: int, *, beside: bool) -> tuple[Table, list[str]]:
    """The table without as many spare columns as needed, and their headings.

    With names above the numbers there is no other way to find room. Then the other columns go, too,
    the last one first, because a number whose end is cut off is a wrong one.
    """
    left_out: list[str] = []
    others = [one for one in table.headings[1:] if one not in table.spare]
    for heading in [*table.spare, *([] if beside else reversed(others))]:
        if _Layout(table, beside=beside).width <= width:
            break
        if heading in table.headings:
            places = [n for n, one in enumerate(table.headings) if one != heading]
            table = table.with_columns(places)
            left_out.append(heading)
    return table, left_out


class _Layout:
    """The widths of a table's columns, and its lines with them."""

    def __init__(self, table: Table, *, beside: bool) -> None:
        self._table, self._beside = table, beside
        self._parts = [_split(line, stacked=not beside) for line in table.lines]
        self._widths = [
            max([cell_len(heading), *(cell_len(text) for part in self._parts for text in part[n])])
            for n, heading in enumerate(table.headings)
        ]
        names = [text for line in table.lines for text in (line.name, line.brief)]
        self._indent = " " * (_INDENT if any(group.title for group in table.groups) else 0)
        self._first = max(map(cell_len, names), default=0) + len(self._indent) if beside else 0
        if beside:
            self._first = max(self._first, cell_len(table.first))

    @property
    def width(self) -> int:
        """The number of columns of the terminal that it takes."""
        return self._first + sum(width + _GAP for width in self._widths)

    def lines(self, width: int) -> Iterator[Text]:
        """Its lines, on a terminal of this width."""
        first = self._table.first if self._beside else ""
        yield self._row(first, self._table.headings, "dim")
        yield Text("─" * self.width, style="dim")
        parts = iter(self._parts)
        for group in self._table.groups:
            if group.title:
                title = Text(group.title, style="bold")
                yield title.append(f"  {group.small}" if group.small else "", style="dim")
            for line in group.lines:
                yield from self._line(line, next(parts), width)
            yield Text()

    def _line(self, line: Line, part: list[list[str]], width: int) -> Iterator[Text]:
        """A row, and its numbers' additions below it."""
        style = _STYLES.get(line.style, "")
        names = [f"{self._indent}{line.name}", f"{self._indent}{line.brief}".rstrip()]
        if not self._beside:
            yield Text(line.heading, style=style or "dim")
            names = []
        height = max([len(names), *(len(texts) for texts in part)], default=0)
        for n in range(height):
            name = names[n] if n < len(names) else ""
            texts = [cell[n] if n < len(cell) else "" for cell in part]
            if name.strip() or any(texts):
                yield self._row(name, texts, style if n == 0 else "dim")
        if line.note:
            indent = f"{self._indent}{' ' * _INDENT}"
            for words in wrap(line.note, max(width - len(indent), _NOTE_MIN)):
                yield Text(indent + words, style="dim")

    def _row(self, name: str, texts: Sequence[str], style: str) -> Text:
        first = name + " " * max(0, self._first - cell_len(name))
        widths = (_GAP + width for width in self._widths)
        return row_of(first, list(zip(texts, widths, strict=True)), style)


def _split(line: Line, *, stacked: bool) -> list[list[str]]:
    """The texts of each cell, one below the other; an interval goes below if room is short."""
    return [_texts(cell, stacked=stacked) for cell in line.cells]


def _texts(cell: Cell, *, stacked: bool) -> list[str]:
    number, between, half = cell.text.partition(" ± ")
    if stacked and between:
        return [number, f"± {half}", *([cell.below] if cell.below else [])]
    return [cell.text, *([cell.below] if cell.below else [])]
