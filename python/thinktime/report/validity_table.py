"""The checks of results: for terminals those in doubt, for pages and on request all."""

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
        "validity", "Checks of validity", "check", ("verdict",), groups,
        "The foundation of the results: each check with its verdict, and the remedy.",
    )  # fmt: skip


def other_table(groups: Sequence[Group]) -> Table:
    """The findings that speak against nothing, for below the charts."""
    return Table(
        "other-checks", "Other checks of validity", "check", ("verdict",), groups,
        "Those that found nothing against the results, and those that could not look.",
    )  # fmt: skip


def doubted_lines_of(result: Result) -> list[Line]:
    """A line for each check in doubt."""
    return _doubted(result.validity)


def other_lines_of(result: Result) -> list[Line]:
    """A line for all checks that are fine, which opens, and those of checks that could not run.

    The reason why one could not run is always visible: on paper nothing can be opened.
    """
    fine = _of(result.validity, FINE)
    folded = [(one.name, _words(one)) for one in fine]
    names = ", ".join(one.name for one in fine)
    first = [Line(names, [Cell(FINE)], folded=folded)] if fine else []
    return [*first, *_unseen(_of(result.validity, UNSEEN))]


def short_lines(found: Sequence[Finding]) -> list[Line]:
    """A line for each check in doubt, and one that counts those that are fine."""
    lines, fine = _doubted(found), _of(found, FINE)
    name = units.counted(len(fine), "other check" if lines else "check")
    return [*lines, Line(name, [Cell(FINE)])] if fine else lines


def unseen_words(found: Sequence[Finding]) -> str:
    """The checks that could not look, by name; empty if there are none."""
    names = dict.fromkeys(one.name for one in _of(found, UNSEEN))
    return f"not looked at: {', '.join(names)}" if names else ""


def line_of(one: Finding) -> Line:
    """A line of a check."""
    strong = one.verdict in (SPOILT, DOUBTFUL)
    return Line(one.name, [Cell(one.verdict, strong="text" if strong else "")], note=_words(one))


def _doubted(found: Sequence[Finding]) -> list[Line]:
    return [line_of(one) for one in _of(found, SPOILT, DOUBTFUL)]


def _unseen(many: Sequence[Finding]) -> list[Line]:
    """A line for all checks that could not run for one reason."""
    reasons = dict.fromkeys(_words(one) for one in many)
    return [
        Line(", ".join(one.name for one in many if _words(one) == why), [Cell(UNSEEN)], note=why)
        for why in reasons
    ]


def _of(found: Sequence[Finding], *verdicts: str) -> list[Finding]:
    return [one for one in found if one.verdict in verdicts]


def _words(one: Finding) -> str:
    return units.sentence(one.found) + (f" {units.sentence(one.advice)}" if one.advice else "")
