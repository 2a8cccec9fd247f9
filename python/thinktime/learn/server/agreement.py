"""Whether a learned server repeats the log that it was learned from.

The demands of all requests follow from the policy, so that a wrong policy may explain them: for
instance, processor sharing explains a pool of connections behind a time that nobody waits for. The
log is therefore played again to the learned server, with demands drawn anew. What one station does
not explain, such as a second station, a lock or a pause, then has other figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from thinktime._core import System
from thinktime.candidates.candidate import in_a_row
from thinktime.candidates.policies import Policy
from thinktime.candidates.prediction import Prediction
from thinktime.candidates.replay import Replay, name_of
from thinktime.candidates.visits import Visits
from thinktime.learn.server.laws import empirical
from thinktime.learn.server.model import demands_under
from thinktime.present import units

REQUESTS = 30_000
SEED = 46

LOOKS = ((3, 0.0, 58.0), (6, 2.0, 9.0), (12, 2.6, 5.2), (24, 3.77, 3.77))
"""After each of these numbers of replays: the standard errors up to which no figure may be off, and
beyond which one is, so that no more are needed. Student's t of 2, 5, 11 and 23 degrees exceeds the
last ones in 0.03, 0.03, 0.03 and 0.1 % of cases."""

POINTS = 200
"""The law of the demands of a kind is written with this many values."""

SAME, SAME_SHARE = 0.01, 0.002
"""Simulated times, and shares, are no more exact than this: laws are written in few values."""

ROUNDED = 0.25
"""Times are no more exact than this part of the steps of durations."""

CROWDS = (0.5, 0.75, 0.9, 0.97)
"""Requests are compared in groups, up to these parts of them by the number of others found."""

LEAST = 100
"""Smaller groups are not compared."""

SLOW = (0.5, 0.8, 0.9, 0.97)
"""Requests that take longer than these parts of all are taken alone."""

HIDDEN = 3.7
"""A normal variable exceeds it in one of 10,000 cases."""

SLIGHT = 0.02
"""A smaller correlation does not matter."""

BLOCK = 50
"""The number of requests in a row whose means are compared."""


class Figure(NamedTuple):
    """A figure by which a log and its replays are compared."""

    name: str
    of: Callable[[Visits], float]
    """Its value; NaN if there are too few requests."""

    is_time: bool = True


def played_again(log: Visits, most: int = REQUESTS) -> Replay:
    """The first requests of a log, to be played; of their kinds 0 is left out of the workload."""
    own = log.part(slice(0, most))
    return Replay(replace(own, kind=own.kind + 1))


def disagreement(log: Visits, policy: Policy) -> str:
    """What a server with this policy does not repeat, in words; empty if it repeats all."""
    if policy.name == "idle":
        return hidden_queue(log)
    again = played_again(log)
    laws = _laws(again.log, policy)
    return unlike(again, in_a_row([(policy.name, policy.workers)], laws)) if laws else ""


def unlike(again: Replay, system: System) -> str:
    """What replays of a log on a server do not repeat, in words; empty if they repeat all."""
    figures = list(_figures(again.log))
    own, played = [one.of(again.log) for one in figures], list[list[float]]()
    for many, same, off in LOOKS:
        runs = again.on(system, range(SEED + len(played), SEED + many))
        played += [[one.of(run) for one in figures] for run in runs]
        every = zip(figures, own, zip(*played, strict=True), strict=True)
        most, why = max((_off(*one, again.log.step_s) for one in every), key=lambda one: one[0])
        if most > off:
            return why
        if most <= same:
            break
    return ""


def hidden_queue(log: Visits) -> str:
    """Whether slow requests wait for one another behind a queue of their own, in words; or empty.

    If each request has a worker for itself, its time does not depend on those present. A few slow
    ones, as the misses of a cache, hardly show it among many quick ones, and so are taken alone.
    """
    for share in SLOW:
        bound_s = float(np.quantile(log.duration_s, share))
        slow = log.part(log.over & (log.duration_s > bound_s))
        if len(slow) < LEAST:
            continue
        found = np.minimum(slow.found, np.quantile(slow.found, 0.99))
        rank = np.argsort(np.lexsort((slow.duration_s, slow.kind)))
        counts = np.unique(slow.kind, return_inverse=True, return_counts=True)[1:]
        before = np.concatenate([[0], np.cumsum(counts[1])[:-1]])
        within = (rank - before[counts[0]] + 0.5) / counts[1][counts[0]] - 0.5
        deviation = float(np.sqrt(np.sum((found - found.mean()) ** 2) / 12))
        off = float(within @ (found - found.mean())) / max(deviation, 1e-12)
        if off > max(HIDDEN, SLIGHT * np.sqrt(len(slow))):
            return (
                f"Requests that took more than {units.seconds(bound_s)} took longer if others of "
                "them were there: they wait for one another in a part of the server that is hidden."
            )
    return ""


def _laws(log: Visits, policy: Policy) -> dict[str, str]:
    """The laws of the demands by kind, or of all if none of a kind was seen to its end.

    Empty if no demand at all was seen.
    """
    of_all = demands_under(log.of_one_kind, policy, 1)[0]
    if not of_all.seen or of_all.mean <= 0:
        return {}
    found = demands_under(log, policy, int(log.kind.max()) + 1)
    known = (one if one.seen else of_all for one in found)
    return {name_of(kind): empirical(one, one.mean, POINTS) for kind, one in enumerate(known)}


def _off(figure: Figure, own: float, others: Sequence[float], step_s: float) -> tuple[float, str]:
    """How far a log's figure is from its replays, in standard errors, and that in words."""
    if not np.isfinite([own, *others]).all():
        return 0.0, ""
    least = SAME_SHARE
    if figure.is_time:
        least = SAME + ROUNDED * step_s / max(own, 1e-9)
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
