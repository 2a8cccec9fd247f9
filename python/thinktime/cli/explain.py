"""`thinktime explain`."""

from __future__ import annotations

import json as json_module
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result
from thinktime.cli import common, function_options, options, plain_text
from thinktime.explain import explain_result

if TYPE_CHECKING:
    from thinktime.explain.explanation import Explanation
    from thinktime.explain.token_server import TokenServerFit


@function_options.of(explain_result)
def command(
    result: Annotated[Path, typer.Argument(help="A result directory with all its rows.")],
    demand: str | None = None,
    low_load: Path | None = None,
    json: options.JsonObject = False,
    **given: Any,
) -> None:
    """Find the server that fits a result, and what other systems would have shown.

    If responses report their tokens, it finds the times of a server of tokens, unless --demand,
    --log, --low-load or --scale speak of stations.

    The status is 3 if no model fits: then nothing is predicted.
    """
    with common.mapped_errors():
        if (result / "runs.json").exists():
            one = result / "run-1"
            raise InputError(f"{result}: it holds several runs: explain one of them, as in {one}")
        from thinktime.explain import token_server

        low = None if low_load is None else Result.load(low_load)
        measured = Result.load(result)
        shown = common.errors.is_terminal
        with common.errors.status("models are simulated") if shown else nullcontext():
            further = {"demand": demand, "low_load": low_load, **given}
            if token_server.is_of_tokens(measured, further):
                most = given.get("requests_max") or token_server.REQUESTS_MAX
                _show_tokens(token_server.token_server_of(measured, most), as_json=json)
                return
            found = explain_result(measured, demand, low_load=low, **given)
    if json:
        typer.echo(json_module.dumps(found.as_dict(), indent=2))
    if found.refused:
        if not json:
            plain_text.say(found.closed_test)
        raise common.fail(found.sentence, common.Exit.UNDECIDED)
    if not json:
        _show(found)


def _show_tokens(found: TokenServerFit, *, as_json: bool) -> None:
    from thinktime.report.explanation import tokens_table
    from thinktime.report.terminal import FittedTable

    if as_json:
        typer.echo(json_module.dumps(found.as_dict(), indent=2))
    if found.refusal is not None:
        raise common.fail(found.refusal, common.Exit.UNDECIDED)
    if not as_json:
        plain_text.say(found.sentence)
        typer.echo()
        common.print_wide(FittedTable(tokens_table(found)))


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
