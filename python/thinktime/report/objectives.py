"""Objectives and checks of results, as tables for pages and terminals."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.results.objective_words import LEAST, SHARES

if TYPE_CHECKING:
    from thinktime import Objective, Result
    from thinktime._core_types import CheckCount
    from thinktime.operations.run_progress import ObjectiveMoment

WORDS = {
    "met": "The whole 95 % interval is within the limit; not met: the whole interval is beyond it. "
    "Else it cannot be told. For a percentile, requests that failed are later than any limit.",
}
"""The meanings of the words of objectives."""

_DIGITS_MAX = 7
_PERCENTILE = re.compile("(page_|first_event_|event_gap_)?p")


def table(groups: Sequence[Group]) -> Table:
    """The objectives of each result: the found values, their precision, the verdict."""
    return Table(
        "objectives", "Objectives", "objective", ("found", "95 % interval", "limit", "verdict"),
        groups,
        WORDS["met"],
        spare=("95 % interval", "found"),
    )  # fmt: skip


def lines_of(result: Result) -> list[Line]:
    """A line for each objective."""
    return [_line(one) for one in result.objectives]


def checks_table(groups: Sequence[Group]) -> Table:
    """The checks of each result."""
    return Table(
        "checks", "Checks", "check", ("passed", "failed", "share passed"), groups,
        "How often each check held.",
    )  # fmt: skip


def check_lines_of(result: Result) -> list[Line]:
    """A line for each check."""
    checks = result.summary.get("checks") or {}
    return [_check_line(name, one) for name, one in checks.items()]


def unjudged_checks(result: Result) -> list[str]:
    """Checks that failed without an objective, in words: the verdict does not cover them."""
    judged = {one.of for one in result.objectives if one.name == "checks"}
    if None in judged:
        return []
    checks = result.summary.get("checks") or {}
    return [
        f"check `{name}` failed {units.count(one['failed'])} of "
        f"{units.count(one['passed'] + one['failed'])} times, and no objective is about it: "
        f'`checks = "99%"` in [slo] makes it count'
        for name, one in checks.items()
        if one["failed"] and name not in judged
    ]


def name_of(objective: Objective | ObjectiveMoment) -> str:
    """As in `visitors: p99`, or `check` and its name."""
    if objective.of is None:
        return objective.name
    if objective.name == "checks":
        return f"check {objective.of}"
    return f"{objective.of}: {objective.name}"


def _line(one: Objective) -> Line:
    write, digits = (units.percent, 2) if one.name in SHARES else (units.seconds, 3)
    is_percentile = _PERCENTILE.match(one.name) is not None
    # A percentile without an interval is not known, or beyond any limit.
    is_known = one.value is not None and not (is_percentile and one.interval is None)
    shown = [one.value] if is_known and one.value is not None else []
    ends = list(one.interval or ())
    digits = _digits(write, digits, [*shown, *ends], one.limit)
    found = " ".join(write(value, digits) for value in shown) or units.NOTHING
    known = " to ".join(write(value, digits) for value in ends)
    limit = f"{write(one.limit, digits)} or {'more' if one.name in LEAST else 'less'}"
    verdict = Cell(one.verdict, strong="" if one.verdict == "met" else "text")
    return Line(name_of(one), [Cell(found), Cell(known), Cell(limit), verdict])


def _digits(
    write: Callable[[float, int], str], least: int, found: Sequence[float], limit: float
) -> int:
    """As many that no figure looks like the limit that it is not."""
    others = [value for value in found if value != limit]
    for digits in range(least, _DIGITS_MAX):
        if all(write(value, digits) != write(limit, digits) for value in others):
            return digits
    return least


def _check_line(name: str, counts: CheckCount) -> Line:
    passed, failed = counts["passed"], counts["failed"]
    share = units.percent(passed / (passed + failed)) if passed + failed else ""
    fell = Cell(units.count(failed), strong="text" if failed else "")
    return Line(name, [Cell(units.count(passed)), fell, Cell(share)])
