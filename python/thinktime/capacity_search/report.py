"""A capacity as a report: the value that the server sustains, and a row a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thinktime.capacity_search.answer import Capacity, requests_told
from thinktime.capacity_search.table import table
from thinktime.present import units
from thinktime.present.page import Section
from thinktime.present.report import Case, Report, outcome_of
from thinktime.results import origin_line
from thinktime.results.finding import SPOILT
from thinktime.results.verdict import Verdict
from thinktime.validity import learned_model

DOUBTS = {
    "imprecise": "The interval is wider than was asked for, and more probes would not change that",
    "too short": "No probe surely met the objectives: longer probes could tell",
    "generator": "Beyond this value the generator itself was late: the server may bear more",
    "no limit": "No value that was tried failed: the server may bear more",
    "interrupted": "The search was interrupted: this is what was known by then",
}
"""The limitation of an answer, by its verdict."""

WORDS = {
    "probe": "A run or a simulation at one value, judged by the workload's objectives (SLO).",
    "measured / allowed": "The value of the worst objective over its limit: above 1 it is not "
    "met. Its 95 % confidence interval follows, as ± or by its ends; if that contains 1, the "
    "probe does not decide.",
    "all figures": "The files probes.parquet and capacity.json beside this page have them.",
}


def report_of(found: Capacity, name: str = "") -> Report:
    """The report of a search for the capacity; its probes are shown and cannot fail.

    Args:
        found: The answer of the search.
        name: The workload's name.
    """
    judged = outcome(found)
    limitation = DOUBTS.get(found.verdict)
    doubts = [*([limitation] if limitation else []), *found.doubts]
    held = [units.sentence(found.busiest_words)] if found.busiest else []
    return Report(
        f"Capacity of {name}",
        f"capacity of {name}",
        judged.status,
        judged.sentence or found.words,
        judged.doubt,
        cases=[Case("the capacity is found", outcome_of(judged.status), found.words)],
        parts=[*held, *([table(found)] if len(found.probes) else [])],
        warnings=[units.sentence(one) for one in doubts],
        title=f"Capacity of {found.workload}" if found.workload else "Capacity",
        origin=_origin(found),
        figure=units.amount(found.value, found.unit) if found.value else "",
        moment=found.moment,
        headline=_headline(found),
        findings=held,
        charts=lambda: _charts(found),
        words=WORDS,
    )


def outcome(found: Capacity) -> Verdict:
    """The outcome of a search: one sentence and one exit status."""
    if found.verdict == "not met" and found.against:
        return Verdict("cannot tell", f"{found.words}; is the machine busy with something else?")
    if found.verdict == "not met":
        return Verdict("not met", f"the SLO is not met: {found.words}")
    if found.verdict == "interrupted":
        words = f"not the capacity: {found.words}"
        return Verdict("not to be trusted", words, DOUBTS["interrupted"])
    if found.verdict in ("generator", "no limit", "too short"):
        return Verdict("cannot tell", f"not the capacity: {found.words}")
    if why := _untrusted(found):
        return Verdict("not to be trusted", f"not to be trusted: {why}", why)
    return Verdict("done", "")


def _untrusted(found: Capacity) -> str | None:
    """Why the answer is not to be trusted; None if it is.

    It is as sure as the largest value that met the objectives, unless its interval reaches to one
    at which the server is not known.
    """
    rows = found.probes.sort("value").to_dicts() if len(found.probes) else []
    passed = [row["untrusted"] for row in rows if row["passed"]][-1:]
    unknown = [
        row["untrusted"] for row in rows if row["value"] <= (found.high or 0) and _guess(row)
    ]
    why = next((one for one in (*passed, *unknown) if one is not None), None)
    return None if why is None else str(why)


def _guess(row: Mapping[str, Any]) -> bool:
    """Whether the model of the server is not known at the rate of a probe."""
    checks = row["validity"] or ()
    return any(one["name"] == learned_model.NAME and one["verdict"] == SPOILT for one in checks)


def _headline(found: Capacity) -> str:
    if not found.value or found.verdict == "too short":
        return units.sentence(found.words)
    limit = "at least " if found.high is None else ""
    told = requests_told(found.unit, found.throughput)
    value = f"{limit}{units.amount(found.value, found.unit)}{told and f', {told},'}"
    limits = f"with {found.objectives}" if found.objectives else "within the SLO"
    if found.low is None or found.high is None:
        return f"The server sustains {value} {limits}."
    low, high = units.amount(found.low), units.amount(found.high)
    return f"The server sustains {value} {limits} (95 % interval {low} to {high})."


def _origin(found: Capacity) -> str:
    """What was searched, on what, and when."""
    probes = units.counted(len(found.probes), "probe")
    return origin_line.joined(["capacity", found.place, found.moment, probes])


def _charts(found: Capacity) -> Sequence[Section]:
    from thinktime.capacity_search.charts import CHARTS
    from thinktime.present.chart import sections

    return sections(CHARTS, found)
