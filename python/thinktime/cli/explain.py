"""`thinktime explain`."""

from __future__ import annotations

import json as json_module
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime import InputError, Result
from thinktime.cli import common, options, plain_text

if TYPE_CHECKING:
    from thinktime.explain import Explanation

Measured = Annotated[Path, typer.Argument(help="A result directory with all its rows.")]
Demand = Annotated[
    str | None,
    typer.Option(
        help="The law of service demands, as in 'exp(5ms)', if it is known; otherwise it is "
        "learned from the times.",
        metavar="LAW",
    ),
]
Log = Annotated[
    Path | None,
    typer.Option(
        help="The server's own access log, with durations: demands are those of the requests "
        "that found the server idle.",
        metavar="FILE",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="The log's format or its definition, as `thinktime learn` takes it; by default "
        "it is found from the first lines.",
    ),
]
LowLoad = Annotated[
    Path | None,
    typer.Option(
        help="A result of the same workload at low load: demands are the response times of "
        "the requests that found the server idle.",
        metavar="DIR",
    ),
]

NoServerTiming = Annotated[
    bool,
    typer.Option(
        "--no-server-timing",
        help="Learn demands from the times, even if responses report the server's own in the "
        "header Server-Timing.",
    ),
]

Scale = Annotated[
    float | None,
    typer.Option(
        help="Ask, too, what the measured workload would show with its rates and clients "
        "multiplied by this.",
        metavar="NUMBER",
    ),
]


def command(
    result: Measured,
    demand: Demand = None,
    log: Log = None,
    format: Format = None,
    low_load: LowLoad = None,
    no_server_timing: NoServerTiming = False,
    scale: Scale = None,
    json: options.JsonObject = False,
) -> None:
    """Find the server that fits a result, and what other systems would have shown.

    The status is 3 if no model fits: then nothing is predicted.
    """
    from thinktime.explain import explain_result

    with common.mapped_errors():
        if (result / "runs.json").exists():
            one = result / "run-1"
            raise InputError(f"{result}: it holds several runs: explain one of them, as in {one}")
        low = None if low_load is None else Result.load(low_load)
        shown = common.errors.is_terminal
        with common.errors.status("models are simulated") if shown else nullcontext():
            found = explain_result(
                Result.load(result),
                demand,
                log=log,
                log_format=format,
                low_load=low,
                server_timing=not no_server_timing,
                scale=scale,
            )
    if json:
        typer.echo(json_module.dumps(found.as_dict(), indent=2))
    if found.refused:
        if not json:
            plain_text.say(found.closed_test)
        raise common.fail(found.sentence, common.Exit.UNDECIDED)
    if not json:
        _show(found)


def _show(found: Explanation) -> None:
    from thinktime.present.table import Group
    from thinktime.report.explanation import lines, models_table, table
    from thinktime.report.terminal import FittedTable

    plain_text.say(found.sentence)
    if found.alike:
        plain_text.say(f"it cannot be told from: {'; '.join(found.alike)}")
    plain_text.say(found.closed_test)
    typer.echo()
    whole = table([Group(lines(found))])
    # The last column, the interval of throughput, is on the page and in --json.
    shown = whole.with_columns(range(len(whole.headings) - 1))
    common.print_wide(FittedTable(shown))
    plain_text.say(shown.note)
    models = models_table(found)
    typer.echo()
    common.print_wide(FittedTable(models))
    plain_text.say(models.note)
