"""Figures drawn as SVG, which needs no script.

The field between the axes is stretched to the width it gets, while lines keep their width and texts
their size: places are shares of the field, and distances from them pixels. So one drawing serves a
telephone, a screen, paper and a file, and a script zooms by showing a part of the field.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thinktime.present import paths, raster
from thinktime.present.figure import Figure, Limit, Series, spread_of
from thinktime.present.paths import FIELD
from thinktime.present.svg_words import LETTER_PX, Room, escape, group, share, words

_MARKS = {
    "cross": "M-4 -4L4 4M-4 4L4 -4",
    "up": "M0 -5L5 4H-5z",
    "down": "M0 5L5 -4H-5z",
    "left": "M-5 0L4 -5V5z",
    "right": "M5 0L-4 -5V5z",
}


def drawn(figure: Figure, room: Room) -> str:
    """The parts of a figure, for an SVG of the size of the field."""
    return "".join(
        (
            _grid(figure),
            f'<svg class="field" viewBox="0 0 {FIELD} {FIELD}" preserveAspectRatio="none" '
            f'fill="none" width="100%" height="100%">{_cells(figure)}{_bands(figure)}',
            *(_curve(figure, one) for one in figure.series),
            *(_limit(figure, one) for one in figure.drawn_limits if one.until is None),
            "</svg>",
            *(_points(figure, one) for one in figure.series),
            words(figure, room),
        )
    )


def _grid(figure: Figure) -> str:
    """The lines of ticks, and the edges of the field on the left and below."""
    parts = []
    if figure.y.has_grid:
        for place in paths.up(figure.y, [tick for tick, _ in figure.y.ticks]):
            at = share(place)
            parts.append(f'<line x1="0" x2="100%" y1="{at}" y2="{at}"/>')
    if figure.x.has_grid:
        for place in paths.across(figure.x, [tick for tick, _ in figure.x.ticks]):
            at = share(place)
            parts.append(f'<line class="x" x1="{at}" x2="{at}" y1="0" y2="100%"/>')
    edges = '<line class="edge" x1="0" x2="0" y1="0" y2="100%"/>'
    base = '<line class="edge" x1="0" x2="100%" y1="100%" y2="100%"/>'
    return f'<g class="grid">{"".join(parts)}{edges}{base}</g>'


def _cells(figure: Figure) -> str:
    if figure.cells is None:
        return ""
    cells = figure.cells
    x0, x1 = paths.across(figure.x, cells.x)
    y1, y0 = paths.up(figure.y, cells.y)
    source = raster.of_counts(cells.counts.T[::-1], cells.colour)
    return (
        f'<image x="{x0:.0f}" y="{y0:.0f}" width="{x1 - x0:.0f}" height="{y1 - y0:.0f}" '
        f'preserveAspectRatio="none" href="{source}"/>'
    )


def _bands(figure: Figure) -> str:
    """What lies behind the curves: limits with two ends."""
    parts = []
    for one in figure.drawn_limits:
        if one.until is not None:
            ends = [one.at, one.until]
            x = paths.across(figure.x, ends) if one.axis == "x" else np.array([0.0, FIELD])
            y = paths.up(figure.y, ends) if one.axis == "y" else np.array([0.0, FIELD])
            box = paths.boxes(x[:1], x[1:], y[:1], y[1:])
            parts.append(f'<path d="{box}" fill="{one.colour}" fill-opacity=".15"/>')
    return "".join(parts)


def _limit(figure: Figure, one: Limit) -> str:
    if one.axis == "x":
        path = f"M{paths.across(figure.x, [one.at])[0]:.0f} 0V{FIELD}"
    else:
        path = f"M0 {paths.up(figure.y, [one.at])[0]:.0f}H{FIELD}"
    colour = "var(--ink)" if one.strong else one.colour
    dash = "" if one.dash == "solid" else f' stroke-dasharray="{one.dash}"'
    return f'<path class="limit" d="{path}" stroke="{colour}" stroke-width="{one.width}"{dash}/>'


def _curve(figure: Figure, one: Series) -> str:
    """The lines, bars and dots of a series, all within the field."""
    x, y = paths.across(figure.x, one.x), paths.up(figure.y, one.y)
    colour = f'stroke="{one.colour}"'
    parts = [_behind(figure, one, x, y)]
    if one.kind in ("line", "step"):
        parts += _lines_of(one, x, y)
    if one.kind == "turns":
        parts.append(_turns(figure, one))
    marks = one.marks if isinstance(one.marks, str) else ""
    each = [marks] * len(x) if isinstance(one.marks, str) else one.marks
    are = np.array([mark == "dot" for mark in each], dtype=bool)
    if are.any():
        path = paths.dots(x[are], y[are])
        parts.append(f'<path class="dots" d="{path}" {colour} stroke-width="{one.size:g}"/>')
    return f"<g{group(one)}>{''.join(parts)}</g>"


def _lines_of(one: Series, x: Any, y: Any) -> list[str]:
    """The line, and what lies beyond the data's reach, faint."""
    write = paths.steps if one.kind == "step" else paths.line
    dash = "" if one.dash == "solid" else f' stroke-dasharray="{one.dash}"'
    style = f'stroke="{one.colour}" stroke-width="{one.width:g}"{dash}'
    if one.known is None or one.known >= len(x):
        return [f'<path d="{write(x, y)}" {style}/>']
    at = max(one.known, 0)
    parts = [f'<path d="{write(x[:at], y[:at])}" {style}/>'] if at else []
    begin = max(at - 1, 0)
    return [*parts, f'<path class="faint" d="{write(x[begin:], y[begin:])}" {style}/>']


