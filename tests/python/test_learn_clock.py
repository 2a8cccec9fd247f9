"""Programs that keep to a clock continue for ever in the learned file, and end no simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from road.log import write
from road.site import Site

import thinktime as tt
from thinktime.learn import learn
from thinktime.learn.starts import Coverage, Model, clock, learn_starts


def clock_of(
    times_s: np.ndarray, span_s: float, interval_s: float, step_s: float = 1e-3
) -> Model | None:
    stamps = np.floor(np.sort(times_s) / step_s) * step_s
    times_ns = np.round(stamps * 1e9).astype(np.int64)
    found = learn_starts(times_ns, begin_ns=0, covered=Coverage(span_s), resolution_s=step_s)
    return clock(found, interval_s)


@pytest.mark.parametrize(
    ("interval_s", "jitter_s", "step_s", "span_s"),
    [
        (10.0, 0.0, 1e-3, 1800.0),
        (5.0, 0.0, 1.0, 600.0),
        (30.0, 0.5, 1e-3, 3600.0),
        (60.0, 0.0, 1.0, 900.0),
        (0.25, 0.0, 1e-3, 60.0),
    ],
)
def test_a_clock_is_even_at_its_own_rate(
    interval_s: float, jitter_s: float, step_s: float, span_s: float
) -> None:
    draws = np.random.default_rng(7).uniform(-jitter_s, jitter_s, int(span_s / interval_s) - 1)
    found = clock_of(0.4 * interval_s + interval_s * np.arange(len(draws)) + draws + jitter_s,
                     span_s, interval_s, step_s)  # fmt: skip
    assert found is not None
    assert found.process == "even"
    assert found.rate == pytest.approx(1 / interval_s, rel=2e-3)


def test_a_clock_with_holes_keeps_its_rate() -> None:
    ticks = np.arange(3.0, 3600.0, 20.0)
    found = clock_of(ticks[(ticks < 900) | (ticks > 1200)], 3600.0, 20.0)
    assert found is not None
    assert (found.process, found.rate) == ("even", pytest.approx(0.05))


@pytest.mark.parametrize("deviation", [0.2, 0.5])
def test_jitter_is_drawn_with_its_own_mean_and_deviation(deviation: float) -> None:
    gaps = np.random.default_rng(3).gamma(1 / deviation**2, 4.0 * deviation**2, 3000)
    times_s = np.cumsum(gaps)
    found = clock_of(times_s, float(times_s[-1]) + 1.0, 40.0)
    assert found is not None
    law = tt.Distribution(found.process)
    assert law.mean == pytest.approx(4.0, rel=0.03)
    assert np.sqrt(law.second_moment / law.mean**2 - 1) == pytest.approx(deviation, rel=0.06)


@pytest.mark.parametrize("times_s", [np.arange(600.0, 1400.0, 10.0), np.array([5.0, 900.0])])
def test_programs_that_come_and_go_or_are_too_few_have_no_clock(times_s: np.ndarray) -> None:
    assert clock_of(times_s, 3600.0, 10.0) is None


SITE = Site(
    seed=5, policy="fcfs", servers=2, demand_s=0.05, cv2=1.0, load=0.3, length_s=600.0,
    millis=True, checks=True,
)  # fmt: skip


def test_a_simulation_of_a_learned_file_with_checks_lasts_and_is_judged(tmp_path: Path) -> None:
    log = tmp_path / "shop.log"
    learned = learn([log], format=write(SITE, log), fidelity=False)
    (checks,) = [one for one in learned.parts if one.population.kind == "even"]
    assert checks.model is not None
    assert (checks.model.process, checks.model.rate) == ("even", pytest.approx(0.1))
    assert checks.replayed() is checks
    learned.save(tmp_path / "other.toml")
    workload = tt.Workload.load(tmp_path / "other.toml")
    assert workload.name == "other"
    assert learned.workload_text.splitlines()[1] == 'name = "shop"'
    assert "--rate checks=0.1/s" in learned.workload_text
    system = {"name": "s", "station": [{"name": "s", "servers": 2, "demand": "exp(50ms)"}]}
    found = tt.simulate(workload, system, requests=60_000, output=tmp_path / "result")
    assert found.summary["duration_s"] > 2 * SITE.length_s
    verdicts = {one.name: one.verdict for one in found.validity}
    assert verdicts["warm-up"] == verdicts["steady state"] == "fine"
