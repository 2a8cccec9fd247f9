"""The figures of a page's charts as text, for comparison in files: rounded, and thinned."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from thinktime.present.figure import Figure
from thinktime.present.page import Page

POINTS = 50
DIGITS = 4


def data_of(page: Page) -> str:
    """All charts: a line a curve, and under it its numbers."""
    lines = [page.title]
    for section in page.sections:
        panels = [] if section.drawing is None else section.drawing.panels
        if panels:
            lines += ["", f"## {section.name}: {section.title}"]
        for panel in panels:
            lines += ["", f"# {panel.title}".rstrip(), *_figure(panel.figure)]
    return "\n".join(lines) + "\n"


def _figure(figure: Figure) -> Iterator[str]:
    for axis in (figure.x, figure.y):
        yield f"  axis: {_text(axis.low)} to {_text(axis.high)} {axis.kind}: {axis.title!r}"
    for one in figure.series:
        yield f"  {one.kind}: {one.name}".rstrip()
        columns = {"x": one.x, "y": one.y, "low": one.low, "high": one.high}
        for name, values in columns.items():
            if values is not None:
                yield f"    {name}: {numbers(list(values))}"
        if one.known is not None:
            yield f"    known: {one.known}"
    for limit in figure.limits:
        until = "" if limit.until is None else f" to {_text(limit.until)}"
        yield f"  limit: {limit.axis} {_text(limit.at)}{until}: {limit.label}".rstrip(": ")
    if figure.cells is not None:
        counts = figure.cells.counts
        yield f"  cells, by column: {numbers(counts.sum(axis=1).tolist())}"
        yield f"  cells, by row: {numbers(counts.sum(axis=0).tolist())}"


def numbers(values: Sequence[Any]) -> str:
    """Their number, and some of them: the first, the last, and those evenly between."""
    if len(values) > POINTS:
        places = np.linspace(0, len(values) - 1, POINTS).round().astype(int)
        return f"({len(values)}) {' '.join(_text(values[place]) for place in places)}"
    return " ".join(map(_text, values))


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return str(value)
    number = float(value)
    return f"{number:.{DIGITS}g}" if math.isfinite(number) else "-"
