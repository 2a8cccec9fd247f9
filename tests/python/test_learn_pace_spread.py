"""The share of the spread of pauses between users, against a computation by groups."""

from __future__ import annotations

import numpy as np
import pytest

from thinktime.learn.populations.pace_spread import SHORTEST_S, spread_between
from thinktime.learn.populations.streams import Streams

LONGEST_S = 1800.0


def streams(paces_s: np.ndarray, seed: int) -> Streams:
    """Users who think for these times on average, one to seven times each."""
    draw = np.random.default_rng(seed)
    many = draw.integers(1, 8, len(paces_s)) + 1
    ids = np.repeat(np.arange(len(many)), many)
    times = np.concatenate(
        [np.cumsum(draw.exponential(pace, n)) for pace, n in zip(paces_s, many, strict=True)]
    )
    return Streams(np.arange(len(ids)), ids, times, None, 0.001)


def by_groups(of: Streams) -> float:
    """The same user by user: the intraclass correlation of an analysis of variance."""
    groups = []
    for one in range(len(of)):
        gaps = np.diff(of.time[of.ids == one])
        gaps = gaps[gaps <= LONGEST_S]
        if len(gaps) > 1:
            groups.append(np.log(np.maximum(gaps, SHORTEST_S)))
    every = np.concatenate(groups)
    many = np.array([len(group) for group in groups])
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (
        len(every) - len(groups)
    )
    between = sum(len(group) * (group.mean() - every.mean()) ** 2 for group in groups)
    between /= len(groups) - 1
    usual = (len(every) - (many**2).sum() / len(every)) / (len(groups) - 1)
    return max((between - within) / (between + (usual - 1) * within), 0.0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hasty_and_slow_users_are_told(seed: int) -> None:
    paces = np.random.default_rng(seed).choice([2.0, 60.0], 400)
    of = streams(paces, seed)
    found = spread_between(of, LONGEST_S, 1e-3)
    assert found > 0.3
    assert found == pytest.approx(by_groups(of), rel=1e-9)


def test_users_of_one_law_do_not_differ() -> None:
    """Of one seed; the share has a standard deviation of some 0.02 by chance."""
    of = streams(np.full(500, 20.0), 4)
    assert spread_between(of, LONGEST_S, 1e-3) == pytest.approx(by_groups(of), abs=1e-12)
    assert spread_between(of, LONGEST_S, 1e-3) < 0.1


def test_of_few_users_nothing_is_said() -> None:
    assert spread_between(streams(np.full(20, 5.0), 5), LONGEST_S, 1e-3) == 0.0
