"""A generator on a node: the actor that makes a part of a run's load."""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from thinktime import _core
from thinktime.distributed import clocks, rows_on_nodes
from thinktime.distributed.parcel import Parcel

FILES = ("ca_file", "certificate", "key")
"""Options that name files, whose contents are taken along."""


@dataclass(frozen=True)
class Assignment:
    """What all generators of a run do."""

    workload: Parcel[_core.Workload]
    target: str
    options: str
    """In JSON."""

    of: int
    """The number of shares of the sessions."""

    demands: Parcel[_core.System] | None = None
    files: Mapping[str, bytes] | None = None
    """Contents of the files that options name, by option."""

    leaving: rows_on_nodes.RowsOnNodes | None = None
    """Where rows are left; None where they are gathered."""

    run: str = field(default_factory=lambda: secrets.token_hex(8))
    """Names the run to the server of what scripts share."""


@dataclass(frozen=True)
class About:
    """What a generator says of itself."""

    version: str
    node: str
    """The id that Ray gives its node."""

    boot: str
    """Names the time since the machine was started: with it, its clock."""


class Generator:
    """Lives in a process on a node. All calls may come at the same time."""

    def __init__(self) -> None:
        """Nothing is under way yet."""
        self._parts: dict[int, _core.Part] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="thinktime-")
        self._book: rows_on_nodes.NodeBook | None = None
        self._own: dict[str, Any] | None = None
        """What the book of its rows is made of, which begins with the run."""
        self._lock = Lock()

    def about(self) -> About:
        """What it is, and where."""
        import ray

        return About(_core.__version__, ray.get_runtime_context().get_node_id(), clocks.boot())

    def clock_ns(self) -> int:
        """What its clock says."""
        return time.monotonic_ns()

    def prepare(
        self, number: int, what: Assignment, shares: Sequence[int], from_s: float, begun: int
    ) -> None:
        """Make ready for these shares; `number` names them from here on.

        Raises InputError or RunError as `run` does.
        """
        folder = Path(self._folder.name) / str(number)
        folder.mkdir()
        options = json.loads(what.options)
        for name, content in (what.files or {}).items():
            (folder / name).write_bytes(content)
            options[name] = str(folder / name)
        workload = what.workload.opened(folder)
        demands = None if what.demands is None else what.demands.opened(folder)
        if what.leaving is not None and self._own is None:
            rows_on_nodes.check_place(what.leaving.folder)
            self._own = {"workload": workload, "target": what.target, "options": options,
                         "demands": demands, "leaving": what.leaving, "place": number,
                         "shares": shares}  # fmt: skip
        self._parts[number] = _core.Part(
            workload,
            what.target,
            json.dumps(options),
            list(shares),
            what.of,
            demands=demands,
            from_s=from_s,
            begun=begun,
            run=what.run,
        )

    def begin(self, number: int, at_ns: int) -> None:
        """The run begins, or has begun, when its clock says this."""
        self._parts[number].begin(at_ns)

    def take(self, number: int, wait_s: float) -> tuple[bytes, bool, float | None]:
        """What there is to be told, as `_core.Part.take`."""
        taken = self._parts[number].take(wait_s)
        if taken[2] is not None:  # it has begun, and has read them
            self._forget_files(number)
        if self._own is not None:
            self._kept().take(taken[0])
        return taken

    def _kept(self) -> rows_on_nodes.NodeBook:
        with self._lock:
            if self._book is None:
                assert self._own is not None
                self._book = rows_on_nodes.NodeBook(**self._own)
            return self._book

    def _forget_files(self, number: int) -> None:
        """Remove certificates and keys, so that none is left behind whatever happens."""
        for name in FILES:
            (Path(self._folder.name) / str(number) / name).unlink(missing_ok=True)

    def left(self) -> dict[str, Any]:
        """Where its rows are, and how many, when all that it did has been taken."""
        return self._kept().end()

    def stop(self) -> None:
        """End what is under way."""
        for part in self._parts.values():
            part.stop()

    def close(self) -> None:
        """Leave nothing behind but rows that are to stay."""
        self.stop()
        self._folder.cleanup()
