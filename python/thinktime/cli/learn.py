"""`thinktime learn`."""

from __future__ import annotations

import json as json_module
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import _core
from thinktime.cli import common, function_options, options, plain_text, watch
from thinktime.cli.interrupt import Interrupt
from thinktime.cli.learned_files import LearnedFiles
from thinktime.cli.memory import give_back_large, use_again, without_collection
from thinktime.cli.progress import reading_progress
from thinktime.cli.watch import NOBODY, Watch
from thinktime.learn import learn

if TYPE_CHECKING:
    from thinktime.learn import Learned
    from thinktime.learn.logs.log import Log
    from thinktime.learn.server import Server
    from thinktime.monitor.feed import Feed
    from thinktime.present.page import Page


NO_DURATIONS = (
    "{} is not written: the log has no durations to learn a system from; give a demand, as in "
    "--demand 'exp(5ms)'"
)

HANDED_OVER_S = 0.0005
"""How soon a Python thread yields to another one: with the usual 5 ms, the parts of a log that are
learned in parallel wait for each other a tenth to a fifth of the time."""


@function_options.of(learn)
@watch.options
def command(
    logs: Annotated[
        list[str] | None,
        typer.Argument(help="Access logs: files, patterns, or - for standard input."),
    ] = None,
    formats: Annotated[
        bool, typer.Option("--formats", help="List the known formats, and end.")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="The page of charts to write.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The workload file to write, as in site.toml; or `site`, for site.toml, "
            "site.system.toml if the log has durations, and site.html.",
            metavar="NAME",
        ),
    ] = None,
    system: Annotated[
        Path | None,
        typer.Option(help="The file for a model of the server, learned from durations."),
    ] = None,
    demand: Annotated[
        str | None,
        typer.Option(help="The demand of a request for --system, if the log has no durations."),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(help="Learn this log, too, and report changes since."),
    ] = None,
    quiet: options.Quiet = False,
    json: options.JsonObject = False,
    watched: Watch = NOBODY,
    *,
    fidelity: bool,
    follow: bool,
    **given: Any,
) -> None:
    """Learn a workload from access logs, and the system model that it follows."""
    if formats:
        for name, summary, source in _core.log_formats():
            plain_text.say(f"{name:12} {summary} ({source})")
        return
    if not logs:
        raise common.fail("give a log, or several", common.Exit.INPUT_WRONG)
    files = LearnedFiles.of(output, system, report)
    if demand is not None and files.system is None:
        raise common.fail("--demand goes with --system", common.Exit.INPUT_WRONG)
    _check_demand(demand)
    with common.mapped_errors():
        files.check([*logs, *([compare] if compare else [])])
    give_back_large()
    sys.setswitchinterval(HANDED_OVER_S)
    measured, enough = fidelity and compare is None, Interrupt()
    with ExitStack() as whole:
        if compare is None:
            whole.enter_context(enough.noted())
        with common.mapped_errors(), ExitStack() as reading:
            reading.enter_context(without_collection())  # the libraries that are imported meanwhile
            watched_run = watch.watched_run("learn", "from a log", None, (None, None))
            with watched.on(watched_run) as feed, reading_progress(quiet) as progress:
                progress = watch.both(progress, None if feed is None else feed.reading)
                learned = learn(
                    logs, fidelity=measured, follow=follow, stopping=enough.fidelity,
                    progress=enough.reading(progress),
                    when_read=partial(_tell, reading, feed, enough), **given,
                )  # fmt: skip
                if feed is not None:
                    feed.finish(lambda: _page(learned, files.workload))
            server = None if files.system is None else _server(learned, demand)
            if compare is not None:
                with reading_progress(quiet) as progress:
                    before = learn([compare], fidelity=False, progress=progress, **given)
                _compare(before, learned, json)
        with common.mapped_errors():
            try:
                if compare is None:
                    _show(learned, server, json)
            except BrokenPipeError:  # nobody reads the output, but the files are wanted
                _write(files, learned, server)
                raise
            _write(files, learned, server)
    if files.system is not None and server is None:
        _say_no_system(files)
    if learned.log.stopped and not follow:
        message = "interrupted: only the part that was read is learned"
        raise common.fail(message, common.Exit.UNDECIDED)
    if measured and learned.fidelity is None:
        message = "interrupted: all that was read is learned, but its fidelity was not "
        raise common.fail(message + "measured to the end", common.Exit.UNDECIDED)


def _tell(reading: ExitStack, feed: Feed | None, enough: Interrupt, log: Log) -> None:
    """Show the log's figures already while it is learned from."""
    enough.read(log)
    reading.close()
    use_again(len(log.requests.users))
    if feed is not None:
        from thinktime.learn.logs.overview import overview_of

        feed.tell("read", overview_of(log))


def _write(files: LearnedFiles, learned: Learned, server: Server | None) -> None:
    """Write all files, and name them."""
    for path in list(files.write(learned, server)):
        common.remark(f"written: {path}")


def _page(learned: Learned, output: Path | None) -> Page:
    from thinktime.learn.views.page import page_of

    return page_of(learned, output)


def _server(learned: Learned, demand: str | None) -> Server | None:
    """The server for the system file; None if the log has nothing to learn it from."""
    if demand is not None and learned.log.requests.timed:
        common.remark("note: the log has durations: demands are learned, and --demand is not used")
    return learned.server(demand, reach=True)


def _say_no_system(files: LearnedFiles) -> None:
    """Say that there is no system file. Raises `typer.Exit` if it was asked for by its name."""
    message = NO_DURATIONS.format(files.system)
    if files.system_asked:
        raise common.fail(message, common.Exit.INPUT_WRONG)
    common.say_note(message)


def _compare(before: Learned, after: Learned, as_json: bool) -> None:
    from thinktime.learn.views.changes import changes, lines

    found = changes(before, after)
    if as_json:
        typer.echo(json_module.dumps([change.to_dict() for change in found], indent=2))
        return
    for line in lines(found):
        plain_text.say(line)


def _check_demand(demand: str | None) -> None:
    """Check that a system file to be written can be read: that it accepts this demand."""
    if demand is None:
        return
    station = f'name = "server"\ndemand = {json_module.dumps(demand)}\n'
    try:
        _core.System(f'name = "learned"\n[[station]]\n{station}')
    except _core.InputError as error:
        # Nobody has written this text, so the message gives only the reason, not the place.
        reason = str(error).partition(".demand: ")[2] or str(error)
        raise common.fail(f"--demand: {reason}", common.Exit.INPUT_WRONG) from None


def _show(learned: Learned, server: Server | None, as_json: bool) -> None:
    from thinktime.learn.views.terminal import lines

    learned.workload()  # what is written can be read
    if as_json:
        typer.echo(json_module.dumps(learned.to_dict(server), indent=2))
        return
    for line in lines(learned, server=server):
        plain_text.say(line)
