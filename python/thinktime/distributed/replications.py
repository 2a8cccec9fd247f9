"""Replications of a simulation, done on all cores of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from thinktime import _core
from thinktime.distributed.connection import connected
from thinktime.distributed.parcel import Parcel
from thinktime.distributed.work import awaited

_Done = TypeVar("_Done")

Replications = Callable[[int, bool], Iterator[tuple[int, bytes] | None]]
"""Begins all replications, with their warm-up's end in nanoseconds, and with or without rows.
Yields the number and the outcome of each, or None while there is nothing new."""


def replications_on_cluster(
    workload: _core.Workload,
    system: _core.System,
    options: str,
    on: str,
    replications: int,
    simulate: Callable[[Replications], _Done],
) -> _Done:
    """Simulate on the cluster of this name.

    Args:
        workload: The workload.
        system: The system.
        options: Those of `simulate`, in JSON.
        on: Names the cluster, as in `connected`.
        replications: The number of replications.
        simulate: Finds the warm-up, joins the replications, and gives the result.

    Raises:
        InputError: if it is one replication alone, or there is no such cluster.
    """
    if replications < 2:
        raise _core.InputError("on: a cluster divides replications: give their number "
                               "(`replications`)")  # fmt: skip
    packed = (Parcel.of(workload), Parcel.of(system), options)

    def elsewhere(warmup_ns: int, rows: bool) -> Iterator[tuple[int, bytes] | None]:
        pieces = [(*packed, number, warmup_ns, rows) for number in range(replications)]
        return awaited(_replicate, pieces)

    with connected(on):
        return simulate(elsewhere)


def _replicate(
    workload: Parcel[_core.Workload],
    system: Parcel[_core.System],
    options: str,
    number: int,
    warmup_ns: int,
    rows: bool,
) -> bytes:
    with TemporaryDirectory(prefix="thinktime-") as folder:
        places = [Path(folder) / name for name in ("workload", "system")]
        for place in places:
            place.mkdir()
        opened = workload.opened(places[0]), system.opened(places[1])
        return _core.replicate(*opened, options, number, warmup_ns, rows)
