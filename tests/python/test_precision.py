"""Runs that stop at a precision reach it, and their intervals hold as often as they say."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cases
import pytest

import thinktime as tt

SERVER = tt.System("name = 's'\n[[station]]\nname = 's'\npolicy = 'ps'\ndemand = 'exp(10ms)'")
SEEDS = range(3000, 3060)
PRECISION = 0.1


def summary_of(seed: int) -> dict[str, object]:
    """A server at a load of 0.9; its mean response time is 10 ms / (1 - 0.9)."""
    arrivals = "[arrivals]\nmodel = 'open'\nrate = '90/s'"
    workload = tt.Workload(f"name = 'w'\nseed = {seed}\n{arrivals}")
    return dict(tt.simulate(workload, SERVER, precision=PRECISION, rows="none").summary)


def test_what_stops_at_a_precision_has_reached_it() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(summary_of, SEEDS))
    held = 0
    for summary in found:
        times = summary["response_time_s"]
        assert isinstance(times, dict)
        assert times["ci95"] <= PRECISION * times["mean"]
        assert "not reached" not in str(summary["warnings"])
        held += abs(times["mean"] - 0.1) <= times["ci95"]
    # Of 60 intervals that hold with probability 0.95, fewer than 48 do with probability 2e-5; the
    # seeds are fixed.
    assert held >= 48


WANTED = tt.Workload("name = 'w'\nseed = 7\n[arrivals]\nmodel = 'open'\nrate = '200/s'")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A real server that is quick."""
    with tt.serve(cases.system(("fcfs", "exp(2ms)"))) as server:
        yield server.url


def test_a_run_stops_at_its_precision_and_is_done_again(address: str, tmp_path: Path) -> None:
    """It could last 5 min; a machine so busy that it does is a failure."""
    done = tt.run(WANTED, address, precision="50%", duration="300s", output=tmp_path / "a")
    times = done.summary["response_time_s"]
    assert times["ci95"] <= 0.5 * times["mean"]
    assert any(note.startswith("the precision of 50.000 % took") for note in done.summary["notes"])
    assert 10 <= done.summary["duration_s"] < 290
    assert done.summary["errors"] == 0
    noted = tomllib.loads((tmp_path / "a" / "run.toml").read_text())
    assert noted["run"]["precision"] == 0.5
    again = tt.again(tmp_path / "a", requests=30)
    said = [*again.summary["warnings"], *again.summary["notes"]]
    assert any("the precision of 50.000 %" in one for one in said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"precision": "150%"}, "between 0 and 1"),
        ({"precision": "tight"}, "precision: `tight`"),
        ({"precision": "5%", "on": "ray"}, "give several of them a duration"),
    ],
)
def test_a_precision_that_a_run_cannot_have_is_refused(
    address: str, given: dict[str, str], said: str
) -> None:
    with pytest.raises(tt.InputError, match=said):
        tt.run(WANTED, address, **given)
