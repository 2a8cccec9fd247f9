"""What checks say of results: for terminals what is in doubt, for pages everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.report import units
from thinktime.report.table import Cell, Group, Line, Table
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding

if TYPE_CHECKING:
    from thinktime import Result


def table(groups: Sequence[Group]) -> Table:
    """Of each result what its checks say."""
    return Table(
        "validity", "Before you trust these numbers", "check", ("verdict",), groups,
        "What the results rest on: each check with its verdict, and what to do.",
    )  # fmt: skip


def lines_of(result: Result) -> list[Line]:
    """A line a check."""
    return [line_of(one) for one in result.validity]


def short_lines_of(result: Result) -> list[Line]:
    """A line a check that is in doubt, and one for all others together."""
    found = result.validity
    lines = [line_of(one) for one in found if one.verdict in (SPOILT, DOUBTFUL)]
    other = "other " if lines else ""
    for word in (FINE, UNSEEN):
        many = [one for one in found if one.verdict == word]
        if many:
            why = "; ".join(dict.fromkeys(one.found for one in many)) if word == UNSEEN else ""
            name = units.counted(len(many), f"{other}check")
            lines.append(Line(name, [Cell(word)], note=units.sentence(why) if why else ""))
    return lines


def line_of(one: Finding) -> Line:
    """A line of a check."""
    note = units.sentence(one.found) + (f" {units.sentence(one.advice)}" if one.advice else "")
    strong = one.verdict in (SPOILT, DOUBTFUL)
    return Line(one.name, [Cell(one.verdict, strong="text" if strong else "")], note=note)
