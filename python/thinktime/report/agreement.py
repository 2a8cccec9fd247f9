"""The agreement of measured, simulated and exact figures of the same case, in words."""

from __future__ import annotations

from collections.abc import Sequence

from thinktime.present import units
from thinktime.report.case import Case, Entry
from thinktime.report.figures import Figures
from thinktime.report.results import relative


def sentences(cases: Sequence[Case]) -> list[str]:
    """The comparison of measured against simulated figures, and of both against exact values."""
    found = [_same_path(cases), *_against_exact(cases), _against_simulated(cases)]
    return [sentence for sentence in found if sentence is not None]


def _same_path(cases: Sequence[Case]) -> str | None:
    """The largest differences between real runs and simulations of the same requests."""
    largest: dict[str, tuple[float, Case]] = {}
    for case in cases:
        run, simulated = case.find("measured"), case.find("simulated", "same sample path")
        if run is None or simulated is None:
            continue
        for name, difference in relative(run.figures, simulated.figures).items():
            if name not in largest or abs(difference) > abs(largest[name][0]):
                largest[name] = difference, case
    if not {"mean", "p99"} <= largest.keys():
        return None
    mean, p99 = (_largest(*largest[name], len(cases)) for name in ("mean", "p99"))
    return (
        "Real runs and simulations of the same sample path differ by at most "
        f"{mean} in the mean and {p99} in p99."
    )


def _largest(difference: float, case: Case, cases: int) -> str:
    text = units.percent(abs(difference))
    return text if cases == 1 else f"{text} ({case.label})"


def _against_exact(cases: Sequence[Case]) -> list[str]:
    """The means with the exact value in their confidence interval, and those without."""
    within, outside = 0, []
    for case in cases:
        if case.exact is None or case.exact.mean_s is None:
            continue
        for entry in _judged(case):
            if _overlap(entry.figures, case.exact):
                within += 1
            else:
                outside.append(_outside(case, entry, case.exact.mean_s))
    found, total = [], within + len(outside)
    if within:
        means = "The mean lies" if total == 1 else f"{within} of {total} means lie"
        if total > 1 and not outside:
            means = "Both means lie" if total == 2 else f"All {total} means lie"
        whose = "its" if total == 1 else "their"
        found.append(f"{means} within {whose} 95 % confidence interval of the exact value.")
    if outside:
        than = "that" if within else "its 95 % confidence interval"
        found.append(f"Further from the exact mean than {than}: {'; '.join(outside)}.")
    return found


def _judged(case: Case) -> list[Entry]:
    """Entries of the model, with an interval; a run with a like simulation would count twice."""
    twice = case.find("simulated", "same sample path") is not None
    entries = [e for e in case.entries if e.modelled and not (twice and e.kind == "measured")]
    return [e for e in entries if e.figures.mean_s is not None and e.figures.ci95_s is not None]


def _outside(case: Case, entry: Entry, exact_s: float) -> str:
    figures = entry.figures
    mean_s, ci95_s = figures.mean_s or 0.0, figures.ci95_s or 0.0
    difference = units.deviation(mean_s / exact_s - 1)
    return f"{case.label} ({entry.words}) by {difference}, ± {units.percent(ci95_s / exact_s)}"


def _against_simulated(cases: Sequence[Case]) -> str | None:
    """Real runs against other simulations, if exact values do not judge them."""
    parts = []
    for case in cases:
        run = case.find("measured")
        simulated = case.find("simulated", "long") or case.find("simulated", "")
        if run is None or simulated is None or (case.exact is not None and run.modelled):
            continue
        mean = relative(run.figures, simulated.figures).get("mean")
        if mean is not None:
            within = _overlap(run.figures, simulated.figures)
            verdict = "within" if within else "outside"
            parts.append(f"{case.label} {units.deviation(mean)}, {verdict} the 95 % interval")
    if not parts:
        return None
    return f"Measured mean against simulated: {'; '.join(parts)}."


def _overlap(a: Figures, b: Figures) -> bool:
    if a.mean_s is None or b.mean_s is None:
        return False
    return abs(a.mean_s - b.mean_s) <= (a.ci95_s or 0.0) + (b.ci95_s or 0.0)
