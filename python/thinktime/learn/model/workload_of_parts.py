"""The populations of a log together: the population of each row, and the fidelity of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime._core import Workload
from thinktime.learn.fidelity import BAD, Fidelity, fidelity
from thinktime.learn.logs.log import Log
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import Kept
from thinktime.learn.memory import give_back
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.model.workload_file import STARTS, workload_text
from thinktime.learn.server import Server, learn_server, with_reach
from thinktime.learn.starts import Coverage, columns, silences, write_starts
from thinktime.learn.stop_signal import StopSignal, WorkStopped
from thinktime.learn.temporary_folder import temporary_folder


@dataclass(frozen=True)
class Kinds:
    """The kinds of requests of all populations; those of one name are one, as in a run."""

    requests: Requests
    """The log's requests without further attempts, which a workload file leaves to its server."""

    of_row: Kept
    """The kind of each of them, a place in `names`."""

    names: list[str]
    written: list[int]
    """The places in `names` of those that the workload file has."""

    begins: NDArray[np.bool_]
    """Whether a session begins with it, in a population whose sessions begin by themselves.
    Sessions of a fixed number of clients follow the log's pauses, and have no rate in the file."""


def kinds_of(log: Log, labels: NDArray[np.integer], parts: Sequence[PopulationModel]) -> Kinds:
    """The kinds of all requests; ``labels`` are the places of their populations in ``parts``."""
    names: dict[str, int] = {}
    written: set[int] = set()
    kinds = np.full(len(labels), -1, np.int32)
    begins = np.zeros(len(labels), dtype=np.bool_)
    for place, part in enumerate(parts):
        journeys = part.journeys
        rows: slice | NDArray[np.int64]
        rows = slice(None) if len(parts) == 1 else np.flatnonzero(labels == place)
        own = [names.setdefault(kind.name, len(names)) for kind in journeys.kinds.kinds]
        written.update(n for at, n in enumerate(own) if at not in journeys.left_out)
        kinds[rows] = np.array(own, np.int32)[journeys.kinds.of_row]
        order: NDArray[np.integer] = journeys.visits.order
        if not isinstance(rows, slice):
            order = rows[order]
        kinds[order[journeys.visits.retry]] = -1
        if not part.closed:
            begins[order[journeys.visits.base[journeys.visits.starts]]] = True
    kept = kinds >= 0
    if kept.all():
        return Kinds(log.requests, kinds, list(names), sorted(written), begins)
    found = log.requests.only(kept)
    return Kinds(found, kinds[kept], list(names), sorted(written), begins[kept])


def stand_in(
    log: Log, kinds: Kinds, parts: list[PopulationModel], stopping: StopSignal
) -> tuple[list[PopulationModel], Fidelity | None]:
    """The parts whose workload represents the log, and their fidelity.

    Starts are replayed instead of drawn only if that brings the workload nearer to the log: a law
    never ends, and replayed starts end with the log. None if the fidelity was no longer
    wanted.
    """
    drawn = any(part.drawn for part in parts)
    kinds = replace(kinds, requests=_joined(kinds.requests))
    try:
        found = _measured(log, kinds, parts, stopping, explained=not drawn)
        if found.verdict != BAD or not drawn:
            return parts, found
        if found.of_times:
            replayed = [part.replayed() for part in parts]
            other = _measured(log, kinds, replayed, stopping, explained=True)
            if other.nearer(found):
                return replayed, other
        return parts, _measured(log, kinds, parts, stopping, explained=True)
    except WorkStopped:
        return parts, None


def _joined(requests: Requests) -> Requests:
    """The requests without the lost time, if that is most of the log.

    The starts of the populations, with which they are compared, leave it out too.
    """
    times = requests.rows["time_ns"].to_numpy()
    if not len(times):
        return requests
    begin_ns = int(times[0])
    since_s = (times - begin_ns) * 1e-9
    covered = Coverage(requests.span_s, silences(since_s, requests.span_s))
    if not covered.mostly_lost:
        return requests
    joined = begin_ns + np.round(covered.joined(since_s) * 1e9).astype(np.int64)
    rows = requests.rows.with_columns(pl.Series("time_ns", joined, dtype=pl.Int64))
    return replace(requests, rows=rows)


def save(log: Log, parts: Sequence[PopulationModel], path: Path) -> list[Path]:
    """Write the workload file, and beside it the starts of sessions, if it needs them.

    The workload has the name of its file. Returns the files that were written. The second one has
    the name of the first, with the ending `.starts.parquet`.
    """
    from thinktime.results.files import write_whole

    starts = path.with_suffix(f".{STARTS}")
    chosen = {
        part.population.name: (part.starts, part.model)
        for part in parts
        if part.starts is not None and part.model is not None
    }
    text = workload_text(path.stem, log, parts, starts.name)
    written = [path]
    if starts.name in text:
        write_starts(starts, chosen, columns([part.population.name for part in parts]))
        written.append(starts)
    write_whole(path, text)
    return written


def server_of(kinds: Kinds, demand: str | None, workload: Workload | None = None) -> Server | None:
    """A model of the server; None if the log has no durations and no demand is given.

    It has demands only for the requests of the workload file. With the ``workload`` it has the rate
    up to which it can be trusted.
    """
    place = np.full(len(kinds.names), -1)
    place[kinds.written] = np.arange(len(kinds.written))
    names, of_row = [kinds.names[at] for at in kinds.written], place[kinds.of_row]
    found = learn_server(kinds.requests, of_row, names, demand=demand)
    if found is None or workload is None:
        return found
    return with_reach(found, kinds.requests, of_row, names, workload)


def _measured(
    log: Log,
    kinds: Kinds,
    parts: Sequence[PopulationModel],
    stopping: StopSignal,
    *,
    explained: bool,
) -> Fidelity:
    with temporary_folder() as folder:
        file = folder / "learned.toml"
        save(log, parts, file)
        give_back(log.requests)
        text = file.read_text(encoding="utf-8")
        return fidelity(
            kinds.requests, kinds.of_row, kinds.names, text, file.parent,
            begins=kinds.begins, explained=explained, stopping=stopping,
        )  # fmt: skip
