"""Runs and simulations that would last longer than the arrivals of their workload."""

from __future__ import annotations

import tomllib
from pathlib import Path

import cases
import polars as pl
import pytest

import thinktime as tt

SYSTEM = cases.system(("fcfs", "const(10us)"))
ENDING = cases.workload('model = "open"\nrate = "100/s"\nprofile = "steps(0s: 1, 20s: 0)"')
ENDLESS = cases.workload('model = "open"\nrate = "100/s"')


def test_a_simulation_says_that_its_arrivals_ended_long_before(tmp_path: Path) -> None:
    """Its throughput of 20/s is that of four fifths of idle time."""
    done = tt.simulate(ENDING, SYSTEM, duration="100s", output=tmp_path / "kept")
    told = "the arrivals of the workload end after 20.0 s, and the rates and loads are those of "
    assert done.summary["notes"][-1].startswith(told)
    assert done.summary["duration_s"] == pytest.approx(100.0)
    assert tt.Result.load(tmp_path / "kept").summary["notes"] == done.summary["notes"]


@pytest.mark.parametrize(("workload", "duration"), [(ENDING, "21s"), (ENDLESS, "100s")])
def test_nothing_is_said_of_a_simulation_that_has_arrivals_to_its_end(
    workload: tt.Workload, duration: str
) -> None:
    done = tt.simulate(workload, SYSTEM, duration=duration)
    assert not any("arrivals" in one for one in done.summary["notes"])
    assert tomllib.loads(done.run_toml)["options"]["duration"] == duration


def test_a_run_says_so_too() -> None:
    short = ENDING.with_value("arrivals.profile", "steps(0s: 1, 300ms: 0)")
    with tt.serve(SYSTEM) as server:
        done = tt.run(short, server.url, duration="1s")
    assert "of the workload end after 300 ms" in done.summary["notes"][-1]


def test_a_mix_is_simulated_for_as_long_as_it_is_one() -> None:
    """A million requests were those of the client that continues: a load of 0.01 instead of 0.4."""
    text = (
        'name = "mix"\n[[population]]\nname = "people"\n[population.arrivals]\nmodel = "open"\n'
        'rate = "40/s"\nprofile = "steps(0s: 1, 200s: 0)"\n[[population]]\nname = "robot"\n'
        '[population.arrivals]\nmodel = "closed"\nclients = 1\n[population.session]\n'
        'think = "const(10s)"\n'
    )
    done = tt.simulate(tt.Workload(text), cases.system(("fcfs", "const(10ms)")))
    assert done.summary["duration_s"] == pytest.approx(200.0)
    # 8,000 requests on average: four standard deviations, 6e-5.
    assert done.summary["requests"] == pytest.approx(8020, abs=360)
    assert any("of the largest population that ends" in one for one in done.summary["notes"])


def test_probes_of_a_mix_end_with_it(tmp_path: Path) -> None:
    """The rates of a learned workload end with its log."""
    pl.DataFrame({"people_rate": [40.0, 40.0]}).write_parquet(tmp_path / "rates.parquet")
    (tmp_path / "mix.toml").write_text(
        'name = "mix"\n[[population]]\nname = "people"\n[population.arrivals]\nmodel = "open"\n'
        'rate = "40/s"\nprofile = "rates(rates.parquet, column=people_rate, every=100s)"\n'
        '[[population]]\nname = "robot"\n[population.arrivals]\nmodel = "closed"\nclients = 1\n'
        '[population.session]\nthink = "const(10s)"\n[slo]\np90 = "60ms"\n'
    )
    found = tt.capacity(
        tmp_path / "mix.toml", cases.system(("fcfs", "const(10ms)")), precision="20%"
    )
    # The server is full at 2.5 times; a robot alone would never reach that.
    assert 1.5 < found.value < 2.5
