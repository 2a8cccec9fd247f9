"""The bookstores that are known by name have the published mixes.

Judged by formulas of this file; intervals as in `test_workload_presets`.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from preset_files import FAST, Z, kinds, read

import thinktime as tt
from thinktime import workload

MIXES = {
    "home": (29.00, 16.00, 9.12),
    "new-products": (11.00, 5.00, 0.46),
    "best-sellers": (11.00, 5.00, 0.46),
    "product-detail": (21.00, 17.00, 12.35),
    "search-request": (12.00, 20.00, 14.53),
    "search-results": (11.00, 17.00, 13.08),
    "shopping-cart": (2.00, 11.60, 13.53),
    "customer-registration": (0.82, 3.00, 12.86),
    "buy-request": (0.75, 2.60, 12.73),
    "buy-confirm": (0.69, 1.20, 10.18),
    "order-inquiry": (0.30, 0.75, 0.25),
    "order-display": (0.25, 0.66, 0.22),
    "admin-request": (0.10, 0.10, 0.12),
    "admin-confirm": (0.09, 0.09, 0.11),
}
"""TPC Benchmark W, version 1.8: the shares in percent while browsing, shopping and ordering."""

BOOKSTORES = ["bookstore-browsing", "bookstore-shopping", "bookstore-ordering"]


def published(name: str) -> np.ndarray:
    return np.array([mix[BOOKSTORES.index(name)] for mix in MIXES.values()])


def transitions(name: str) -> np.ndarray:
    """The matrix in the order of `MIXES`."""
    by_name = kinds(name)
    return np.array([[by_name[a]["next"].get(b, 0.0) for b in MIXES] for a in MIXES])


def stationary(matrix: np.ndarray) -> np.ndarray:
    """By power iteration; half of each step stays, so that cycles converge as well."""
    shares = np.full(len(matrix), 1 / len(matrix))
    for _ in range(10_000):
        shares = (shares + shares @ matrix) / 2
    return shares


@pytest.mark.parametrize("name", BOOKSTORES)
def test_a_bookstore_has_the_published_mix(name: str) -> None:
    assert set(kinds(name)) == set(MIXES)
    found = 100 * stationary(transitions(name))
    assert np.abs(found - published(name)).max() < 0.02


def test_another_matrix_is_found_out() -> None:
    """The misprint of the published kit: 7407 and 7 of 9999 instead of 6967 and 447."""
    matrix = transitions("bookstore-shopping")
    cart, home = list(MIXES).index("shopping-cart"), list(MIXES).index("home")
    matrix[cart, home], matrix[cart, cart] = 7407 / 9999, 7 / 9999
    found = 100 * stationary(matrix)
    assert np.abs(found - published("bookstore-shopping")).max() > 0.4


@pytest.mark.parametrize("name", BOOKSTORES)
def test_shares_of_a_bookstore_are_parts_of_9999(name: str) -> None:
    weights = 9999 * transitions(name)
    assert np.abs(weights - weights.round()).max() < 2e-4
    assert (weights.round().sum(axis=1) == 9999).all()


@pytest.mark.parametrize("name", BOOKSTORES)
def test_times_of_a_bookstore_are_cut(name: str) -> None:
    """The law of min(X, cut) for an exponential X, whose mean is m (1 - exp(-cut / m))."""
    session = read(name)["session"]
    assert session["ends_at"] == next(iter(kinds(name))) == "home"
    for law, mean, cut, unit in (
        (session["think"], 7, 70, "s"),
        (session["lasts"], 15, 60, "min"),
    ):
        form = (
            rf"mix\((\S+): truncated\(exp\({mean}{unit}\), hi={cut}{unit}\), (\S+): {cut}{unit}\)"
        )
        within, beyond = map(float, re.fullmatch(form, law).groups())
        assert beyond == pytest.approx(math.exp(-cut / mean), rel=1e-6)
        assert within + beyond == pytest.approx(1, abs=1e-12)
        seconds = {"s": 1, "min": 60}[unit]
        expected = mean * seconds * -math.expm1(-cut / mean)
        assert tt.Distribution(law).mean == pytest.approx(expected, rel=1e-6)


def mean_variance(matrix: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """n times the variance of the share of n steps that come to each state, for large n.

    With the fundamental matrix Z = (I - P + 1 pi)^-1 it is pi (2 z - 1 - pi), z the diagonal of Z:
    J. Kemeny, J. Snell, Finite Markov Chains, 1960, theorem 4.6.3.
    """
    z = np.linalg.inv(np.eye(len(matrix)) - matrix + shares).diagonal()
    return shares * (2 * z - 1 - shares)


@pytest.mark.parametrize("name", BOOKSTORES)
def test_a_simulated_bookstore_has_the_mix_of_its_matrix(name: str) -> None:
    requests = 200_000
    result = tt.simulate(workload.load(Path(name)), tt.System(FAST), requests=requests, rows="none")
    by_request = result.summary["by_request"]
    matrix = transitions(name)
    shares = stationary(matrix)
    total = sum(one["requests"] for one in by_request.values())
    found = np.array([by_request[kind]["requests"] / total for kind in MIXES])
    # The tenth more is for the hundred beginnings and ends of a finite run.
    half_width = 1.1 * Z * np.sqrt(mean_variance(matrix, shares) / total)
    assert total >= requests
    assert (np.abs(found - shares) < half_width).all(), (found - shares) / half_width
