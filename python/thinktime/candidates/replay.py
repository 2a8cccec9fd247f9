"""A log that is played again to a modelled server.

A user's first request comes at the log's time, and each later one as long after the answer to the
one before as in the log. Users who wait for answers therefore wait for the model's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from thinktime._core import System, Workload
from thinktime.candidates.candidate_simulation import each
from thinktime.candidates.visits import Floats, Numbers, Visits
from thinktime.inputs.files import workload_of
from thinktime.operations import simulate

BEGIN_US = 1_600_000_000_500_000
"""The time of the first request, since 1970: no whole second, whose requests would be spread."""

BYTE = 256
FORMAT = "parquet:time=ts,address=ip,url=path,duration_us=took"


class Replay:
    """A log, ready to be played to any server."""

    def __init__(self, log: Visits) -> None:
        self.log = log
        self._workload = _replay(log)

    def on(self, system: System, seeds: Sequence[int]) -> list[Visits]:
        """The requests under each seed, in steps as those of the log; all of one kind."""
        return each(lambda seed: self._once(system, seed), seeds)

    def _once(self, system: System, seed: int) -> Visits:
        made = simulate(self._workload, system, seed=seed, warmup=0.0, rows="all")
        seen = Visits.of_rows(pl.DataFrame(made.requests))
        took_s = stepped(seen.duration_s, self.log.step_s)
        return Visits.served(seen.arrival_s, seen.arrival_s + took_s)


def stepped(took_s: Floats, step_s: float) -> Floats:
    """Durations as a log in these steps has them: rounded down, with half a step added."""
    return np.asarray(
        (np.floor(took_s / step_s + 1e-6) + 0.5) * step_s if step_s > 1e-6 else took_s
    )


def _replay(log: Visits) -> Workload:
    """The log as a workload; its kinds are numbers from 0."""
    since_us = np.rint((log.arrival_s - log.arrival_s[0]) * 1e6).astype(np.int64)
    names = [name_of(kind) for kind in range(int(log.kind.max(initial=0)) + 1)]
    columns = {
        "ts": pl.Series(BEGIN_US + since_us).cast(pl.Datetime("us", "UTC")),
        "ip": [_address(one) for one in _in_turn(log).tolist()],
        "path": [f"/{names[kind]}" for kind in log.kind.tolist()],
        "took": np.rint(log.duration_s * 1e6).astype(np.int64),
    }
    with TemporaryDirectory() as folder:
        file = Path(folder) / "log.parquet"
        pl.DataFrame(columns).write_parquet(file)
        process = f"trace({file}, format='{FORMAT}', timeout=10000h)"
        tables = {
            "name": "replay",
            "arrivals": {"model": "partly-open", "process": process},
            "request": [{"name": name, "get": f"/{name}"} for name in names],
        }
        return workload_of(tables)


def _in_turn(log: Visits) -> Numbers:
    """The users, from 0; a request that did not wait for its user's earlier ones has its own."""
    if log.user is None:
        return np.arange(len(log))
    users = np.unique(log.user, return_inverse=True)[1]
    order = np.lexsort((log.arrival_s, users))
    user, arrival_s, done_s = users[order], log.arrival_s[order], log.done_s[order]
    # Ends of one user are after those of all users before, so that one maximum serves all.
    apart_s = float(np.ptp(log.done_s)) + float(log.duration_s.max()) + 1.0
    ends_s = np.maximum.accumulate(done_s + user * apart_s)
    first = np.concatenate([[True], user[1:] != user[:-1]])
    waited = np.concatenate([[True], arrival_s[1:] + user[1:] * apart_s >= ends_s[:-1]])
    alone = ~waited & ~first
    found = np.empty(len(log), dtype=np.int64)
    found[order] = np.where(alone, user.max() + 1 + np.arange(len(log)), user)
    return found


def _address(user: int) -> str:
    return f"10.{user // BYTE**2 % BYTE}.{user // BYTE % BYTE}.{user % BYTE}"


def name_of(kind: int) -> str:
    """The name that requests of a kind have in a replay."""
    return f"kind-{kind}"
