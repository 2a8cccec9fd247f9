"""Helpers of all commands: exit statuses, errors, progress, and showing a result."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import RenderableType

from thinktime import InputError, Interrupted, Result, RunError, Unwritten, Workload, validity
from thinktime.cli import plain_text, signals
from thinktime.cli.option_names import as_typed
from thinktime.gate import Files
from thinktime.inputs.files import named_workload
from thinktime.present.whole_file import FULL, UNWRITTEN, check_page
from thinktime.report import report_of
from thinktime.results.files import check_folder
from thinktime.results.provenance import note_file
from thinktime.results.recovery import leftovers
from thinktime.results.remote_rows import remote_rows_of, words
from thinktime.results.verdict import UNJUDGED, Verdict, verdict_of
from thinktime.results.verdict import Exit as Exit

if TYPE_CHECKING:
    from thinktime.present.report import Report

errors = plain_text.console(stderr=True)
"""Standard error."""


def remark(text: str, style: str = "") -> None:
    """Print a line on standard error, as it is."""
    errors.print(text, style=style, markup=False, soft_wrap=True)


def fail(message: str, status: Exit) -> typer.Exit:
    """Print an error on standard error; the caller raises the returned exception."""
    remark(f"error: {message}", "red")
    return typer.Exit(status)


def drop_rows(given: dict[str, Any]) -> None:
    """Let no rows be kept, since no file takes them; a text that means no rows stays, and fails."""
    if re.fullmatch(r"all|none|1/[1-9]\d*", given.get("rows") or "all"):
        given["rows"] = "none"


@contextmanager
def mapped_errors() -> Iterator[None]:
    """Turn errors into messages and exit statuses."""
    try:
        yield
    except InputError as error:
        raise fail(as_typed(str(error)), Exit.INPUT_WRONG) from None
    except RunError as error:
        raise fail(as_typed(str(error)), Exit.UNDECIDED) from None
    except UnicodeEncodeError:
        why = "an argument, or a name in it, holds bytes that are no text in UTF-8"
        raise fail(why, Exit.INPUT_WRONG) from None
    except OverflowError as error:
        raise fail(f"a number is out of its range: {error}", Exit.INPUT_WRONG) from None
    except OSError as error:
        of_output = error.filename is None and error.errno in UNWRITTEN
        if of_output or error.errno in (errno.EPIPE, errno.ENOMEM):
            raise  # `main` ends the command
        status = Exit.UNDECIDED if error.errno in FULL else Exit.INPUT_WRONG
        known = error.filename is not None  # then without the system's number
        message = f"{error.filename}: {error.strerror}" if known else str(error)
        raise fail(message, status) from None


Operation = Callable[[], Result]
NO_FILES = Files()


@dataclass(frozen=True)
class OutputOptions:
    """How a result is shown, and where it is written."""

    json: bool = False
    verbose: bool = False
    output: Path | None = None
    report: Path | None = None


def finish(
    operation: Operation,
    showing: OutputOptions,
    files: Files = NO_FILES,
    workload: str = "thinktime",
) -> None:
    """Run the operation, show its result, and exit with the status that it deserves.

    `files` report the outcome to a pipeline, under the name of the `workload`.
    """
    say_of_leftovers(showing.output)
    with mapped_errors(), files.failure_written(workload):
        if showing.report is not None:
            check_folder(showing.report)
            check_page(showing.report)
        result, unwritten = done(operation)
        if unwritten is not None:
            showing = replace(showing, output=None)
    with signals.waiting() as came:
        show(result, showing)
        _report(result, showing.report)
        found = verdict_of(result).unwritten(unwritten)
        untold = files.unwritten(lambda: [report_of(result, found)])
        if found.status == "done":
            remark(UNJUDGED, "dim")
        end(found.unwritten(untold), came)


def done(operation: Operation) -> tuple[Result, str | None]:
    """The result, interrupted or not; and why it could not be written, if it could not."""
    try:
        return operation(), None
    except Interrupted as stopped:
        return stopped.result, None
    except Unwritten as failed:
        return failed.result, str(failed)


def _report(result: Result, page: Path | None) -> None:
    """Write the page of a result, if one is wanted."""
    if page is None:
        return
    from thinktime.report import report

    with mapped_errors():
        remark(f"page: {report(result, page)}")


def end(found: Verdict, came: Sequence[int] = ()) -> None:
    """Report the outcome, and exit with its status; `came` has a signal that came meanwhile."""
    found = found.interrupted() if came else found
    if found.exit_status is not Exit.DONE:
        raise fail(found.sentence, found.exit_status)
    if found.sentence:
        remark(found.sentence, "green" if found.status == "met" else "yellow")


def say_of_leftovers(path: Path | None) -> None:
    """Name the files that a run left behind if it was killed while it wrote there."""
    for left in [] if path is None else leftovers(path):
        say_note(
            f"{left} holds what a run had written that was killed: "
            f"`thinktime recover {path}` makes a result of it"
        )


def show(result: Result, showing: OutputOptions) -> None:
    """Print a result: its summary as JSON, or its table; warnings go to standard error."""
    validity.note(result)
    if showing.json:
        typer.echo(json.dumps(result.summary | _theory(result), indent=2))
    else:
        print_table([result], verbose=showing.verbose)
        _say_of_sharing(result)
    for note in result.summary.get("notes", []):
        say_note(note)
    if result.kind == "simulate" and result.no_theory is not None:
        say_note(f"no exact values: {result.no_theory}")
    say_warnings(result.summary.get("warnings", []))
    if result.summary.get("checks"):
        from thinktime.report.objectives import unjudged_checks

        say_warnings(unjudged_checks(result))
    if found := remote_rows_of(result.summary):
        say_note(words(found, result.path))
    if showing.output is not None:
        page = "" if showing.report else f" (a page of it: thinktime report {showing.output})"
        remark(f"result: {showing.output}{page}")
    elif showing.report is None and not showing.json:
        remark("not kept: `-o DIR` keeps the result, for `report` and `compare`", "dim")


def load_workload(path: Path) -> Workload:
    """A workload file, or the preset of this name; first warns of surprises in its runs.

    Raises:
        InputError: It cannot be read, or is not a workload.
    """
    loaded = named_workload(path)
    note_file("workload", path)
    for note in loaded.abandoned_steps:
        say_note(note)
    return loaded


def say_note(note: str) -> None:
    """Print on standard error what a reader of a result should know."""
    remark(f"note: {note}", "dim")


def say_warnings(warnings: Iterable[str]) -> None:
    """Print on standard error the problems that spoil or limit a result."""
    for warning in warnings:
        remark(f"warning: {warning}", "yellow")


def load_results(paths: Iterable[Path]) -> list[Result]:
    """Read the result directories whose figures are shown.

    Raises:
        InputError: One is damaged, or lacks its summary: it would look like a run without
            measurements.
    """
    results = [Result.load(path) for path in paths]
    for one in results:
        if not one.summary:
            again = f"`thinktime {one.kind} --again {one.path}` makes it anew"
            raise InputError(f"{one.path}: summary.json is missing, so it has no figures: {again}")
    return results


def print_table(results: list[Result], *, verbose: bool = False) -> None:
    """Print results as a table, beside theory if there is any."""
    from thinktime.report import rows as rows_of
    from thinktime.report import terminal

    print_wide(terminal.render(rows_of(results), verbose=verbose))


def print_report(report: Report) -> None:
    """Print the tables of a report."""
    from thinktime.report.terminal import FittedTable

    for table in report.tables:
        print_wide(FittedTable(table))


def _say_of_sharing(result: Result) -> None:
    """Report whether a system with machines could have been modelled without their schedulers."""
    if result.system is None or not result.system.machines or result.interrupted:
        return
    from thinktime.report import processor_sharing

    sentence = processor_sharing(result)
    if sentence is not None:
        plain_text.say(sentence)


def _theory(result: Result) -> dict[str, Any]:
    """The exact values beside a simulation's summary, if there are any."""
    theory = result.theory if result.kind == "simulate" else None
    if theory is None:
        return {}
    from thinktime.report import figures

    found = {
        "model": theory.model,
        "source": theory.source,
        "load": theory.load,
        "throughput": theory.throughput,
        "response_time_s": dict(figures.of_theory(theory).times_s),
    }
    by_population = {
        name: {"throughput": part.throughput} | _means(part.mean_s, part.by_request)
        for name, part in theory.by_population.items()
    }
    if by_population:
        found["by_population"] = by_population
    if len(theory.by_request) > 1:
        found["by_request"] = _by_request(theory.by_request)
    return {"theory": found}


def _means(mean_s: float, by_request: Mapping[str, float]) -> dict[str, Any]:
    return {"response_time_s": {"mean": mean_s}, "by_request": _by_request(by_request)}


def _by_request(means: Mapping[str, float]) -> dict[str, Any]:
    return {name: {"response_time_s": {"mean": mean_s}} for name, mean_s in means.items()}


def print_wide(shown: RenderableType) -> None:
    """Print on standard output, as wide as the terminal, or 80 columns without a terminal."""
    plain_text.console(width=plain_text.width()).print(shown)
