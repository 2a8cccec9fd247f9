"""A generator on a node: the actor that makes a part of a run's load."""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from thinktime import _core
from thinktime.distributed import clocks, rows_on_nodes
from thinktime.distributed.parcel import Parcel

FILES = ("ca_file", "certificate", "key")
"""Options that name files, whose contents travel along."""


class LinkSetup(Protocol):
    """A link that is made on the node of a generator."""

    def made(
        self, given: Mapping[str, Any], place: int = 0
    ) -> AbstractContextManager[tuple[tuple[Path, str], Any]]:
        """The namespace of the sockets with the options there, and the record of the link."""

    def within(self, namespace: Path, make: Callable[[], _core.Part]) -> _core.Part:
        """What is made in the namespace, with the sockets of all threads that it starts."""


@dataclass(frozen=True)
class Assignment:
    """The common settings of all generators of a run."""

    workload: Parcel[_core.Workload]
    target: str
    options: str
    """In JSON."""

    of: int
    """The number of shares of the sessions."""

    demands: Parcel[_core.System] | None = None
    files: Mapping[str, bytes] | None = None
    """Contents of the named files, by option."""

    leaving: rows_on_nodes.RowsOnNodes | None = None
    """The place where rows are left; None if they are gathered."""

    crossing: LinkSetup | None = None
    """The way over a link, which each generator makes for itself."""

    run: str = field(default_factory=lambda: secrets.token_hex(8))
    """An identifier of the run for the server of the scripts' shared values."""


@dataclass(frozen=True)
class GeneratorDescription:
    """A generator's description of itself."""

    version: str
    node: str
    """The id that Ray gives its node."""

    boot: str
    """An identifier of the machine's boot, and so of its clock."""


class Generator:
    """An actor in a process on a node. All calls may come at the same time."""

    def __init__(self) -> None:
        """Nothing is under way yet."""
        self._parts: dict[int, _core.Part] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="thinktime-")
        self._book: rows_on_nodes.NodeBook | None = None
        self._own: dict[str, Any] | None = None
        """The facts that begin the run's record of rows."""
        self._lock = Lock()
        self._links = ExitStack()
        self._crossed: tuple[tuple[Path, str], Any] | None = None
        """The way over its link, and the link's record."""

    def about(self) -> GeneratorDescription:
        """Its identity and place."""
        import ray

        return GeneratorDescription(
            _core.__version__, ray.get_runtime_context().get_node_id(), clocks.boot()
        )

    def clock_ns(self) -> int:
        """The reading of its clock."""
        return time.monotonic_ns()

    def prepare(
        self, number: int, what: Assignment, shares: Sequence[int], from_s: float, begun: int
    ) -> None:
        """Prepare for these shares; `number` identifies them from here on.

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
        inside = None
        if what.crossing is not None:
            if self._crossed is None:
                self._crossed = self._links.enter_context(what.crossing.made(options, number))
            namespace, reached = self._crossed[0]
            options, inside = json.loads(reached), partial(what.crossing.within, namespace)
        if what.leaving is not None and self._own is None:
            rows_on_nodes.check_place(what.leaving.folder)
            self._own = {"workload": workload, "target": what.target, "options": options,
                         "demands": demands, "leaving": what.leaving, "place": number,
                         "shares": shares}  # fmt: skip

        def part() -> _core.Part:
            return _core.Part(
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

        self._parts[number] = part() if inside is None else inside(part)

    def begin(self, number: int, at_ns: int) -> None:
        """The run begins, or has begun, at this time of its clock."""
        self._parts[number].begin(at_ns)

    def take(self, number: int, wait_s: float) -> tuple[bytes, bool, float | None]:
        """The state of a part, as in `_core.Part.take`."""
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
        """Remove certificates and keys, so that none is left behind after any event."""
        for name in FILES:
            (Path(self._folder.name) / str(number) / name).unlink(missing_ok=True)

    def left(self) -> dict[str, Any]:
        """The place and number of its rows, after all its reports have been taken."""
        return self._kept().end()

    def stop(self) -> None:
        """End the current work."""
        for part in self._parts.values():
            part.stop()

    def crossed(self) -> Any:
        """Take its link away, if there is one, and give the link's record."""
        self._links.close()
        return None if self._crossed is None else self._crossed[1]

    def close(self) -> None:
        """Leave nothing behind except rows that are to stay."""
        self.stop()
        self._links.close()
        self._folder.cleanup()
