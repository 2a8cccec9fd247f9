"""A law of a kind's demands, as a system file writes it, with the measured mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime._core import Distribution
from thinktime.candidates.survival import Survival
from thinktime.candidates.visits import Floats
from thinktime.learn.fit import Fit, Tally, fit
from thinktime.learn.fit.empirical_law import DIGITS, few, rounded_shares
from thinktime.present import units

MEAN_WITHIN, UNSCALED_WITHIN = 0.05, 0.01
"""A law is taken only if its mean is this near to that of the values; it is then scaled to have it,
because the load depends on it. The other bound is for laws without a scale."""

FEW = 30
"""With fewer values no law is sought."""

POINTS = 40
"""An empirical law is written with this many values."""

SIMPLE = ("exp", "lognormal", "gamma")
OTHERS = ("h2", "const", "weibull", "erlang", "uniform", "bounded_pareto", "inverse_gaussian")
"""The laws are tried one after another, until one fits. `OTHERS` take longer."""

MATTERS = 0.03
"""A kind with less than this share of the work is not worth a long search."""

CHANCE = 1.63
"""Kolmogorov's statistic exceeds this many times sqrt(1/n) with a probability of 1 %."""

WIDTH = 0.03
"""The relative width of bins of values."""

STEPS = 30
"""Up to this many steps of the clock, values are kept in steps."""


@dataclass(frozen=True)
class Law:
    """The written law of the demands of one kind."""

    notation: str
    about: str
    """The quality of the fit, in words."""


def law_of(seen: Survival, step_s: float, share: float) -> Law:
    """The law of demands measured in steps of ``step_s`` seconds; there must be at least one.

    ``share`` is that of the kind in the work of all.
    """
    mean = seen.mean
    if seen.seen < FEW or mean <= 0:
        return unknown(mean, f"only {seen.seen} were seen: the law is not known")
    tally = _tally(seen, step_s)
    near: list[tuple[float, Law]] = []
    for name in (*SIMPLE, *(OTHERS if share >= MATTERS else ())):
        for found in fit(tally, [name]):
            law = _with_mean(found, mean)
            if law is not None and found.ks <= CHANCE / np.sqrt(seen.seen):
                return law
            near += [] if law is None else [(found.bic, law)]
    if near:
        return min(near, key=lambda one: one[0])[1]
    return Law(
        empirical(seen, mean), f"no law with a name fits: at most {POINTS} values with this mean"
    )


def unknown(mean_s: float, why: str) -> Law:
    """A law with a known mean only; for a mean of 0, which no `exp` has, a constant."""
    return Law(f"exp({_time(mean_s)})" if mean_s > 0 else "0s", why)


def _with_mean(found: Fit, mean: float) -> Law | None:
    """The law with the mean of the values, if it is near to it and plausible."""
    if not found.plausible or not abs(found.mean / mean - 1) <= MEAN_WITHIN:
        return None
    ratio, by = mean / found.mean, found.parameters
    scaled = {
        "exp": lambda: f"exp({_time(mean)})",
        "lognormal": lambda: (
            f"lognormal(mu={by['mu'] + np.log(ratio):.6g}, sigma={by['sigma']:.6g})"
        ),
        "gamma": lambda: f"gamma(shape={by['shape']:.6g}, scale={_time(by['scale'] * ratio)})",
        "weibull": lambda: f"weibull(shape={by['shape']:.6g}, scale={_time(by['scale'] * ratio)})",
        "h2": lambda: f"h2({_time(mean)}, cv2={Distribution(found.notation).cv2:.6g})",
    }.get(found.law)
    if scaled is None and abs(ratio - 1) > UNSCALED_WITHIN:
        return None
    notation = found.notation if scaled is None else scaled()
    return Law(notation, f"{found.law} fits within {units.percent(found.ks)}")


def _tally(seen: Survival, step_s: float) -> Tally:
    """The values in bins: steps of the clock, and of `WIDTH` if these are finer."""
    values, weights = np.maximum(seen.values, 0.0), seen.weights / seen.weights.sum()
    fine = max(step_s, 1e-9)
    exact = values < STEPS * fine
    low = np.where(exact, np.floor(values / fine) * fine, _power(values))
    high = np.where(exact, low + fine, low * (1 + WIDTH))
    bins, place = np.unique(low, return_inverse=True)
    count = np.asarray(np.bincount(place, weights=weights * seen.seen), dtype=np.float64)
    top = np.zeros(len(bins))
    top[place] = high
    return Tally(bins, top, count)


def _power(values: Floats) -> Floats:
    step = np.log1p(WIDTH)
    return np.asarray(np.exp(np.floor(np.log(np.maximum(values, 1e-12)) / step) * step))


def empirical(seen: Survival, mean_s: float, points: int = POINTS) -> str:
    """The values themselves with this mean: those of groups of neighbours."""
    means, share = few(np.maximum(seen.values, 0.0), seen.weights, points)
    total = float(means @ share / share.sum())
    if total <= 0 or mean_s <= 0:
        return "0s"
    means = means * mean_s / total
    # Groups with the same written value are merged.
    written, place = np.unique([float(f"{mean:.6g}") for mean in means], return_inverse=True)
    share = rounded_shares(np.bincount(place, weights=share), DIGITS)
    pairs = zip(share, written, strict=True)
    return f"discrete({', '.join(f'{one:.{DIGITS}f}: {_time(value)}' for one, value in pairs)})"


def _time(seconds: float) -> str:
    return f"{seconds:.6g}s"
