"""Whether a learned server repeats the log that it was learned from.

The demands of all requests follow from the policy, so that a wrong policy may explain them: for
instance, processor sharing explains a pool of connections behind a time that nobody waits for. The
log is therefore played again to the learned server, with demands drawn anew. What one station does
not explain, such as a second station, a lock or a pause, then has other figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from thinktime.candidates import replay
from thinktime.candidates.policies import Policy
from thinktime.candidates.prediction import Prediction
from thinktime.candidates.visits import Visits
from thinktime.learn.server.laws import empirical
from thinktime.learn.server.model import demands_under
from thinktime.present import units

RUNS, REQUESTS = 24, 30_000
SEED = 46

POINTS = 200
"""The law of the demands of a kind is written with this many values."""

SAME, SAME_SHARE = 0.01, 0.002
"""Simulated times, and shares, are no more exact than this: laws are written in few values."""

ROUNDED = 0.25
"""Times are no more exact than this part of the steps of durations."""

OFF = 3.77
"""Student's t of 23 degrees, those of 24 simulations, exceeds it in one of 1,000 cases."""

CROWDS = (0.5, 0.75, 0.9, 0.97)
"""Requests are compared in groups, up to these parts of them by the number of others found."""

LEAST = 100
"""Smaller groups are not compared."""

BLOCK = 50
"""The number of requests in a row whose means are compared."""


class Figure(NamedTuple):
    """A figure by which a log and its replays are compared."""

    name: str
    of: Callable[[Visits], float]
    """Its value; NaN if there are too few requests."""

    is_time: bool = True


def disagreement(log: Visits, policy: Policy) -> str:
    """What a server with this policy does not repeat, in words; empty if it repeats all."""
    own = log.part(slice(0, REQUESTS))
    own = replace(own, kind=own.kind + 1)  # 0 is what the workload leaves out
    laws = _laws(own, policy)
    if policy.name == "idle" or not laws:
        return ""
    server = replay.server(policy.name, policy.workers, laws)
    played = replay.replays(own, server, range(SEED, SEED + RUNS))
    found = [_off(one, own, played) for one in _figures(own)]
    off, why = max(found, key=lambda one: one[0])
    return why if off > OFF else ""


def _laws(log: Visits, policy: Policy) -> dict[int, str]:
    """The laws of the demands by kind, or of all if none of a kind was seen to its end.

    Empty if no demand at all was seen.
    """
    of_all = demands_under(replace(log, kind=np.zeros_like(log.kind)), policy, 1)[0]
    if not of_all.seen or of_all.mean <= 0:
        return {}
    found = demands_under(log, policy, int(log.kind.max()) + 1)
    known = (one if one.seen else of_all for one in found)
    return {kind: empirical(one, one.mean, POINTS) for kind, one in enumerate(known)}


def _off(figure: Figure, log: Visits, played: list[Visits]) -> tuple[float, str]:
    """How far a log's figure is from its replays, in standard errors, and that in words."""
    own, others = figure.of(log), [figure.of(one) for one in played]
    if not np.isfinite([own, *others]).all():
        return 0.0, ""
    least = SAME_SHARE
    if figure.is_time:
        least = SAME + ROUNDED * log.step_s / max(own, 1e-9)
    expected = Prediction.of(others, logs=figure.is_time, least=least)
    shown = units.seconds if figure.is_time else units.percent
    return abs(expected.off(own)), (
        f"No server is certain: if the log is played to the best one, {figure.name} is "
        f"{shown(expected.value)}, and in the log {shown(own)}."
    )


def _figures(log: Visits) -> Iterator[Figure]:
    within_s = log.stamp_s + log.step_s
    yield Figure("the mean", lambda one: float(one.duration_s.mean()))
    yield Figure("p99", lambda one: float(np.quantile(one.duration_s, 0.99)))
    yield Figure("the deviation", lambda one: float(one.duration_s.std()))
    yield Figure("the deviation of blocks", _blocks)
    yield Figure("the share that overtook", lambda one: _overtook(one, within_s), is_time=False)
    yield Figure("the correlation of neighbours", _memory, is_time=False)
    found = log.found
    edges = {0, 1, *(int(np.quantile(found, share)) + 1 for share in CROWDS)}
    for low, high in pairwise([*sorted(edges), np.iinfo(np.int64).max]):
        yield from _of_crowd(low, high)


def _of_crowd(low: int, high: int) -> Iterator[Figure]:
    """The figures of those that found at least ``low`` and fewer than ``high`` others."""

    def of(take: Callable[[np.ndarray], float]) -> Callable[[Visits], float]:
        def found(one: Visits) -> float:
            among = (one.found >= low) & (one.found < high)
            return take(one.duration_s[among]) if np.count_nonzero(among) >= LEAST else np.nan

        return found

    those = f"of those that found {low}" + ("" if high == low + 1 else " or more others")
    yield Figure(f"the mean {those}", of(lambda took_s: float(took_s.mean())))
    yield Figure(f"the deviation {those}", of(lambda took_s: float(took_s.std())))
    yield Figure(
        f"the share {those}",
        lambda one: float(np.mean((one.found >= low) & (one.found < high))),
        is_time=False,
    )


def _overtook(log: Visits, within_s: float) -> float:
    """The share of requests that ended before an earlier one, by more than this."""
    latest = np.concatenate([[-np.inf], np.maximum.accumulate(log.done_s)[:-1]])
    return float(np.mean(log.done_s < latest - within_s))


def _memory(log: Visits) -> float:
    """The correlation of the logarithms of durations with those of the next requests to end."""
    logs = np.log(np.maximum(log.duration_s, 1e-6))[np.argsort(log.done_s, kind="stable")]
    logs -= logs.mean()
    return float(np.mean(logs[1:] * logs[:-1]) / max(float(np.mean(logs**2)), 1e-12))


def _blocks(log: Visits) -> float:
    """The deviation of the means of blocks of requests in a row."""
    many = len(log) // BLOCK
    if many < 2:
        return np.nan
    return float(log.duration_s[: many * BLOCK].reshape(many, BLOCK).mean(axis=1).std())
