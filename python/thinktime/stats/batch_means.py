"""An interval of a mean from one long run of dependent values: batch means.

Source: Law, 'Simulation Modeling and Analysis' (2015), section 9.5.3; von Neumann,
'Distribution of the ratio of the mean square successive difference to the variance' (1941).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thinktime.numerics import ndtr, stdtrit
from thinktime.stats._samples import fraction, sample, varying


@dataclass(frozen=True, eq=False)
class BatchMeans:
    """The mean of a run, and its error by batches."""

    mean: float
    half_width: float
    """The interval is ``mean`` plus and minus this: Student's t with batches - 1 degrees."""

    means: NDArray[np.float64]
    """The mean of each batch."""

    von_neumann_ratio: float
    """Σ (m_{i+1} - m_i)² / Σ (m_i - m)²: 2 on average for independent means, less if neighbours are
    alike."""

    independence: float
    """The p-value against neighbours that are alike: if it is small, such as below 0.05, the
    batches are too short and the interval is too narrow."""


def batch_means(samples: ArrayLike, batches: int = 20, confidence: float = 0.95) -> BatchMeans:
    """Cut a run, warm-up removed, into ``batches`` >= 3 of the same length; 10 to 30 is usual.

    The rest of the values is left out at the beginning. The p-value holds for means that are close
    to normal: the ratio then has the mean 2 and the variance 4 (k - 2) / (k² - 1).

    Raises ValueError if there are fewer than 2 values a batch, values are not finite or all the
    same, or the confidence lies outside.
    """
    if batches != int(batches) or batches < 3:
        raise ValueError(f"batches must be a whole number, 3 or above; it is {batches}")
    values = sample(samples, 2 * batches)
    length = len(values) // batches
    means = varying(values[len(values) - length * batches :].reshape(batches, length).mean(axis=1))
    quantile = float(stdtrit(batches - 1, (1 + fraction("confidence", confidence)) / 2))
    half_width = quantile * float(means.std(ddof=1)) / math.sqrt(batches)
    ratio = float(np.sum(np.diff(means) ** 2) / np.sum((means - means.mean()) ** 2))
    spread = math.sqrt(4 * (batches - 2) / (batches**2 - 1))
    alike = float(ndtr((ratio - 2) / spread))
    return BatchMeans(float(means.mean()), half_width, means, ratio, alike)
