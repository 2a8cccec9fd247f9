"""The columns of tables made from data frames: their words, and the units of their cells.

A figure's name is that of the column in results.parquet, probes.parquet and `--json`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thinktime.present import percentile, units
from thinktime.present.table import Cell

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A figure's heading, and the format of its cells."""

    heading: str
    text: Callable[[Any], str]
    more: str = ""
    """A related figure: the half-width of its interval."""


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
    "servers_mean": Column("servers", units.number),
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
    "throttled_share": Column("throttled", _share),
    "hit_ratio": Column("hit ratio", _share),
    "imbalance": Column("imbalance", _share),
    "behind_heavy": Column("tail behind heavy", _share),
    "untrusted": Column("trust", lambda _why: "not to be trusted"),
    "validity": Column("checks", _text),
    "slo": Column("SLO", _text),
    "margin": Column("measured / allowed", lambda margin: units.number(math.exp(margin))),
    "lateness_p99_s": Column("lateness p99", units.seconds),
    "why": Column("decided by", _text),
}
"""All figures of tables, in one place; those of a population follow its name."""

_POPULATION = "population."
_PERCENTILE = re.compile(r"(page_)?(?:response|lateness)_(p[\d.]+)_s")


def of_population(name: str, figure: str) -> str:
    """The column of a population's figure, as in `population.visitors.response_mean_s`."""
    return f"{_POPULATION}{name}.{figure}"


def parts(column: str) -> tuple[str, str]:
    """The population of a column and its figure; no population if it covers all requests."""
    if not column.startswith(_POPULATION):
        return "", column
    name, _, figure = column.removeprefix(_POPULATION).rpartition(".")
    return name, figure


def column(name: str) -> Column:
    """The entry of a column, with the population's name in its heading."""
    population, figure = parts(name)
    found = COLUMNS[figure]
    if not population:
        return found
    more = of_population(population, found.more) if found.more else ""
    return Column(f"{population} {found.heading}", found.text, more)


def headings(names: Sequence[str]) -> list[str]:
    """The headings of some figures."""
    return [column(name).heading for name in names]


def figure_in_row(row: Row, name: str) -> Any:
    """A row's figure; None if unknown, or a percentile of too few requests."""
    value = row.get(name)
    if value is None or value != value:
        return None
    population, figure = parts(name)
    found = _PERCENTILE.fullmatch(figure)
    if found is None:
        return value
    return percentile.known(found[2], value, _behind(row, population, of_pages=bool(found[1])))


def _behind(row: Row, population: str, *, of_pages: bool) -> float | None:
    """The number of independent successes behind a percentile; None if the row does not say."""

    def succeeded(requests: str, errors: str, of: str = "") -> float | None:
        def count(figure: str) -> Any:
            whole = of_population(of, figure) if of else figure
            # A varied key may have the name of a figure.
            return row.get(f"found_{whole}", row.get(whole))

        many, failed = count(requests), count(errors)
        if many is None:
            return None
        return float(many - (many * (count("error_share") or 0.0) if failed is None else failed))

    whole = succeeded("requests", "errors")
    names = ("pages", "page_errors") if of_pages else ("requests", "errors")
    many = succeeded(*names, population)
    if not whole or many is None:
        return None
    return many * (row.get("independent_requests") or 0.0) / whole


def cell(row: Row, name: str) -> Cell:
    """A row's figure; empty if unknown, a dash for a percentile of too few."""
    value = figure_in_row(row, name)
    if value is None:
        given = row.get(name)
        return Cell("" if given is None or given != given else units.NOTHING)
    known = column(name)
    if known.more:
        return Cell(units.mean(value, row.get(known.more)))
    return Cell(known.text(value))


def columns_with_figures(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    """The figures with a value in some row: neither unknown everywhere, nor 0."""
    return [name for name in names if any(figure_in_row(row, name) for row in rows)]
