"""The method of scoring: climbing a likelihood by the slopes that its bins have.

The mean of the products of slopes stands for the second derivatives, and what the steps show of
the rest is added. A step that leads down is shortened.

Sources: Berndt, Hall, Hall and Hausman, 'Estimation and inference in nonlinear structural models'
(Annals of Economic and Social Measurement 3, 1974), for the products of slopes; Dennis, Gay and
Welsch, 'An adaptive nonlinear least-squares algorithm' (ACM Transactions on Mathematical Software
7, 1981), for what is added to them; Marquardt, 'An algorithm for least-squares estimation of
nonlinear parameters' (SIAM Journal 11, 1963), for shorter steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thinktime.learn.fit.family import FloatArray

_STEP = 1e-5
"""Over which slopes are taken, on scales where parameters change by about 1."""

_FARTHEST = 3.0
"""No parameter moves farther in a step."""

_SHORTENED = 12
"""How often a step is shortened before the search gives up."""

Logs = Callable[[FloatArray], FloatArray | None]
"""The logarithms of the bins' probabilities for parameters; None where they have none."""


def climbed(
    logs: Logs, share: FloatArray, start: FloatArray, least: float, most: int
) -> FloatArray:
    """Parameters near ``start`` of which none nearby make the mean of ``logs`` larger.

    ``share`` is that of each bin in the values. The search ends where the next step promises less
    than ``least``, and after ``most`` steps.
    """
    at, here = start, logs(start)
    if here is None:
        return start
    reached, damping = float(share @ here), 0.0
    rest = np.zeros((len(start), len(start)))
    moved: FloatArray | None = None
    slope: FloatArray | None = None
    for _ in range(most):
        rates = _rates(logs, at, here)
        last, slope = slope, rates @ share
        curvature = (rates * share) @ rates.T
        if moved is not None and last is not None:
            rest = _learned(rest, curvature, moved, last - slope)
        for _ in range(_SHORTENED):
            step, promised = _step(curvature, rest, slope, damping)
            if not promised > least:
                return at
            there = logs(at + step)
            gained = -np.inf if there is None else float(share @ there) - reached
            if there is not None and gained > 0:
                break
            damping = max(4 * damping, 0.1)
        else:
            return at
        at, here, moved, reached = at + step, there, step, reached + gained
        damping = damping / 8 if damping > 1e-3 else 0.0
    return at


def products(logs: Logs, share: FloatArray, at: FloatArray) -> FloatArray:
    """The mean of the products of slopes, the information of a value; 0 where there is none."""
    here = logs(at)
    if here is None:
        return np.zeros((len(at), len(at)))
    rates = _rates(logs, at, here)
    return np.asarray((rates * share) @ rates.T, dtype=np.float64)


def _rates(logs: Logs, at: FloatArray, here: FloatArray) -> FloatArray:
    """How the logarithm of each bin changes with each parameter."""
    rates = np.zeros((len(at), len(here)))
    for i in range(len(at)):
        step = _STEP * max(abs(at[i]), 1.0)
        near = at.copy()
        near[i] += step
        there = logs(near)
        if there is not None:
            rates[i] = (there - here) / step
    # A bin that a step loses altogether has no slope.
    return np.where(np.abs(rates) < 1e6, rates, 0.0)


def _learned(
    rest: FloatArray, inside: FloatArray, moved: FloatArray, change: FloatArray
) -> FloatArray:
    """The least that is to be added to the products for the slope to change as it did."""
    missing = change - (inside + rest) @ moved
    along = float(missing @ moved)
    if abs(along) <= 1e-8 * float(np.linalg.norm(missing) * np.linalg.norm(moved)):
        return rest
    return np.asarray(rest + np.outer(missing, missing) / along, dtype=np.float64)


def _step(
    inside: FloatArray, rest: FloatArray, slope: FloatArray, damping: float
) -> tuple[FloatArray, float]:
    """A step up, and how much it promises."""
    sizes = np.diag(inside)
    ridge = np.diag(damping * sizes + 1e-12 * max(float(sizes.max()), 1e-12))
    for curvature in (inside + rest + ridge, inside + ridge):
        try:
            root = np.linalg.cholesky(curvature)
        except np.linalg.LinAlgError:
            continue
        step = np.linalg.solve(root.T, np.linalg.solve(root, slope))
        step = np.clip(step, -_FARTHEST, _FARTHEST)
        return step, float(slope @ step) / 2
    return slope, 0.0
