"""Our own searches against scipy's, whose steps they take."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from fuzzing import seeds
from scipy import optimize

from thinktime.learn.fit.root import root
from thinktime.learn.fit.simplex import least


def rising(draw: random.Random) -> Callable[[float], float]:
    """A function that rises from below 0 at -8 to above it at 10."""
    at, steep = draw.uniform(-3, 3), draw.uniform(0.1, 3)
    return draw.choice(
        [
            lambda x: steep * x**3 + x - at,
            lambda x: math.tanh(steep * (x - at)) + 0.1,
            lambda x: math.exp(steep * x / 2) - math.exp(steep * at / 2),
            lambda x: steep * (x - at),
            lambda x: math.copysign(1.0, x - at),
        ]
    )


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(60), fresh=1000))
def test_a_root_is_where_scipy_finds_it(seed: int) -> None:
    function = rising(random.Random(seed))
    for within in (0.5, 1e-3, 1e-7):
        expected = optimize.brentq(function, -8.0, 10.0, xtol=within)
        assert root(function, -8.0, 10.0, within) == expected
        assert root(lambda x: -function(x), -8.0, 10.0, within) == expected


def test_a_root_needs_two_signs() -> None:
    with pytest.raises(ValueError, match="one sign"):
        root(lambda x: x * x + 1, -1.0, 1.0, 1e-6)
    assert root(lambda x: x, 0.0, 1.0, 1e-6) == 0.0
    assert root(lambda x: x - 1, 0.0, 1.0, 1e-6) == 1.0


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(60), fresh=1000))
def test_the_least_value_is_where_scipy_finds_it(seed: int) -> None:
    """Valleys, bowls, and functions without a least value, in two numbers and in three."""
    draw = np.random.default_rng(seed)
    size = int(draw.integers(2, 4))
    centre, stretch = draw.normal(size=size), draw.exponential(3.0, size)

    def function(at: np.ndarray) -> float:
        bowl = float(((at - centre) ** 2) @ stretch)
        bend = float((at[1] - at[0] ** 2) ** 2)
        return (bowl, bowl + 10 * bend, math.tanh(bowl), -float(at.sum()))[seed % 4]

    start = draw.normal(size=size) * (draw.random(size) < 0.9)
    for turns in (10, 299):
        expected = optimize.minimize(
            function, start, method="Nelder-Mead", options={"maxiter": turns + 1}
        )
        at, value = least(function, start, turns)
        assert value == expected.fun
        assert np.array_equal(at, expected.x)
