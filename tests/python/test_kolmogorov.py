"""The test of Kolmogorov and Smirnov against scipy's exact one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import kolmogorov
from scipy.stats import kstest

from thinktime.stats.kolmogorov import kolmogorov_smirnov, limit


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


def test_the_limit_law_has_the_digits_of_another_implementation() -> None:
    for x in [*np.linspace(0.0, 1.2, 121), *np.linspace(1.2, 6.0, 50)]:
        assert limit(float(x)) == pytest.approx(float(kolmogorov(x)), rel=1e-10, abs=1e-15)
