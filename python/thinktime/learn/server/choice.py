"""The policies and numbers of workers of a server that explain the durations.

Under a wrong policy, waiting or sharing counts as demand, or the other way round, so that demands
seem to depend on the number of requests present.
"""

from __future__ import annotations

from dataclasses import dataclass

from thinktime.candidates.policies import Policy
from thinktime.candidates.strain import Sample, Strain, sample
from thinktime.candidates.survival import Survival
from thinktime.candidates.visits import Visits
from thinktime.present import units

WORKERS = (*range(1, 17), 20, 24, 32, 40, 48, 64, 96, 128, 192, 256)
"""Numbers of workers that are tried first; then those between the neighbours of the best."""

BETWEEN_MAX = 8

SIMPLE = 0.25
"""A worker for each request is preferred to a policy whose strain is less by no more than this."""

EXACT = 0.01
"""Rounded times make distributions differ by no more than this."""

NEARLY = 2.0
"""If no policy is exact, those count as well whose strain is up to this many times the least."""


@dataclass(frozen=True)
class Choice:
    """The policies that explain a log."""

    policy: Policy
    """The best one."""

    alike: tuple[Policy, ...]
    """All policies that are not refuted; empty if none explains the durations. If the best one is
    not exact, those nearly as near."""

    exact: bool
    """Whether the best one differs from the log by no more than chance."""

    distance: float
    """How strongly demands depend on the number of requests present under the best, 0 to 1."""

    other: str
    """The next best policy of another kind, and its distance, in words."""

    compared: int
    """The number of requests that were compared."""

    @property
    def explains(self) -> bool:
        """Whether the policy explains the durations."""
        return bool(self.alike)

    @property
    def workers_range(self) -> tuple[int, int]:
        """The least and the largest number of workers under this policy that are not refuted."""
        workers = [one.workers for one in self.alike if one.name == self.policy.name]
        return min(workers, default=self.policy.workers), max(workers, default=self.policy.workers)


def choose_policy(log: Visits, references: list[Survival]) -> Choice | None:
    """The policies of a server, given the law of demands of requests that found it idle by kind.

    None if too few requests can be compared.
    """
    found = sample(log, references)
    if found is None or not found.compares:
        return None
    idle = Policy("idle", found.most)
    scores = found.strains([idle])
    for name in ("fcfs", "ps"):
        scores |= _tried(found, name, max(found.most - 1, 1))
    best = min(scores, key=lambda one: scores[one])
    if scores[idle].ratio <= min(scores[best].ratio + SIMPLE, 1.0):
        best = idle
    rival = min((one for one in scores if one.name != best.name), key=lambda one: scores[one])
    exact, least = scores[best].excess <= EXACT, scores[best].ratio
    bound = 1.0 if exact else max(1.0, NEARLY * least)
    return Choice(
        policy=best,
        alike=tuple(one for one in scores if scores[one].ratio <= bound) if least <= 1 else (),
        exact=exact,
        distance=scores[best].apart,
        other=f"{rival.name} with {rival.workers}: {units.percent(scores[rival].apart)}",
        compared=len(found.found),
    )


def _tried(found: Sample, name: str, most: int) -> dict[Policy, Strain]:
    """Strains of a policy by workers: a coarse row, and a finer one around the best."""
    row = [workers for workers in WORKERS if workers <= most]
    scores = found.strains(Policy(name, workers) for workers in row)
    best = min(row, key=lambda one: scores[Policy(name, one)])
    at = row.index(best)
    low, high = row[max(at - 1, 0)], row[at + 1] if at + 1 < len(row) else most
    step = max((high - low) // BETWEEN_MAX, 1)
    between = (Policy(name, one) for one in range(low, high + 1, step))
    return scores | found.strains(one for one in between if one not in scores)
