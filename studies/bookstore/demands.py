"""The demand of each interaction on the database's core, measured one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import mixes
from relay import Relay
from store import Size, Store

import thinktime as tt

STEPS = 10
"""The number of values that stand for the demands of an interaction."""

SKIPPED = 10
"""The first requests of a connection plan their statements and fill caches: they do not count as
demands."""


@dataclass(frozen=True)
class Demand:
    """The cost of an interaction, in seconds."""

    cpu_s: list[float]
    """CPU times of the backend, sorted."""

    between_s: float
    """The further time of a lone request: the network path, generator and relay."""

    planning_s: float = 0.0
    """CPU time of the first requests of a connection in excess of their demands."""

    @property
    def mean_s(self) -> float:
        """The mean CPU time."""
        return fmean(self.cpu_s)

    def figures(self) -> dict[str, float]:
        """The kept data about it, in seconds."""
        return {
            "mean_s": self.mean_s, "between_s": self.between_s, "planning_s": self.planning_s,
        }  # fmt: skip

    def law(self, scale: float) -> str:
        """Their distribution as a few equally probable values."""
        steps = min(STEPS, len(self.cpu_s))
        size = len(self.cpu_s) / steps
        parts = [self.cpu_s[round(k * size) : round((k + 1) * size)] for k in range(steps)]
        return f"discrete({', '.join(f'{1 / steps}: {scale * fmean(part)}s' for part in parts)})"


def measured(store: Store, relay: Relay, size: Size, requests: int) -> dict[str, Demand]:
    """Ask for one interaction at a time, by one user, and read the backend's CPU clock."""
    found = {}
    for name, asked in mixes.interactions(size.books).items():
        relay.reset("default")
        alone = mixes.single(name, size.books, store.customers)
        result = tt.run(alone, store.url(relay.port), requests=requests + SKIPPED + 1, warmup=0)
        if result.summary["errors"]:
            raise SystemExit(f"{name}: {result.summary['errors_by_kind']}")
        each = [one.before_s for one in relay.trips[:: mixes.round_trips(asked)]]
        cpu_s = sorted(later - now for now, later in pairwise(each[SKIPPED:]))
        planning_s = each[SKIPPED] - each[0] - SKIPPED * fmean(cpu_s)
        whole_s = result.summary["response_time_s"]["p50"]
        found[name] = Demand(cpu_s, max(whole_s - cpu_s[len(cpu_s) // 2], 0.0), planning_s)
    return found


def moments(demands: Mapping[str, Demand], shares: Mapping[str, float]) -> tuple[float, float]:
    """The mean of all demands in a mix, and their squared coefficient of variation."""
    mean = sum(share * demands[name].mean_s for name, share in shares.items())
    square = sum(share * _square(demands[name].cpu_s) for name, share in shares.items())
    return mean, square / mean**2 - 1


def _square(values: Sequence[float]) -> float:
    return fmean(value * value for value in values)
