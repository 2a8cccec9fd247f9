"""The search for the most likely parameters, and their standard errors.

A first search takes few bins, and a second one all of them. Standard errors come from the
curvature of the log-likelihood at its maximum, taken over steps that lower it by about a half, so
that neither rounding nor the likelihood's higher terms show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from thinktime.learn.fit.family import Family, FloatArray, Parameters
from thinktime.learn.fit.observations import IntArray, Observations
from thinktime.learn.fit.problem import Problem

_COARSE = 100
_NEAR = 1e-8
"""The least gain in log-likelihood a value for a step of a first search."""


@dataclass(frozen=True)
class CoarseFit:
    """The result of a first search, on few bins."""

    problem: Problem
    """The problem with all bins."""

    coarse: Problem
    p: list[float]

    final: bool = False
    """Whether no search was needed."""

    @property
    def log_likelihood(self) -> float:
        """The mean over all values, of joined bins."""
        return -self.coarse.objective(self.p)


def roughly(family: Family, seen: Observations) -> CoarseFit | None:
    """A first search; None if no law of the family fits."""
    solved = family.solved(seen)
    starts = family.starts(seen) if solved is None else []
    problem = Problem(family, seen, family.ranges(seen))
    coarse = replace(problem, seen=seen.coarse(_COARSE))
    if solved is not None:
        return CoarseFit(problem, coarse, solved, final=True)
    if not starts:
        return None
    if family.profiled is not None:
        held = replace(coarse, held=(family.profiled,))
        p = min((held.best(start, _NEAR) for start in starts), key=held.objective)
        return CoarseFit(problem, coarse, p)
    p = coarse.best_of(starts, _NEAR)
    nearby = family.rounded(p)
    if nearby:
        problem, coarse = replace(problem, held=(0,)), replace(coarse, held=(0,))
        p = min((coarse.best(near, _NEAR) for near in nearby), key=coarse.objective)
    return CoarseFit(problem, coarse, p)


def estimate(rough: CoarseFit, worth: bool) -> tuple[list[float], list[float]]:
    """The most likely parameters and their standard errors.

    A law that is not ``worth`` it keeps the parameters of the first search.
    """
    problem, p, family = rough.problem, rough.p, rough.problem.family
    seen, extra = problem.seen, [0.0] * len(problem.ranges)
    if rough.final:
        return p, family.least_errors(p, seen)
    if not worth:
        errors = _rough_errors(rough)
    else:
        if family.profiled is not None:
            problem, p, extra[family.profiled] = profiled(problem, rough.coarse, p)
        p, errors = refined(problem, p)
    for i, (low, high) in enumerate(problem.ranges):
        if math.isinf(errors[i]) and high - low < 0.2 * high:  # at a bound of its bin
            errors[i] = (high - low) / math.sqrt(12)
    least = family.least_errors(p, seen)
    return p, [max(three) for three in zip(errors, least, extra, strict=True)]


def _rough_errors(rough: CoarseFit) -> list[float]:
    """Standard errors by the products of the bins' slopes."""
    coarse, p = rough.coarse, rough.p
    with np.errstate(all="ignore"):
        found = coarse.products(p)
        known = np.flatnonzero(np.diag(found) > 0)
        covariance = _inverse(found[np.ix_(known, known)] * coarse.seen.total)
    return _errors(coarse, p, known, covariance)


