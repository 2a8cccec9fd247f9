"""Whether the tail of a sample falls off as a power of x, and with which exponent.

Sources: Clauset, Shalizi and Newman, 'Power-law distributions in empirical data' (SIAM Review 51,
2009), for the beginning of the tail, and the test of Vuong (Econometrica 57, 1989) against the
lognormal; Virkar and Clauset, 'Power-law distributions in binned empirical data' (Annals of Applied
Statistics 8, 2014), for bins; Aban, Meerschaert and Panorska, 'Parameter estimation for the
truncated Pareto distribution' (Journal of the American Statistical Association 101, 2006), for the
end of the tail; Malevergne, Pisarenko and Sornette, 'Testing the Pareto against the lognormal
distributions' (Physical Review E 83, 2011): the Pareto tail is the lognormal's limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thinktime.learn.fit._lognormal_tail import LognormalTail, bent
from thinktime.learn.fit._pareto_tail import (
    LEAST_VALUES,
    ParetoTail,
    best_tail,
    bound_of,
    by_chance,
    least_threshold,
    positive,
    straight,
    values_above,
)
from thinktime.learn.fit.fits import DECISIVE
from thinktime.learn.fit.observations import Observations
from thinktime.learn.fit.tally import Tally

_SIGNIFICANT = 5.41
_DOUBTFUL = 2.71
"""Twice the gain in log-likelihood that a parameter at its bound reaches by chance once in 100, and
once in 20."""

_SIGMA = 3.0
"""A lognormal tail with a sigma up to this must be one that would show in the data."""

_WIDER = (10, 5, 2)
"""A lognormal tail may describe this many times as many values as the Pareto tail."""


@dataclass(frozen=True)
class TailFit:
    """The upper tail as a Pareto law from a threshold on: P(X > x) falls as x^-exponent."""

    verdict: str
    """``heavy``: a power law with an infinite variance; ``not heavy``; or ``cannot tell``."""

    reason: str
    """Why, in a sentence."""

    exponent: float = 0.0
    """The shape of the Pareto law, above 0; 0 if there is no tail to judge."""

    low: float = 0.0
    high: float = math.inf
    """The exponent's 95 % interval, for the threshold found."""

    threshold: float = 0.0
    """The beginning of the tail, in base units."""

    share: float = 0.0
    """The fraction of the values that lie in the tail."""

    count: int = 0
    """The number of values in the tail."""

    bound: float | None = None
    """The end of the tail, if it has one: at the tally's limit or at the largest value."""

    ks: float = 0.0
    """The largest difference between the two distribution functions of the tail."""

    likelihood_ratio: float = 0.0
    """The log-likelihood of the Pareto tail less that of the lognormal one: 0 or below."""

    vuong: float = 0.0
    """Its distance from 0 in standard deviations; below -2 the lognormal tail is closer."""

    p_value: float = 1.0
    """The probability of a distance as large if both are equally close."""


def tail(tally: Tally) -> TailFit:
    """Find the beginning of the tail, its exponent, and whether it is heavy.

    The tail is the longest one that is as close to a Pareto law as chance allows, and if there is
    none, the closest one. "Heavy" needs an exponent surely below 2, and enough values in the tail
    to distinguish it from a lognormal one. With more values than `DECISIVE` no finer distinctions
    are made. Raises nothing.
    """
    seen = positive(tally)
    if seen is None:
        return TailFit("cannot tell", f"there are fewer than {LEAST_VALUES} values above 0")
    bound = bound_of(seen)
    found = best_tail(seen, bound)
    if found is None:
        return TailFit("cannot tell", "the values are too few or too much alike to have a tail")
    other = bent(found)
    end = float(seen.upper[-1])
    if bound is None and _ends(end, found, straight(seen, found.place, end), other):
        bounded = best_tail(seen, end)
        if bounded is not None:
            found, bound, other = bounded, end, bent(bounded)
    verdict, reason = _judged(seen, found, other, bound)
    error = 1 / math.sqrt(found.information) if found.information > 0 else math.inf
    return TailFit(
        verdict=verdict,
        reason=reason,
        exponent=found.shape,
        low=max(found.shape - 1.96 * error, 0.0),
        high=found.shape + 1.96 * error,
        threshold=found.threshold,
        share=found.total / seen.total,
        count=round(found.total),
        bound=bound,
        ks=found.ks,
        likelihood_ratio=-other.gain,
        vuong=other.vuong,
        p_value=math.erfc(abs(other.vuong) / math.sqrt(2)),
    )


def _ends(end: float, found: ParetoTail, bounded: ParetoTail | None, other: LognormalTail) -> bool:
    """Whether the largest value is too small, at 1 %, for a tail without an end.

    With N values over the threshold, P(max < m) is about e^{-N (m / threshold)^-a}. An end must
    also explain it better than a bend.
    """
    span = math.log(end) - math.log(found.threshold)
    missing = found.total * math.exp(-found.shape * span)
    if missing < -math.log(0.01) or span < math.log(10) or bounded is None:
        return False
    return bounded.log_likelihood - found.log_likelihood > other.gain


def _judged(
    seen: Observations, found: ParetoTail, other: LognormalTail, bound: float | None
) -> tuple[str, str]:
    """The verdict, and why."""
    scale = min(1.0, DECISIVE / found.total)
    half = 1.96 / math.sqrt(found.information) if found.information > 0 else math.inf
    gain, law = 2 * other.gain * scale, f"x^-{found.shape:.3g}"
    if gain > _SIGNIFICANT:
        bend = f"the tail bends down as a lognormal one with sigma {other.sigma:.3g} does"
        return "not heavy", bend
    if found.shape - half >= 2:
        return "not heavy", f"the tail falls off faster than x^-2: as {law}"
    wider = _wider(seen, found, bound)
    if wider is not None:
        return "not heavy", (
            f"{law} fits {found.total:.0f} values at the end, but a tail that bends down as a "
            f"lognormal one with sigma {wider[1].sigma:.3g} fits {wider[0]:.0f}"
        )
    is_certain = gain < _DOUBTFUL and other.noticed(found.total * scale) >= _SIGMA
    if is_certain and found.shape + half < 2:
        return "heavy", f"the tail falls off as {law}, without bending down"
    return "cannot tell", (
        f"{law} fits the {found.total:.0f} values of the tail, "
        "and so would a tail that is not heavy"
    )


def _wider(
    seen: Observations, found: ParetoTail, bound: float | None
) -> tuple[float, LognormalTail] | None:
    """A lognormal tail of many more values, if one is as close to them as chance allows."""
    above, least = values_above(seen), least_threshold(seen)
    for times in _WIDER:
        places = np.flatnonzero((above >= times * found.total) & (seen.lower > least))
        one = straight(seen, int(places[-1]), bound) if len(places) else None
        if one is None:
            continue
        other = bent(one)
        gain = 2 * other.gain * min(1.0, DECISIVE / one.total)
        if gain > _SIGNIFICANT and other.ks <= by_chance(one.total):
            return one.total, other
    return None
