"""The table of a sweep, for the page and for the terminal."""

from __future__ import annotations

from dataclasses import replace

from thinktime.present import columns
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report import point_checks
from thinktime.sweeps.curves import Row, SweepCurves, value_words

_SHOWN = (
    "response_mean_s",
    "exact_response_mean_s",
    "response_p50_s",
    "response_p99_s",
    "page_response_mean_s",
    "page_response_p90_s",
    "load",
    "found_load",
    "servers_mean",
    "throughput",
    "think_time_s",
    "requests",
    "errors",
    "timeouts",
    "retries",
    "migrations",
    "preemptions",
    "throttled_share",
    "hit_ratio",
    "imbalance",
    "behind_heavy",
    "slo",
    "validity",
    "untrusted",
)

_BY_POPULATION = ("response_mean_s", "response_p99_s")

_HEADINGS = frozenset(columns.headings(_SHOWN))

_SETTINGS = ("think_time_s", "requests")
"""Figures that are often the same at all points."""

_SPARE = ("think time", "requests", "load found", "p50", "timeouts", "checks")
"""The first to go if the width is short: what says whether a point is to be trusted goes last."""


def table(swept: SweepCurves) -> Table:
    """A row a point, a group a curve; figures that are 0 or unknown everywhere are left out."""
    varied = {axis.key for axis in swept.axes}
    shown = [*_SHOWN, *swept.by_population(*_BY_POPULATION)]
    names = [name for name in columns.columns_with_figures(swept.rows, shown) if name not in varied]
    if "validity" in names:  # that column says it, too
        names = [name for name in names if name != "untrusted"]
    # Columns of one population only go first if the width is short.
    spare = [column for column in columns.headings(names) if column not in _HEADINGS]
    same = [name for name in names if name in _SETTINGS and _is_same(swept, name)]
    names = [name for name in names if name not in same]
    all_have = [f"{columns.column(one).heading} {_first(swept, one)}" for one in same]
    groups = [
        Group(
            [
                Line(
                    value_words(swept.across, row[swept.across.key]),
                    [_cell(row, name) for name in names],
                )
                for row in curve.rows
            ],
            curve.name,
            place=curve.place if len(swept.curves) > 1 else None,
        )
        for curve in swept.curves
    ]
    return Table(
        "points",
        "Every point",
        swept.names[swept.across.key],
        columns.headings(names),
        groups,
        f"Each point was {swept.kind}{': ' if all_have else ''}{', '.join(all_have)}.",
        spare=[*reversed(spare), *_SPARE],
    )


def _cell(row: Row, name: str) -> Cell:
    if name == "validity":
        # The names of doubting checks are below the table; there is no room beside the verdict.
        return replace(point_checks.cell(row), below="")
    return columns.cell(row, name)


def _is_same(swept: SweepCurves, name: str) -> bool:
    """Whether all points have the same text, so that a column would say nothing."""
    return len({columns.cell(row, name).text for row in swept.rows}) == 1


def _first(swept: SweepCurves, name: str) -> str:
    return columns.cell(swept.rows[0], name).text
