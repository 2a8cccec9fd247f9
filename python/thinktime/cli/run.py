"""`thinktime run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result, Workload, _core, again, run
from thinktime.cli import ci_files, common, live_view, options, repeated_runs, watch
from thinktime.cli.watch import NOBODY, Watch
from thinktime.inputs import arrivals, url
from thinktime.inputs.files import workload_of
from thinktime.operations.moment import Moment
from thinktime.operations.run_options import run_options_json

if TYPE_CHECKING:
    from thinktime.monitor.feed import Feed
    from thinktime.monitor.frames import WatchedRun


GivenWorkload = Annotated[
    str | None,
    typer.Argument(
        metavar="[WORKLOAD|URL]",
        help=f"{options.WORKLOAD}, or a URL alone: one request, {url.RATE} for {url.DURATION} "
        f"unless told otherwise{options.NOT_AGAIN}",
    ),
]
Target = Annotated[str | None, typer.Option(help="The server, as in http://127.0.0.1:8080.")]
Demands = Annotated[
    Path | None,
    typer.Option(
        help="A system file whose service demands the requests carry, as `simulate` with the "
        "same seed would draw them; for `thinktime serve`."
    ),
]


@options.of("run")
@watch.all_options
def command(
    workload: GivenWorkload = None,
    target: Target = None,
    demands: Demands = None,
    again: options.Again = None,
    runs: repeated_runs.Runs = None,
    restart: repeated_runs.Restart = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    output: options.Output = None,
    report: options.Report = None,
    label: options.Label = None,
    json: options.Json = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Run a workload against a real server."""
    if output is None and report is None and given["leave_rows"] is None:
        given["rows"] = "none"
    chosen = common.chosen(given | {"label": label})
    with common.mapped_errors():
        barred = {"--again": again, "--report": report, "--junit": junit, "--markdown": markdown,
                  "--verbose": verbose}  # fmt: skip
        many = repeated_runs.RepeatedRuns.asked(runs, restart, output, barred | _exports(watched))
        files = ci_files.files(junit, markdown)
        if again is not None:
            repeated = _Again.asked(again, workload, target, demands)
            name, operation = repeated.operation(output, _Shown(quiet, watched), chosen)
        else:
            loaded, at, chosen = _asked(workload, target, chosen)
            _need_rights(loaded, chosen)
            anew = _Anew(loaded, at, _Shown(quiet, watched), {"demands": demands, **chosen})
            if many is None:
                name, operation = anew.operation({"output": output})
    if many is not None:
        with common.mapped_errors(), watched.on(anew.watched_run({})) as feed:
            repeated_runs.finish(many, partial(anew.numbered, feed), json, feed)
    else:
        common.finish(operation, common.Showing(json, verbose, output, report), files, name)


def _asked(
    workload: str | None, target: str | None, chosen: dict[str, Any]
) -> tuple[Workload, str, dict[str, Any]]:
    """The workload, its target and the options: of a file, or of a URL alone.

    Raises:
        InputError: The file cannot be read, or something is missing.
    """
    if url.is_url(workload):
        return url.taken(workload, target, chosen)
    if workload is None or target is None:
        file = "" if workload is None else f"; `{workload}` has no scheme, as http://: it is a file"
        raise InputError(f"give a URL, a workload file and --target, or --again DIR{file}")
    return common.load_workload(Path(workload)), target, chosen


def _need_rights(workload: Workload, given: dict[str, Any]) -> None:
    """Continue only if the link, if any, can be made.

    Raises:
        InputError: It is not a link, or does not go with the rest.
        RunError: The user lacks the rights for it.
    """
    if given.get("link") is None:
        return
    from thinktime.lab import link_run, permission

    run_options_json(given)  # reports what is wrong with it
    link_run.check(workload, given)
    permission.need(link_run.NEED, reaching_out=True)


def _exports(watched: Watch) -> dict[str, Any]:
    """The options, by name, that report the figures of one run elsewhere."""
    return {"--metrics": watched.metrics, "--otlp": watched.otlp}


_Named = tuple[str, common.Operation]
"""The workload's name, and the operation to do."""


@dataclass(frozen=True)
class _Shown:
    """How a run is shown."""

    quiet: bool
    watch: Watch

    def operation(
        self,
        watched_run: WatchedRun,
        target: str,
        do: Callable[[Callable[[Moment], None] | None], Result],
        of_all: Feed | None = None,
    ) -> common.Operation:
        """The result of `do` with a monitor, on the terminal and for watchers.

        If several runs are watched together, `of_all` is informed instead.
        """

        def operation() -> Result:
            with self.watch.on(watched_run) as feed:
                return watch.watched(feed, lambda: shown(feed))

        def shown(feed: Feed | None) -> Result:
            title = f"running against {target}"
            ends = watched_run.requests, watched_run.end_s
            with live_view.view_of_run(title, *ends, self.quiet) as monitor:
                return do(watch.both(monitor, feed))

        return operation if of_all is None else lambda: shown(of_all)


@dataclass(frozen=True)
class _Anew:
    """A run of a workload file."""

    workload: Workload
    target: str
    shown: _Shown
    given: dict[str, Any]

    def watched_run(self, more: dict[str, Any]) -> WatchedRun:
        """The watched run, with some more options."""
        return _watched_run(self.workload, self.target, self.given | more)

    def operation(self, more: dict[str, Any], of_all: Feed | None = None) -> _Named:
        """The run, with some more options."""
        given = self.given | more
        return self.workload.name, self.shown.operation(
            self.watched_run(more), self.target,
            lambda monitor: run(self.workload, self.target, monitor=monitor, **given), of_all,
        )  # fmt: skip

    def numbered(self, feed: Feed | None, number: int, output: Path | None) -> common.Operation:
        """One of several runs, numbered from 1, with its own seed."""
        first = self.given.get("seed")
        seed = (self.workload.seed if first is None else int(first)) + number - 1
        return self.operation({"output": output, "seed": seed}, feed)[1]


@dataclass(frozen=True)
class _Again:
    """Make a result's run once more."""

    done: Result
    secrets: Workload | None
    target: str | None

    @staticmethod
    def asked(path: Path, workload: str | None, target: str | None, demands: Path | None) -> _Again:
        """The run of the result at a path; `workload` has the secrets that the result lacks."""
        if demands is not None:
            raise InputError("with --again the demands are the result's")
        given = url.taken(workload, None, {})[0] if url.is_url(workload) else workload
        secrets = None if given is None else workload_of(given)
        return _Again(Result.load(path), secrets, target)

    def operation(self, output: Path | None, shown: _Shown, given: dict[str, Any]) -> _Named:
        """The run, with some options replaced."""
        done, options = self.done, self.done.options | given
        if done.kind != "run":
            raise InputError(
                f"{done.path} is a simulation: `thinktime simulate --again {done.path}`"
            )
        workload, _ = done.inputs(self.secrets)
        _need_rights(workload, options)
        where = self.target or str(done.target)
        return workload.name, shown.operation(
            _watched_run(workload, where, options), where,
            lambda monitor: again(
                done, workload=self.secrets, target=self.target, output=output, monitor=monitor,
                **given,
            ),
        )  # fmt: skip


def _watched_run(workload: Workload, target: str, given: dict[str, Any]) -> WatchedRun:
    """Its title, its end, and the facts that checks need while it runs."""
    here = given.get("on") is None
    workload = arrivals.with_arrivals(workload, given)
    end = _core.planned_end("run", workload, run_options_json(given))
    return watch.watched_run(
        "run", workload.name, target, end, here=here, **watch.check_inputs("run", workload)
    )