def _behind(figure: Figure, one: Series, x: Any, y: Any) -> str:
    """The intervals of a series, and its filling."""
    style = f'fill="{one.colour}" fill-opacity=".2"'
    if one.filled:
        floor = np.full_like(y, float(paths.up(figure.y, [0.0])[0]))
        return f'<path d="{paths.area(x, y, floor, one.kind == "step")}" {style}/>'
    ends = None if one.kind == "turns" else spread_of(one)
    if ends is None:
        return ""
    bar = f'stroke="{one.colour}" stroke-width="1.3"'
    if one.spread == "across":
        low, high = (paths.across(figure.x, end) for end in ends)
        return f'<path d="{paths.rules(low, y, high, y)}" {bar}/>'
    low, high = (paths.up(figure.y, end) for end in ends)
    if one.spread == "band":
        return f'<path d="{paths.area(x, high, low, one.kind == "step")}" {style}/>'
    return f'<path d="{paths.rules(x, low, x, high)}" {bar}/>'


def _turns(figure: Figure, one: Series) -> str:
    ends = spread_of(one)
    if ends is None:
        return ""
    x0, x1 = (paths.across(figure.x, end) for end in ends)
    y0, y1 = (paths.up(figure.y, np.asarray(one.y, dtype=float) + half) for half in (-0.44, 0.44))
    return f'<path class="turns" d="{paths.boxes(x0, x1, y0, y1)}" fill="{one.colour}"/>'


def _points(figure: Figure, one: Series) -> str:
    """Marks with a form, and texts in turns: their size is in pixels."""
    x, y = paths.across(figure.x, one.x), paths.up(figure.y, one.y)
    parts = []
    each = [one.marks] * len(x) if isinstance(one.marks, str) else one.marks
    for place, mark in enumerate(each):
        if mark in _MARKS and np.isfinite(x[place] + y[place]):
            form = f'<path d="{_MARKS[mark]}" stroke="{one.colour}" fill="{one.colour}"/>'
            at = f'x="{share(x[place])}" y="{share(y[place])}"'
            parts.append(f'<svg class="mark" {at} overflow="visible">{form}</svg>')
    ends = spread_of(one) if one.texts else None
    if one.texts and ends is not None:
        x0, x1 = (paths.across(figure.x, end) for end in ends)
        for place, text in enumerate(one.texts):
            wide = (x1[place] - x0[place]) / FIELD
            if wide > 0 and 0 <= x[place] <= FIELD:
                at = f'x="{share((x0[place] + x1[place]) / 2)}" y="{share(y[place])}"'
                hidden = "" if wide * 900 > len(text) * LETTER_PX + 2 else ' class="small"'
                inner = f"{escape(text)}</text>"
                parts.append(f'<text {at} dy=".36em" data-wide="{wide:.4f}"{hidden}>{inner}')
    return f'<g class="marks"{group(one)}>{"".join(parts)}</g>' if parts else ""
