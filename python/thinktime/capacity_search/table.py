"""The table of probes, for the page and for the terminal."""

from __future__ import annotations

import math
from typing import Any

from thinktime.capacity_search.answer import Capacity
from thinktime.present import columns, units
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report import point_checks

_SHOWN = (
    "slo",
    "margin",
    "response_mean_s",
    "response_p99_s",
    "throughput",
    "requests",
    "error_share",
    "lateness_p99_s",
    "validity",
    "why",
)

_EVEN_MAX = 0.5
"""A wider interval of a ratio is asymmetric: its ends are shown."""

_SPARE = ("decided by", "requests", "lateness p99", "throughput", "checks")


def table(found: Capacity) -> Table:
    """A row a probe, in order."""
    rows = found.probes.to_dicts()
    names = columns.columns_with_figures(rows, _SHOWN)
    unit = "×" if found.what == "scale" else found.unit
    lines = [Line(units.amount(row["value"], unit), _cells(row, names)) for row in rows]
    return Table(
        "probes",
        "Every probe",
        found.what,
        columns.headings(names),
        [Group(lines)],
        "In their order; the next value is the one that would narrow down the limit most.",
        spare=_SPARE,
    )


def _cells(row: dict[str, Any], names: list[str]) -> list[Cell]:
    own = {"margin": _margin, "validity": point_checks.cell}
    return [own[name](row) if name in own else columns.cell(row, name) for name in names]


def _margin(row: dict[str, Any]) -> Cell:
    """Measured over allowed, with its interval."""
    cell, error = columns.cell(row, "margin"), row["standard_error"]
    if not cell.text or not error:
        return cell
    half = math.expm1(1.96 * error)
    known = f"± {units.number(math.exp(row['margin']) * half, 2)}"
    if half > _EVEN_MAX:
        ends = (math.exp(row["margin"] + sign * 1.96 * error) for sign in (-1, 1))
        known = f"({' to '.join(units.number(end, 2) for end in ends)})"
    return Cell(f"{cell.text} {known}", strong="" if row["passed"] else "text")
