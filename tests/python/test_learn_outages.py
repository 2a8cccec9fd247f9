"""Silences that chance does not explain, in logs whose outages are known: none, or one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from test_learn_words import told

from thinktime.learn.populations.outages import CHANCE, outages_s

Draw = np.random.Generator
Times = NDArray[np.float64]

DAY_S = 86_400.0
SEEDS = 40
"""Of each kind: 240 logs without an outage. `CHANCE` is that of a log's longest gap, so that the
probability of an alarm in any of them is below 0.1 %."""


def poisson(draw: Draw, rate: float = 3.0, span_s: float = DAY_S) -> Times:
    return np.sort(draw.uniform(0, span_s, draw.poisson(rate * span_s)))


def whole_seconds(draw: Draw) -> Times:
    return np.floor(poisson(draw))


def switching(draw: Draw, on: tuple[float, float], off: tuple[float, float]) -> Times:
    """An MMPP of two states, each with its mean time in seconds and its rate."""
    many = int(DAY_S / (on[0] + off[0]) * 1.3) + 100
    lengths = np.column_stack([draw.exponential(one[0], many) for one in (on, off)]).ravel()
    begins = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    counts = draw.poisson(lengths * np.tile([on[1], off[1]], many))
    times = np.repeat(begins, counts) + np.repeat(lengths, counts) * draw.uniform(size=counts.sum())
    return np.sort(times[times < DAY_S])


def bursts(draw: Draw) -> Times:
    return switching(draw, (5.0, 10.0), (1.0, 0.0))


def slow_bursts(draw: Draw) -> Times:
    return switching(draw, (600.0, 6.0), (600.0, 1.0))


def sessions(draw: Draw) -> Times:
    """Geometric numbers of requests with log-normal think times."""
    many = draw.poisson(0.2 * DAY_S)
    lengths = draw.geometric(1 / 15, many)
    thinks = np.cumsum(np.exp(draw.normal(1.0, 1.2, lengths.sum())))
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    times = np.repeat(draw.uniform(-3600, DAY_S, many) - thinks[first], lengths) + thinks
    return np.sort(times[(times > 0) & (times < DAY_S)])


def week_of_days(draw: Draw) -> Times:
    """At night 50 times fewer requests come than at noon."""
    times = poisson(draw, 1.5, 7 * DAY_S)
    share = 0.02 + 0.98 * np.sin(np.pi * times / DAY_S) ** 4
    return times[draw.uniform(size=len(times)) < share]


KINDS = [poisson, whole_seconds, bursts, slow_bursts, sessions, week_of_days]


@pytest.mark.parametrize("kind", KINDS)
def test_logs_without_an_outage_have_none(kind: Callable[[Draw], Times]) -> None:
    for seed in range(SEEDS):
        times = kind(np.random.default_rng([seed, 1]))
        resolution_s = 1.0 if kind is whole_seconds else 0.0
        assert len(outages_s(times, resolution_s, times[-1])) == 0, seed


@pytest.mark.parametrize("resolution_s", [0.0, 1.0])
def test_half_a_minute_of_a_week_is_found(resolution_s: float) -> None:
    """At 10/s the longest gap by chance is 2 s; half a minute is 0.005 % of the week."""
    times = poisson(np.random.default_rng(5), 10.0, 7 * DAY_S)
    if resolution_s:
        times = np.floor(times)
    assert len(outages_s(times, resolution_s, 7 * DAY_S)) == 0
    begin_s = 3.3 * DAY_S
    times = times[(times < begin_s) | (times > begin_s + 30)]
    (found,) = outages_s(times, resolution_s, 7 * DAY_S)
    assert found == pytest.approx(30, abs=2)


@pytest.mark.parametrize(("many", "found"), [(1, 1), (6, 6), (20, 20)])
def test_each_of_several_is_found(many: int, found: int) -> None:
    times = poisson(np.random.default_rng(6), 10.0, 4 * DAY_S)
    for begin_s in np.linspace(0.1, 3.9, many) * DAY_S:
        times = times[(times < begin_s) | (times > begin_s + 30)]
    assert len(outages_s(times, 0.0, 4 * DAY_S)) == found


def test_an_outage_is_said() -> None:
    """And the log without it says nothing."""
    times = np.floor(poisson(np.random.default_rng(8), 3.0))
    lost = times[(times < 40_000) | (times > 40_150)]  # 152 s with the stamps beside it
    names = [one.name for one in told(times, "curl/8.5").findings]
    assert "holes" not in names
    (hole,) = (one for one in told(lost, "curl/8.5").findings if one.name == "holes")
    assert hole.text.startswith("1 time without a line, 0.18 % of the log, the longest of 2.53 min")


def test_the_chance_is_that_of_a_power_law() -> None:
    """Gaps of a power law, all alike, have no outage, though the longest is far from the others."""
    alarms = 0
    for seed in range(100):
        gaps = 0.01 * np.random.default_rng([seed, 9]).pareto(1.1, 100_000) + 1e-6
        times = np.cumsum(gaps)
        alarms += len(outages_s(times, 0.0, 1e4 * times[-1])) > 0
    assert CHANCE <= 1e-6
    assert alarms == 0
