"""The tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from thinktime.report import by_request
from thinktime.report.table import HEADINGS, Cell, Row, cells

_STYLES = {"measured": "bold", "simulated": "", "exact": "italic cyan"}


def render(rows: Sequence[Row]) -> RenderableType:
    """The rows as a table; below it, for systems with machines, request names and machines."""
    with_machines = [row for row in rows if row.machines]
    if not with_machines:
        return _results(rows)
    named = len(rows) > 1
    parts = [part for row in with_machines for part in _details(row, named)]
    return Group(_results(rows), *parts)


def _details(row: Row, named: bool) -> list[RenderableType]:
    """Response times by request name, and a line a machine."""
    parts: list[RenderableType] = []
    if named:
        title = Text(row.case, style="bold")
        title.append(f"  {row.kind_words}", style="dim")
        parts.append(title)
    if row.requests:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
        table.add_column("by request name", overflow="fold")
        for heading in by_request.HEADINGS:
            table.add_column(heading, justify="right", overflow="fold")
        for one in row.requests:
            table.add_row(Text(f"  {one.name}"), *map(Text, one.cells))
        parts.append(table)
    parts += [Text(one.words) for one in row.machines]
    return [*parts, Text()]


def _results(rows: Sequence[Row]) -> Table:
    """A section a case. Deviations stand under their numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    table.add_column("response time", overflow="fold")
    for heading in HEADINGS:
        table.add_column(heading, justify="right", overflow="fold")
    for case, members in groupby(rows, key=lambda row: (row.place, row.case, row.name)):
        _, label, name = case
        title = Text(label, style="bold")
        if len({row.name for row in rows}) > 1:
            title.append(f"  {name}", style="dim")
        table.add_row(title)
        for row in members:
            table.add_row(_kind(row), *map(_cell, cells(row)), style=_STYLES[row.kind])
        table.add_section()
    return table


def _kind(row: Row) -> Text:
    text = Text(f"  {row.kind_words}")
    if row.model:
        text.append(f"\n  {row.model.partition(' (')[0]}", style="dim")
    elif row.figures.requests is not None:
        text.append(f"\n  {row.figures.requests_words}", style="dim")
    return text


def _cell(cell: Cell) -> Text:
    text = Text(cell.text)
    if cell.below:
        text.append(f"\n{cell.below}", style="dim")
    return text
