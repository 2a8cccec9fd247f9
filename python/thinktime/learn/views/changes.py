"""The changes between two logs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.fit import Values

CHANCE = 2.576
"""Standard errors that a difference exceeds by chance once in a hundred times."""

SHOWN = 0.01
"""Kinds of requests are compared from this share on, in either log."""

MANY = 10.0
"""From this ratio on percents are hard to read."""

WORDS: dict[str, Callable[[float], str]] = {
    "s": units.seconds,
    "/s": units.rate,
    "B": units.size,
    "share": units.percent,
}
"""The format of a figure, by its unit."""


@dataclass(frozen=True)
class Change:
    """One figure of two logs."""

    name: str
    unit: str
    """"s", "/s", "B", "share" or "" for plain numbers."""

    before: float | None
    """None if the first log has none."""

    after: float | None
    beyond_chance: bool | None
    """Whether the difference is larger than chance gives once in a hundred times, with requests
    taken as independent of one another; None if that is not known."""

    @property
    def ratio(self) -> float | None:
        """After over before."""
        if not self.before or self.after is None:
            return None
        return self.after / self.before

    def to_dict(self) -> dict[str, Any]:
        """The change for JSON."""
        return {**vars(self), "ratio": self.ratio}


def changes(before: Learned, after: Learned) -> list[Change]:
    """The changes from one log to the other: rates, sessions, populations, and requests."""
    old, new = before.figures, after.figures
    return [
        _rate("requests", *((one.log.count, one.log.requests.span_s) for one in (before, after))),
        _rate("sessions", *((one.sessions, one.part.requests.span_s) for one in (old, new))),
        _mean("requests a session", old.requests, new.requests),
        _mean("think time", old.thinks, new.thinks),
        _mean("response size", old.sizes, new.sizes),
        _mean("duration", old.durations, new.durations),
        *_shares("requests of", _populations(before), _populations(after)),
        *_shares("requests for", _kinds(before), _kinds(after)),
    ]


def lines(found: Sequence[Change]) -> Iterator[str]:
    """The changes, one a line; those within chance are marked so."""
    wide = max(len(change.name) for change in found)
    yield f"{'':{wide}}  {'before':>12}  {'after':>12}"
    for change in found:
        values = [_written(value, change.unit) for value in (change.before, change.after)]
        ratio = "" if change.ratio is None else _ratio(change.ratio)
        note = {True: "", False: "within chance", None: ""}[change.beyond_chance]
        line = f"{change.name:{wide}}  {values[0]:>12}  {values[1]:>12}  {ratio:>9}  {note}"
        yield line.rstrip()


def _ratio(ratio: float) -> str:
    """The change in percent; beyond ten times, as in `x 594`."""
    return units.deviation(ratio - 1) if ratio < MANY else f"x {units.number(ratio)}"


def _written(value: float | None, unit: str) -> str:
    if value is None:
        return "none"
    return WORDS.get(unit, units.number)(value)


def _rate(name: str, before: tuple[int, float], after: tuple[int, float]) -> Change:
    """Events a second, of counts taken as Poisson."""
    old, new = (count / seconds if seconds > 0 else 0.0 for count, seconds in (before, after))
    error = math.hypot(*(math.sqrt(n) / max(seconds, 1e-9) for n, seconds in (before, after)))
    return Change(f"{name} a second", "/s", old, new, abs(new - old) > CHANCE * error)


def _mean(name: str, before: Values, after: Values) -> Change:
    tallies = [before.tally, after.tally]
    means = [tally.mean if tally.total else None for tally in tallies]
    if None in means:
        return Change(name, tallies[0].unit, means[0], means[1], None)
    errors = []
    for tally in tallies:
        square = float(tally.middle**2 @ tally.count) / tally.total
        errors.append(math.sqrt(max(square - tally.mean**2, 0.0) / tally.total))
    beyond = abs(tallies[1].mean - tallies[0].mean) > CHANCE * math.hypot(*errors)
    return Change(name, tallies[0].unit, means[0], means[1], beyond)


def _populations(of: Learned) -> dict[str, int]:
    return {part.population.name: len(part.requests) for part in of.parts}


def _kinds(of: Learned) -> dict[str, int]:
    counts: dict[str, int] = {}
    for part in of.parts:
        for kind in part.journeys.kinds.kinds:
            counts[kind.name] = counts.get(kind.name, 0) + kind.requests
    return counts


def _shares(name: str, before: dict[str, int], after: dict[str, int]) -> list[Change]:
    """Shares of all, the largest first, of those with a part worth naming in either log."""
    totals = [max(sum(counts.values()), 1) for counts in (before, after)]
    found = []
    for one in dict.fromkeys([*before, *after]):
        counts = [before.get(one, 0), after.get(one, 0)]
        shares = [count / total for count, total in zip(counts, totals, strict=True)]
        if max(shares) < SHOWN:
            continue
        errors = [
            math.sqrt(share * (1 - share) / n) for share, n in zip(shares, totals, strict=True)
        ]
        beyond = abs(shares[1] - shares[0]) > CHANCE * math.hypot(*errors)
        found.append(Change(f"{name} {one}", "share", shares[0], shares[1], beyond))
    return sorted(found, key=lambda change: -(change.after or 0.0))
