"""Mean response times of M/G/1 under policies that use attained or needed service.

Source: Schrage and Miller, 'The queue M/G/1 with the shortest remaining processing time
discipline' (Operations Research 14, 1966); Harchol-Balter, 'Performance Modeling and Design of
Computer Systems' (2013), chapters 30 to 33; Wierman and Harchol-Balter, 'Classifying scheduling
policies with respect to unfairness in an M/GI/1' (2003).

Symbols: λ arrival rate, S service demand, F its distribution function, ρ = λ E[S] load, and of
a demand x the load of no larger demands, ρ(x) = λ E[S; S <= x]; ρ(x-) leaves out x itself.
Requests of the same rank are served first come, first served.

Means over all demands are integrated by parts, so that only F is needed and no density: demands may
have atoms. They are right to 1e-8, relative: the tail beyond x is integrated from its far end, and
not as the rest 1 - F. Every function raises ValueError, naming the load, if ρ >= 1, and if the
demand x is negative. Those for means raise `PrecisionError` if 1e-8 cannot be kept: if the load is
within about 1e-8 of 1, if the tail is so heavy that part of the mean lies beyond all numbers (a
Pareto law of shape 1.01), or if the law has too many atoms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thinktime.theory._checks import PrecisionError, load_below_one, non_negative, positive
from thinktime.theory._panels import WEIGHTS
from thinktime.theory.demand import DemandLaw
from thinktime.theory.law import FloatArray
from thinktime.theory.open_queue import ps_conditional_response, ps_mean_response
from thinktime.theory.operational import load_at

_PRECISION = 1e-8
_ROUNDING = 4e-16

# ---- last come, first served


def plcfs_mean_response(arrival_rate: float, mean_demand: float) -> float:
    """E[T] = E[S] / (1 - ρ) under preemptive LCFS, whatever the law of the demand: as PS."""
    return ps_mean_response(arrival_rate, mean_demand)


def plcfs_conditional_response(arrival_rate: float, mean_demand: float, x: float) -> float:
    """E[T | S = x] = x / (1 - ρ) under preemptive LCFS: as PS."""
    return ps_conditional_response(arrival_rate, mean_demand, x)


# ---- shortest and longest job first


def sjf_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] = x + λ E[S²] / (2 (1 - ρ(x-)) (1 - ρ(x))) without preemption.

    It is infinite if E[S²] is.
    """
    at = _TruncatedLoad.of(arrival_rate, demand, x)
    return x + arrival_rate * demand.second_moment / (2 * at.idle_before * at.idle)


def sjf_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under shortest job first, without preemption: `sjf_conditional_response` averaged.

    With R(x) = 1 / (1 - ρ(x)), E[W] = E[S²] / 2 ∫ dR(x) / x = E[S²] / 2 ∫ (R(x) - 1) / x² dx. It is
    infinite if E[S²] is.
    """
    everywhere = _DemandGrid.of(arrival_rate, demand)
    integral = everywhere.against_inverse(everywhere.idle, 1.0)
    return demand.mean + demand.second_moment / 2 * integral


def ljf_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] = x + λ E[S²] / (2 (1 - ρ + ρ(x)) (1 - ρ + ρ(x-))) without preemption.

    ρ - ρ(x) is the load of larger demands. It is infinite if E[S²] is.
    """
    at = _TruncatedLoad.of(arrival_rate, demand, x)
    load = arrival_rate * demand.mean
    idle = (2 - load - at.idle) * (2 - load - at.idle_before)
    return x + arrival_rate * demand.second_moment / (2 * idle)


def ljf_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under longest job first, without preemption: `ljf_conditional_response` averaged.

    As `sjf_mean_response`, with R(x) = -1 / (1 - ρ + ρ(x)). It is infinite if E[S²] is.
    """
    everywhere = _DemandGrid.of(arrival_rate, demand)
    idle_of_all = 1 - arrival_rate * demand.mean
    idle = idle_of_all + arrival_rate * everywhere.work_up_to
    integral = everywhere.against_inverse(idle, idle_of_all)
    return demand.mean + demand.second_moment / 2 * integral


def psjf_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] = x / (1 - ρ(x-)) + λ E[S²; S <= x] / (2 (1 - ρ(x-)) (1 - ρ(x))).

    Under preemptive shortest job first, which always serves the smallest original demand.
    """
    at = _TruncatedLoad.of(arrival_rate, demand, x)
    shorter = at.bounded_square - x**2 * at.sf
    return x / at.idle_before + arrival_rate * shorter / (2 * at.idle_before * at.idle)


