"""Response times by population, and those of pages, in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class UserFigures:
    """A result's figures for the requests, or for the pages, of some users."""

    name: str
    model: str
    """Their system model; empty if unknown."""

    number: int | None
    failed: int | None
    """None for an exact solution, as is the number."""

    rate: float | None
    """The offered rate a second."""

    times_s: Mapping[str, float]
    """Response times in seconds: mean, p50, p90 and p99, if enough requests back them."""

    ci95_s: float | None
    """The half-width of the mean's 95 % confidence interval, in seconds."""

    @property
    def line(self) -> Line:
        """The row under `HEADINGS` or `PAGE_HEADINGS`."""
        share = units.percent(self.failed / self.number) if self.failed and self.number else ""
        mean = units.mean(self.times_s.get("mean"), self.ci95_s)
        times = [mean, *(units.seconds(self.times_s.get(name)) for name in _TIMES[1:])]
        cells = [
            Cell(units.count(self.number)),
            Cell(units.count(self.failed), share),
            Cell(units.rate(self.rate)),
            *(Cell(text) for text in times),
        ]
        return Line(self.name, cells, self.model.replace("-", " "))


def populations_of(result: Result) -> list[UserFigures]:
    """The requests of each population, in the workload's order; empty for a single one."""
    found = result.populations
    if len(found) < 2:
        return []
    return [_requests(name, figures, result.summary) for name, figures in found.items()]


def _requests(name: str, figures: Mapping[str, Any], summary: Summary) -> UserFigures:
    number, failed = int(figures.get("requests") or 0), int(figures.get("errors") or 0)
    model, rate = str(figures.get("model") or ""), figures.get("offered_rate")
    times = _times(summary, figures.get("response_time_s"), number - failed)
    return UserFigures(name, model, number, failed, rate, *times)


def exact_populations(theory: Theory | None) -> list[UserFigures]:
    """The exact means of each population; empty for a single one, or if none is known."""
    found = {} if theory is None else theory.by_population
    if len(found) < 2:
        return []
    return [
        UserFigures(name, "", None, None, part.throughput, {"mean": part.mean_s}, None)
        for name, part in found.items()
    ]


def pages_of(result: Result) -> list[UserFigures]:
    """The pages of each population that has any, and of all of them together.

    Empty if the workload has no pages.
    """
    parts = [(name, one) for name, one in result.populations.items() if one.get("pages")]
    whole = [(ALL, result.summary)] if result.summary.get("pages") else []
    found = parts if len(parts) == 1 else [*parts, *whole]
    return [_pages(name, figures, result.summary) for name, figures in found]


def _pages(name: str, figures: Mapping[str, Any], summary: Summary) -> UserFigures:
    duration_s = float(summary.get("duration_s") or 0.0)
    number = int(figures["pages"])
    rate = number / duration_s if duration_s > 0 else None
    failed = int(figures.get("page_errors") or 0)
    times = _times(summary, figures.get("page_response_time_s"), number - failed)
    return UserFigures(name, "", number, failed, rate, *times)


def _times(
    summary: Summary, given: Mapping[str, Any] | None, many: int
) -> tuple[dict[str, float], float | None]:
    """The times that are known, and the half-width of the mean's interval."""
    times = given or {}
    return independent_requests.known(summary, times, _TIMES, many), times.get("ci95")


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
