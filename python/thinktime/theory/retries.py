"""Retries after a timeout: a fixed point that shows how far they raise the load.

A client that has no response after a timeout τ sends the request again, at most R times; the
server knows nothing of it and serves every attempt to the end. With f(r) = P(T > τ) at a load
r of all attempts together, and attempts taken to arrive as a Poisson process,
r = ρ (1 + f + ... + f^R) = ρ (1 - f^{R+1}) / (1 - f), where ρ is the load of the first
attempts; without a limit on R, r (1 - f(r)) = ρ.

Source: the usual fixed point of repeated attempts; Cohen, 'Basic problems of telephone traffic
theory and the influence of repeated calls' (Philips Telecommunication Review 18, 1957). The
example below is Brooker's, 'Open and Closed, Omission and Collapse'.

It is optimistic. Real retries do not arrive as a Poisson process: one long demand makes a
hundred of its neighbours late at once, and they come back together. Systems collapse at loads
far below the capacity that is computed here: for demands of 0.1 ms and, one in a thousand,
10 ms (both exponential), a timeout of 15 ms and no limit on retries, the capacity is 0.7354,
and simulations collapse within seconds at a load of 0.3. A capacity below the load proves that
there is no steady state; one above it proves nothing. Only `surely_stable` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thinktime.numerics import brentq, minimize_scalar, wrightomega
from thinktime.theory._checks import load_below_one, non_negative, positive
from thinktime.theory.demand import Hyperexponential
from thinktime.theory.open_queue import mh1_response

LateFraction = Callable[[float], float]
"""f: load of all attempts, above 0 and below 1 -> P(T > τ). It must grow with the load."""

_LOADS = 400  # the loads that are tried are closer together the closer to 1


@dataclass(frozen=True)
class RetryCapacity:
    """The largest load of first attempts that has a fixed point."""

    load: float
    """max_r r (1 - f(r)) / (1 - f(r)^{R+1})."""

    offered_load: float
    """The load r of all attempts there."""


@dataclass(frozen=True)
class RetryEquilibrium:
    """The stable fixed point."""

    offered_load: float
    """r, the load of all attempts together."""

    late: float
    """f(r), the fraction of attempts that time out."""

    given_up: float
    """f(r)^{R+1}, the fraction of requests of which every attempt times out; 0 without limit."""


def late_fraction(demand: Hyperexponential, timeout: float) -> LateFraction:
    """f(r) = P(T > timeout) of M/H_k/1 under FCFS at the load r; timeout > 0 in seconds.

    Raises ValueError if the timeout is not above 0.
    """
    positive("timeout", timeout)

    def late(load: float) -> float:
        return float(mh1_response(load_below_one(load) / demand.mean, demand).sf(timeout))

    return late


def retry_capacity(late: LateFraction, retries: int | None = None) -> RetryCapacity:
    """The load of first attempts above which retries leave no steady state; it is optimistic.

    ``retries`` is R >= 0, None for no limit. With a limit, load 1 / (R + 1) and less always has
    a fixed point, however late attempts are.

    Raises ValueError if R is negative or not whole.
    """
    useful = _useful(late, retries)
    at = _highest(useful, _loads(0.0))
    return RetryCapacity(useful(at), at)


def retry_equilibrium(
    load: float, late: LateFraction, retries: int | None = None
) -> RetryEquilibrium | None:
    """The fixed point at which a system that starts empty would stay; None if it collapses.

    Of all fixed points it is the one of least load: there the load of retries grows more slowly
    than the load that causes them. 0 < ``load`` < 1 is that of first attempts, ``retries`` R >= 0,
    None for no limit. It is optimistic, as the module says.

    Raises ValueError if an argument lies outside its range.
    """
    useful = _useful(late, retries)
    bracket = _first_reached(useful, load_below_one(load))
    if bracket is None:
        return None
    lower, upper = bracket
    offered = upper
    if upper > lower:
        offered = float(brentq(lambda r: useful(r) - load, lower, upper, xtol=1e-15, rtol=1e-14))
    f = late(offered)
    return RetryEquilibrium(offered, f, 0.0 if retries is None else f ** (retries + 1))


def mm1_retry_capacity(mean_demand: float, timeout: float) -> RetryCapacity:
    """`retry_capacity` of M/M/1 without a limit on retries, in closed form.

    f(r) = e^{-y} with y = μ (1 - r) τ. Where r (1 - f(r)) is largest, e^y = 1 + r μ τ, so that
    with a = μ τ and Wright's ω(z) + ln ω(z) = z, y = 1 + a - ω(1 + a).

    Raises ValueError if an argument is not above 0.
    """
    a = positive("timeout", timeout) / positive("mean_demand", mean_demand)
    # y = ln ω(1 + a), which keeps its digits if a is large.
    y = float(np.log(wrightomega(1 + a)))
    offered = 1 - y / a
    return RetryCapacity(-offered * float(np.expm1(-y)), offered)


def surely_stable(load: float, retries: int) -> bool:
    """Whether ρ (R + 1) < 1: stable even if every attempt times out, whatever the demands.

    ``load`` >= 0 is that of first attempts to one server that never idles while there is work.

    Raises ValueError if the load is negative, or R negative or not whole.
    """
    return non_negative("the load", load) * (_limit(retries) + 1) < 1


def _useful(late: LateFraction, retries: int | None) -> LateFraction:
    """R -> the load of first attempts that leads to the load r of all."""
    limit = None if retries is None else _limit(retries)

    def useful(load: float) -> float:
        f = late(load)
        if limit is None:
            return load * (1 - f)
        # 1 + f + ... + f^R, without dividing by 1 - f
        return load / float(np.polyval(np.ones(limit + 1), f))

    return useful


def _limit(retries: int) -> int:
    if retries != int(retries):
        raise ValueError(f"retries must be a whole number; it is {retries}")
    return int(non_negative("retries", retries))


def _loads(least: float) -> list[float]:
    """Loads between ``least`` and 1, without the ends unless ``least`` is above 0."""
    steps = np.arange(0 if least > 0 else 1, _LOADS) / _LOADS
    closing = 1 - (1 - least) * (1 - steps) ** 2
    return [float(load) for load in closing]


def _first_reached(useful: LateFraction, load: float) -> tuple[float, float] | None:
    """Bounds of the least r with useful(r) = load; equal if r is ``load`` itself."""
    lower = load
    loads = _loads(load)
    for r in loads:
        if useful(r) >= load:
            return lower, r
        lower = r
    highest = _highest(useful, loads)
    return (load, highest) if useful(highest) >= load else None


def _highest(useful: LateFraction, loads: list[float]) -> float:
    best = int(np.argmax([useful(r) for r in loads]))
    bounds = loads[max(best - 1, 0)], loads[min(best + 1, len(loads) - 1)]
    found = minimize_scalar(
        lambda r: -useful(r), bounds=bounds, method="bounded", options={"xatol": 1e-12}
    )
    return float(found.x)
