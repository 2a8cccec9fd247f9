"""The result of learning from one or several logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from thinktime._core import Workload
from thinktime.learn.advice.advice import Advice
from thinktime.learn.fidelity import Fidelity
from thinktime.learn.logs.log import BadLines, Log
from thinktime.learn.model import workload_of_parts
from thinktime.learn.model.figures import Figures
from thinktime.learn.model.population_model import PopulationModel
from thinktime.learn.model.workload_file import STARTS, workload_text
from thinktime.learn.model.workload_of_parts import Kinds, kinds_of
from thinktime.learn.populations import Populations
from thinktime.learn.server import Server
from thinktime.learn.temporary_folder import temporary_folder
from thinktime.learn.views.summary import summary_of


@dataclass(frozen=True)
class Learned:
    """The result of learning from one or several logs."""

    log: Log
    split: Populations
    """The populations, the population of each row, and further findings."""

    parts: list[PopulationModel]
    """The workload of each population, in the same order."""

    figures: Figures
    """The figures of the first population: people, if there are any."""

    timeout_from: str
    """"given" or "curve"."""

    advice: Advice
    fidelity: Fidelity | None
    """How well the workload represents the log; None if it was not wanted."""

    @cached_property
    def workload_text(self) -> str:
        """The workload file: comments give the source of each number.

        It has the name of the first log, and may name a file `starts.parquet` beside it, which
        `save` writes.
        """
        return workload_text(self._name, self.log, self._of_all, STARTS)

    @property
    def _name(self) -> str:
        """The name of the first log, without its ending."""
        stem = Path(self.log.files[0]["name"]).name.partition(".")[0]
        return stem if any(map(str.isalnum, stem)) else "learned"  # `-` is standard input

    @cached_property
    def _of_all(self) -> list[PopulationModel]:
        """The populations as in a workload file: of all users, even if the log was sampled."""
        return [part.of_all(self.log.one_in) for part in self.parts]

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of requests of all populations."""
        return kinds_of(self.log, self.split.labels.astype(np.uint8), self.parts)

    def save(self, path: Path) -> list[Path]:
        """Write the workload file, and beside it the starts of sessions, if it needs them.

        The workload has the name of its file. Returns the files that were written. The second one
        has the name of the first, with the ending `.starts.parquet`.
        """
        return workload_of_parts.save(self.log, self._of_all, path)

    def server(self, demand: str | None = None, *, reach: bool = False) -> Server | None:
        """A model of the server, learned from durations; `system_text` writes it.

        ``demand`` is a distribution, as in "exp(5ms)", for logs without durations; None if the log
        has none and none is given. With ``reach`` simulations show up to which rate of requests it
        can be trusted.
        """
        if not reach:
            return workload_of_parts.server_of(self.kinds, demand)
        with self._loaded("learned.toml") as workload:
            return workload_of_parts.server_of(self.kinds, demand, workload)

    def workload(self, name: str = "learned.toml") -> Workload:
        """The workload, ready for `thinktime.simulate` and `thinktime.run`.

        It names the file beside it as if it were saved by this name.
        """
        with self._loaded(name) as workload:
            return workload

    @contextmanager
    def _loaded(self, name: str) -> Iterator[Workload]:
        """The workload, with the file beside it for as long."""
        with temporary_folder() as folder:
            file = folder / name
            self.save(file)
            yield Workload.load(file)

    def to_dict(self, server: Server | None = None) -> dict[str, Any]:
        """The object that `thinktime learn --json` prints; ``server`` is that of `server`."""
        return summary_of(self, server)

    @property
    def bad_lines(self) -> list[BadLines]:
        """The unreadable parts."""
        return self.log.bad_lines
