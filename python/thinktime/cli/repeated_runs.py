"""Several runs of one workload against one server: `run --runs K`."""

from __future__ import annotations

import json as json_module
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result, RunError, validity
from thinktime.cli import common, plain_text
from thinktime.results import provenance
from thinktime.results.files import check_place, write_whole
from thinktime.results.verdict import Verdict
from thinktime.trials import Store, Trial

if TYPE_CHECKING:
    from thinktime.monitor.feed import Feed

Runs = Annotated[
    int | None,
    typer.Option(
        help="Number of runs, one after another, each with its own seed; the report says whether "
        "they agree.",
    ),
]
Restart = Annotated[
    str | None,
    typer.Option(
        help="With --runs: the command that restarts the server before each run, without a shell.",
        metavar="COMMAND",
    ),
]

RUNS_MAX = 1000
DONE = "done"
"""The folder that says which runs of a directory are done."""

_RESTART_S = 300.0
_ORDER = ("not to be trusted", "not met", "cannot tell", "met", "done")
"""Verdicts, the worst first."""


@dataclass(frozen=True)
class RepeatedRuns:
    """The number of runs, the command before each, and the place of the results."""

    runs: int
    restart: str | None
    output: Path | None

    @classmethod
    def asked(
        cls, runs: int | None, restart: str | None, output: Path | None, barred: dict[str, Any]
    ) -> RepeatedRuns | None:
        """The requested repetitions; None for one run. `barred` are options that exclude them.

        Raises:
            InputError: The options do not go together, or the directory is not empty.
        """
        if runs is None:
            if restart is not None:
                raise InputError("--restart goes with --runs: it is done before each of the runs")
            return None
        if not 2 <= runs <= RUNS_MAX:
            raise InputError(f"--runs takes 2 to {RUNS_MAX:,}; it is {runs:,}")
        for name, value in barred.items():
            if value:
                raise InputError(f"--runs does not go with {name}")
        if output is not None:
            check_place(output, DONE, "repeated runs")
        return cls(runs, restart, output)

    def store(self, trial: Trial) -> Store:
        """The store of the runs that are done, which a later command continues.

        Raises:
            InputError: The directory has runs of another trial.
        """
        store = Store(None if self.output is None else self.output / DONE)
        all_runs = trial.with_options(runs=True)
        if store.read(all_runs) is None:
            if self.output is not None and len(list(self.output.iterdir())) > 1:
                other = "has runs of another workload, target or options: name a new directory"
                raise InputError(f"{self.output}: {other}")
            store.keep(all_runs, {"runs": self.runs})
        return store

    def place(self, number: int) -> Path | None:
        """The place of the result with this number, from 1."""
        return None if self.output is None else self.output / f"run-{number}"

    def before(self) -> None:
        """Restart the server.

        Raises:
            RunError: The command cannot be started, fails, or takes longer than five minutes.
        """
        if self.restart is None:
            return
        named = f"--restart {provenance.without_secrets(self.restart)}"
        try:
            done = subprocess.run(
                shlex.split(self.restart), stdin=subprocess.DEVNULL, capture_output=True,
                timeout=_RESTART_S, check=False,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise RunError(f"{named}: {error}") from None
        except subprocess.TimeoutExpired:
            raise RunError(f"{named}: it took longer than five minutes") from None
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            why = f": {said[0]}" if said else ""
            raise RunError(f"{named}: it ended with {done.returncode}{why}")


def finish(
    several: RepeatedRuns,
    trial: Trial,
    do: Callable[..., Result],
    as_json: bool,
    feed: Feed | None = None,
) -> None:
    """Do a trial several times, each with its own seed, and exit with the status of the worst.

    What an earlier command has done in the same directory is read. `do` does one and writes its
    result to `output`. `feed` reports the finished runs to watchers.
    """
    results: list[Result] = []
    worst: Verdict | None = None
    with common.mapped_errors():
        store = several.store(trial)
        for number in range(1, several.runs + 1):
            _tell(feed, number, several.runs, results)
            one = trial.with_options(seed=trial.seed + number - 1)
            result, unwritten = _one(several, number, one, store, do)
            validity.note(result)
            results.append(result)
            worst = _worse(worst, number, result.verdict.unwritten(unwritten))
            if result.interrupted or unwritten:
                break
        agreement = validity.agreement_of(results)
        if feed is not None:
            from thinktime.report.results_page import page_of

            feed.finish(lambda: page_of(results, agreement=agreement))
        _show(results, agreement, several.output, as_json)
    assert worst is not None
    common.end(worst)


def _one(
    several: RepeatedRuns, number: int, trial: Trial, store: Store, do: Callable[..., Result]
) -> tuple[Result, str | None]:
    """The result of one run, done now or earlier; and why it could not be written."""
    place = several.place(number)
    if place is not None and place.exists() and store.read(trial) is not None:
        common.remark(f"run {number} is there: {place}")
        return Result.load(place), None
    several.before()
    result, unwritten = common.done(partial(do, trial, output=place))
    if not (result.interrupted or unwritten):
        store.keep(trial, {"run": number})
    return result, unwritten


def _tell(feed: Feed | None, number: int, whole: int, over: list[Result]) -> None:
    """Report to watchers which run comes now, and the earlier runs' results together."""
    if feed is None:
        return
    from thinktime.monitor.frames import RepeatedRuns as Told
    from thinktime.report import repeated_runs as shown

    agreement = validity.agreement_of(over) if len(over) > 1 else None
    feed.tell("several", Told(number, whole, shown.table(over) if over else None, agreement))


def _worse(worst: Verdict | None, number: int, found: Verdict) -> Verdict:
    if worst is not None and _ORDER.index(worst.status) <= _ORDER.index(found.status):
        return worst
    said = f"run {number}: {found.sentence}" if found.sentence else ""
    return Verdict(found.status, said, found.doubt)


def _show(
    results: list[Result], agreement: validity.Finding, output: Path | None, as_json: bool
) -> None:
    from thinktime.report import repeated_runs as shown
    from thinktime.report.terminal import FittedTable

    doubted = {
        number: [one for one in result.validity if one.verdict in _DOUBTS]
        for number, result in enumerate(results, 1)
    }
    together = {
        name: {"mean": mean, "ci95": half}
        for name, (mean, half) in shown.together_of(results).items()
    }
    found = {"together": together, "validity": [agreement.as_dict()]}
    if output is not None:
        names = [f"run-{number}" for number in range(1, len(results) + 1)]
        text = json_module.dumps({"runs": names, **found}, indent=2, ensure_ascii=False)
        write_whole(output / shown.FILE, text + "\n")
    if as_json:
        all_runs = {"runs": [one.summary for one in results], **found}
        typer.echo(json_module.dumps(all_runs, indent=2))
    else:
        table = shown.table(results)
        common.print_wide(FittedTable(table))
        plain_text.say(table.note)
    for number, findings in doubted.items():
        common.say_warnings([f"run {number}: {one.words}" for one in findings])
    if agreement.verdict == validity.DOUBTFUL:
        common.say_warnings([agreement.words])
    else:
        common.remark(agreement.words)
    if output is not None:
        common.remark(f"results: {output}")


_DOUBTS = (validity.SPOILT, validity.DOUBTFUL)
