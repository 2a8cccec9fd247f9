"""The policy and number of workers of a server that explain the durations.

Under a wrong policy, waiting or sharing counts as demand, or the other way round, so that demands
seem to depend on the number of requests present.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.server.comparison import LEAST, Distance, Sample, chance, sample
from thinktime.learn.server.policies import Policy
from thinktime.learn.server.survival import Survival
from thinktime.learn.server.visits import Numbers, ServerVisits

CLOSE = 0.03
"""Distributions that differ by no more than this, and by chance, are the same."""

WORKERS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""Numbers of workers that are tried first; then those between the neighbours of the best."""

BETWEEN_MAX = 8


@dataclass(frozen=True)
class Choice:
    """The policy that explains a log best."""

    policy: Policy
    clear: bool
    """Whether it explains the durations, and no other one does as well."""

    explains: bool
    """Whether it explains the durations at all."""

    distance: float
    """How strongly demands depend on the number of requests present, 0 to 1."""

    noise: float
    """The part of it that may be chance."""

    workers_range: tuple[int, int]
    """All numbers of workers that explain as well, under the same policy."""

    other: str
    """The next best policy of another kind, and its distance, in words; empty without one."""

    compared: int
    """The number of requests that were compared."""


def choose_policy(log: ServerVisits, references: list[Survival]) -> Choice | None:
    """The policy of a server, given the law of demands of requests that found it idle by kind.

    None if too few requests can be compared.
    """
    found = sample(log, references)
    if found is None:
        return None
    idle = Policy("idle", found.most)
    scores = {idle: found.distance(idle)}
    if scores[idle].noise >= 1:
        return None
    for name in ("fcfs", "ps"):
        scores |= _tried(found, name)
    return _chosen(scores, found, idle)


def _tried(found: Sample, name: str) -> dict[Policy, Distance]:
    """Distances of a policy by workers: a coarse row, and a finer one around the best."""
    most = max(found.most - 1, 1)
    row = [workers for workers in WORKERS if workers <= most]
    scores = {one: found.distance(Policy(name, one)) for one in row}
    best = min(row, key=lambda one: scores[one].apart)
    at = row.index(best)
    low, high = row[max(at - 1, 0)], row[at + 1] if at + 1 < len(row) else most
    step = max((high - low) // BETWEEN_MAX, 1)
    between = [one for one in range(low, high + 1, step) if one not in scores]
    scores |= {one: found.distance(Policy(name, one)) for one in between}
    return {Policy(name, one): score for one, score in scores.items()}


def _chosen(scores: dict[Policy, Distance], found: Sample, idle: Policy) -> Choice:
    best = min(scores, key=lambda one: scores[one].apart)
    limit = CLOSE + scores[best].noise
    # If others explain no better, the simplest one is taken: a worker for each request.
    if scores[idle].apart <= min(limit, scores[best].apart + scores[best].noise / 2):
        best = idle
    least = scores[best]
    near = [
        one.workers
        for one, score in scores.items()
        if one.name == best.name and score.apart <= least.apart + least.noise / 2
    ]
    others = {one: score.apart for one, score in scores.items() if one.name != best.name}
    rival = min(others, key=lambda one: others[one])
    explains = least.apart <= CLOSE + least.noise
    return Choice(
        policy=best,
        clear=best is not idle and explains and others[rival] > least.apart + least.noise,
        explains=explains,
        distance=least.apart,
        noise=least.noise,
        workers_range=(min(near), max(near)),
        other=f"{rival.name} with {rival.workers}: {others[rival]:.1%}",
        compared=len(found.found),
    )


def choose_coarse(log: ServerVisits, kinds: int) -> Choice | None:
    """Whether durations are demands, if stamps are too coarse to show the requests present.

    They are if they do not depend on the number of requests at about the same time. None if they
    do, or if too few can be compared.
    """
    others = neighbours(log)
    distances, few, many = [], [], []
    for kind in range(kinds):
        own = (log.kind == kind) & log.over
        if own.sum() < 8 * LEAST:
            continue
        low, high = np.quantile(others[own], [0.25, 0.75])
        calm, busy = log.duration_s[own & (others <= low)], log.duration_s[own & (others >= high)]
        if high > low:
            distances.append(_apart(calm, busy))
            few.append(len(calm))
            many.append(len(busy))
    if not distances:
        return None
    noise = chance(np.array(many), np.array(few))
    distance = float(np.average(distances, weights=many))
    if distance > CLOSE + noise:
        return None
    # The number at once is the work in the busiest step.
    steps = np.floor(log.arrival_s / log.stamp_s).astype(np.int64)
    most = np.bincount(steps, weights=log.duration_s).max() / log.stamp_s
    policy = Policy("idle", int(np.ceil(most)) + 1)
    same = (policy.workers, policy.workers)
    return Choice(policy, False, True, distance, noise, same, "", sum(many))


def _apart(ones: Numbers, others: Numbers) -> float:
    """The largest distance of the distribution functions of two samples (Smirnov's statistic).

    scipy.stats has the same; it takes a second to import.
    """
    both = np.concatenate([ones, others])
    shares = (
        np.searchsorted(np.sort(one), both, side="right") / len(one) for one in (ones, others)
    )
    return float(np.max(np.abs(np.subtract(*shares))))


def neighbours(log: ServerVisits) -> Numbers:
    """The number of requests near each one in time: within two steps, or mean durations."""
    reach = 2 * max(log.stamp_s, float(log.duration_s.mean()))
    first = np.searchsorted(log.arrival_s, log.arrival_s - reach)
    last = np.searchsorted(log.arrival_s, log.arrival_s + reach, side="right")
    return np.asarray(last - first)
