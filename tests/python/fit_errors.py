"""Standard errors of fitted parameters, to compare their errors with.

They come from the curvature of the log-likelihood at its maximum. A parameter at which the density
jumps has none there: its error is the distance of the extreme value from it, or of a bin's bounds.
"""

from __future__ import annotations

import math

import numpy as np

from thinktime.learn.fit import Tally
from thinktime.learn.fit.candidates import FAMILIES
from thinktime.learn.fit.fits import Fit
from thinktime.learn.fit.observations import Observations
from thinktime.learn.fit.problem import Problem
from thinktime.learn.fit.search import _curvature, _inverse, slopes


def standard_errors(found: Fit, tally: Tally) -> dict[str, float]:
    """The standard error of each parameter; infinite if the data do not determine it."""
    family, p = FAMILIES[found.law], list(found.parameters.values())
    seen = Observations(tally)
    least = _of_extremes(found.law, p, seen)
    if found.law == "const":
        return dict(zip(found.parameters, least, strict=True))
    held = (0,) if family.rounded(p) else () if family.profiled is None else (family.profiled,)
    problem = Problem(family, seen, family.ranges(seen), held)
    errors = _by_curvature(problem, p)
    for i, (low, high) in enumerate(problem.ranges):
        if math.isinf(errors[i]) and high - low < 0.2 * high:  # at a bound of its bin
            errors[i] = (high - low) / math.sqrt(12)
    return dict(zip(found.parameters, map(max, errors, least), strict=True))


def _by_curvature(problem: Problem, p: list[float]) -> list[float]:
    """By the slope of the parameters' own scales; 0 for those that are held."""
    _, steps = slopes(problem, p)
    known = np.flatnonzero(np.isfinite(steps))
    covariance = _inverse(_curvature(problem, p, steps, known))
    chosen, free = problem.searched(), problem.free(p)
    errors = [0.0 if i in problem.held else math.inf for i in range(len(p))]
    for place, spread in zip(known, np.diag(covariance), strict=True):
        if spread > 0 and math.isfinite(spread):
            step, i = np.zeros(len(free)), chosen[place]
            step[place] = min(math.sqrt(spread), 1e-3)
            rise = problem.at(p, free + step)[i] - problem.at(p, free - step)[i]
            errors[i] = abs(rise) / (2 * step[place]) * math.sqrt(spread)
    return errors


def _of_extremes(law: str, p: list[float], seen: Observations) -> list[float]:
    """The distance of the least and the largest of n values from the bounds of their law.

    Source: Johnson, Kotz and Balakrishnan, 'Continuous Univariate Distributions' 1 and 2 (1994 and
    1995), chapters 20 and 26.
    """
    if law == "uniform":
        return [(p[1] - p[0]) / seen.total] * 2
    if law == "pareto":
        return [0.0, p[1] / (seen.total * p[0])]
    if law == "bounded_pareto":
        density = p[0] * (p[1] / p[2]) ** p[0] / p[2]
        return [0.0, p[1] / (seen.total * p[0]), min(1 / (seen.total * density), p[2])]
    if law == "const" and seen.tally.resolution > 0:
        fraction = p[0] / seen.step % 1
        return [seen.step * math.sqrt(fraction * (1 - fraction) / seen.total)]
    if law == "const":
        point = np.any(seen.tally.low == p[0]) or seen.tally.whole
        return [0.0 if point else float(seen.high[0] - seen.low[0]) / math.sqrt(12)]
    return [0.0] * len(p)
