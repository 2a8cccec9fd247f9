"""Failures by request name, as a table for pages, terminals and summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' failures: a row for each request name and cause."""
    return Table(
        "failures",
        "What went wrong",
        "request",
        ("what went wrong", "attempts", "requests failed", "share failed"),
        groups,
        "Attempts by cause; beside the first cause, the requests of the name that failed for "
        "good, of all of that name.",
        spare=("requests failed",),
    )


def lines_of(result: Result) -> list[Line]:
    """The rows of a result: names in the workload's order, each with its causes by frequency."""
    found: Mapping[str, Mapping[str, Any]] = result.summary.get("by_request") or {}
    order = {name: place for place, name in enumerate(result.workload.request_names)}
    names = sorted(found, key=lambda name: order.get(name, len(order)))
    return [line for name in names for line in _lines(name, found[name])]


def _lines(name: str, figures: Mapping[str, Any]) -> list[Line]:
    causes: Mapping[str, int] = figures.get("causes") or {}
    failed, succeeded = figures.get("errors") or 0, figures.get("requests") or 0
    bodies: Mapping[str, str] = figures.get("bodies") or {}
    ranked = sorted(causes.items(), key=lambda one: (-one[1], one[0]))
    whole = failed + succeeded
    of_name = [Cell(units.count(failed), strong="text" if failed else "")]
    of_name.append(Cell(units.percent(failed / whole) if whole else ""))
    lines = []
    for place, (cause, count) in enumerate(ranked):
        beside = of_name if place == 0 else [Cell("")] * 2
        cells = [Cell(cause), Cell(units.count(count)), *beside]
        note = _answer(cause, bodies[cause]) if cause in bodies else ""
        lines.append(Line(name if place == 0 else "", cells, note=note))
    return lines


def _answer(cause: str, body: str) -> str:
    """The beginning of the first answer of a cause."""
    return (
        f"the first answer ({cause}): {body}" if body else f"the first answer ({cause}) was empty"
    )
