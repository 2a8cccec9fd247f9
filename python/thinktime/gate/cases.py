"""Results as test cases: one an objective, one a check, and whether they are to be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thinktime.comparison import Comparison, Judged
from thinktime.report import units
from thinktime.result import Result

Outcome = Literal["passed", "failed", "undecided"]

_OUTCOMES: Mapping[str, Outcome] = {
    "met": "passed", "not met": "failed", "cannot tell": "undecided",
    "held": "passed", "broken": "failed",
}  # fmt: skip
_SHARES = ("errors", "checks")
TRUSTED = "the result is to be trusted"


@dataclass(frozen=True)
class Case:
    """One thing that was asked of a result."""

    name: str
    outcome: Outcome
    words: str
    """What was found, and what was wanted."""


@dataclass(frozen=True)
class Suite:
    """What was asked of one result, or of one comparison."""

    name: str
    about: str
    """What readers know the cases by from pipeline to pipeline: no time and no commit is in it."""

    cases: Sequence[Case]
    time_s: float = 0.0
    """How long was measured."""


def suite_of(result: Result, doubt: str = "") -> Suite:
    """The cases of a result; `doubt` says why it is not to be trusted, if it is not."""
    summary = result.summary
    objectives = summary.get("objectives") or []
    cases = [trusted(doubt), *map(_objective, objectives), *_checks(summary, objectives)]
    if not objectives:  # an older version wrote the result
        cases += [Case(words.partition(" is ")[0], "failed", words) for words in result.breaches()]
    about = result.workload.name
    return Suite(result.label, about, cases, float(summary.get("duration_s") or 0.0))


def suite_of_limits(comparison: Comparison, outcomes: Sequence[Judged], doubt: str = "") -> Suite:
    """The cases of a comparison: its limits."""
    name = f"{comparison.after.label} against {comparison.before.label}"
    limits = [Case(one.limit.text, _OUTCOMES[one.outcome], one.words) for one in outcomes]
    about = f"changes of {comparison.after.workload}"
    return Suite(name, about, [trusted(doubt), *limits])


def trusted(doubt: str) -> Case:
    """Whether figures say anything at all; it is there even where nothing else is asked."""
    return Case(TRUSTED, "undecided" if doubt else "passed", doubt)


def objective_name(one: Mapping[str, Any]) -> str:
    """As in 'p99' and 'p99 of item'."""
    return str(one["name"]) if one["of"] is None else f"{one['name']} of {one['of']}"


def value(name: str, amount: float | None) -> str:
    """A value of an objective, or its limit, with its unit."""
    if amount is None:
        return units.NOTHING
    return units.percent(amount, 3) if name in _SHARES else units.seconds(amount)


def limit(one: Mapping[str, Any]) -> str:
    """As in '250 ms or less'."""
    return f"{value(one['name'], one['limit'])} or {'more' if one['name'] == 'checks' else 'less'}"


def interval(one: Mapping[str, Any]) -> str:
    """As in '0.29 s to 0.33 s'; empty where there is none."""
    ends = one["interval"]
    return "" if ends is None else " to ".join(value(one["name"], end) for end in ends)


def _objective(one: Mapping[str, Any]) -> Case:
    return Case(objective_name(one), _OUTCOMES[one["verdict"]], one.get("words") or _words(one))


def _words(one: Mapping[str, Any]) -> str:
    between = interval(one)
    more = f" ({between})" if between else ""
    found = f"{objective_name(one)} is {value(one['name'], one['value'])}{more}"
    return f"{found}, wanted {limit(one)}"


def _checks(summary: Mapping[str, Any], objectives: Sequence[Mapping[str, Any]]) -> Iterator[Case]:
    """Checks without an objective of their own: where none is of all checks, each must hold."""
    judged = {one["of"] for one in objectives if one["name"] == "checks"}
    for name, count in (summary.get("checks") or {}).items():
        if name in judged:
            continue
        whole = count["passed"] + count["failed"]
        words = f"it failed {units.count(count['failed'])} of {units.count(whole)} times"
        failed = count["failed"] and None not in judged
        yield Case(f"check {name}", "failed" if failed else "passed", words)
