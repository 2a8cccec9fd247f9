"""The stations and pools of a result: load, requests there, and visits, also by request name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Line

if TYPE_CHECKING:
    from thinktime import Result

HEADINGS = ("load", "requests there", "at most", "throughput", "visit", "demand")
"""The columns after the one that names the station."""

LINES_MAX = 40
"""A table has no more rows than this: those of the highest loads."""

CAPTION = (
    "The mean number of requests at a station, those in service included; how many left it a "
    "second; and how long a visit lasted. Below a station, its requests by name."
)
POOL = "pool: those that hold a place or wait for one"


@dataclass(frozen=True)
class StationFigures:
    """A station, a pool, or the requests of one name at a station, over the measured time."""

    name: str
    below: str
    """The addition to the name."""

    figures: Mapping[str, Any]
    """Its part of `summary.json`."""

    @property
    def load(self) -> float:
        """The fraction of time that a server was busy, or of its places that were taken."""
        return float(self.figures.get("load") or 0.0)

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        figures = self.figures
        half = figures.get("ci95") or {}
        demand = (figures.get("demand_s") or {}).get("mean")
        most = figures.get("queue_length_max")
        texts = [
            _with_half(units.load(self.load), half.get("load")),
            _with_half(units.number(figures["queue_length_mean"]), half.get("queue_length_mean")),
            "" if most is None else units.count(most),
            units.rate(figures.get("throughput")),
            units.mean(figures.get("response_time_mean_s"), half.get("response_time_mean_s")),
            "" if demand is None else units.seconds(demand),
        ]
        return Line(self.name, [Cell(text) for text in texts], self.below)


def _with_half(text: str, half: float | None) -> str:
    return text if half is None else f"{text} ± {units.number(half, 2)}"


def figures_of(result: Result) -> list[StationFigures]:
    """The stations of a result and their requests by name, then the pools.

    Empty if a single station has all requests, of one kind: the main table has its figures.
    """
    found = list(_all_of(result.summary))
    if len(found) < 2:
        return []
    floor = sorted((one.load for one in found), reverse=True)[:LINES_MAX][-1]
    return [one for one in found if one.load >= floor][:LINES_MAX]


def _all_of(summary: Mapping[str, Any]) -> Iterator[StationFigures]:
    for name, station in (summary.get("stations") or {}).items():
        yield StationFigures(name, "", station)
        for request, figures in (station.get("by_request") or {}).items():
            yield StationFigures(f"{request} at {name}", "", figures)
    for name, pool in (summary.get("pools") or {}).items():
        yield StationFigures(name, POOL, pool)
