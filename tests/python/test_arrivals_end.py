"""Runs and simulations that would last longer than the arrivals of their workload."""

from __future__ import annotations

import tomllib
from pathlib import Path

import cases
import pytest

import thinktime as tt

SYSTEM = cases.system(("fcfs", "const(10us)"))
ENDING = cases.workload('model = "open"\nrate = "100/s"\nprofile = "steps(0s: 1, 20s: 0)"')
ENDLESS = cases.workload('model = "open"\nrate = "100/s"')


def test_a_simulation_ends_with_the_arrivals_and_says_so(tmp_path: Path) -> None:
    """It said a throughput of 20/s, that of four fifths of idle time."""
    done = tt.simulate(ENDING, SYSTEM, duration="100s", output=tmp_path / "kept")
    told = "the arrivals of the workload end after 20.0 s: all figures are those up to then, and "
    assert done.summary["notes"][-1].startswith(told)
    assert done.summary["duration_s"] == pytest.approx(20.0, abs=0.1)
    assert done.summary["throughput"] == pytest.approx(100.0, rel=0.1)  # chance: 2.2 %
    assert tomllib.loads(done.run_toml)["options"]["duration"] == pytest.approx(20.0)
    assert tt.Result.load(tmp_path / "kept").summary["notes"] == done.summary["notes"]
    again = tt.again(done).summary
    assert again["requests"] == done.summary["requests"]


@pytest.mark.parametrize(("workload", "duration"), [(ENDING, "21s"), (ENDLESS, "100s")])
def test_nothing_is_said_of_a_simulation_that_has_arrivals_to_its_end(
    workload: tt.Workload, duration: str
) -> None:
    done = tt.simulate(workload, SYSTEM, duration=duration)
    assert not any("arrivals" in one for one in done.summary["notes"])
    assert tomllib.loads(done.run_toml)["options"]["duration"] == duration


def test_a_warm_up_that_lasts_longer_than_the_arrivals_is_refused_with_the_reason() -> None:
    with pytest.raises(
        tt.InputError, match="warmup: must end before the arrivals do; the arrivals"
    ):
        tt.simulate(ENDING, SYSTEM, duration="100s", warmup="30s")


def test_a_run_ends_with_the_arrivals_too() -> None:
    short = ENDING.with_value("arrivals.profile", "steps(0s: 1, 300ms: 0)")
    with tt.serve(SYSTEM) as server:
        done = tt.run(short, server.url)  # 30 s by default
    assert done.summary["duration_s"] < 30
    assert "of the workload end after 300 ms" in done.summary["notes"][-1]
