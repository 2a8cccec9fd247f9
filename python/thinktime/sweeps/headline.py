"""The headline of a sweep's page, in words."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.present import units
from thinktime.present.page import Headline
from thinktime.report import point_checks
from thinktime.sweeps import knee, objective_ranges
from thinktime.sweeps.advice import advice, advice_words
from thinktime.sweeps.curves import Row, SweepCurves

_ANSWERS_MAX = 3
"""With more answers than these the headline is the span of the mean."""


def headline_of(swept: SweepCurves) -> Headline:
    """The answer first, or else the span of the mean; then agreement with theory, then doubts."""
    known = [row for row in swept.rows if row.get("response_mean_s")]
    if not known:
        nothing = "No request completed at any point, so there are no times."
        return Headline(nothing, [], _doubts(swept))
    least = min(known, key=lambda row: row["response_mean_s"])
    most = max(known, key=lambda row: row["response_mean_s"])
    headline = (
        f"The mean response time goes from {units.seconds(least['response_mean_s'])} "
        f"({swept.point_words(least)}) to {units.seconds(most['response_mean_s'])} "
        f"({swept.point_words(most)}): a factor of "
        f"{units.factor(most['response_mean_s'] / least['response_mean_s'])}."
    )
    if len(known) == 1:
        headline = f"The mean response time is {units.seconds(least['response_mean_s'])}."
    elif _overlap(least, most):
        means = " to ".join(units.seconds(row["response_mean_s"]) for row in (least, most))
        headline = (
            f"These points do not tell how the mean response time changes: it is {means}, and the "
            "95 % confidence intervals overlap."
        )
    count = f"{units.counted(len(swept.rows), 'point')}, {swept.kind}."
    slo, exact = _slo(swept.rows), _exact(known)
    answers, advised = _answers(swept)
    findings = [count, *slo, *exact, *knee.knee_sentence(swept), *advised]
    if answers:
        findings = [headline, *findings]
        headline = " ".join(filter(None, [*answers, objective_ranges.doubt_sentence(swept)]))
    return Headline(headline, findings, _doubts(swept))


def _answers(swept: SweepCurves) -> tuple[list[str], list[str]]:
    """The answers to a sweep's question for its headline, and the rest of the advice.

    The question is at which values objectives are met; without objectives, which dispatch policy
    the workload wants.
    """
    met, found = objective_ranges.meeting_sentence(swept), advice(swept)
    if met or not 0 < len(found) <= _ANSWERS_MAX:
        return ([met] if met else []), advice_words(swept)
    return [one.lines[0] for one in found], [" ".join(one.lines[1:]) for one in found]


def _overlap(least: Row, most: Row) -> bool:
    """Whether the intervals of the least and the largest mean overlap."""
    near, far = least.get("response_ci95_s"), most.get("response_ci95_s")
    if near is None or far is None:
        return False
    return bool(most["response_mean_s"] - least["response_mean_s"] <= near + far)


def _slo(rows: Sequence[Row]) -> list[str]:
    """The number of points at which the SLO is met."""
    verdicts = [row["slo"] for row in rows if row.get("slo")]
    if not verdicts:
        return []
    words = [
        f"{one} at {verdicts.count(one)}"
        for one in ("met", "not met", "cannot tell")
        if one in verdicts
    ]
    return [f"The SLO: {', '.join(words)} of {units.counted(len(verdicts), 'point')}."]


def _exact(rows: list[Row]) -> list[str]:
    """The number of means with the exact value in their interval."""
    both = [row for row in rows if row.get("exact_response_mean_s") and row.get("response_ci95_s")]
    if not both:
        return []
    within = sum(
        abs(row["response_mean_s"] - row["exact_response_mean_s"]) <= row["response_ci95_s"]
        for row in both
    )
    return [
        f"{within} of {len(both)} means lie within their 95 % confidence interval of the exact "
        f"value; about {round(0.95 * len(both))} are expected to."
    ]


def _doubts(swept: SweepCurves) -> list[str]:
    """Why points are not to be trusted, then each warning and each doubt of a check once."""
    places = [(swept.point_words(row), row) for row in swept.rows]
    warnings = (
        (warning, place)
        for place, row in places
        for warning in (row.get("warnings") or "").split(" | ")
        if warning and warning not in (row.get("untrusted") or "")
    )
    spoilt, found = point_checks.untrusted(places), point_checks.reasons(warnings)
    return [*spoilt, *found, *point_checks.sentences(places)]
