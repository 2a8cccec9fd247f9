"""Rows that stay on the node of the generator that made them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinktime import _core

_NOT_FOR_ROWS = ("stop_on_slo", "ca_file", "certificate", "key")
"""Options that do not affect rows."""


@dataclass(frozen=True)
class RowsOnNodes:
    """The place where the rows of a run are left."""

    folder: str
    """The run's own folder on each node's disk."""

    generators: int
    """The number of generators: together they share the sessions."""

    rows: str | None
    """The kept rows, in the terms of `run`."""

    def of(self, place: int) -> str:
        """The folder of a generator, by its place among all."""
        return f"{self.folder}/generator-{place}"


def checked(folder: str) -> str:
    """The folder, if it is valid on any node, as far as this machine can tell.

    Raises InputError if not.
    """
    if not folder.startswith("/"):
        raise _core.InputError(f"leave_rows: `{folder}` must begin with /: each node has it on its "
                               "own disk")  # fmt: skip
    return folder.rstrip("/") or "/"


def check_place(folder: str) -> None:
    """Check on a node whether rows can be left there, without making anything.

    Raises InputError if not.
    """
    place = next(one for one in (Path(folder), *Path(folder).parents) if one.exists())
    why = None
    if not place.is_dir():
        why = "is no folder"
    elif not os.access(place, os.W_OK | os.X_OK):
        why = "is not to be written to"
    if why is not None:
        raise _core.InputError(f"leave_rows: {place} {why} on the node {os.uname().nodename}")


@dataclass
class NodeBook:
    """Keeps, in a thread, a result of one generator's reports, for its rows."""

    workload: _core.Workload
    target: str
    options: Mapping[str, Any]
    demands: _core.System | None
    leaving: RowsOnNodes
    place: int
    shares: Sequence[int]
    """The rows of the sessions that the generator begins with."""

    _gathering: _core.Gathering = field(init=False)
    _thread: threading.Thread = field(init=False)
    _found: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Begin."""
        given = {name: value for name, value in self.options.items() if name not in _NOT_FOR_ROWS}
        if self.leaving.rows is not None:
            given["rows"] = self.leaving.rows
        options, generators = json.dumps(given), self.leaving.generators
        self._gathering = _core.Gathering(self.workload, options, generators)
        for share in set(range(self._gathering.shares)) - set(self.shares):
            self._gathering.lose(share)  # otherwise its rows would be waited for
        self._gathering.spoil(
            f"it has the rows of one of {generators} generators: the figures are in the result of "
            "the whole run"
        )
        self._found = {"path": self.leaving.of(self.place)}
        self._thread = threading.Thread(target=self._keep, args=(options,), name="rows of a node")
        self._thread.start()

    def take(self, message: bytes) -> None:
        """Keep the generator's report."""
        self._gathering.take(message)

    def end(self) -> dict[str, Any]:
        """No more reports come: the final state, as in `RowsThere`, as far as known here."""
        self._gathering.end()
        self._thread.join()
        return self._found

    def _keep(self, options: str) -> None:
        path = Path(self._found["path"])
        try:
            made = _core.run(self.workload, self.target, options, demands=self.demands,
                             output=path, gathering=self._gathering)  # fmt: skip
            if made.unwritten is not None:
                self._found["missing"] = made.unwritten
                return
            import polars as pl

            file = path / "requests.parquet"
            rows = pl.scan_parquet(file).select(pl.len()).collect().item()
            sessions = None if made.summary is None else made.summary["sessions"]
            self._found |= {"rows": rows, "sessions": sessions, "bytes": file.stat().st_size}
        except Exception as error:  # a thread has nobody else to report to
            self._found["missing"] = str(error).strip() or type(error).__name__
