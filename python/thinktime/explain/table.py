"""An explanation as a table, for terminals and pages."""

from __future__ import annotations

from thinktime.explain.asking import Answer
from thinktime.explain.explanation import Explanation
from thinktime.report import units
from thinktime.report.table import Cell, Group, Line, Table

HEADINGS = ("mean", "19 of 20", "p99", "19 of 20 p99", "throughput")


def table(found: Explanation, place: int | None = None) -> Table:
    """What was measured, and below it what the model says."""
    measured = Line(
        "measured",
        [
            Cell(units.seconds(found.mean_s), strong="text"),
            Cell(""),
            Cell(units.seconds(found.p99_s)),
            Cell(""),
            Cell(units.rate(found.throughput)),
        ],
        style="measured",
    )
    lines = [measured, *(_line(one) for one in found.answers)]
    return Table(
        "explained", "What another system would have shown", "", HEADINGS,
        [Group(lines, place=place)], units.sentence(found.sentence),
        "19 of 20: where another measurement of the same length would lie, were the model right. "
        "Times run from sending to the answer.",
        spare=("19 of 20 p99", "throughput", "19 of 20"),
    )  # fmt: skip


def _line(one: Answer) -> Line:
    if one.refused:
        return Line(one.question, [Cell("")] * len(HEADINGS), note=units.sentence(one.refused))
    return Line(
        one.question,
        [
            Cell(units.seconds(one.mean_s)),
            Cell(_between(one.mean_within_s)),
            Cell(units.seconds(one.p99_s)),
            Cell(_between(one.p99_within_s)),
            Cell(units.rate(one.throughput)),
        ],
    )


def _between(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else units.times_between(*ends)
