"""`thinktime run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result, Workload, _core, again, run
from thinktime.cli import common, live, options, told, watch
from thinktime.cli.watch import NOBODY, Watch
from thinktime.given import options_json
from thinktime.moment import Moment
from thinktime.validity.evidence import Evidence

if TYPE_CHECKING:
    from thinktime.watching.feed import Feed
    from thinktime.watching.frames import Begun


@options.of("run")
@watch.all_options
def command(
    workload: Annotated[
        Path | None, typer.Argument(help=options.WORKLOAD + "; none with --again.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The server, as in http://127.0.0.1:8080.")
    ] = None,
    demands: Annotated[
        Path | None,
        typer.Option(
            help="A system file whose service demands the requests carry, as `simulate` with the "
            "same seed would draw them; for `thinktime serve`."
        ),
    ] = None,
    again: options.Again = None,
    quiet: options.Quiet = False,
    output: options.Output = None,
    label: options.Label = None,
    json: options.Json = False,
    junit: options.Junit = None,
    markdown: options.Markdown = None,
    watched: Watch = NOBODY,
    **given: Any,
) -> None:
    """Run a workload against a real server."""
    if output is None:
        given["rows"] = "none"
    chosen = common.chosen(given | {"label": label})
    with common.mapped_errors():
        files = told.files(junit, markdown)
        if again is not None:
            if workload is not None or demands is not None:
                raise InputError("with --again the workload and its demands are the result's")
            name, operation = _again(again, target, output, _Shown(quiet, watched), chosen)
        elif workload is None or target is None:
            raise InputError("give a workload file and --target, or --again DIR")
        else:
            more = {"demands": demands, "output": output, **chosen}
            name, operation = _anew(workload, target, _Shown(quiet, watched), more)
    common.finish(operation, json, output, files, name)


_Named = tuple[str, common.Operation]
"""The workload's name, and what is to be done."""


@dataclass(frozen=True)
class _Shown:
    """How a run is shown."""

    quiet: bool
    watch: Watch

    def operation(
        self,
        begun: Begun,
        target: str,
        do: Callable[[Callable[[Moment], None] | None], Result],
    ) -> common.Operation:
        """What `do` does with a monitor, on the terminal and for those who watch."""

        def operation() -> Result:
            with self.watch.on(begun) as feed:
                return watch.watched(feed, lambda: shown(feed))

        def shown(feed: Feed | None) -> Result:
            title = f"running against {target}"
            with live.shown(title, begun.requests, begun.end_s, self.quiet) as monitor:
                return do(watch.both(monitor, feed))

        return operation


def _anew(path: Path, target: str, shown: _Shown, more: dict[str, Any]) -> _Named:
    workload = common.load_workload(path)
    end = _core.planned_end("run", workload, options_json("run", more))
    begun = _begun(workload, target, end, more)
    return workload.name, shown.operation(
        begun, target, lambda monitor: run(workload, target, monitor=monitor, **more)
    )


def _again(
    path: Path, target: str | None, output: Path | None, shown: _Shown, given: dict[str, Any]
) -> _Named:
    done = Result.load(path)
    if done.kind != "run":
        raise InputError(f"{path} is a simulation: `thinktime simulate --again {path}`")
    workload, _ = done.inputs()
    end = _core.planned_end("run", workload, options_json("run", done.options | given))
    where = target or str(done.target)
    begun = _begun(workload, where, end, given)
    return workload.name, shown.operation(
        begun, where,
        lambda monitor: again(done, target=target, output=output, monitor=monitor, **given),
    )  # fmt: skip


def _begun(
    workload: Workload, target: str, end: tuple[int | None, float | None], given: dict[str, Any]
) -> Begun:
    """How it is called, when it ends, and what checks have to know of it while it runs."""
    here = given.get("on") is None
    seen = Evidence("run", {}, workload)
    return watch.begun("run", workload.name, target, end, steady=seen.is_steady_by_plan, here=here)
