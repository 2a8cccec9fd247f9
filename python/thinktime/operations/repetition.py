"""The repetition of a result's run or simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.inputs.files import GivenWorkload, workload_of
from thinktime.operations import Progress, run, simulate
from thinktime.operations.moment import Moment
from thinktime.results.result import Result


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
    whole, system = done.inputs(None if workload is None else workload_of(workload))
    _check(options, done.kind)
    given = done.options | options
    if done.kind == "simulate":
        if target is not None or system is None:
            raise _core.InputError("a simulation has a system, and no target")
        return simulate(whole, system, output=output, progress=progress, **given)
    if target is None and "REMOVED" in str(done.target):
        raise _core.InputError(
            f"target: results keep no secrets, and one stood in {done.target}: give the target anew"
        )
    return run(
        whole, target or str(done.target), demands=system, output=output, progress=progress,
        monitor=monitor, **given,
    )  # fmt: skip


def _check(options: Mapping[str, Any], kind: str) -> None:
    """Raise InputError unless these are options of the repeated operation."""
    known = [*(name for name, _, _ in _core.options(kind)), "label"]
    for name in options:
        if name not in known:
            raise _core.InputError(
                f"`{name}` is no option of `{kind}` that may differ: there are {', '.join(known)}"
            )
