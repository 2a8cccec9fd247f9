"""The test of Kolmogorov and Smirnov against scipy's exact one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from thinktime.stats.kolmogorov import kolmogorov_smirnov


@pytest.mark.parametrize("n", [10, 20, 100, 1000])
@pytest.mark.parametrize("bent", [1.0, 0.8, 1.3])
def test_statistic_and_p_value_are_those_of_the_exact_test(n: int, bent: float) -> None:
    generator = np.random.default_rng(n)
    for _ in range(20):
        places = generator.uniform(size=n) ** bent
        statistic, p_value = kolmogorov_smirnov(places)
        exact = kstest(places, "uniform")
        assert statistic == pytest.approx(exact.statistic, abs=1e-12)
        assert p_value == pytest.approx(exact.pvalue, abs=0.003)
