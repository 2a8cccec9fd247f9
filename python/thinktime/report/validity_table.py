"""The checks of results: for terminals those in doubt, for pages all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding

if TYPE_CHECKING:
    from thinktime import Result


def table(groups: Sequence[Group]) -> Table:
    """The findings of each result's checks."""
    return Table(
        "validity", "Before you trust these numbers", "check", ("verdict",), groups,
        "The foundation of the results: each check with its verdict, and the remedy.",
    )  # fmt: skip


def folded_lines_of(result: Result) -> list[Line]:
    """A line for each check in doubt, and one for all that are fine, which opens.

    The reason why a check could not run stands there as well: on paper nothing can be opened.
    """
    lines = _doubted(result)
    for word, many in _others(result):
        if word == UNSEEN:
            lines += _unseen(many)
            continue
        name = ", ".join(one.name for one in many)
        lines.append(Line(name, [Cell(word)], folded=[(one.name, _words(one)) for one in many]))
    return lines


def short_lines_of(result: Result) -> list[Line]:
    """A line for each check in doubt, and one for all others of a verdict, which are counted."""
    lines = _doubted(result)
    other = "other " if lines else ""
    for word, many in _others(result):
        why = "; ".join(dict.fromkeys(one.found for one in many)) if word == UNSEEN else ""
        name = units.counted(len(many), f"{other}check")
        lines.append(Line(name, [Cell(word)], note=units.sentence(why) if why else ""))
    return lines


def line_of(one: Finding) -> Line:
    """A line of a check."""
    strong = one.verdict in (SPOILT, DOUBTFUL)
    return Line(one.name, [Cell(one.verdict, strong="text" if strong else "")], note=_words(one))


def _doubted(result: Result) -> list[Line]:
    return [line_of(one) for one in result.validity if one.verdict in (SPOILT, DOUBTFUL)]


def _unseen(many: Sequence[Finding]) -> list[Line]:
    """A line for all checks that could not run for one reason."""
    reasons = dict.fromkeys(_words(one) for one in many)
    return [
        Line(", ".join(one.name for one in many if _words(one) == why), [Cell(UNSEEN)], note=why)
        for why in reasons
    ]


def _others(result: Result) -> list[tuple[str, list[Finding]]]:
    """The findings without doubt, by their verdict."""
    by_word = [(word, [one for one in result.validity if one.verdict == word])
               for word in (FINE, UNSEEN)]  # fmt: skip
    return [(word, many) for word, many in by_word if many]


def _words(one: Finding) -> str:
    return units.sentence(one.found) + (f" {units.sentence(one.advice)}" if one.advice else "")