def psjf_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under preemptive shortest job first: `psjf_conditional_response` averaged.

    With R(x) = 1 / (1 - ρ(x)) and D(x) = R(∞) - R(x), by parts:
    E[T] = R(∞) E[S] / 2 + 1/2 ∫ x R(x-) dF(x) - ∫ D(x) E[S²; S <= x] / (2 x²) dx, where the
    first integral is ln R(∞) / λ for a demand without atoms. E[S²] may be infinite.
    """
    everywhere = _DemandGrid.of(arrival_rate, demand)
    less = everywhere.squares_lost(everywhere.bounded_square_by_square - everywhere.sf)
    rising = everywhere.rise / arrival_rate
    return (everywhere.slowdown_of_all * demand.mean + rising) / 2 - less


# ---- shortest remaining processing time


def srpt_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] under shortest remaining processing time, by Schrage and Miller.

    ∫_0^x dt / (1 - ρ(t)) + λ E[min(S, x)²] / (2 (1 - ρ(x-)) (1 - ρ(x))): once in service, only
    requests shorter than its rest delay a request.
    """
    at = _TruncatedLoad.of(arrival_rate, demand, x)
    waits = arrival_rate * at.bounded_square / (2 * at.idle_before * at.idle)
    return waits + _DemandGrid(arrival_rate, demand).slowdown_up_to(x)


def srpt_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under shortest remaining processing time: `srpt_conditional_response` averaged.

    With D(x) = 1 / (1 - ρ) - 1 / (1 - ρ(x)), by parts:
    E[T] = E[S] / (1 - ρ) - ∫ D(x) E[min(S, x)²] / (2 x²) dx. E[S²] may be infinite.
    """
    everywhere = _DemandGrid.of(arrival_rate, demand)
    less = everywhere.squares_lost(everywhere.bounded_square_by_square)
    return everywhere.slowdown_of_all * demand.mean - less


# ---- least attained service


def las_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] under least attained service (foreground-background).

    x / (1 - ρ_x) + λ E[min(S, x)²] / (2 (1 - ρ_x)²) with ρ_x = λ E[min(S, x)]: the needs of others
    beyond x delay no request.
    """
    _checked(arrival_rate, demand)
    first, second = demand.bounded_moments(non_negative("the demand", x))
    idle = 1 - arrival_rate * float(first)
    return x / idle + arrival_rate * float(second) / (2 * idle**2)


