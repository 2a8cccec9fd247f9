"""The number of pages of journeys, although a log's edges cut some of them off."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy_journeys.steps import EDGE_QUANTILE, UNSETTLED, looked_at

from thinktime import _core
from thinktime.learn.journeys.lengths import Lengths, counted, tilted, whole


def visits(journeys: list[list[float]]) -> Any:
    """Pages at these seconds, journey by journey."""
    first = np.cumsum([0, *[len(one) for one in journeys]])[:-1]
    return SimpleNamespace(
        previous=np.where(np.isin(np.arange(sum(map(len, journeys))), first), -1, 0),
        journey=np.repeat(first, [len(one) for one in journeys]),
        start_s=np.concatenate([np.array(one, float) for one in journeys]),
    )


def whole_lengths(journeys: list[list[float]], begin_s: float, end_s: float) -> Lengths:
    """The lengths of journeys as if none were cut off."""
    seen, all_of_it = looked_at(visits(journeys), begin_s, end_s)
    return whole(np.bincount(seen), np.bincount(seen[all_of_it], minlength=int(seen.max()) + 1))


def test_only_pages_whose_followers_lie_in_the_log_tell_of_ends() -> None:
    """By hand: of 5 first pages 1 ends the journey, of 3 second ones 1; the last visible ones end.

    One journey was in progress when the log began, one has no page before its last seconds, and one
    continues in these.
    """
    found = whole_lengths(
        [[0, 1], [1], [2, 3], [1, 2, 3], [1, 2, 3], [80, 95, 99], [92]],
        begin_s=0.5,
        end_s=90.0,
    )
    assert found.pages.tolist() == [1, 2, 3]
    assert found.many / 5 == pytest.approx([1 / 5, 4 / 5 * 1 / 3, 4 / 5 * 2 / 3])


@pytest.mark.parametrize("law", ["geometric", "uniform"])
def test_lengths_are_those_of_whole_journeys(law: str) -> None:
    """In an hour, with sessions of ten minutes: plain counts are some 15 % too short.

    The mean of some 5,000 lengths with standard deviations of 4.5 and 2.9 is 5 % off with a
    probability below 1e-3 under a normal law; the seed is fixed.
    """
    draw, span_s = np.random.default_rng(41), 3600.0
    made = []
    for begin in draw.uniform(-7200, span_s, 15_000):
        pages = int(draw.geometric(0.2)) if law == "geometric" else int(draw.integers(1, 10))
        times = begin + np.concatenate([[0.0], np.cumsum(draw.exponential(120.0, pages - 1))])
        inside = times[(times >= 0) & (times < span_s)]
        if len(inside):
            made.append(inside.tolist())
    plain = counted(np.bincount([len(one) for one in made]))
    found = whole_lengths(made, begin_s=550.0, end_s=span_s - 640.0)
    assert found.mean == pytest.approx(5.0, rel=0.05)
    assert plain.mean < 0.9 * found.mean


def test_lengths_come_to_a_mean() -> None:
    lengths = Lengths(np.array([1, 2, 7, 30]), np.array([50.0, 30.0, 15.0, 5.0]))
    for mean in (1.2, lengths.mean, 12.0):
        found = tilted(lengths, mean)
        assert found.mean == pytest.approx(mean, rel=1e-6)
        assert found.many.sum() == pytest.approx(100)
    assert tilted(lengths, lengths.mean).many == pytest.approx(lengths.many, rel=1e-6)
    # A constant stays constant.
    assert tilted(Lengths(np.array([5]), np.array([9.0])), 4.0).mean == 5.0


def test_pages_up_to_a_number_are_means_of_what_is_shorter() -> None:
    lengths = Lengths(np.array([1, 4, 9]), np.array([1.0, 2.0, 1.0]))
    each = np.array([1, 4, 4, 9])
    for most in (0.5, 1, 2.5, 4, 8, 20):
        expected = float(np.minimum(each, most).mean())
        assert lengths.pages_within(np.array([most]))[0] == pytest.approx(expected)


@pytest.mark.parametrize("law", ["exponential", "pareto", "weibull", "few", "same", "two"])
def test_edges_are_those_of_all_waits_in_order(law: str) -> None:
    """The longest waits agree with all waits, also if most are among the longest."""
    draw = np.random.default_rng(5)
    wait = {
        "exponential": draw.exponential(30, 20_000),
        "pareto": draw.pareto(1.1, 20_000),
        "weibull": draw.weibull(0.3, 20_000),
        "few": draw.exponential(30, 7),
        "same": np.full(1000, 12.0),
        "two": np.repeat([0.0, 60.0], [10, 990]),
    }[law]
    ordered = np.sort(wait)
    beyond = np.cumsum(ordered[::-1])[::-1] - ordered * np.arange(len(wait), 0, -1)
    settled_s = ordered[np.argmax(beyond <= UNSETTLED * wait.sum())]
    expected = np.quantile(wait, EDGE_QUANTILE), settled_s
    start_s = np.concatenate([np.zeros(len(wait)), wait])
    first = np.arange(len(wait), dtype=np.int32)
    pages = pl.DataFrame(
        {
            "previous": np.concatenate([np.full(len(wait), -1, np.int32), first]),
            "journey": np.tile(first, 2), "kind": np.zeros(2 * len(wait), np.int32),
            "start_s": start_s, "failed": np.zeros(2 * len(wait), bool),
        }
    )  # fmt: skip
    found = _core.page_steps(pages, 1, 1e12)
    assert (found["edge_s"], found["settled_s"]) == pytest.approx(expected, rel=1e-12)
