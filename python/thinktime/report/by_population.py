"""Response times by population, and those of pages, in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.results import independent_requests

if TYPE_CHECKING:
    from thinktime import Result
    from thinktime._core_types import Summary
    from thinktime.theory.solution import Theory

HEADINGS = ("requests", "errors", "rate", "mean", "p50", "p90", "p99")
"""The columns after the population's name."""

PAGE_HEADINGS = ("pages", "failed", *HEADINGS[2:])
"""The same for pages."""

ALL = "all"
"""The name of the row of all populations together."""

_TIMES = ("mean", "p50", "p90", "p99")


def lines_of(result: Result) -> list[Line]:
    """The requests of each population, in the workload's order; empty for a single one."""
    found = result.populations
    if len(found) < 2:
        return []
    return [_requests(name, figures, result.summary) for name, figures in found.items()]


def _requests(name: str, figures: Mapping[str, Any], summary: Summary) -> Line:
    number, failed = int(figures.get("requests") or 0), int(figures.get("errors") or 0)
    times = _times(summary, figures.get("response_time_s"), number - failed)
    line = _line(name, number, failed, figures.get("offered_rate"), times)
    return replace(line, below=str(figures.get("model") or "").replace("-", " "))


def exact_lines(theory: Theory | None) -> list[Line]:
    """The exact means of each population; empty for a single one, or if none is known."""
    found = {} if theory is None else theory.by_population
    if len(found) < 2:
        return []
    return [
        _line(name, None, None, part.throughput, ({"mean": part.mean_s}, None))
        for name, part in found.items()
    ]


def page_lines_of(result: Result) -> list[Line]:
    """The pages of each population that has any, and of all of them together.

    Empty if the workload has no pages.
    """
    parts = [(name, one) for name, one in result.populations.items() if one.get("pages")]
    whole = [(ALL, result.summary)] if result.summary.get("pages") else []
    found = parts if len(parts) == 1 else [*parts, *whole]
    return [_pages(name, figures, result.summary) for name, figures in found]


def _pages(name: str, figures: Mapping[str, Any], summary: Summary) -> Line:
    duration_s = float(summary.get("duration_s") or 0.0)
    number = int(figures["pages"])
    rate = number / duration_s if duration_s > 0 else None
    failed = int(figures.get("page_errors") or 0)
    times = _times(summary, figures.get("page_response_time_s"), number - failed)
    return _line(name, number, failed, rate, times)


_Times = tuple[Mapping[str, float], float | None]
"""The times in seconds that are known, and the half-width of the mean's 95 % interval."""


def _times(summary: Summary, given: Mapping[str, Any] | None, many: int) -> _Times:
    times = given or {}
    return independent_requests.known(summary, times, _TIMES, many), times.get("ci95")


def _line(
    name: str, number: int | None, failed: int | None, rate: float | None, times: _Times
) -> Line:
    """The row under `HEADINGS` or `PAGE_HEADINGS`; an exact solution has no number."""
    times_s, ci95_s = times
    share = units.percent(failed / number) if failed and number else ""
    cells = [
        Cell(units.count(number)),
        Cell(units.count(failed), share),
        Cell(units.rate(rate)),
        Cell(units.mean(times_s.get("mean"), ci95_s)),
        *(Cell(units.seconds(times_s.get(time))) for time in _TIMES[1:]),
    ]
    return Line(name, cells)


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' requests by population."""
    return Table(
        "populations",
        "Response times by population",
        "population",
        HEADINGS,
        groups,
        "The requests that each population asked for, and how long they took; a page's objects "
        "are requests, too.",
        spare=("p50", "p90", "rate"),
    )


def page_table(groups: Sequence[Group]) -> Table:
    """The table of some results' pages."""
    return Table(
        "pages",
        "Response times of pages",
        "pages of",
        PAGE_HEADINGS,
        groups,
        "From when a page was wanted to the end of the last of its objects. A page has failed if "
        "one of its requests has; its time is then not counted.",
        spare=("p50", "p90", "rate"),
    )
