"""The statements of the results, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from thinktime.present import units
from thinktime.present.page import Headline
from thinktime.report import agreement, caveats, contrast
from thinktime.report.case import Case, Entry

_CAUSES_MAX = 3


def headline_of(cases: Sequence[Case]) -> Headline:
    """The sharpest true sentence first, then its support and its doubts."""
    sharpest = contrast.sharpest(cases)
    findings: list[str | None] = [_what_they_are(cases)] if len(cases) > 1 else []
    if sharpest is not None:
        headline = contrast.headline(sharpest)
        findings += [contrast.others(sharpest, cases), contrast.measured(sharpest)]
    elif len(cases) > 1 and all(_mean_known(case) for case in cases):
        headline = (
            f"These results do not tell the {_subjects(cases)} apart: their response times differ "
            "by less than a tenth or than their confidence intervals, or rest on too few requests."
        )
    else:
        headline = " ".join(_alone(case) for case in cases) or "There are no results."
    findings += agreement.sentences(cases)
    said = [finding for finding in findings if finding is not None]
    return Headline(headline, said, caveats.sentences(cases))


def _mean_known(case: Case) -> bool:
    known = [case.exact, *(entry.figures for entry in case.entries)]
    return any(figures is not None and figures.mean_s is not None for figures in known)


def _what_they_are(cases: Sequence[Case]) -> str:
    """How many cases there are, and their loads; the table beneath names each."""
    loads = [case.load for case in cases]
    labels = [case.label for case in cases]
    subjects = f"{len(cases)} {_subjects(cases)}"
    if all(contrast.same_load(case, cases[0]) for case in cases):
        load = f"{loads[0]:.2f}{_other_loads(cases)}"
        return f"{subjects}, all at a load of {load}."
    if all(load is None for load in loads):
        return f"{len(cases)} results, whose loads are not known."
    pairs = zip(labels, loads, strict=True)
    parts = [f"{label} {'(not known)' if x is None else f'at {x:.2f}'}" for label, x in pairs]
    return f"{subjects} and their loads: {'; '.join(parts)}."


def _other_loads(cases: Sequence[Case]) -> str:
    """The loads of the results themselves, if some differ from their case's."""
    pairs = [(case.load, entry.figures.load) for case in cases for entry in case.entries]
    known = [(long, found) for long, found in pairs if long is not None and found is not None]
    if all(abs(found - long) <= contrast.SAME_LOAD for long, found in known):
        return ""
    least, most = min(found for _, found in known), max(found for _, found in known)
    return f" in the long run ({least:.2f} to {most:.2f} in these results)"


def _subjects(cases: Sequence[Case]) -> str:
    """Whether cases are systems, or runs of one: of one server, under one system model."""
    measured = [case.find("measured") for case in cases]
    of_one = {
        None if one is None else (one.result.target, one.result.workload.model) for one in measured
    }
    return "runs" if len(of_one) == 1 and None not in of_one else "systems"


def _alone(case: Case) -> str:
    """The figures of a single case, from its best result."""
    entry = case.find("measured") or case.entries[0]
    figures = entry.figures
    load = f" at a load of {figures.load:.2f}" if figures.load is not None else ""
    system = contrast.the_system(case)
    if figures.mean_s is None:
        failed = entry.result.summary.get("errors") or 0
        if failed:
            who = "The only request" if failed == 1 else f"All {units.count(failed)} requests"
            return f"{who} failed{_causes(entry)}."
        return f"Nothing is known of {system}: no request completed."
    if figures.requests == 1 and not figures.errors:
        return f"One request took {units.seconds(figures.mean_s)}: it has no average."
    p99 = figures.times_s.get("p99")
    tail = "" if p99 is None else f", and one request in a hundred waits {units.seconds(p99)}"
    tail += " or longer" if tail else ""
    start = f"{system[0].upper()}{system[1:]}{load}"
    said = f"{start} answers in {units.mean(figures.mean_s, figures.ci95_s)} on average{tail}."
    if not figures.errors or not figures.requests:
        return said
    share = units.percent(figures.errors / figures.requests)
    of_all = f"{units.count(figures.errors)} of {units.counted(figures.requests, 'request')}"
    return f"{said} {of_all} failed ({share}){_causes(entry)}; their times are not among these."


def _causes(entry: Entry) -> str:
    """The causes of failed attempts, the most frequent first, as in ': 404, then timeout'."""
    counts: Counter[str] = Counter()
    for figures in (entry.result.summary.get("by_request") or {}).values():
        counts.update(figures.get("causes") or {})
    causes = [cause for cause, _ in counts.most_common(_CAUSES_MAX)]
    return f": {', then '.join(causes)}" if causes else ""
