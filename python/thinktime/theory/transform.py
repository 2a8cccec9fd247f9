"""The laws of the wait and the response time of M/G/1 under FCFS, by their transforms.

Source: Abate and Whitt, 'Numerical inversion of Laplace transforms of probability
distributions' (ORSA Journal on Computing 7, 1995), the Euler method; Kleinrock, 'Queueing
Systems', volume 1 (1975), section 5.7, for the transforms; Harchol-Balter, 'Performance Modeling
and Design of Computer Systems' (2013), chapters 25 and 26.

With S_e the rest of the demand found in service, P(S_e > t) = 1 - E[min(S, t)] / E[S] and its
transform is B_e(s), the wait is a geometric sum: W*(s) = (1 - ρ) / (1 - ρ B_e(s)). Its terms with
no and one S_e are known directly, and with them all jumps; only the rest, Q(s) = (1 - ρ) ρ² B_e(s)²
/ (1 - ρ B_e(s)), is inverted:

- P(W > t) = (1 - ρ) ρ P(S_e > t) + the inverse of (ρ² - Q(s)) / s,
- P(T > t) = P(W > t) + (density of W at t) / λ, the density being (1 - ρ) λ P(S > t) + the
  inverse of Q(s): waits rise through t as often as they fall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thinktime.theory._checks import load_below_one, positive
from thinktime.theory.demand import DemandLaw, Deterministic
from thinktime.theory.law import FloatArray, Law
from thinktime.theory.open_queue import mg1_mean_waiting
from thinktime.theory.operational import load_at

_DECAY = 22.0  # e^-22 is the error of the method, e^11 its amplification of rounding errors
_TERMS, _AVERAGED = 40, 16

_SIGNS = (-1.0) ** np.arange(_TERMS + _AVERAGED + 1)
_SHARES = (
    np.cumsum([math.comb(_AVERAGED, k) for k in range(_AVERAGED, -1, -1)])[::-1] / 2.0**_AVERAGED
)
_WEIGHTS = _SIGNS * np.concatenate((np.ones(_TERMS), _SHARES))
_WEIGHTS[0] /= 2


@dataclass(frozen=True)
class Mg1Waiting(Law):
    """The wait of M/G/1 under FCFS; see `mg1_waiting`, which checks the arguments."""

    arrival_rate: float
    demand: DemandLaw

    @property
    def mean(self) -> float:
        return mg1_mean_waiting(self.arrival_rate, self.demand)

    def sf(self, t: ArrayLike) -> FloatArray:
        times = np.asarray(t, dtype=np.float64)
        return np.where(times < 0, 1.0, _survival(self.arrival_rate, self.demand, times, 0.0))


@dataclass(frozen=True)
class Mg1Response(Law):
    """The response time of M/G/1 under FCFS; see `mg1_response`, which checks the arguments."""

    arrival_rate: float
    demand: DemandLaw

    @property
    def mean(self) -> float:
        return mg1_mean_waiting(self.arrival_rate, self.demand) + self.demand.mean

    def sf(self, t: ArrayLike) -> FloatArray:
        times = np.asarray(t, dtype=np.float64)
        if isinstance(self.demand, Deterministic):
            return Mg1Waiting(self.arrival_rate, self.demand).sf(times - self.demand.value)
        return np.where(times < 0, 1.0, _survival(self.arrival_rate, self.demand, times, 1.0))


def mg1_waiting(arrival_rate: float, demand: DemandLaw) -> Mg1Waiting:
    """Wait of M/G/1 under FCFS, for any `DemandLaw`; E[S²] must be finite.

    ``sf`` has an absolute error of about 1e-9 if the law is smooth: percentiles up to
    ``percentile(0.99999)`` are good to some 1e-4.

    Raises ValueError, naming the load, if ρ >= 1, and if E[S²] is infinite.
    """
    _check(arrival_rate, demand)
    return Mg1Waiting(arrival_rate, demand)


def mg1_response(arrival_rate: float, demand: DemandLaw) -> Mg1Response:
    """Response time of M/G/1 under FCFS, for any `DemandLaw`; E[S²] must be finite.

    The error is that of `mg1_waiting`, 1e-6 for a constant demand; for other demands with atoms up
    to 1e-3 if a few of them add up to t. For a mixture of exponentials `mh1_response` has the same
    law exactly.

    Raises ValueError, naming the load, if ρ >= 1, and if E[S²] is infinite.
    """
    _check(arrival_rate, demand)
    return Mg1Response(arrival_rate, demand)


def _check(arrival_rate: float, demand: DemandLaw) -> None:
    load_below_one(load_at(positive("the rate", arrival_rate), demand.mean))
    positive("E[S²]", demand.second_moment)


def _survival(rate: float, demand: DemandLaw, times: FloatArray, served: float) -> FloatArray:
    """P(W + served S > t), for served 0 or 1, at each t >= 0."""
    load, mean = rate * demand.mean, demand.mean
    t = np.maximum(times, 1e-12 * mean)
    rest = 1 - demand.bounded_moments(times.clip(0.0))[0] / mean
    known = (1 - load) * (load * rest + served * demand.sf(times))
    s = (_DECAY + 2j * np.pi * np.arange(len(_WEIGHTS))) / (2 * t[..., np.newaxis])
    found = load * demand.survival_transform(s) / mean
    q = (1 - load) * found**2 / (1 - found)
    transforms = (load**2 - q) / s + served * q / rate
    inverse = np.exp(_DECAY / 2) / t * (transforms.real @ _WEIGHTS)
    return np.asarray(np.clip(known + inverse, 0.0, 1.0), dtype=np.float64)
