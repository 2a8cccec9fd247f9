"""`thinktime explain`."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from thinktime import Result
from thinktime.cli import common, plain


def command(
    result: Annotated[Path, typer.Argument(help="A result directory with all its rows.")],
    demand: Annotated[
        str | None,
        typer.Option(
            help="The law of service demands, as in 'exp(5ms)', where it is known; else it is "
            "learned from the times.",
            metavar="LAW",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object alone.")] = False,
) -> None:
    """Say what server fits a result, and what other systems would have shown.

    The status is 3 where no model fits: then nothing is predicted.
    """
    from thinktime.explain import explain_result

    with common.mapped_errors():
        found = explain_result(Result.load(result), demand)
    if json:
        typer.echo(json_module.dumps(found.as_dict(), indent=2))
    if found.refused:
        raise common.fail(found.sentence, common.Exit.UNDECIDED)
    if json:
        return
    from thinktime.report.explained import lines, table
    from thinktime.report.table import Group
    from thinktime.report.terminal import Shown

    plain.say(found.sentence)
    if found.alike:
        plain.say(f"it cannot be told from: {'; '.join(found.alike)}")
    typer.echo()
    shown = table([Group(lines(found))])
    common.print_wide(Shown(shown))
    plain.say(shown.note)
