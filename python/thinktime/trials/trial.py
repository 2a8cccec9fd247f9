"""A trial: one simulation or run, by all that its result depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.distributed.parcel import Parcel
from thinktime.inputs.arguments import checked
from thinktime.inputs.files import GivenWorkload, workload_of
from thinktime.operations import Progress, run, simulate
from thinktime.operations.run_progress import Moment
from thinktime.results.result import Result


@dataclass(frozen=True)
class Trial:
    """A workload, a modelled or a real system, and the options of `simulate` or `run`."""

    workload: _core.Workload
    system: _core.System | None
    """The modelled system; of a run, the one whose demands the requests carry, if any."""

    target: str | None = None
    """The url of a real system, instead of a modelled one."""

    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """`simulate` or `run`."""
        return "simulate" if self.target is None else "run"

    @property
    def fingerprint(self) -> str:
        """A hash of all that the result depends on."""
        system = None if self.system is None else self.system.to_toml()
        given = [self.workload.to_toml(), system, self.target, dict(self.options)]
        text = json.dumps([_core.__version__, *given], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @property
    def seed(self) -> int:
        """The seed, by the options or else by the workload."""
        given = self.options.get("seed")
        return self.workload.seed if given is None else int(given)

    def with_options(self, **options: Any) -> Trial:
        """The trial with some options replaced."""
        return replace(self, options={**self.options, **options})

    def do(self, **more: Any) -> Result:
        """Simulate or run; `more` are arguments that make no difference to the figures.

        An exception of `progress` ends it. A simulation has no `monitor`.
        """
        given = {**self.options, **more}
        if self.target is not None:
            return run(self.workload, self.target, demands=self.system, **given)
        assert self.system is not None
        given.pop("monitor", None)
        return simulate(self.workload, self.system, **given)

    @property
    def packed(self) -> Packed:
        """The same trial for another machine.

        Raises:
            InputError: A file that it names cannot be read.
        """
        system = None if self.system is None else Parcel.of(self.system)
        return Packed(Parcel.of(self.workload), system, dict(self.options))

    @classmethod
    def of(
        cls,
        done: Result,
        secrets: _core.Workload | None = None,
        target: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Trial:
        """The trial that gave a result.

        Args:
            done: The result.
            secrets: The workload that it was done with, for the secrets that stand in it.
            target: Another target, for a run.
            options: Options that shall differ.

        Raises:
            InputError: As in `again`.
        """
        given = dict(options or {})
        known = [*(name for name, _, _ in _core.options(done.kind)), "label"]
        for name in given:
            if name not in known:
                raise _core.InputError(
                    f"`{name}` is no option of `{done.kind}` that may differ: there are "
                    f"{', '.join(known)}"
                )
        workload, system = done.inputs(secrets)
        if done.kind == "simulate" and (target is not None or system is None):
            raise _core.InputError("a simulation has a system, and no target")
        target = target or done.target
        if "REMOVED" in str(target):
            raise _core.InputError(
                f"target: results keep no secrets, and one stood in {target}: give the target anew"
            )
        return cls(workload, system, target, done.options | given)


@dataclass(frozen=True)
class Packed:
    """A simulation on its way to another machine."""

    workload: Parcel[_core.Workload]
    system: Parcel[_core.System] | None
    options: Mapping[str, Any]

    def opened(self, folder: Path) -> Trial:
        """The trial, with its files written to the folder."""
        system = None if self.system is None else self.system.opened(folder)
        return Trial(self.workload.opened(folder), system, None, self.options)


@checked
def again(
    result: Result | str | Path,
    *,
    workload: GivenWorkload | None = None,
    target: str | None = None,
    output: str | Path | None = None,
    progress: Progress | None = None,
    monitor: Callable[[Moment], None] | None = None,
    **options: Any,
) -> Result:
    """Do again what was done: the same workload, system or target, seed and options.

    Args:
        result: A result, or its directory.
        workload: The workload that it was done with, needed where secrets stand in it: results
            keep none, and they are taken from there.
        target: Another target than the one of the result, for a run.
        output: Write the result directory there.
        progress: Called about twenty times a second.
        monitor: Called about ten times a second, for a run.
        **options: Options of `simulate` or `run` that shall differ.

    Raises:
        InputError: if the result does not say what was done, a file that the workload or the
            system names is no longer there, or secrets are missing.
    """
    done = result if isinstance(result, Result) else Result.load(result)
    secrets = None if workload is None else workload_of(workload)
    trial = Trial.of(done, secrets, target, options)
    return trial.do(output=output, progress=progress, monitor=monitor)
