"""`thinktime traces`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime import Result
from thinktime.cli import common, options, plain_text

if TYPE_CHECKING:
    import polars as pl


def command(
    result: Annotated[Path, typer.Argument(help="The result directory of a run.")],
    slowest: Annotated[
        int, typer.Option(min=0, help="Number of the slowest requests that succeeded.")
    ] = 10,
    failed: Annotated[
        int, typer.Option(min=0, help="Number of the first requests that failed.")
    ] = 10,
    json: options.JsonObject = False,
) -> None:
    """Name the traces of the slowest requests of a run, and of those that failed.

    The workload needs `traceparent = true` under [clients]. A tracing system finds what the server
    did for a request by its id.
    """
    from thinktime.results.traces import traces

    with common.mapped_errors():
        found = traces(Result.load(result), slowest, failed)
    if json:
        typer.echo(json_module.dumps({"traces": found.to_dicts()}, indent=2))
    elif found.is_empty():
        plain_text.say("No request was measured.")
    else:
        _print(found)


def _print(found: pl.DataFrame) -> None:
    from thinktime.present import units

    for one in found.iter_rows(named=True):
        what = one["error"] or f"status {one['status']}"
        plain_text.say(
            f"{one['trace_id']}  {units.seconds(one['response_time_s'])}  {one['name']}  {what}  "
            f"(session {one['session']}, request {one['request']}, attempt {one['attempt']})"
        )
