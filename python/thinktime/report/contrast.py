"""The differences between the cases of a report, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thinktime.present import units
from thinktime.report.case import Case, Entry, Kind
from thinktime.report.figures import Figures

SAME_LOAD = 0.02
"""Loads that differ by no more count as equal."""

_WORTH_SAYING = 1.1  # smaller ratios are not a contrast
_REQUESTS_MIN = {"mean": 100, "p99": 2000}  # requests that a claim needs behind its figure


@dataclass(frozen=True)
class Contrast:
    """Two cases and the ratio of one of their response times, above 1."""

    worse: Case
    better: Case
    name: str
    """The kind of response time: mean or p99."""

    worse_s: float
    better_s: float
    basis: str
    """The source of the times: exact, in long simulations, measured, simulated."""

    @property
    def ratio(self) -> float:
        """The ratio."""
        return self.worse_s / self.better_s

    @property
    def across_models(self) -> bool:
        """Whether exactly one of them is closed."""
        return (self.worse.model == "closed") != (self.better.model == "closed")


def sharpest(cases: Sequence[Case]) -> Contrast | None:
    """The largest sound ratio: between closed and not closed if there is one, at one load."""
    pairs = [(a, b) for a in cases for b in cases if a is not b]
    found = [contrast(a, b, name) for a, b in pairs for name in ("mean", "p99")]
    sound = [c for c in found if c is not None and c.ratio >= _WORTH_SAYING]
    if not sound:
        return None
    return max(sound, key=lambda c: (same_load(c.worse, c.better), c.across_models, c.ratio))


def contrast(a: Case, b: Case, name: str) -> Contrast | None:
    """A against B by the best figures that both have, if these can support the claim."""
    for basis, x, y in _bases(a, b):
        if _bears(x, name) and _bears(y, name):
            ours, theirs = x.times_s[name], y.times_s[name]
            apart = name != "mean" or ours - (x.ci95_s or 0) > theirs + (y.ci95_s or 0)
            if theirs > 0 and ours > theirs:
                return Contrast(a, b, name, ours, theirs, basis) if apart else None
            return None
    return None


def same_load(a: Case, b: Case) -> bool:
    """Whether two cases run at one load."""
    return a.load is not None and b.load is not None and abs(a.load - b.load) <= SAME_LOAD


def headline(found: Contrast) -> str:
    """The contrast as a sentence."""
    if same_load(found.worse, found.better) and found.worse.load is not None:
        start = f"At the same load of {found.worse.load:.2f} {the_system(found.worse)}"
    else:
        start = f"{the_system(found.worse)}{_at_load(found.worse)}"
        start = start[0].upper() + start[1:]
    other = the_system(found.better)
    if not same_load(found.worse, found.better):
        other += _at_load(found.better)
    sized = units.seconds(found.worse_s), units.seconds(found.better_s)
    return (
        f"{start} has a {_words(found.name)} of {sized[0]}: {units.factor(found.ratio)} times "
        f"the {sized[1]} of {other} ({found.basis})."
    )


def others(found: Contrast, cases: Sequence[Case]) -> str | None:
    """The comparison of the remaining cases at this load with the better one."""
    parts = []
    for case in cases:
        if case in (found.worse, found.better) or not same_load(case, found.better):
            continue
        one = contrast(case, found.better, found.name)
        if one is not None:
            ratio, time = units.factor(one.ratio), units.seconds(one.worse_s)
            parts.append(f"{ratio} times as long in {the_system(case)} ({time}, {one.basis})")
    if not parts:
        return None
    return f"Against {the_system(found.better)}, {_words(found.name)} is {units.listed(parts)}."


def measured(found: Contrast) -> str | None:
    """The contrast according to the real runs alone."""
    a, b = found.worse.find("measured"), found.better.find("measured")
    if found.basis == "measured" or a is None or b is None:
        return None
    x, y = a.figures.times_s.get(found.name), b.figures.times_s.get(found.name)
    if x is None or not y:
        return None
    requests = (a.figures.requests or 0), (b.figures.requests or 0)
    return (
        f"In the real runs, of {units.count(requests[0])} and {units.count(requests[1])} "
        f"requests, the factor was {units.factor(x / y)}."
    )


def the_system(case: Case) -> str:
    """A case as the middle of a sentence, as in 'the closed system with 10 clients'.

    One with a user's label is that label in quotation marks.
    """
    if case.described:
        return f"\u201c{case.label}\u201d"
    model = case.label.removesuffix(f", {case.difference}") if case.difference else case.label
    words, _, size = model.partition(", ")
    if words == "partly open":
        words = "partly-open"
    sized = f" with {size}" if size and not case.difference.startswith(size) else ""
    return f"the {words} system{sized}" + (f" ({case.difference})" if case.difference else "")


def _bases(a: Case, b: Case) -> list[tuple[str, Figures, Figures]]:
    """Pairs of figures from the same method, the best known first; then the other pairs."""
    pairs: list[tuple[str, Figures | None, Figures | None]] = [
        ("exact values", a.exact, b.exact),
        *_well_known_pair(a, b),
    ]
    kinds: tuple[Kind, ...] = ("measured", "simulated")
    for kind in kinds:
        entries = _largest(a, kind), _largest(b, kind)
        if entries[0] is not None and entries[1] is not None:
            pairs.append((kind, entries[0].figures, entries[1].figures))
    return [(basis, x, y) for basis, x, y in pairs if x is not None and y is not None]


def _largest(case: Case, kind: Kind) -> Entry | None:
    """The entry of a kind that rests on the most requests."""
    found = [entry for entry in case.entries if entry.kind == kind]
    return max(found, key=lambda entry: entry.figures.requests or 0, default=None)


def _well_known_pair(a: Case, b: Case) -> list[tuple[str, Figures | None, Figures | None]]:
    """The figures of the steady state of both, and their sources."""
    (of, x), (other, y) = _well_known(a), _well_known(b)
    return [(of if of == other else f"{of} against {other}", x, y)]


def _well_known(case: Case) -> tuple[str, Figures | None]:
    long = case.find("simulated", "long")
    if long is None or (case.exact is not None and "p99" in case.exact.times_s):
        return "exact values", case.exact
    return "a long simulation", long.figures


def _bears(figures: Figures, name: str) -> bool:
    if name not in figures.times_s:
        return False
    if figures.requests is None:  # exact
        return True
    known = name != "mean" or figures.ci95_s is not None
    return known and figures.requests >= _REQUESTS_MIN[name]


def _words(name: str) -> str:
    return "mean response time" if name == "mean" else name


def _at_load(case: Case) -> str:
    return "" if case.load is None else f" at a load of {case.load:.2f}"
