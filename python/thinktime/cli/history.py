"""`thinktime history`: results over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinktime import InputError, Result
from thinktime.cli import common, options, plain_text
from thinktime.present.whole_file import check_page
from thinktime.results.files import check_folder

app = typer.Typer(
    help="Keep results by workload, target and commit, and report when figures changed.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("add", short_help="Add results to the history.")
def add(
    results: Annotated[list[Path], typer.Argument(help="Result directories.")],
    store: options.Store = None,
    commit: Annotated[
        str | None, typer.Option(help="The commit, instead of the one in the result.")
    ] = None,
    branch: Annotated[
        str | None, typer.Option(help="The branch, instead of the one in the result.")
    ] = None,
) -> None:
    """Add results to the history: their figures with intervals; rows are not copied."""
    from thinktime.history import History

    history = History(store)
    with common.mapped_errors():
        for path in results:
            result = Result.load(path)
            if result.untrusted is not None:
                why = f"{path}: is not to be trusted: {result.untrusted}"
                raise common.fail(why, common.Exit.UNDECIDED)
            added = history.add(result, commit, branch)
            plain_text.say(f"{result.label}: {'added' if added else 'is there already'}")


@app.command("list", short_help="List the results of the history.")
def list_results(store: options.Store = None) -> None:
    """List what the history holds, by workload and target, the oldest first."""
    from thinktime.history import History, trends
    from thinktime.history.table import table
    from thinktime.report.terminal import FittedTable

    with common.mapped_errors():
        found = list(trends(History(store).results()))
    if found:
        common.print_wide(FittedTable(table(found)))
    else:
        plain_text.say("The history is empty.")


@app.command("trend", short_help="Show how a workload's figures developed.")
def trend(
    workload: Annotated[str, typer.Argument(help="The workload's name.")],
    store: options.Store = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page to write, beside the text.", metavar="FILE"),
    ] = None,
) -> None:
    """Show how a workload's figures developed, and with which results they changed."""
    from thinktime.history import History, trends
    from thinktime.history.table import table
    from thinktime.report.terminal import FittedTable

    with common.mapped_errors():
        if output is not None:
            check_folder(output)
            check_page(output)
        history = History(store)
        found = list(trends(history.results(workload)))
        if not found:
            names = sorted({one.subject.workload for one in history.results()})
            there = f"the history has {', '.join(names)}" if names else "the history is empty"
            raise InputError(f"no result of the workload '{workload}': {there}")
        for one in found:
            plain_text.say(f"{one.target}: {one.verdict}" if len(found) > 1 else one.verdict)
        typer.echo()
        common.print_wide(FittedTable(table(found)))
        if output is not None:
            from thinktime.history.report import report_of
            from thinktime.present import page

            plain_text.say(str(page.write(report_of(found).page, output)))
