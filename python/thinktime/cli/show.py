"""`thinktime show`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from thinktime import simulate
from thinktime.cli import common, function_options, options, trial_view
from thinktime.inputs import arrivals

_TAKEN = (*arrivals.OPTIONS, "seed")


@function_options.of(simulate, but=inspect.signature(simulate).parameters.keys() - {*_TAKEN})
def command(
    workload: options.Workload,
    system: Annotated[
        Path | None, typer.Argument(help="The system file.", show_default=False)
    ] = None,
    seed: int | None = None,
    **given: Any,
) -> None:
    """Print the whole of what would be run or simulated, with all overlays.

    It is the workload file, and after it the system file if there is one: to read, or to keep as
    files. The name of each stands in a comment above it.
    """
    with common.mapped_errors():
        loaded = arrivals.with_arrivals(common.load_workload(workload), given)
        loaded = loaded if seed is None else loaded.with_seed(seed)
        typer.echo(f"# workload: {workload}\n{loaded.to_toml()}", nl=False)
        if system is not None:
            modelled = trial_view.load_system(system)
            typer.echo(f"\n# system: {system}\n{modelled.to_toml()}", nl=False)
