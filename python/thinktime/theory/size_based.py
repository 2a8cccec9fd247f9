"""Mean response times of M/G/1 under policies that look at what a request has had or will need.

Source: Schrage and Miller, 'The queue M/G/1 with the shortest remaining processing time
discipline' (Operations Research 14, 1966); Harchol-Balter, 'Performance Modeling and Design of
Computer Systems' (2013), chapters 30 to 33; Wierman and Harchol-Balter, 'Classifying scheduling
policies with respect to unfairness in an M/GI/1' (2003).

Symbols: λ arrival rate, S service demand, F its distribution function, ρ = λ E[S] load, and of
a demand x the load of no larger demands, ρ(x) = λ E[S; S <= x]; ρ(x-) leaves out x itself.
Requests of the same rank are served first come, first served.

Means over all demands are taken by parts, so that F is needed and no density: demands may have
atoms. They are right to about 1e-8, for whatever `DemandLaw`. Every function raises ValueError,
naming the load, where ρ >= 1, and where the demand x is negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thinktime.theory._checks import load_below_one, non_negative, positive
from thinktime.theory._panels import WEIGHTS
from thinktime.theory.demand import DemandLaw
from thinktime.theory.law import FloatArray
from thinktime.theory.open_queue import ps_conditional_response, ps_mean_response
from thinktime.theory.operational import load_at

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

    It is infinite where E[S²] is.
    """
    at = _Below.of(arrival_rate, demand, x)
    return x + arrival_rate * demand.second_moment / (2 * at.idle_before * at.idle)


def sjf_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under shortest job first, without preemption: `sjf_conditional_response` averaged.

    With R(x) = 1 / (1 - ρ(x)), E[W] = E[S²] / 2 ∫ dR(x) / x = E[S²] / 2 ∫ (R(x) - 1) / x² dx.
    It is infinite where E[S²] is.
    """
    everywhere = _Everywhere(_checked(arrival_rate, demand), demand)
    integral = everywhere.against_inverse(everywhere.slowdown, arrival_rate)
    return demand.mean + demand.second_moment / 2 * integral


def ljf_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] = x + λ E[S²] / (2 (1 - ρ + ρ(x)) (1 - ρ + ρ(x-))) without preemption.

    ρ - ρ(x) is the load of larger demands. It is infinite where E[S²] is.
    """
    at = _Below.of(arrival_rate, demand, x)
    load = arrival_rate * demand.mean
    idle = (2 - load - at.idle) * (2 - load - at.idle_before)
    return x + arrival_rate * demand.second_moment / (2 * idle)


def ljf_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under longest job first, without preemption: `ljf_conditional_response` averaged.

    As `sjf_mean_response`, with R(x) = -1 / (1 - ρ + ρ(x)). It is infinite where E[S²] is.
    """
    everywhere = _Everywhere(_checked(arrival_rate, demand), demand)
    idle = 2 - arrival_rate * demand.mean - 1 / everywhere.slowdown
    nothing_larger = arrival_rate * everywhere.slowdown_of_all**2
    integral = everywhere.against_inverse(-1 / idle, nothing_larger)
    return demand.mean + demand.second_moment / 2 * integral


def psjf_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] = x / (1 - ρ(x-)) + λ E[S²; S <= x] / (2 (1 - ρ(x-)) (1 - ρ(x))).

    Under preemptive shortest job first: always the smallest original demand is served.
    """
    at = _Below.of(arrival_rate, demand, x)
    shorter = at.bounded_square - x**2 * at.sf
    return x / at.idle_before + arrival_rate * shorter / (2 * at.idle_before * at.idle)


def psjf_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under preemptive shortest job first: `psjf_conditional_response` averaged.

    With R(x) = 1 / (1 - ρ(x)) and D(x) = R(∞) - R(x), by parts:
    E[T] = R(∞) E[S] / 2 + 1/2 ∫ x R(x-) dF(x) - ∫ D(x) E[S²; S <= x] / (2 x²) dx, where the
    first integral is ln R(∞) / λ for a demand without atoms. E[S²] may be infinite.
    """
    everywhere = _Everywhere(_checked(arrival_rate, demand), demand)
    x, sf = everywhere.x, everywhere.sf
    shorter = everywhere.bounded_square - x**2 * sf
    less = demand.panels.total(everywhere.shortfall * shorter / everywhere.squares) / 2
    rising = everywhere.rise / arrival_rate
    return (everywhere.slowdown_of_all * demand.mean + rising) / 2 - less


# ---- shortest remaining processing time


def srpt_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] under shortest remaining processing time, by Schrage and Miller.

    ∫_0^x dt / (1 - ρ(t)) + λ E[min(S, x)²] / (2 (1 - ρ(x-)) (1 - ρ(x))): once in service a
    request is held up only by what is shorter than its rest.
    """
    at = _Below.of(arrival_rate, demand, x)
    waits = arrival_rate * at.bounded_square / (2 * at.idle_before * at.idle)
    return waits + _Everywhere(arrival_rate, demand).slowdown_up_to(x)


