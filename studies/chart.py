"""Line charts as plain SVG: axes, units, legend and error bars, readable on any background.

chart = LineChart("Response time against load", "load", "mean response time (s)", y_log=True)
chart.line("open", loads, means, errors=half_widths)
chart.save("figure.svg")
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from chart_axis import Axis, number

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT, TOP, BOTTOM = 84, 22, 48, 60
LEGEND_LETTER, LEGEND_LINE = 7.0, 24.0
INK, SOFT, GRID, PAPER = "#222222", "#555555", "#e4e4e4", "#ffffff"

# Okabe and Ito: told apart by the colour-blind too. The marks differ as well.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#8a8a00"]
MARKS = ["circle", "square", "triangle", "diamond", "bar", "down"]
CORNERS: dict[str, list[tuple[float, float]]] = {
    "square": [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)],
    "triangle": [(0, -4.8), (4.6, 3.6), (-4.6, 3.6)],
    "diamond": [(0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)],
    "bar": [(-5, -1.6), (5, -1.6), (5, 1.6), (-5, 1.6)],
    "down": [(0, 4.8), (4.6, -3.6), (-4.6, -3.6)],
}


@dataclass
class _Line:
    name: str
    points: list[tuple[float, float]]
    errors: list[float] | None
    dashed: bool
    style: int
    marks: bool


class LineChart:
    """A chart of lines; each has a name in the legend, a colour and a mark of its own."""

    def __init__(
        self,
        title: str,
        x_label: str,
        y_label: str,
        x_log: bool = False,
        y_log: bool = False,
        x_limits: tuple[float, float] | None = None,
        y_limits: tuple[float, float] | None = None,
    ) -> None:
        """Begin a chart; without limits the axes fit what is drawn."""
        self.title = title
        self._x, self._y = Axis(x_label, x_log), Axis(y_label, y_log)
        self._x_limits, self._y_limits = x_limits, y_limits
        self._lines: list[_Line] = []

    def line(
        self,
        name: str,
        xs: Sequence[float],
        ys: Sequence[float],
        errors: Sequence[float] | None = None,
        dashed: bool = False,
        style: int | None = None,
        marks: bool = True,
    ) -> None:
        """Add a line.

        Args:
            name: What the legend calls it; an empty name keeps it out of the legend.
            xs: Places on the horizontal axis.
            ys: Values; those that are not finite leave a gap.
            errors: Half-widths of confidence intervals, drawn as bars.
            dashed: For theory, or a second line in the same style.
            style: Which colour and mark, 0 to 7; the next free one by default.
            marks: Whether each point gets a mark.
        """
        free = sum(line.style >= 0 for line in self._lines)
        self._lines.append(
            _Line(
                name,
                list(zip(xs, ys, strict=True)),
                None if errors is None else list(errors),
                dashed,
                free if style is None else style,
                marks,
            )
        )

    def svg(self) -> str:
        """The picture as text."""
        points = [point for line in self._lines for point in line.points]
        self._x.fit((x for x, _ in points), self._x_limits)
        self._y.fit((y for _, y in points), self._y_limits)
        width = _legend_width(self._lines)
        self._right = WIDTH - RIGHT - width
        words = f'font-family="Helvetica, Arial, sans-serif" fill="{INK}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img" {words}>'
        )
        middle = (LEFT + self._right) / 2
        parts = [
            head,
            f"<title>{escape(self.title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
            _text(middle, 28, self.title, size=16, weight="bold"),
            *self._grid(),
            *self._axis_labels(middle),
            *(part for line in self._lines for part in self._drawn(line)),
            *self._legend(),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the picture."""
        Path(path).write_text(self.svg(), encoding="utf-8")

    # ---- parts

    def _place(self, x: float, y: float) -> tuple[float, float]:
        across = LEFT + self._x.share(x) * (self._right - LEFT)
        return across, HEIGHT - BOTTOM - self._y.share(y) * (HEIGHT - TOP - BOTTOM)

    def _grid(self) -> list[str]:
        bottom, parts = HEIGHT - BOTTOM, []
        for value in self._x.ticks:
            x, _ = self._place(value, self._y.low)
            parts.append(_stroke(x, TOP, x, bottom, GRID))
            parts.append(_text(x, bottom + 20, number(value), size=12, fill=SOFT))
        for value in self._y.ticks:
            _, y = self._place(self._x.low, value)
            parts.append(_stroke(LEFT, y, self._right, y, GRID))
            parts.append(_text(LEFT - 9, y + 4, number(value), size=12, anchor="end", fill=SOFT))
        for value in self._x.minor:
            x, _ = self._place(value, self._y.low)
            parts.append(_stroke(x, bottom, x, bottom + 4, SOFT))
        for value in self._y.minor:
            _, y = self._place(self._x.low, value)
            parts.append(_stroke(LEFT - 4, y, LEFT, y, SOFT))
        parts.append(_stroke(LEFT, bottom, self._right, bottom, SOFT, 1.2))
        parts.append(_stroke(LEFT, TOP, LEFT, bottom, SOFT, 1.2))
        return parts

    def _axis_labels(self, middle: float) -> list[str]:
        y = (TOP + HEIGHT - BOTTOM) / 2
        return [
            _text(middle, HEIGHT - 14, self._x.label, size=14),
            f'<g transform="translate(20 {y:.1f}) rotate(-90)">'
            + _text(0, 0, self._y.label, size=14)
            + "</g>",
        ]

    def _drawn(self, line: _Line) -> list[str]:
        colour = COLOURS[line.style % len(COLOURS)]
        parts: list[str] = []
        for run in self._runs(line.points):
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self._place(*p) for p in run))
            dash = ' stroke-dasharray="7 5"' if line.dashed else ""
            width = 1.4 if line.dashed else 2
            parts.append(
                f'<polyline points="{path}" fill="none" '
                f'stroke="{colour}" stroke-width="{width}"{dash}/>'
            )
        parts += self._bars(line, colour)
        if line.marks:
            for x, y in line.points:
                if self._x.shows(x) and self._y.shows(y):
                    parts.append(_mark(line, colour, *self._place(x, y)))
        return parts

    def _runs(self, points: list[tuple[float, float]]) -> list[list[tuple[float, float]]]:
        runs: list[list[tuple[float, float]]] = [[]]
        for x, y in points:
            if self._x.shows(x) and self._y.shows(y):
                runs[-1].append((x, y))
            else:
                runs.append([])
        return [run for run in runs if len(run) > 1]

    def _bars(self, line: _Line, colour: str) -> list[str]:
        parts = []
        for (x, y), error in zip(line.points, line.errors or [], strict=False):
            if not (math.isfinite(error) and self._x.shows(x) and self._y.shows(y)):
                continue
            across, low = self._place(x, max(y - error, self._y.low))
            _, high = self._place(x, min(y + error, self._y.high))
            parts.append(_stroke(across, low, across, high, colour, 1.4))
            parts += [_stroke(across - 4, at, across + 4, at, colour, 1.4) for at in (low, high)]
        return parts

    def _legend(self) -> list[str]:
        x, parts = self._right + 18, []
        named = [line for line in self._lines if line.name]
        for index, line in enumerate(named):
            y = TOP + 12 + index * LEGEND_LINE
            colour = COLOURS[line.style % len(COLOURS)]
            dash = ' stroke-dasharray="7 5"' if line.dashed else ""
            parts.append(_stroke(x, y, x + 28, y, colour, 2, dash))
            if line.marks:
                parts.append(_mark(line, colour, x + 14, y))
            parts.append(_text(x + 36, y + 4, line.name, size=13, anchor="start"))
        return parts


# ---- pieces of SVG


def _legend_width(lines: list[_Line]) -> float:
    longest = max((len(line.name) for line in lines), default=0)
    return 54 + longest * LEGEND_LETTER


def _text(
    x: float,
    y: float,
    words: str,
    size: int,
    anchor: str = "middle",
    weight: str = "normal",
    fill: str = INK,
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'font-weight="{weight}" fill="{fill}">{escape(words)}</text>'
    )


def _stroke(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0, more: str = ""
) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"{more}/>'


def _mark(line: _Line, colour: str, x: float, y: float) -> str:
    shape = MARKS[line.style % len(MARKS)]
    fill = f'fill="{PAPER if line.dashed else colour}" stroke="{colour}" stroke-width="1.5"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {fill}/>'
    places = " ".join(f"{x + across:.1f},{y + down:.1f}" for across, down in CORNERS[shape])
    return f'<polygon points="{places}" {fill}/>'
