"""`thinktime compare`."""

from __future__ import annotations

import json as json_module
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinktime import InputError, Result, gate
from thinktime.cli import common, options, plain_text

if TYPE_CHECKING:
    from thinktime.comparison import Comparison, Limit, LimitFinding, Subject


_Against = Annotated[
    str | None,
    typer.Option(
        help="Compare with the latest result of this branch or commit in the history.",
        metavar="COMMIT",
    ),
]


def command(
    results: Annotated[
        list[Path],
        typer.Argument(help="Result directories; all others are compared with the first one."),
    ],
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="A change that fails, as in 'p99 > +5%', 'mean > +10ms', 'throughput < -5%' or "
            "'errors > +1%' (points of the share); may be given several times.",
            metavar="CHANGE",
        ),
    ] = None,
    against: _Against = None,
    store: options.Store = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    json: options.JsonObject = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
) -> None:
    """Compare results with the first one: times, throughput, errors, with intervals.

    With --fail-if the status is 1 if a change is certainly beyond a limit, 3 if the results
    are too short to tell, and 0 if all limits are kept.
    """
    from thinktime.comparison import limit, subject_of

    with common.mapped_errors():
        files = gate.files(junit, markdown)
        limits = [limit(text) for text in fail_if or []]
        if store is not None and against is None:
            raise InputError("--store is the folder of the history for --against: give both")
        if limits and against is None and len(results) < 2:
            raise InputError("--fail-if needs two results, or --against COMMIT")
        loaded = common.load_results(results)
        subjects = [subject_of(result) for result in loaded]
        if against is not None:
            subjects.insert(0, _stored(loaded, subjects[0], against, store))
        _finish(loaded, subjects, limits, files, as_json=json, verbose=verbose)


def _stored(loaded: list[Result], after: Subject, against: str, store: Path | None) -> Subject:
    """The baselines of the comparison; never the results themselves, even if in the history."""
    from thinktime.history import History, id_of

    return History(store).latest(after, against, {id_of(one) for one in loaded})


def _finish(
    loaded: list[Result],
    subjects: list[Subject],
    limits: list[Limit],
    files: gate.Files,
    *,
    as_json: bool,
    verbose: bool,
) -> None:
    """Show the findings, and exit with the status of the limits."""
    from thinktime.comparison import compare, judged
    from thinktime.comparison.report import report_of
    from thinktime.report import headline_of

    comparisons = [compare(subjects[0], other) for other in subjects[1:]]
    outcomes = [[judged(one, found) for one in limits] for found in comparisons]
    if as_json:
        typer.echo(_as_json(comparisons, outcomes))
    else:
        if not comparisons:
            plain_text.say("nothing is compared: give a second result, or --against COMMIT")
        _say(comparisons, [one for found in outcomes for one in found])
        _tabulate(loaded, comparisons, verbose=verbose)
        _say(comparisons, [])  # again: the tables have moved it out of sight
        _say_of_page(loaded)
    warnings = headline_of(loaded).doubts
    common.say_warnings(warnings)
    doubt = "; ".join(f"{one.label}: {one.untrusted}" for one in loaded if one.untrusted)
    pairs = zip(comparisons, outcomes, strict=True)
    files.write([report_of(one, verdicts, doubt, warnings) for one, verdicts in pairs])
    if limits:
        _trusted(loaded)
    for outcome, status in _STATUSES:
        words = [one.words for found in outcomes for one in found if one.outcome == outcome]
        if words:
            raise common.fail("; ".join(words), status)


_STATUSES = (("broken", common.Exit.SLO_NOT_MET), ("cannot tell", common.Exit.UNDECIDED))


def _trusted(loaded: list[Result]) -> None:
    """Limits report nothing if a result is not to be trusted."""
    for one in loaded:
        if one.untrusted is not None:
            why = f"{one.path}: not to be trusted: {one.untrusted}"
            raise common.fail(why, common.Exit.UNDECIDED)


def _say_of_page(loaded: list[Result]) -> None:
    """The command that makes a page of these results."""
    paths = [str(one.path) for one in loaded if one.path is not None]
    if len(paths) > 1:
        common.errors.print(f"a page of them: thinktime report {shlex.join(paths)}",
                            style="dim", markup=False, soft_wrap=True)  # fmt: skip


def _say(comparisons: list[Comparison], outcomes: list[LimitFinding]) -> None:
    """The verdicts first, then the outcome of each limit."""
    for found in comparisons:
        several = f"{found.after.label}: " if len(comparisons) > 1 else ""
        plain_text.say(several + found.verdict)
    for one in outcomes:
        plain_text.say(one.words)


def _tabulate(loaded: list[Result], comparisons: list[Comparison], *, verbose: bool) -> None:
    """The differences, and the results themselves."""
    from thinktime.comparison.table import notes, table
    from thinktime.report.terminal import FittedTable

    if comparisons:
        typer.echo()
        common.print_wide(FittedTable(table(comparisons)))
    for note in dict.fromkeys(note for found in comparisons for note in notes(found)):
        plain_text.say(note)
    typer.echo()
    common.print_table(loaded, verbose=verbose)


def _as_json(comparisons: list[Comparison], outcomes: list[list[LimitFinding]]) -> str:
    found = [
        one.as_dict() | {"limits": [limit.as_dict() for limit in limits]}
        for one, limits in zip(comparisons, outcomes, strict=True)
    ]
    return json_module.dumps({"comparisons": found}, indent=2)
