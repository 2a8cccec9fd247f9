"""Output analysis: the information in a sample of times or arrivals, and its reliability.

Samples are sequences of numbers in any one unit, in the order of measurement if that matters. Tests
return a statistic with the values to compare it with, and decide nothing.

>>> from thinktime.stats import minimum_samples
>>> minimum_samples(0.99)
368
"""

from thinktime.stats.batch_means import BatchMeans, batch_means
from thinktime.stats.change_points import ChangePoint, change_points
from thinktime.stats.dispersion import Dispersion, counts_by_interval, index_of_dispersion
from thinktime.stats.exponential import AndersonDarling, anderson_darling_exponential
from thinktime.stats.independence import RankCorrelation, lag_correlation
from thinktime.stats.poisson_arrivals import UniformityTest, conditional_uniformity
from thinktime.stats.quantile_interval import (
    QuantileInterval,
    minimum_samples,
    quantile_interval,
)
from thinktime.stats.stationarity import DickeyFuller, augmented_dickey_fuller
from thinktime.stats.warm_up import WarmUp, mser5

__all__ = [
    "AndersonDarling",
    "BatchMeans",
    "ChangePoint",
    "DickeyFuller",
    "Dispersion",
    "QuantileInterval",
    "RankCorrelation",
    "UniformityTest",
    "WarmUp",
    "anderson_darling_exponential",
    "augmented_dickey_fuller",
    "batch_means",
    "change_points",
    "conditional_uniformity",
    "counts_by_interval",
    "index_of_dispersion",
    "lag_correlation",
    "minimum_samples",
    "mser5",
    "quantile_interval",
]
