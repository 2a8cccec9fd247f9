"""Servers of two parts that a log does not tell from the single station that explains it best.

A request passes one part and then the other, with half of its demand in each: two stations in a
row, or a pool of connections behind a time that nobody waits for. At a low load few requests wait,
and a short log does not show where.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from thinktime._core import System
from thinktime.candidates.candidate import in_a_row
from thinktime.candidates.idle import alone
from thinktime.candidates.replay import Replay, name_of
from thinktime.candidates.survival import Survival
from thinktime.candidates.visits import Visits
from thinktime.learn.server.agreement import SEED, played_again, unlike
from thinktime.present import units

REQUESTS = 10_000
"""Rivals play no more requests of a log: those that survive are of short ones."""

ENOUGH = 1024
"""With this many servers nobody waits."""

SERVERS_MAX = 32
FULL = 0.95
"""A part that is busier than this has no steady state."""

FEW = 30
"""A kind of which fewer were alone has the demands of all kinds."""

CONSTANT = 1e-3
"""Demands with a smaller C² do not vary."""


@dataclass(frozen=True)
class Rival:
    """Two stations in a row, first come, first served."""

    again: Replay
    """The log, to be played to it."""

    servers: tuple[int, int]
    demands: Mapping[int, Survival]
    """The law of the whole demand by kind."""

    scale: float = 1.0
    """Demands are this many times as large, so that the mean is the log's."""

    def system(self, names: Sequence[str], delays: Mapping[str, str]) -> System:
        """The model for requests whose kinds have these names; ``delays`` are those of others."""
        demands = {names[kind]: _half(law, self.scale) for kind, law in self.demands.items()}
        return in_a_row([("fcfs", many) for many in self.servers], demands, delays)

    @property
    def words(self) -> str:
        """The model in words."""
        first, last = self.servers
        if first == ENOUGH:
            return f"a pool of {last} behind a time that nobody waits for"
        return f"two stations in a row, of {units.counted(last, 'server')} each"

    @property
    def over(self) -> float:
        """How much longer requests take than in the log, as a part of that."""
        played = self.again.on(self._to_play, [SEED])[0]
        return float(played.duration_s.mean() / self.again.log.duration_s.mean() - 1)

    @property
    def alike(self) -> bool:
        """Whether the log does not tell this rival from its server."""
        return not unlike(self.again, self._to_play)

    @property
    def _to_play(self) -> System:
        """The model for the log as it is played again; kind 0 is left out of the workload there."""
        usual = next(iter(self.demands.values()))
        kinds = range(int(self.again.log.kind.max()) + 1)
        demands = {kind: self.demands.get(kind - 1, usual) for kind in kinds}
        return replace(self, demands=demands).system([name_of(kind) for kind in kinds], {})


def rivals(log: Visits, kinds: int) -> Iterator[Rival]:
    """Rivals whose mean is the log's; none if too few requests found the server idle."""
    laws, every = alone(log, kinds), alone(log.of_one_kind, 1)[0]
    if every.seen < FEW or every.mean <= 0:
        return
    demands = {
        kind: laws[kind] if laws[kind].seen >= FEW and laws[kind].mean > 0 else every
        for kind in set(log.kind[log.kind >= 0].tolist())
    }
    again = played_again(log, REQUESTS)
    work_s = every.mean / 2 * len(log)
    least = int(work_s / max(float(log.done_s.max() - log.arrival_s.min()), 1e-9) / FULL) + 1
    for pool in (False, True):
        several = range(least, SERVERS_MAX + 1)
        found = _nearest(Rival(again, (ENOUGH if pool else n, n), demands) for n in several)
        if found is not None:
            yield found


def _nearest(row: Iterable[Rival]) -> Rival | None:
    """The one whose mean is nearest to the log's, of rivals with more and more servers."""
    best, off = None, math.inf
    for rival in row:
        over = rival.over
        if abs(over) < off:
            best, off = replace(rival, scale=1 / (1 + over)), abs(over)
        if over <= 0:
            return best
    return None


def _half(law: Survival, scale: float) -> str:
    """The law of two halves, drawn each by itself, whose sum has this mean and C²."""
    cv2 = 2 * (law.standard_error / law.mean) ** 2 * law.seen
    mean_s = law.mean * scale / 2
    if cv2 < CONSTANT:
        return f"{mean_s:.6g}s"
    return f"gamma(shape={1 / cv2:.6g}, scale={mean_s * cv2:.6g}s)"
