"""The models that are tried: a station, perhaps in a pool or behind a delay, or two in a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime._core import System
from thinktime.explain.visits import Visits
from thinktime.learn.server.idle import alone
from thinktime.present import policies, units

SPLITS = (0.5, 0.6, 0.7, 0.8)
"""The larger part of the work of two stations in a row."""

IDLE_LEAST = 100

_SEED = 19790101


@dataclass(frozen=True)
class Candidate:
    """A model of the server."""

    kind: str
    """A short name, such as `fcfs`, `ps`, `pool` or `row`."""

    policy: str
    servers: int
    demands: tuple[str, ...]
    """The law of demands at each station, in order."""

    places: int | None = None
    """The size of a pool around the station; None without a pool."""

    delay_s: float = 0.0
    """A delay that each request has at any load: half before the station, half after."""

    @property
    def words(self) -> str:
        """The model in words."""
        beside = f", behind a delay of {units.seconds(self.delay_s)}" if self.delay_s else ""
        if self.kind == "row":
            return f"two stations in a row, first come, first served{beside}"
        many = "1 server" if self.servers == 1 else f"{self.servers} servers"
        inside = f"{many}, {policies.words(self.policy)}{beside}"
        return inside if self.places is None else f"a pool of {self.places} places around {inside}"

    def system(self, *, policy: str | None = None, servers: int | None = None) -> System:
        """The model as a system, perhaps with another policy or number of servers per station."""
        used, many = policy or self.policy, servers or self.servers
        text = 'name = "explained"\n'
        for place, demand in enumerate(self.demands):
            text += (
                f'[[station]]\nname = "station-{place + 1}"\npolicy = "{used}"\n'
                f'servers = {many}\ndemand = "{demand}"\n'
            )
        steps = [f'use = "station-{place + 1}"' for place in range(len(self.demands))]
        if self.places is not None:
            extra = many - self.servers
            text += f'[[pool]]\nname = "places"\nsize = {self.places + extra}\n'
            steps = ['acquire = "places"', *steps, 'release = "places"']
        if self.delay_s:
            half = f'delay = "{self.delay_s / 2:.6g}s"'
            steps = [half, *steps, half]
        if len(steps) > len(self.demands):
            inside = ", ".join(f"{{ {step} }}" for step in steps)
            text += f"[[behaviour]]\nsteps = [{inside}]\n"
        return System(text)


def in_a_row(seen: Visits, many: int) -> list[list[Candidate]]:
    """Two FCFS stations with exponential demands, by the mean time of requests that were alone.

    Each split of the work has several variants, whose means differ as by chance.
    """
    idle = alone(seen.served(), 1)[0]
    if idle.seen < IDLE_LEAST:
        return []
    random = np.random.default_rng(_SEED)
    means = idle.mean + idle.standard_error * random.standard_normal(many)
    return [
        [
            Candidate("row", "fcfs", 1, (f"exp({m * part:.6g}s)", f"exp({m * (1 - part):.6g}s)"))
            for m in np.maximum(means, 0.1 * idle.mean)
        ]
        for part in SPLITS
    ]
