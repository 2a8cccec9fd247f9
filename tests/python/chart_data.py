"""The figures of a page's charts as text, for comparison in files: rounded, and thinned."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def _figure(figure: Any) -> Iterator[str]:
    for trace in figure.data:
        yield f"  {trace.type}: {trace.name or ''}".rstrip()
        for name in ("x", "y", "base", "width"):
            values = getattr(trace, name, None)
            if values is not None and not isinstance(values, str | int | float):
                yield f"    {name}: {numbers(list(values))}"
        error = getattr(trace, "error_y", None)
        if error is not None and error.array is not None:
            yield f"    up: {numbers(list(error.array))}"
            down = error.array if error.arrayminus is None else error.arrayminus
            yield f"    down: {numbers(list(down))}"
    for shape in figure.layout.shapes:
        ends = [_text(one) for one in (shape.x0, shape.y0, shape.x1, shape.y1)]
        yield f"  line: from {ends[0]}, {ends[1]} to {ends[2]}, {ends[3]}"
    for image in figure.layout.images:
        counts = _opacity(image.source)
        yield f"  picture, by column: {numbers(counts.sum(axis=0).tolist())}"
        yield f"  picture, by row: {numbers(counts.sum(axis=1).tolist())}"


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


def _opacity(uri: str) -> NDArray[np.float64]:
    """The opacity of each place of a picture of counts, from 0 to 255."""
    content = base64.b64decode(uri.partition("base64,")[2])
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    begin = content.index(b"IDAT")
    length = int.from_bytes(content[begin - 4 : begin], "big")
    lines = np.frombuffer(zlib.decompress(content[begin + 4 : begin + 4 + length]), np.uint8)
    return lines.reshape(height, width + 1)[:, 1:].astype(float)
