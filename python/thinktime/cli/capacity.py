"""`thinktime capacity`."""

from __future__ import annotations

import inspect
import json as json_module
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Unwritten, Workload, gate
from thinktime.capacity_search import Capacity, CapacityStopped, Probe, begin_of, generator_capacity
from thinktime.capacity_search import capacity as capacity_of
from thinktime.capacity_search.answer import so_far
from thinktime.capacity_search.generator import OF_GENERATOR
from thinktime.capacity_search.probe_length import Length
from thinktime.capacity_search.report import DOUBTS, outcome, report_of
from thinktime.capacity_search.search import PROBES_MAX
from thinktime.cli import common, function_options, options, plain_text, signals, watch
from thinktime.cli.watch import NOBODY, Watch

if TYPE_CHECKING:
    from thinktime.present.report import Report


NO_OBJECTIVES = (
    "the workload sets no objective, [slo]: the capacity is what the server keeps up with, however "
    'long answers take; [slo] with p99 = "250ms" limits that'
)

_System = Annotated[Path | None, typer.Argument(help="The system file; none with --target.")]


@function_options.of(capacity_of, but=("probes_max", "requests", "warmup"))
@watch.options
def command(
    workload: Annotated[
        Path | None,
        typer.Argument(help=options.WORKLOAD + "; its table [slo] has the objectives."),
    ] = None,
    system: _System = None,
    generator: Annotated[
        bool, typer.Option("--generator", help="Find the rate that this machine can generate.")
    ] = False,
    quiet: options.Quiet = False,
    output: Path | None = None,
    json: options.JsonObject = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Find the largest load within the SLO: a rate, a number of clients, or a scale."""
    given["output"] = output
    with common.mapped_errors():
        _check_generator(generator, workload, given)
        files = gate.files(junit, markdown)
        loaded = None if workload is None else common.load_workload(workload)
        name = "generator" if loaded is None else loaded.name
        with files.failure_written(name):
            found, why = _with_progress(loaded, system, given, quiet, watched)
    with signals.waiting() as came:
        made = report_of(found, name)
        _show(found, made, json, None if why else output)
        if loaded is not None and not loaded.tables["slo"]:
            common.say_note(NO_OBJECTIVES)
        verdict = outcome(found).unwritten(why)
        common.end(verdict.unwritten(files.unwritten(lambda: [made])), came)


def _check_generator(generator: bool, workload: Path | None, given: dict[str, Any]) -> None:
    """Raises InputError unless there is a workload, or the generator, which has few options."""
    if generator == (workload is not None):
        raise InputError("give a workload file, or --generator alone")
    known = inspect.signature(generator_capacity).parameters
    if generator and (alien := [name for name in given if name not in known]):
        raise InputError(f"`{alien[0]}` does not go with --generator, which has no workload")


def _with_progress(
    loaded: Workload | None,
    system: Path | None,
    given: dict[str, Any],
    quiet: bool,
    watched: Watch,
) -> tuple[Capacity, str]:
    """The capacity of the server, or of the generator if no workload is given, probe by probe.

    And why it is unwritten.
    """
    probes, why = list[Probe](), ""
    named = OF_GENERATOR
    if loaded is not None:
        begin, named, _ = begin_of(loaded, given, given.get("what"))
        if "target" in given and not quiet:
            length = Length.of(begin, given.get("duration"))
            common.say_note(length.words(PROBES_MAX))
    name = "the generator" if loaded is None else loaded.name
    watched_run = watch.watched_run("capacity", name, given.get("target"), (None, None))
    with watched.on(watched_run) as feed:

        def progress(probe: Probe) -> None:
            if not quiet:
                _say(named[1], probe)
            if feed is not None:
                probes.append(probe)
                feed.tell("capacity", so_far(probes, *named))

        try:
            if loaded is None:
                found = generator_capacity(**given, progress=progress)
            else:
                found = capacity_of(loaded, system, **given, progress=progress)
        except CapacityStopped as stopped:
            found, why = stopped.capacity, stopped.unwritten
        except Unwritten as failed:
            found, why = failed.result, str(failed)
        if feed is not None and len(found.probes):
            feed.finish(lambda: report_of(found).page)
    return found, why


def _say(unit: str, probe: Probe) -> None:
    from thinktime.present import units

    share = None if probe.margin is None else units.number(math.exp(probe.margin))
    # The table at the end has the reason, too long for a line of 80 columns beside the share.
    margin = f" ({probe.why})" if share is None else f", {share} of what is allowed"
    common.remark(f"at {units.amount(probe.value, unit)}: {probe.slo}{margin}", "dim")


def _show(found: Capacity, made: Report, as_json: bool, output: Path | None) -> None:
    if as_json:
        typer.echo(json_module.dumps(found.to_dict(), indent=2))
    else:
        common.print_report(made)
        spoilt = outcome(found).status == "not to be trusted"
        plain_text.say(f"capacity{', not to be trusted' if spoilt else ''}: {found.words}")
    for note in filter(None, (found.against, found.busiest_words)):
        common.say_note(note)
    if output is not None and len(found.probes):
        common.remark(f"result: {output / 'capacity.html'}")
    common.say_warnings(found.doubts)
    if found.verdict == "imprecise":
        common.say_warnings([DOUBTS["imprecise"]])
