"""The stations and pools of a result: load, requests there, and visits, also by request name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result

HEADINGS = ("load", "requests there", "at most", "throughput", "visit", "demand")
"""The columns after the one that names the station."""

LINES_MAX = 40
"""A table has no more rows than this: those of the highest loads."""

_CAPTION = (
    "The mean number of requests at a station, those in service included; how many left it a "
    "second; and how long a visit lasted. Below a station, its requests by name."
)
POOL = "pool: those that hold a place or wait for one"


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' stations and pools."""
    return Table(
        "stations", "Stations", "station", HEADINGS, groups, _CAPTION, spare=("at most", "demand")
    )


def lines_of(result: Result) -> list[Line]:
    """The rows of a result's stations and their requests by name, then of the pools.

    Empty if a single station has all requests, of one kind: the main table has its figures.
    """
    found = list(_all_of(result.summary))
    if len(found) < 2:
        return []
    loads = [float(figures.get("load") or 0.0) for _, _, figures in found]
    floor = sorted(loads, reverse=True)[:LINES_MAX][-1]
    kept = [one for one, load in zip(found, loads, strict=True) if load >= floor]
    return [_line(*one) for one in kept[:LINES_MAX]]


def _all_of(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The name of each row, an addition to it, and its part of `summary.json`."""
    for name, station in (summary.get("stations") or {}).items():
        yield name, "", station
        for request, figures in (station.get("by_request") or {}).items():
            yield f"{request} at {name}", "", figures
    for name, pool in (summary.get("pools") or {}).items():
        yield name, POOL, pool


def _line(name: str, below: str, figures: Mapping[str, Any]) -> Line:
    half = figures.get("ci95") or {}
    demand = (figures.get("demand_s") or {}).get("mean")
    most = figures.get("queue_length_max")
    texts = [
        _with_half(units.load(float(figures.get("load") or 0.0)), half.get("load")),
        _with_half(units.number(figures["queue_length_mean"]), half.get("queue_length_mean")),
        "" if most is None else units.count(most),
        units.rate(figures.get("throughput")),
        units.mean(figures.get("response_time_mean_s"), half.get("response_time_mean_s")),
        "" if demand is None else units.seconds(demand),
    ]
    return Line(name, [Cell(text) for text in texts], below)


def _with_half(text: str, half: float | None) -> str:
    return text if half is None else f"{text} ± {units.number(half, 2)}"