def srpt_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under shortest remaining processing time: `srpt_conditional_response` averaged.

    With D(x) = 1 / (1 - ρ) - 1 / (1 - ρ(x)), by parts:
    E[T] = E[S] / (1 - ρ) - ∫ D(x) E[min(S, x)²] / (2 x²) dx. E[S²] may be infinite.
    """
    everywhere = _Everywhere(_checked(arrival_rate, demand), demand)
    density = everywhere.shortfall * everywhere.bounded_square / everywhere.squares
    return everywhere.slowdown_of_all * demand.mean - demand.panels.total(density) / 2


# ---- least attained service


def las_conditional_response(arrival_rate: float, demand: DemandLaw, x: float) -> float:
    """E[T | S = x] under least attained service (foreground-background).

    x / (1 - ρ_x) + λ E[min(S, x)²] / (2 (1 - ρ_x)²) with ρ_x = λ E[min(S, x)]: nobody is held
    up by what others need beyond x.
    """
    _checked(arrival_rate, demand)
    first, second = demand.bounded_moments(non_negative("the demand", x))
    idle = 1 - arrival_rate * float(first)
    return x / idle + arrival_rate * float(second) / (2 * idle**2)


def las_mean_response(arrival_rate: float, demand: DemandLaw) -> float:
    """E[T] under least attained service: `las_conditional_response` averaged, by parts.

    E[T] = ∫ P(S > x) d E[T | S = x]. E[S²] may be infinite.
    """
    _checked(arrival_rate, demand)
    panels = demand.panels
    bounded, bounded_square = panels.bounded_moments
    idle, rises = 1 - arrival_rate * bounded, arrival_rate * panels.sf
    slope = 1 / idle + 2 * rises * panels.x / idle**2
    slope += arrival_rate * rises * bounded_square / idle**3
    return panels.total(panels.sf * slope)


# ---- what they share


def _checked(arrival_rate: float, demand: DemandLaw) -> float:
    load_below_one(load_at(positive("the rate", arrival_rate), demand.mean))
    return arrival_rate


@dataclass(frozen=True)
class _Below:
    """What of the arrivals concerns a demand x."""

    idle: float
    """1 - ρ(x)"""
    idle_before: float
    """1 - ρ(x-)"""
    sf: float
    bounded_square: float
    """E[min(S, x)²]"""

    @classmethod
    def of(cls, arrival_rate: float, demand: DemandLaw, x: float) -> _Below:
        _checked(arrival_rate, demand)
        first, second = demand.bounded_moments(non_negative("the demand", x))
        sf, before = (float(demand.sf(t)) for t in (x, np.nextafter(x, -1)))
        idle, idle_before = (1 - arrival_rate * (float(first) - x * s) for s in (sf, before))
        return cls(idle, idle_before, sf, float(second))


@dataclass(frozen=True, eq=False)
class _Everywhere:
    """What concerns each demand at the places of the panels; R is ``slowdown``."""

    arrival_rate: float
    demand: DemandLaw

    @property
    def x(self) -> FloatArray:
        return self.demand.panels.x

    @property
    def squares(self) -> FloatArray:
        """x², but such that dividing by it does no harm at the first place, 0."""
        return np.where(self.x > 0, self.x, np.inf) ** 2

    @property
    def sf(self) -> FloatArray:
        return self.demand.panels.sf

    @property
    def bounded_square(self) -> FloatArray:
        """E[min(S, x)²]."""
        return self.demand.panels.bounded_moments[1]

    @cached_property
    def slowdown(self) -> FloatArray:
        return self._slowdown(self.demand.panels.bounded_moments[0], self.x, self.sf)

    @property
    def slowdown_of_all(self) -> float:
        return 1 / (1 - self.arrival_rate * self.demand.mean)

    @property
    def shortfall(self) -> FloatArray:
        return self.slowdown_of_all - self.slowdown

    @property
    def rise(self) -> float:
        """λ ∫ x R(x-) dF(x), panel by panel: the rise of ln R, at a jump that of ρ times R."""
        before, after = self.slowdown[:, 0], self.slowdown[:, -1]
        at_jumps = before * (1 / before - 1 / after)
        return float(np.where(self.demand.panels.narrow, at_jumps, np.log(after / before)).sum())

    def against_inverse(self, rising: FloatArray, at_zero: float) -> float:
        """∫ dr(x) / x by parts, for r with the values ``rising`` and dr = ``at_zero`` x dF at 0."""
        panels = self.demand.panels
        first, last, share = rising[0, -1], rising[-1, -1], 1 - self.sf[0, -1]
        within = panels.total((rising - first) / self.squares)
        return float(at_zero * share + within + (last - first) / panels.end)

    def slowdown_up_to(self, x: float) -> float:
        """∫_0^x R(t) dt."""
        panels = self.demand.panels
        at, length, places = panels.split(x)
        bounded, _ = self.demand.bounded_moments(places)
        within = length * (self._slowdown(bounded, places, self.demand.sf(places)) @ WEIGHTS)
        beyond = max(0.0, x - panels.end) * self.slowdown_of_all
        return float(panels.up_to(self.slowdown)[at, 0] + within) + beyond

    def _slowdown(self, bounded: FloatArray, x: FloatArray, sf: FloatArray) -> FloatArray:
        return np.asarray(1 / (1 - self.arrival_rate * (bounded - x * sf)), dtype=np.float64)