def las_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under least attained service: `las_conditional_response` averaged, by parts.

    E[T] = ∫ P(S > x) d E[T | S = x]. E[S²] may be infinite.
    """
    everywhere = _DemandGrid.of(arrival_rate, demand)
    panels = demand.panels
    idle = everywhere.idle_of(panels.bounded_moments[0], panels.beyond)
    rises = arrival_rate * panels.sf
    slope = 1 / idle + 2 * rises * panels.x / idle**2
    slope += arrival_rate * rises * panels.bounded_moments[1] / idle**3
    return panels.total(panels.sf * slope) + panels.left_over * everywhere.slowdown_of_all


# ---- what they share


def _checked(arrival_rate: float, demand: DemandLaw) -> float:
    load_below_one(load_at(positive("the rate", arrival_rate), demand.mean))
    return arrival_rate


@dataclass(frozen=True)
class _TruncatedLoad:
    """The part of the arrivals that matters to a demand x."""

    idle: float
    """1 - ρ(x)"""
    idle_before: float
    """1 - ρ(x-)"""
    sf: float
    bounded_square: float
    """E[min(S, x)²]"""

    @classmethod
    def of(cls, arrival_rate: float, demand: DemandLaw, x: float) -> _TruncatedLoad:
        _checked(arrival_rate, demand)
        first, second = demand.bounded_moments(non_negative("the demand", x))
        sf, before = (float(demand.sf(t)) for t in (x, np.nextafter(x, -1)))
        idle, idle_before = (1 - arrival_rate * (float(first) - x * s) for s in (sf, before))
        return cls(idle, idle_before, sf, float(second))


@dataclass(frozen=True, eq=False)
class _DemandGrid:
    """The values for each demand at the places of the panels; R(x) is 1 / ``idle``."""

    arrival_rate: float
    demand: DemandLaw

    @classmethod
    def of(cls, arrival_rate: float, demand: DemandLaw) -> _DemandGrid:
        """Checks that integrals against R keep their precision: R enters in its third power."""
        everywhere = cls(_checked(arrival_rate, demand), demand)
        error = 3 * (demand.panels.error + _ROUNDING) * everywhere.slowdown_of_all
        if not error < _PRECISION:
            raise PrecisionError(
                f"at this load, and for this law of the demand, the mean could be wrong by "
                f"{error:.1g} of it, and {_PRECISION:g} is promised"
            )
        return everywhere

    @property
    def sf(self) -> FloatArray:
        return self.demand.panels.sf

    @cached_property
    def bounded_square_by_square(self) -> FloatArray:
        """E[min(S, x)²] / x², 0 at the first place, 0; x² by itself may be too large a number."""
        panels = self.demand.panels
        x = np.where(panels.x > 0, panels.x, np.inf)
        return np.asarray(panels.bounded_moments[1] / x / x)

    @cached_property
    def work_up_to(self) -> FloatArray:
        """E[S; S <= x]."""
        return np.asarray(self.demand.panels.bounded_moments[0] - self.demand.panels.x * self.sf)

    @cached_property
    def work_beyond(self) -> FloatArray:
        """E[S; S > x]."""
        return np.asarray(self.demand.panels.beyond + self.demand.panels.x * self.sf)

    @cached_property
    def idle(self) -> FloatArray:
        """1 - ρ(x)."""
        return self.idle_of(self.work_up_to, self.work_beyond)

    @property
    def slowdown_of_all(self) -> float:
        return 1 / (1 - self.arrival_rate * self.demand.mean)

    def idle_of(self, done: FloatArray, left: FloatArray) -> FloatArray:
        """1 - λ ``done``, by the smaller of two parts of E[S], so that it keeps its digits."""
        of_all = 1 - self.arrival_rate * self.demand.mean
        above = of_all + self.arrival_rate * left
        return np.where(done < left, 1 - self.arrival_rate * done, above)

    @property
    def rise(self) -> float:
        """λ ∫ x R(x-) dF(x), panel by panel: the rise of ln R, at a jump that of ρ times R."""
        before, after = self.idle[:, 0], self.idle[:, -1]
        panels = self.demand.panels
        smooth = np.log(before / after)
        rises = np.where(panels.jumps, (before - after) / before, smooth)
        return float(rises.sum() + np.log(after[-1] * self.slowdown_of_all))

    def squares_lost(self, share: FloatArray) -> float:
        """1/2 ∫ (R(∞) - R(x)) ``share`` dx: R(∞) - R(x) = R(∞) R(x) λ E[S; S > x]."""
        shortfall = self.slowdown_of_all * self.arrival_rate * self.work_beyond / self.idle
        return self.demand.panels.total(shortfall * share) / 2

    def against_inverse(self, idle: FloatArray, idle_at_zero: float) -> float:
        """∫ dr(x) / x by parts, where dr = λ x dF / ``idle``², which is ``idle_at_zero`` at 0."""
        panels = self.demand.panels
        work = self.work_up_to - self.work_up_to[0, -1]
        rising = self.arrival_rate * work / (idle * idle[0, -1])
        at_zero = self.arrival_rate * (1 - self.sf[0, -1]) / idle_at_zero**2
        x = np.where(panels.x > 0, panels.x, np.inf)
        return float(at_zero + panels.total(rising / x / x) + rising[-1, -1] / panels.end)

    def slowdown_up_to(self, x: float) -> float:
        """∫_0^x R(t) dt."""
        panels = self.demand.panels
        at, length, places = panels.split(x)
        bounded, _ = self.demand.bounded_moments(places)
        idle = 1 - self.arrival_rate * (bounded - places * self.demand.sf(places))
        within = length * ((1 / idle) @ WEIGHTS)
        beyond = max(0.0, x - panels.end) * self.slowdown_of_all
        return float(panels.up_to(1 / self.idle)[at, 0] + within) + beyond
