"""The view of a run in progress: a display on a terminal, else a plain line every few seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from thinktime.cli.common import errors
from thinktime.operations.run_progress import Moment
from thinktime.present import percentile
from thinktime.report.objectives import name_of

LINE_EVERY_S = 5.0
"""The time between two plain lines."""

_RATES_OVER_S = 2.0
_BAR_WIDTH = 40


class View:
    """The displayed state of a run. The rates are those of the last two seconds."""

    def __init__(self, title: str, requests: int | None, end_s: float | None) -> None:
        """For a run that ends after this number of requests, or at a time; None for no such end."""
        self._title = title
        self._requests = requests
        self._end_s = end_s
        self._moments: deque[Moment] = deque()

    def take(self, moment: Moment) -> None:
        """Record a moment."""
        self._moments.append(moment)
        while moment.time_s - self._moments[0].time_s > _RATES_OVER_S and len(self._moments) > 2:
            self._moments.popleft()

    @property
    def rates(self) -> tuple[float, float]:
        """The offered and the achieved rate in requests a second."""
        if not self._moments:
            return 0.0, 0.0
        last, first = self._moments[-1], self._moments[0]
        if first is last:  # the run is that young
            first = Moment(0.0, 0, 0, 0, None, None, None, {})
        time_s = last.time_s - first.time_s
        if time_s <= 0:
            return 0.0, 0.0
        begun = last.requests + last.in_flight - first.requests - first.in_flight
        return max(begun, 0) / time_s, (last.succeeded - first.succeeded) / time_s

    @property
    def population_rates(self) -> dict[str, float]:
        """The achieved rate of each population, if there are several."""
        if not self._moments:
            return {}
        last, first = self._moments[-1], self._moments[0]
        before = {} if first is last else first.populations
        time_s = last.time_s - (0.0 if first is last else first.time_s)
        done = {
            name: own.succeeded - (before[name].succeeded if name in before else 0)
            for name, own in last.populations.items()
        }
        return {name: count / time_s if time_s > 0 else 0.0 for name, count in done.items()}

    @property
    def share(self) -> float | None:
        """The finished share of the run, up to 1; None if unknown."""
        if not self._moments:
            return 0.0
        last = self._moments[-1]
        parts = ((last.requests, self._requests), (last.time_s, self._end_s))
        shares = [part / whole for part, whole in parts if whole]
        return min(max(shares), 1.0) if shares else None

    @property
    def left(self) -> str:
        """The time that is left, in words."""
        share = self.share
        if not self._moments or not share:
            return ""
        if share >= 1:
            return "waiting for the last responses"
        return f"{_clock(self._moments[-1].time_s * (1 - share) / share)} left"

    def line(self) -> str:
        """One plain line."""
        if not self._moments:
            return f"{self._title}: nothing yet"
        last, (offered, achieved) = self._moments[-1], self.rates
        p50, p99, late = _percentiles(last)
        parts = [
            f"{_clock(last.time_s)}: {last.requests:,} requests",
            f"{achieved:,.0f}/s of {offered:,.0f}/s offered",
            f"{last.in_flight:,} in flight",
            f"p50 {p50}",
            f"p99 {p99}",
            f"lateness p99 {late}",
        ]
        parts += [
            f"{name} {rate:,.0f}/s p99 {_percentiles_of(last, name)[1]}"
            for name, rate in self.population_rates.items()
        ]
        parts += [f"errors: {_errors(last)}"] if last.errors else []
        beyond = [name_of(one) for one in last.objectives if one.beyond]
        parts += [f"beyond the SLO: {', '.join(beyond)}"] if beyond else []
        parts += [self.left] if self.left else []
        return ", ".join(parts)

    def __rich__(self) -> RenderableType:
        """The view for a terminal."""
        if not self._moments:
            return Text(f"{self._title} ...")
        last, (offered, achieved) = self._moments[-1], self.rates
        p50, p99, late = _percentiles(last)
        grid = Table.grid(padding=(0, 3))
        for name, value, more, second in (
            ("rate", f"{achieved:,.0f}/s", "offered", f"{offered:,.0f}/s"),
            ("requests", f"{last.requests:,}", "in flight", f"{last.in_flight:,}"),
            ("response time p50", p50, "p99", p99),
            ("lateness p99", late, "errors", _errors(last)),
        ):
            style = "red" if more == "errors" and last.errors else ""
            cells = (Text(name, "dim"), Text(value), Text(more, "dim"), Text(second, style))
            grid.add_row(*cells)
        parts = [self._populations(last)] if last.populations else []
        parts += [_objectives(last)] if last.objectives else []
        return Group(Text(self._title), grid, *parts, self._bar(last))

    def _populations(self, last: Moment) -> RenderableType:
        grid = Table.grid(padding=(0, 3))
        for name, rate in self.population_rates.items():
            own, (p50, p99) = last.populations[name], _percentiles_of(last, name)
            texts = (f"{rate:,.0f}/s", "p50", p50, "p99", p99)
            cells = [Text(text, "dim" if text in ("p50", "p99") else "") for text in texts]
            failed = own.requests - own.succeeded
            failures = Text(f"{failed:,} failed", "red") if failed else Text("")
            grid.add_row(Text(name, "dim"), *cells, failures)
        return grid

    def _bar(self, last: Moment) -> RenderableType:
        share = self.share
        row = Table.grid(padding=(0, 2))
        bar = ProgressBar(total=1.0, completed=share or 0.0, width=_BAR_WIDTH, pulse=share is None)
        row.add_row(bar, Text(_clock(last.time_s)), Text(self.left, "dim"))
        return row


@contextmanager
def view_of_run(
    title: str,
    requests: int | None,
    end_s: float | None,
    quiet: bool = False,
    console: Console = errors,
    line_every_s: float = LINE_EVERY_S,
) -> Iterator[Callable[[Moment], None] | None]:
    """Show a run on standard error while it runs; returns a function to call with each moment."""
    view = View(title, requests, end_s)
    if quiet:
        yield None
    elif console.is_terminal:
        with Live(view, console=console, transient=True, refresh_per_second=10):
            yield view.take
    else:
        yield _lines(view, console, line_every_s)


def _lines(view: View, console: Console, every_s: float) -> Callable[[Moment], None]:
    due_s = every_s

    def take(moment: Moment) -> None:
        nonlocal due_s
        view.take(moment)
        if moment.time_s >= due_s:
            due_s = moment.time_s + every_s
            console.print(view.line(), markup=False, soft_wrap=True)

    return take


def _percentiles(moment: Moment) -> tuple[str, str, str]:
    """The p50 and p99 of response times, and the p99 of lateness, if enough requests back them."""
    many = moment.measured
    found = (
        ("p50", moment.response_p50_s), ("p99", moment.response_p99_s),
        ("p99", moment.lateness_p99_s),
    )  # fmt: skip
    p50, p99, late = (_time(percentile.known(name, time, many)) for name, time in found)
    return p50, p99, late


def _percentiles_of(moment: Moment, population: str) -> tuple[str, str]:
    """The p50 and p99 of a population."""
    own, many = moment.populations[population], moment.measured_of(population)
    found = (("p50", own.response_p50_s), ("p99", own.response_p99_s))
    p50, p99 = (_time(percentile.known(name, time, many)) for name, time in found)
    return p50, p99


def _objectives(moment: Moment) -> RenderableType:
    """Each objective's state so far, in red if it is beyond its limit."""
    grid = Table.grid(padding=(0, 3))
    for one in moment.objectives:
        text = _share if one.name == "errors" else _time
        known = percentile.known(one.name, one.value, moment.measured_about(one))
        value = Text(text(known), "red" if one.beyond else "green" if one.value else "")
        wanted = Text(f"wanted {text(one.limit)} or less", "dim")
        grid.add_row(Text(name_of(one), "dim"), value, wanted)
    return grid


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.3g} %"


def _errors(moment: Moment) -> str:
    kinds = sorted(moment.errors.items(), key=lambda item: -item[1])
    names = {"status": "with a status of 400 or more"}
    named = ", ".join(f"{count:,} {names.get(kind, kind)}" for kind, count in kinds)
    return named or "none"


def _time(time_s: float | None) -> str:
    """A time with three digits, in a suitable unit."""
    if time_s is None:
        return "-"
    for factor, unit in ((1.0, "s"), (1e-3, "ms")):
        if time_s >= factor:
            return f"{time_s / factor:.3g} {unit}"
    return f"{time_s * 1e6:.3g} us"


def _clock(time_s: float) -> str:
    whole = int(time_s)
    hours, minutes, seconds = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
