"""The search for the most likely parameters, and how far they can be trusted.

Parameters are searched for on scales without bounds: logarithms, and logarithms of odds. Standard
errors come from the curvature of the log-likelihood at its maximum, taken over steps that lower
it by about a half, so that neither rounding nor the likelihood's higher terms show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from thinktime.learn.fit.family import Family, FloatArray, Parameters, Range
from thinktime.learn.fit.observed import IntArray, Observed

_COARSE = 250
_WORST = 1e6
"""Stands for the objective where it cannot be computed."""


@dataclass(frozen=True)
class Problem:
    """A family's parameters, some of them held, to be fitted to observations."""

    family: Family
    seen: Observed
    ranges: list[Range]
    held: tuple[int, ...] = ()

    def objective(self, p: Parameters) -> float:
        """Minus the log-likelihood a value."""
        try:
            with np.errstate(all="ignore"):
                found = -self.seen.log_likelihood(self.family, p) / self.seen.total
        except (ArithmeticError, ValueError):
            return _WORST
        return found if math.isfinite(found) else _WORST

    def loss(self, p: Parameters, free: FloatArray) -> float:
        """Minus the log-likelihood where the parameters that are searched for are ``free``."""
        return self.objective(self.at(p, free)) * self.seen.total

    def searched(self) -> list[int]:
        return [i for i in range(len(self.ranges)) if i not in self.held]

    def at(self, p: Parameters, free: FloatArray) -> list[float]:
        """Parameters as in ``p``, but for those that are searched for."""
        moved = list(p)
        for i, value in zip(self.searched(), free, strict=True):
            moved[i] = bounded(float(value), self.ranges[i])
        return moved

    def free(self, p: Parameters) -> FloatArray:
        """Those that are searched for, on scales without bounds."""
        return np.array([unbounded(p[i], self.ranges[i]) for i in self.searched()])

    def best(self, start: Parameters, tolerance: float = 1e-6) -> list[float]:
        """The most likely parameters that a search from ``start`` finds."""
        if not self.searched():
            return list(start)

        def loss(free: FloatArray) -> float:
            return self.objective(self.at(start, free))

        most = 30 if tolerance > 1e-5 else 200
        with np.errstate(all="ignore"):
            found = minimize(
                loss, self.free(start), method="BFGS", options={"gtol": tolerance, "maxiter": most}
            )
        better = found.fun <= self.objective(start)
        return self.at(start, found.x) if better else list(start)

    def best_of(self, starts: Sequence[Parameters], tolerance: float = 1e-6) -> list[float]:
        """The best of the searches from several places; few parameters need but one."""
        if len(self.ranges) < 4:
            starts = [min(starts, key=self.objective)]
        return min((self.best(start, tolerance) for start in starts), key=self.objective)


def bounded(free: float, within: Range) -> float:
    """A number without bounds as one within a range."""
    low, high = within
    if math.isinf(low):
        return min(max(free, -1e6), 1e6)
    if math.isinf(high):
        return low + math.exp(min(max(free, -690.0), 690.0))
    odds = math.exp(-min(max(free, -690.0), 690.0))
    return low + (high - low) / (1 + odds)


def unbounded(value: float, within: Range) -> float:
    """The number without bounds of which ``bounded`` makes the value, which is moved inside."""
    low, high = within
    if math.isinf(low):
        return value
    if math.isinf(high):
        return math.log(max(value - low, 1e-300))
    share = (value - low) / (high - low) if high > low else 0.5
    share = min(max(share, 1e-290), 1 - 1e-9)
    return math.log(share / (1 - share))


def estimate(family: Family, seen: Observed) -> tuple[list[float], list[float]] | None:
    """The most likely parameters and their standard errors; None where no law of it will do."""
    solved = family.solved(seen)
    if solved is not None:
        return solved, family.least_errors(solved, seen)
    starts = family.starts(seen)
    if not starts:
        return None
    problem = Problem(family, seen, family.ranges(seen))
    rough = replace(problem, seen=seen.coarse(_COARSE))
    extra = [0.0] * len(problem.ranges)
    if family.profiled is not None:
        problem, p, extra[family.profiled] = profiled(problem, rough, starts)
    else:
        p = rough.best_of(starts, 1e-5)
    nearby = family.rounded(p)
    if nearby:
        problem, rough = replace(problem, held=(0,)), replace(rough, held=(0,))
        p = min((rough.best(near, 1e-5) for near in nearby), key=rough.objective)
    p, errors = refined(problem, p)
    for i, (low, high) in enumerate(problem.ranges):
        if math.isinf(errors[i]) and high - low < 0.2 * high:  # at a bound of its bin
            errors[i] = (high - low) / math.sqrt(12)
    least = family.least_errors(p, seen)
    return p, [max(three) for three in zip(errors, least, extra, strict=True)]


def profiled(
    problem: Problem, rough: Problem, starts: list[list[float]]
) -> tuple[Problem, list[float], float]:
    """The best place of a jump, at a bound of a bin: the problem that holds it, and its error."""
    at = problem.family.profiled or 0
    rough = replace(rough, held=(at,))
    best = min((rough.best(start, 1e-4) for start in starts), key=rough.objective)
    edges = np.unique(np.concatenate([problem.seen.low, problem.seen.high]))
    edges = edges[(edges > problem.seen.low[0]) & (edges < problem.seen.high[-1])]
    around = sorted(start[at] for start in starts)
    place = int(np.searchsorted(edges, best[at]))
    reach = max(int(np.searchsorted(edges, max(around))) // 10, 1)
    while reach >= 1:
        near = np.unique(np.clip(place + reach * np.arange(-2, 3), 0, len(edges) - 1))
        tried = [rough.best(_moved(best, at, float(edges[i])), 1e-4) for i in near]
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
    """From near the maximum to it by Newton's steps; and the standard errors there."""
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
    """For each parameter the slope, and the step that costs about a half; inf where none does."""
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
            step[i] *= min(max(1 / math.sqrt(max(cost, 1e-4)), 0.05), 20.0)
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
