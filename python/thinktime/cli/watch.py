"""Options by which a command is watched while it runs: a page, metrics, pushes to a collector."""

from __future__ import annotations

import inspect
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from thinktime import InputError, Interrupted, Result, Unwritten
from thinktime.cli import common
from thinktime.moment import Moment

if TYPE_CHECKING:
    from thinktime.watching.feed import Feed
    from thinktime.watching.frames import Begun

Live = Annotated[
    bool,
    typer.Option("--live", help="Show it in the browser while it runs: prints the address."),
]
LiveAt = Annotated[
    str | None,
    typer.Option(
        help="As --live, at HOST:PORT instead of a free port of 127.0.0.1.", metavar="HOST:PORT"
    ),
]
_NEEDED = ("starlette", "uvicorn")
_DOING = {
    "run": "Running", "simulate": "Simulating", "sweep": "Sweeping", "capacity": "Capacity of",
    "learn": "Learning",
}  # fmt: skip
_REACHED = (
    "others reach the page: it is not encrypted, and whoever has its address sees all and can stop "
    "what it shows"
)
_Command = TypeVar("_Command", bound=Callable[..., None])


@dataclass(frozen=True)
class Watch:
    """How a command is to be watched."""

    live: bool = False
    live_at: str | None = None

    @contextmanager
    def on(self, begun: Begun) -> Iterator[Feed | None]:
        """Show a command while it runs; gives what is to be told, None where nobody watches.

        Raises:
            InputError: where an address cannot be listened at.
        """
        if not (self.live or self.live_at):
            yield None
            return
        feed = self._feed(begun)
        try:
            yield feed
        finally:
            feed.close()

    def _feed(self, begun: Begun) -> Feed:
        from thinktime.watching.address import LOOPBACK, bound
        from thinktime.watching.feed import Feed
        from thinktime.watching.frames import Setting

        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            raise InputError(f"--live needs {' and '.join(missing)}: pip install {missing[0]}")
        place = bound(self.live_at or LOOPBACK, "--live-at" if self.live_at else "--live")
        token = secrets.token_urlsafe(24)
        with place.listener:
            number = place.listener.fileno()
            feed = Feed(Setting(begun, token, page=number, hosts=(place.host,)), [number])
            common.errors.print(
                f"live: http://{place.authority}/{token}/", markup=False, soft_wrap=True
            )
            if not place.is_local:
                common.say_warnings([_REACHED])
        return feed


NOBODY = Watch()
"""Nobody watches."""


def begun(
    command: str, workload: str, target: str | None, end: tuple[int | None, float | None]
) -> Begun:
    """What is to be watched; of a target only what names it, and no password or query."""
    from thinktime.watching.frames import Begun

    where = "" if target is None else f" against {re.sub(r'//[^/]*@', '//', target).split('?')[0]}"
    return Begun(command, f"{_DOING[command]} {workload}{where}", workload, *end)


def options(function: _Command) -> _Command:
    """Give a command the options of being watched, which arrive together as `watched`."""
    own = inspect.signature(function, eval_str=True).parameters.values()
    kept = [one for one in own if one.name != "watched"]
    made = [
        inspect.Parameter("live", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Live),
        inspect.Parameter(
            "live_at", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=LiveAt
        ),
    ]

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
    one: Callable[[Moment], None] | None, feed: Feed | None
) -> Callable[[Moment], None] | None:
    """What is called with each moment of a run: the terminal's view and the watchers'."""
    if feed is None:
        return one
    if one is None:
        return feed.moment

    def take(moment: Moment) -> None:
        one(moment)
        feed.moment(moment)

    return take


def both_progress(
    one: common.ProgressCallback | None, feed: Feed | None
) -> common.ProgressCallback | None:
    """The same of a simulation's progress."""
    if feed is None:
        return one
    if one is None:
        return feed.progress

    def take(done: int, time_s: float, in_system: int) -> None:
        one(done, time_s, in_system)
        feed.progress(done, time_s, in_system)

    return take


def watched(feed: Feed | None, operation: common.Operation) -> Result:
    """Do the operation; who watches it gets the report of what it came to, complete or not."""
    if feed is None:
        return operation()
    try:
        result = operation()
    except (Interrupted, Unwritten) as ended:
        feed.finish(lambda: _report([ended.result]))
        raise
    feed.finish(lambda: _report([result]))
    return result


def _report(results: Sequence[Result]) -> str:
    from thinktime.report.page import render
    from thinktime.report.results_page import page_of

    return render(page_of(results))
