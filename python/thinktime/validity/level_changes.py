"""Whether the level of a short series changes, if neighbouring values may be alike.

Two statistics: the t-ratio of a straight line, and the largest t-ratio of the means before and
after any place. Each is compared with its values on series that do not change but whose neighbours
are as alike as those of the given series, once its own change is taken off: AR(1), corrected for
the estimate's known bias. Source: Kendall, 'Note on bias in the estimation of autocorrelation'
(Biometrika 41, 1954), for the bias; Davison and Hinkley, 'Bootstrap Methods and their Application'
(1997), section 8.2, for the parametric bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DRAWS = 2000
EDGE = 3
"""The least number of values in a part of a series."""

_SEED = 19540101
_BIAS = 3.0
"""A fitted line or step makes neighbours look less alike than a mean alone does: by this many times
the bias that Kendall gives. Set by `benches/validity.py`."""

ALIKE_MAX = 0.9
"""If neighbours are more alike than this, the level cannot be judged: 20 such values say as much as
one or two."""


@dataclass(frozen=True)
class Change:
    """The findings on a series and its level."""

    trend: float
    """The rise of the fitted line over the whole series."""

    trend_p: float
    """The probability of a line as steep in a series that does not change."""

    place: int
    """The place of the first value after the largest step."""

    step: float
    """The mean after the step less the mean before it."""

    step_p: float
    alike: float
    """The correlation of neighbours that was allowed for."""

    is_bounded: bool
    """Whether the correlation found is larger than allowed for: above `ALIKE_MAX`."""


def change_of(values: Floats, alike_least: float = 0.0) -> Change:
    """The trend and the largest step of 10 values or more, not all the same.

    The correlation of neighbours is taken to be at least `alike_least`, because a few values
    estimate it badly. The same values always give the same answer.
    """
    many = len(values)
    slope, line = _trend(values[None, :])
    step, place, step_height = _step(values[None, :])
    found = max(_alike(values, int(place[0])), alike_least)
    alike = min(found, ALIKE_MAX)
    random = np.random.default_rng(_SEED)
    drawn = _ar1(random, alike, many)
    lines, steps = np.abs(_trend(drawn)[1]), _step(drawn)[0]
    return Change(
        trend=float(slope[0] * (many - 1)),
        trend_p=_share(lines >= abs(line[0])),
        place=int(place[0]),
        step=float(step_height[0]),
        step_p=_share(steps >= step[0]),
        alike=alike,
        is_bounded=found > ALIKE_MAX,
    )


def rise_of(values: Floats) -> tuple[float, float]:
    """The excess of the last half over the first quarter, and its probability by chance.

    The variation and the correlation of neighbours are taken from the last half: a system that
    fills up slowly has a long curve at first, which must not pass for correlation.
    """
    many = len(values)
    first, half = many // 4, many // 2

    def ratios(rows: Floats) -> tuple[Floats, Floats]:
        last = rows[:, half:]
        rise = last.mean(axis=1) - rows[:, :first].mean(axis=1)
        return rise, rise / np.maximum(last.std(axis=1, ddof=1), 1e-300)

    last = values[half:] - values[half:].mean()
    squares = float(last @ last)
    found = float(last[:-1] @ last[1:]) / squares if squares > 0 else 0.0
    alike = min(max(0.0, found + (1 + 4 * max(found, 0.0)) / len(last)), ALIKE_MAX)
    random = np.random.default_rng(_SEED)
    rise, ratio = ratios(values[None, :])
    return float(rise[0]), _share(ratios(_ar1(random, alike, many))[1] >= ratio[0])


def _share(as_far: NDArray[np.bool_]) -> float:
    return float((np.count_nonzero(as_far) + 1) / (len(as_far) + 1))


def _trend(rows: Floats) -> tuple[Floats, Floats]:
    """Slopes per place, and their t-ratios."""
    many = rows.shape[1]
    at = np.arange(many) - (many - 1) / 2
    centred = rows - rows.mean(axis=1, keepdims=True)
    slope = centred @ at / (at @ at)
    rest = ((centred - slope[:, None] * at) ** 2).sum(axis=1) / (many - 2)
    return slope, slope * np.sqrt(at @ at) / np.sqrt(np.maximum(rest, 1e-300))


def _step(rows: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """The largest t-ratio of two means, its place, and the difference there."""
    many = rows.shape[1]
    before = np.arange(EDGE, many - EDGE + 1)
    upto = np.cumsum(rows, axis=1)
    total = upto[:, -1:]
    sums = upto[:, before - 1]
    apart = (total - sums) / (many - before) - sums / before
    between = apart**2 * before * (many - before) / many
    all_squares = ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum(axis=1, keepdims=True)
    within = np.maximum(all_squares - between, 1e-300) / (many - 2)
    ratio = np.sqrt(between / within)
    best = ratio.argmax(axis=1)
    row = np.arange(len(rows))
    return ratio[row, best], before[best], apart[row, best]


def _alike(values: Floats, place: int) -> float:
    """The correlation of neighbours after the better of a line and a step is taken off."""
    many = len(values)
    at = np.arange(many) - (many - 1) / 2
    centred = values - values.mean()
    line = centred - at * (centred @ at) / (at @ at)
    step = np.concatenate(
        [values[:place] - values[:place].mean(), values[place:] - values[place:].mean()]
    )
    rest = line if line @ line <= step @ step else step
    squares = float(rest @ rest)
    found = float(rest[:-1] @ rest[1:]) / squares if squares > 0 else 0.0
    return max(0.0, found + _BIAS * (1 + 4 * max(found, 0.0)) / many)


def _ar1(random: np.random.Generator, alike: float, many: int) -> Floats:
    rows = random.standard_normal((DRAWS, many))
    rows[:, 1:] *= np.sqrt(1 - alike**2)
    for n in range(1, many):
        rows[:, n] += alike * rows[:, n - 1]
    return rows
