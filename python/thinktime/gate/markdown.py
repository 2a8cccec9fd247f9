"""Summaries in Markdown, as GitHub and GitLab show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from thinktime.present.report import Listing, Report
from thinktime.present.sanitize import in_one_line
from thinktime.present.table import Cell, Table
from thinktime.present.units import sentence

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~])")
_ENTITIES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;",
    "@": "@&#8203;",  # a space of no width, without which the text would notify a user
}  # fmt: skip


def document(reports: Sequence[Report]) -> str:
    """The text of the file: a section a report."""
    return "\n".join(map(_section, reports))


def _section(report: Report) -> str:
    warnings = Listing("Warnings", [sentence(one) for one in report.warnings])
    parts = [_part(one) for one in (*report.parts, warnings)]
    return "\n\n".join([f"## {text(report.name)}", _verdict(report), *filter(None, parts)]) + "\n"


def _verdict(report: Report) -> str:
    if not report.status:
        return f"**{text(report.sentence)}**"
    # Some sentences begin with the status itself.
    words = report.sentence.removeprefix(f"{report.status}: ")
    return f"**{report.status.capitalize()}**" + (f": {text(words)}" if words else "")


def _part(part: str | Table | Listing) -> str:
    if isinstance(part, str):
        return text(part)
    if isinstance(part, Table):
        return rows(part) if part.lines else ""
    lines = [f"- {text(one)}" for one in part.lines]
    return "\n".join([f"{part.title}:", "", *lines]) if lines else ""


def rows(table: Table) -> str:
    """A table with its rows as they are."""

    def lines() -> Iterator[Sequence[str]]:
        for group in table.groups:
            if group.title:
                yield [group.title, *("" for _ in table.headings)]
            yield from ([line.heading, *map(_cell, line.cells)] for line in group.lines)

    return _table([table.first, *table.headings], lines())


def text(words: str) -> str:
    """Words in one line that Markdown shows as they are."""
    escaped = _SPECIAL.sub(r"\\\1", in_one_line(words))
    return "".join(_ENTITIES.get(letter, letter) for letter in escaped)


def _cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.below})" if cell.below else cell.text


def _table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *["---:"] * (len(headings) - 1)]
    written = [list(map(text, headings)), ruler, *(list(map(text, line)) for line in lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in written)
