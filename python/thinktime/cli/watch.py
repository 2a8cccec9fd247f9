"""Options by which a command is watched while it runs: a page, metrics, pushes to a collector."""

from __future__ import annotations

import inspect
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar, cast

import typer

from thinktime import Interrupted, Result, Unwritten, Workload
from thinktime.cli import common

if TYPE_CHECKING:
    from thinktime._core_types import Summary
    from thinktime.monitor.feed import Feed
    from thinktime.monitor.frames import WatchedRun
    from thinktime.present.page import Page

Live = Annotated[
    bool,
    typer.Option("--live", help="Show it in the browser while it runs; prints the address."),
]
LiveAt = Annotated[
    str | None,
    typer.Option(
        help="As --live, at HOST:PORT instead of a free port of 127.0.0.1.", metavar="HOST:PORT"
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        help="HOST:PORT of the metrics for Prometheus, at /metrics, as in 127.0.0.1:9464.",
        metavar="HOST:PORT",
    ),
]
Otlp = Annotated[
    str | None,
    typer.Option(
        help="Push metrics to a collector of OpenTelemetry while it runs, as OTLP over HTTP.",
        metavar="URL",
    ),
]
_DOING = {
    "run": "Running", "simulate": "Simulating", "sweep": "Sweeping", "capacity": "Capacity of",
    "learn": "Learning",
}  # fmt: skip
_REACHED = (
    "others reach the page: it is not encrypted, and anybody with its address sees all and can "
    "stop the command"
)
_Command = TypeVar("_Command", bound=Callable[..., None])
_Given = ParamSpec("_Given")


@dataclass(frozen=True)
class Watch:
    """The ways in which a command is watched."""

    live: bool = False
    live_at: str | None = None
    metrics: str | None = None
    otlp: str | None = None

    @property
    def is_shown(self) -> bool:
        """Whether there is a page."""
        return self.live or self.live_at is not None

    @contextmanager
    def on(self, run: WatchedRun) -> Iterator[Feed | None]:
        """Show a command while it runs; yields the feed for watchers, or None if nobody watches.

        Raises:
            InputError: An address is not available for listening.
        """
        if not (self.live or self.live_at or self.metrics or self.otlp):
            yield None
            return
        with ExitStack() as listeners:
            feed = self._feed(run, listeners)
        try:
            yield feed
        finally:
            feed.close()

    def _feed(self, run: WatchedRun, listeners: ExitStack) -> Feed:
        """Start the process; its listeners are closed here, as it has them."""
        from thinktime.monitor.address import LOOPBACK, bound
        from thinktime.monitor.feed import Feed
        from thinktime.monitor.frames import Setting
        from thinktime.monitor.otlp import checked, headers_of

        page = metrics = None
        token = secrets.token_urlsafe(24)
        if self.live or self.live_at:
            page = bound(self.live_at or LOOPBACK, "--live-at" if self.live_at else "--live")
            listeners.enter_context(page.listener)
        if self.metrics:
            metrics = bound(self.metrics, "--metrics")
            listeners.enter_context(metrics.listener)
        places = [place for place in (page, metrics) if place is not None]
        setting = Setting(
            run, token,
            page=None if page is None else page.listener.fileno(),
            metrics=None if metrics is None else metrics.listener.fileno(),
            hosts=tuple(place.host for place in places),
            otlp=None if self.otlp is None else checked(self.otlp),
            otlp_headers=() if self.otlp is None else headers_of(os.environ),
        )  # fmt: skip
        feed = Feed(setting, [place.listener.fileno() for place in places])
        if page is not None:
            common.remark(f"live: http://{page.authority}/{token}/")
            common.say_warnings([] if page.is_local else [_REACHED])
        if metrics is not None:
            common.remark(f"metrics: http://{metrics.authority}/metrics")
        return feed


NOBODY = Watch()
"""Nobody watches."""


def watched_run(
    command: str,
    workload: str,
    target: str | None,
    end: tuple[int | None, float | None],
    **more: Any,
) -> WatchedRun:
    """The title of the watched run; a target appears by its name, without password or query."""
    from thinktime.monitor.frames import WatchedRun

    where = "" if target is None else f" against {re.sub(r'//[^/]*@', '//', target).split('?')[0]}"
    return WatchedRun(command, f"{_DOING[command]} {workload}{where}", workload, *end, **more)


def check_inputs(kind: str, workload: Workload) -> dict[str, Any]:
    """The facts of a workload that checks need while it runs, for `watched_run`."""
    from thinktime.monitor.frames import CheckInputs, Moments
    from thinktime.validity.evidence import Evidence

    seen, length = Evidence(kind, cast("Summary", {}), workload), workload.session_length
    moments = None if length is None else Moments(length.mean, length.second_moment)
    checks = CheckInputs(
        workload.model, workload.request_rate, workload.dispersion, tuple(seen.arrivals), moments,
        seen.stays, seen.page_companions,
    )  # fmt: skip
    return {"steady": seen.is_steady_by_plan, "checks": checks}


def options(function: _Command) -> _Command:
    """Give a command the options of a live page, which arrive together as `watched`."""
    return _with(function, {"live": Live, "live_at": LiveAt})


def all_options(function: _Command) -> _Command:
    """Like `options`, with the options of metrics, for a run."""
    return _with(function, {"live": Live, "live_at": LiveAt, "metrics": Metrics, "otlp": Otlp})


def _with(function: _Command, annotations: dict[str, Any]) -> _Command:
    own = inspect.signature(function, eval_str=True).parameters.values()
    kept = [one for one in own if one.name != "watched"]
    made = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY,
            default=getattr(NOBODY, name), annotation=annotation,
        )
        for name, annotation in annotations.items()
    ]  # fmt: skip

    @wraps(function)
    def command(**given: Any) -> None:
        watch = Watch(**{one.name: given.pop(one.name) for one in made})
        function(watched=watch, **given)

    rest = [one for one in kept if one.kind == one.VAR_KEYWORD]
    placed = [one for one in kept if one.kind != one.VAR_KEYWORD]
    signature = inspect.Signature([*placed, *made, *rest])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    return command  # type: ignore[return-value]


def both(
    one: Callable[_Given, None] | None, other: Callable[_Given, None] | None
) -> Callable[_Given, None] | None:
    """What to call with each state: the terminal's view and the watchers', as far as there are."""
    if one is None or other is None:
        return one or other

    def take(*given: _Given.args, **named: _Given.kwargs) -> None:
        one(*given, **named)
        other(*given, **named)

    return take


def watched(feed: Feed | None, operation: common.Operation) -> Result:
    """Do the operation; watchers get the report of the outcome, complete or not."""
    if feed is None:
        return operation()
    try:
        result = operation()
    except (Interrupted, Unwritten) as ended:
        feed.finish(partial(_page, ended.result))
        raise
    feed.finish(partial(_page, result))
    return result


def _page(result: Result) -> Page:
    from thinktime.report.results_page import page_of

    return page_of([result])
