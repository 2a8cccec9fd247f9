"""Line charts of the studies: axes, units, legend and error bars, as SVG by matplotlib.

chart = LineChart("Response time against load", "load", "mean response time (s)", y_log=True)
chart.line("open", loads, means, errors=half_widths)
chart.save("figure.svg")
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

SIZE_INCHES = (8.0, 4.8)
FONT = "DejaVu Sans"
FALLBACK = f"'{FONT}', Helvetica, Arial, sans-serif"  # these letters are not wider
INK, SOFT, GRID, PAPER = "#222222", "#555555", "#e4e4e4", "#ffffff"

# Okabe and Ito: told apart by the colour-blind too. The marks differ as well.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222", "#8a8a00"]
MARKS = ["o", "s", "^", "D", "P", "v"]

# Text stays text, and the same chart is the same file, byte for byte.
_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "thinktime",
    "font.family": FONT,
    "font.size": 9,
    "path.simplify_threshold": 0.3,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
}
_TAG = re.compile(r"<[^>]*>")  # not the text between tags: that is displayed
_LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")  # a hundredth of a point is invisible
_METADATA = {"Date": None, "Creator": None}


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
        """Begin a chart; without limits the axes fit the data."""
        self.title = title
        self._labels = (x_label, y_label)
        self._logs = (x_log, y_log)
        self._limits = (x_limits, y_limits)
        self._lines: list[dict[str, Any]] = []

    def line(
        self,
        name: str,
        xs: Sequence[float],
        ys: Sequence[float],
        errors: Sequence[float] | None = None,
        dashed: bool = False,
        style: int | None = None,
        marks: bool = True,
        joined: bool = True,
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
            joined: Whether a line joins them.
        """
        style = len(self._lines) if style is None else style
        colour = COLOURS[style % len(COLOURS)]
        self._lines.append(
            {
                "x": list(xs),
                "y": [value if math.isfinite(value) else math.nan for value in ys],
                "yerr": None if errors is None else list(errors),
                "label": name or "_",  # matplotlib leaves out names with this beginning
                "color": colour,
                "linestyle": _dashes(dashed) if joined else "",
                "linewidth": 1.1 if dashed else 1.6,
                "marker": MARKS[style % len(MARKS)] if marks else "",
                "markersize": 5,
                "markerfacecolor": PAPER if dashed else colour,
                "capsize": 3,
                "elinewidth": 1.1,
            }
        )

    def save(self, path: str | Path) -> None:
        """Write the picture."""
        with rc_context(_STYLE):
            self._figure().savefig(path, format="svg", metadata=_METADATA)
        text = Path(path).read_text(encoding="utf-8").replace(f"'{FONT}'", FALLBACK)
        text = _TAG.sub(lambda tag: _LONG_NUMBER.sub(r"\1", tag[0]), text)
        # Lines end without blanks, as those of all files of the project.
        Path(path).write_text("\n".join(map(str.rstrip, text.splitlines())) + "\n", "utf-8")

    def _figure(self) -> Figure:
        figure = Figure(figsize=SIZE_INCHES, facecolor=PAPER, layout="constrained")
        axes = figure.add_subplot()
        for line in self._lines:
            axes.errorbar(**line)
        axes.set_title(self.title, fontsize=12, fontweight="bold")
        axes.set(xlabel=self._labels[0], ylabel=self._labels[1])
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        for axis, log, limits in zip("xy", self._logs, self._limits, strict=True):
            _scale(axes, axis, log, limits)
        if any(line["label"] != "_" for line in self._lines):
            axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False)
        return figure


def _dashes(dashed: bool) -> str | tuple[int, tuple[int, int]]:
    return (0, (4, 3)) if dashed else "-"


def _scale(axes: Any, name: str, log: bool, limits: tuple[float, float] | None) -> None:
    """The scale of an axis, its limits and its ticks."""
    axis = axes.xaxis if name == "x" else axes.yaxis
    get, put = getattr(axes, f"get_{name}lim"), getattr(axes, f"set_{name}lim")
    if log:
        getattr(axes, f"set_{name}scale")("log", nonpositive="mask")
    if limits is not None:
        put(limits)
    elif not log and 0 < get()[0] < 0.4 * get()[1]:
        put(0, get()[1])
    low, high = get()
    if log:
        few = high / low < 10**2.2
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12))
        axis.set_minor_formatter(NullFormatter())
    elif low < 0 <= min(axes.dataLim.intervalx if name == "x" else axes.dataLim.intervaly):
        put(0, high)
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))


def number(value: float) -> str:
    """A value as an axis shows it: 0.02, 5, 1,000, 10⁶."""
    size = abs(value)
    if size >= 1e6 or 0 < size < 1e-4:
        power = math.floor(math.log10(size) + 1e-9)
        digits = f"{value / 10**power:.3g}"
        raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"10{raised}" if digits == "1" else f"{digits}·10{raised}"
    return f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"
