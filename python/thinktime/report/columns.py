"""The columns of tables that are made of data frames: their words, and the units of their cells.

A figure's name is that of the column in results.parquet, probes.parquet and `--json`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thinktime.report import units
from thinktime.report.table import Cell

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A figure's heading, and how a row's cell is written."""

    heading: str
    text: Callable[[Any], str]
    more: str = ""
    """Another figure that belongs to it: the half-width of its interval."""


def _text(value: object) -> str:
    return str(value)


def _load(value: float) -> str:
    return units.load(value)


def _share(value: float) -> str:
    return units.percent(value)


COLUMNS: dict[str, Column] = {
    "response_mean_s": Column("mean", units.seconds, "response_ci95_s"),
    "exact_response_mean_s": Column("exact mean", units.seconds),
    "response_p50_s": Column("p50", units.seconds),
    "response_p90_s": Column("p90", units.seconds),
    "response_p99_s": Column("p99", units.seconds),
    "response_p99.9_s": Column("p99.9", units.seconds),
    "page_response_mean_s": Column("page mean", units.seconds, "page_response_ci95_s"),
    "page_response_p90_s": Column("page p90", units.seconds),
    "page_response_p99_s": Column("page p99", units.seconds),
    "pages": Column("pages", units.count),
    "page_errors": Column("failed pages", units.count),
    "load": Column("load", _load),
    "found_load": Column("load found", _load),
    "throughput": Column("throughput", units.rate),
    "think_time_s": Column("think time", units.seconds),
    "duration_s": Column("measured for", units.seconds),
    "requests": Column("requests", units.count),
    "errors": Column("errors", units.count),
    "error_share": Column("errors", _share),
    "timeouts": Column("timeouts", units.count),
    "retries": Column("retries", units.count),
    "migrations": Column("moves", units.count),
    "preemptions": Column("preemptions", units.count),
    "hit_ratio": Column("hit ratio", _share),
    "imbalance": Column("imbalance", _share),
    "behind_heavy": Column("tail behind heavy", _share),
    "untrusted": Column("trust", lambda _why: "not to be trusted"),
    "slo": Column("SLO", _text),
    "passed": Column("SLO", lambda passed: "met" if passed else "not met"),
    "margin": Column("measured / allowed", lambda margin: units.number(math.exp(margin))),
    "lateness_p99_s": Column("lateness p99", units.seconds),
    "why": Column("decided by", _text),
}
"""Every figure that a table shows, in one place; those of a population come after its name."""

_POPULATION = "population."


def of_population(name: str, figure: str) -> str:
    """The column of a population's figure, as in `population.visitors.response_mean_s`."""
    return f"{_POPULATION}{name}.{figure}"


def parts(column: str) -> tuple[str, str]:
    """The population of a column and its figure; no population where it is of all requests."""
    if not column.startswith(_POPULATION):
        return "", column
    name, _, figure = column.removeprefix(_POPULATION).rpartition(".")
    return name, figure


def column(name: str) -> Column:
    """What is known of a column, with the population's name in its heading."""
    population, figure = parts(name)
    found = COLUMNS[figure]
    if not population:
        return found
    more = of_population(population, found.more) if found.more else ""
    return Column(f"{population} {found.heading}", found.text, more)


def headings(names: Sequence[str]) -> list[str]:
    """The headings of some figures."""
    return [column(name).heading for name in names]


def cell(row: Row, name: str) -> Cell:
    """A row's figure; empty where it is not known."""
    value = row.get(name)
    if value is None or value != value:
        return Cell("")
    known = column(name)
    if known.more:
        return Cell(units.mean(value, row.get(known.more)))
    return Cell(known.text(value))


def said(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    """The figures of which some row says something: neither unknown everywhere, nor 0."""
    return [name for name in names if any(row.get(name) for row in rows)]
