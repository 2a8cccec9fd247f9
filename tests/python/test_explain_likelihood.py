"""The log-likelihood of the held-out part: its definition, and its ranking of models."""

from __future__ import annotations

import json
from pathlib import Path

import cases
import numpy as np
import pytest
from test_explain import H2, changed_at_the_end, command, measured

import thinktime as tt
from thinktime.candidates.candidate import Candidate
from thinktime.candidates.ranking import LIKELIER, Score, best_of
from thinktime.candidates.similarity import ADDED, Stretch, log_likelihood
from thinktime.candidates.visits import Visits
from thinktime.explain.choice import choose

ONE = Candidate("ps", "ps", 1, ("exp(10ms)",))


def whole(seen: Visits) -> Stretch:
    return Stretch.of(seen, 0.0, 1e9)


def apart(took_s: np.ndarray) -> Stretch:
    """Requests that never meet, so that each finds an empty server."""
    came = np.arange(len(took_s)) * 100.0
    return whole(Visits.served(came, came + took_s))


def test_it_is_the_mean_logarithm_of_the_shares_of_buckets() -> None:
    """Of 1 s and 4 s: shares of three quarters and one quarter, of 17 buckets."""
    runs = [apart(np.repeat([1.0, 4.0], [300, 100])), apart(np.repeat([1.0, 4.0], [300, 100]))]
    seen = apart(np.repeat([1.0, 4.0], [30, 70]))
    buckets = 2 * 8 + 1
    shares = (np.array([600, 200]) + ADDED) / (800 + ADDED * buckets)
    wanted = 0.3 * np.log(shares[0]) + 0.7 * np.log(shares[1])
    assert log_likelihood(seen, runs) == pytest.approx(wanted)


def test_what_no_simulation_did_has_a_floor() -> None:
    found = log_likelihood(apart(np.full(100, 50.0)), [apart(np.ones(400))])
    buckets = int(np.floor(np.log2(50.0) * 8)) + 1
    assert found == pytest.approx(np.log(ADDED / (400 + ADDED * buckets)))


def test_nothing_to_compare_is_as_unlikely_as_can_be() -> None:
    some, none = apart(np.ones(10)), apart(np.zeros(0))
    assert log_likelihood(none, [some]) == -np.inf
    assert log_likelihood(some, [none]) == -np.inf


def test_the_truth_is_likelier_than_another_law() -> None:
    """The expected gain is Kullback and Leibler's divergence: of exp(1.2) from exp(1) 0.0157."""
    random = np.random.default_rng(4)
    seen = apart(random.exponential(1.0, 50_000))
    truth, other = (apart(random.exponential(mean, 400_000)) for mean in (1.0, 1.2))
    gain = log_likelihood(seen, [truth]) - log_likelihood(seen, [other])
    # Its standard deviation is 0.0007: five of them, and the loss by buckets.
    assert gain == pytest.approx(np.log(1.2) + 1 / 1.2 - 1, abs=0.004)


def test_requests_are_held_against_those_that_found_as_many() -> None:
    """A request takes 2 s if it finds another, and 1 s if it finds none; or the other way about."""

    def pairs(first_s: float, second_s: float) -> Stretch:
        begin = np.repeat(np.arange(200) * 100.0, 2) + np.tile([0.0, 0.5], 200)
        return whole(Visits.served(begin, begin + np.tile([first_s, second_s], 200)))

    seen, right, wrong = pairs(1.0, 2.0), pairs(1.0, 2.0), pairs(2.0, 1.0)
    assert log_likelihood(seen, [right]) > -0.2
    assert log_likelihood(seen, [wrong]) < -3


def tried(apart: float, likely: float, allowed: float = 0.1) -> Score:
    return Score((ONE,), apart, allowed / 1.25, log_likelihood=likely)


@pytest.mark.parametrize(
    ("found", "place"),
    [
        ([tried(0.05, -3.0), tried(0.06, -2.5)], 1),
        ([tried(0.05, -3.0), tried(0.06, -3.0 + LIKELIER / 2)], 0),
        ([tried(0.05, -2.5), tried(0.01, -3.0)], 0),
        ([tried(0.05, -3.0), tried(0.15, -2.5, allowed=0.2)], 0),
        ([tried(0.05, -3.0), tried(0.06, -2.5, allowed=0.05)], 0),
        ([tried(0.2, -3.0), tried(0.05, -2.5)], 0),
    ],
    ids=["likelier", "hardly likelier", "less likely", "too far", "does not fit", "first one none"],
)
def test_the_likeliest_of_those_as_near_is_named(found: list[Score], place: int) -> None:
    assert best_of(found) == place


def test_models_stand_beside_one_another(tmp_path: Path) -> None:
    """SRPT, which least attained service resembles: on the terminal and in the JSON object."""
    system = cases.system(("srpt", H2))
    tt.simulate(
        cases.open_model(70), system, requests=8000, rows="all", warmup=0.0, output=tmp_path / "r"
    )
    status, text, _ = command(str(tmp_path / "r"), "--json")
    assert status == 0
    told = json.loads(text)
    first, *others = told["models"]
    assert first["words"] == told["model"]
    assert first["fits"]
    assert told["log_likelihood"] == first["log_likelihood"] < 0
    assert all(one["log_likelihood"] < first["log_likelihood"] + LIKELIER for one in others)
    status, text, _ = command(str(tmp_path / "r"))
    assert f"{first['log_likelihood']:.4f}" in text
    assert "1 server, shortest remaining processing time." in text


def test_models_that_do_not_fit_are_kept_with_the_refusal() -> None:
    """The server is half as quick from the 70th per cent of the time on."""
    result = measured(cases.system(("fcfs", "exp(10ms)")), rate=40, requests=4000)
    choice = choose(changed_at_the_end(result, 2.0), result.workload)
    assert not choice.fits
    assert choice.best is choice.tried[0]
    assert choice.best.log_likelihood < -1
    fine = choose(changed_at_the_end(result, 1.0), result.workload)
    assert fine.best is not None
    assert fine.best.log_likelihood > choice.best.log_likelihood