def profiled(
    problem: Problem, rough: Problem, best: list[float]
) -> tuple[Problem, list[float], float]:
    """The best place of a jump, at a bound of a bin: the problem that holds it, and its error."""
    at = problem.family.profiled or 0
    rough = replace(rough, held=(at,))
    edges = np.unique(np.concatenate([problem.seen.low, problem.seen.high]))
    edges = edges[(edges > problem.seen.low[0]) & (edges < problem.seen.high[-1])]
    furthest = max(start[at] for start in problem.family.starts(problem.seen))
    place = int(np.searchsorted(edges, best[at]))
    reach = max(int(np.searchsorted(edges, furthest)) // 10, 1)
    while reach >= 1:
        near = np.unique(np.clip(place + reach * np.arange(-2, 3), 0, len(edges) - 1))
        tried = [rough.best(_moved(best, at, float(edges[i])), _NEAR) for i in near]
        best = min([best, *tried], key=rough.objective)
        place = int(np.searchsorted(edges, best[at]))
        reach //= 2 if reach < 8 else 3
    exact = replace(problem, held=(at,))
    best = exact.best(best)
    near = np.arange(max(place - 12, 0), min(place + 13, len(edges)))
    moved = [_moved(best, at, float(edges[i])) for i in near]
    values = np.array([exact.objective(p) for p in moved]) * problem.seen.total
    best = exact.best(moved[int(np.argmin(values))])
    alike = edges[near[values <= values.min() + 2]]
    width = float(np.max(np.diff(edges[near]))) if len(near) > 1 else float(edges[near][0])
    return exact, best, max(float(np.ptp(alike)) / 4, width / math.sqrt(12))


def _moved(p: Parameters, at: int, value: float) -> list[float]:
    return [value if i == at else one for i, one in enumerate(p)]


def refined(problem: Problem, p: Parameters) -> tuple[list[float], list[float]]:
    """The maximum by Newton's steps from nearby, and the standard errors there."""
    p, moves = list(p), 0
    while True:
        slope, steps = slopes(problem, p)
        known = np.flatnonzero(np.isfinite(steps))
        covariance = _inverse(_curvature(problem, p, steps, known))
        move = -covariance @ slope[known]
        far = np.abs(move) / np.maximum(np.sqrt(np.abs(np.diag(covariance))), 1e-300)
        moves += 1
        if moves > 3 or not len(known) or np.max(far) < 0.01 or not np.max(far) < 1e3:
            return p, _errors(problem, p, known, covariance)
        free = problem.free(p)
        free[known] += np.clip(move, -1.0, 1.0)
        moved = problem.at(p, free)
        if problem.objective(moved) > problem.objective(p) or np.max(far) > 5:
            moved = problem.best(p)
        if problem.objective(moved) >= problem.objective(p):
            return p, _errors(problem, p, known, covariance)
        p = moved


def _inverse(information: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full(information.shape, np.inf)


def _errors(
    problem: Problem, p: Parameters, known: IntArray, covariance: FloatArray
) -> list[float]:
    """Standard errors of the parameters themselves, by the slope of their scales."""
    chosen, free = problem.searched(), problem.free(p)
    errors = [0.0 if i in problem.held else math.inf for i in range(len(p))]
    for place, spread in zip(known, np.diag(covariance), strict=True):
        if spread > 0 and math.isfinite(spread):
            step, i = np.zeros(len(free)), chosen[place]
            step[place] = min(math.sqrt(spread), 1e-3)
            rise = problem.at(p, free + step)[i] - problem.at(p, free - step)[i]
            errors[i] = abs(rise) / (2 * step[place]) * math.sqrt(spread)
    return errors


def slopes(problem: Problem, p: Parameters) -> tuple[FloatArray, FloatArray]:
    """For each parameter the slope, and the step that costs about a half; inf if none does."""
    centre = problem.free(p)
    least = problem.loss(p, centre)
    slope, found = np.zeros(len(centre)), np.full(len(centre), np.inf)
    for i in range(len(centre)):
        step = np.zeros(len(centre))
        step[i] = 1 / math.sqrt(problem.seen.total)
        for _ in range(40):
            up, down = problem.loss(p, centre + step), problem.loss(p, centre - step)
            cost = up + down - 2 * least
            if 0.1 < cost < 10:
                slope[i], found[i] = (up - down) / (2 * step[i]), step[i]
                break
            step[i] *= min(max(1 / math.sqrt(max(cost, _NEAR)), 0.05), 20.0)
            if not 1e-13 < step[i] < 30:
                break
    return slope, found


def _curvature(problem: Problem, p: Parameters, steps: FloatArray, known: IntArray) -> FloatArray:
    """The second derivatives by central differences."""
    centre, size = problem.free(p), len(known)
    least = problem.loss(p, centre)
    moves = [np.eye(len(centre))[i] * steps[i] for i in known]
    alone = [[problem.loss(p, centre + move), problem.loss(p, centre - move)] for move in moves]
    found = np.zeros((size, size))
    for i in range(size):
        found[i, i] = (sum(alone[i]) - 2 * least) / steps[known[i]] ** 2
        for j in range(i):
            both = moves[i] + moves[j]
            mixed = problem.loss(p, centre + both) + problem.loss(p, centre - both)
            mixed += 2 * least - sum(alone[i]) - sum(alone[j])
            found[i, j] = found[j, i] = mixed / (2 * steps[known[i]] * steps[known[j]])
    return found
