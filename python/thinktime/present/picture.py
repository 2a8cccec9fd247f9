"""A chart by itself: for notebooks, mail and files, where no page is around it."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from thinktime.present import svg, svg_words
from thinktime.present.plots import rooms_of

if TYPE_CHECKING:
    import polars as pl

    from thinktime.present.chart import Drawing, Key

_MARGIN, _LINE = 20, 22
_KEY_PX = 44  # the mark of a key, and the space behind it


@dataclass(frozen=True, eq=False)
class Picture:
    """A chart, with its title and legend, as an SVG that stands alone.

    A notebook shows it by itself.
    """

    title: str
    drawing: Drawing

    def svg(self, width: int = 960) -> str:
        """The chart as the text of an SVG of some pixels' width, in the light colours of the page.

        Raises:
            ValueError: The width is below 300 pixels.
        """
        if width < 300:
            raise ValueError(f"a chart is at least 300 pixels wide, not {width}")
        parts, top = _legend(self.drawing.keys, width, 2 * _LINE + 14)
        for panel, room in zip(self.drawing.panels, rooms_of(self.drawing), strict=True):
            if panel.title:
                parts.append(_text(_MARGIN, top + 16, panel.title, "panel"))
                top += _LINE
            height = svg_words.field_height(panel.figure)
            left, inner = room.left + 8, width - room.left - room.right - 16
            parts.append(
                f'<svg x="{left}" y="{top + room.top}" width="{inner}" height="{height}" '
                f'overflow="visible">{svg.drawn(panel.figure, room)}</svg>'
            )
            top += room.top + height + room.bottom + 8
        words = " ".join(panel.words for panel in self.drawing.panels)
        return _resolved(
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{width}" '
            f'height="{top + _MARGIN}" viewBox="0 0 {width} {top + _MARGIN}" role="img" '
            f'aria-label="{html.escape(f"{self.title}. {words}")}"><style>{_style()}</style>'
            f'<rect width="100%" height="100%" fill="var(--paper)"/>'
            f"{_text(_MARGIN, _LINE + 8, self.title, 'head')}{''.join(parts)}</svg>"
        )

    def save(self, path: str | Path) -> Path:
        """Write the chart to a file, and return its path.

        Args:
            path: Ends in `.svg`, or in `.html` for a page with nothing else.

        Raises:
            ValueError: The name ends otherwise.
            OSError: The file cannot be written.
        """
        path = Path(path)
        if path.suffix not in (".svg", ".html"):
            raise ValueError(f"{path}: a chart is written as .svg or .html")
        text = self.svg()
        if path.suffix == ".html":
            title = html.escape(self.title)
            text = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{title}</title>\n{text}\n'
        path.write_text(text, encoding="utf-8")
        return path

    @property
    def values(self) -> pl.DataFrame:
        """The drawn values, a row each.

        Columns: `panel` and `series`, their names; `x` and `y`, in seconds, shares of one or plain
        numbers; `low` and `high`, the ends of the value's interval, null without one.
        """
        import polars as pl

        frames = []
        for panel in self.drawing.panels:
            for one in panel.figure.series:
                none = np.full(len(one.x), np.nan)
                columns = {
                    "x": one.x, "y": one.y,
                    "low": none if one.low is None else one.low,
                    "high": none if one.high is None else one.high,
                }  # fmt: skip
                values = {name: np.asarray(v, dtype=float) for name, v in columns.items()}
                frame = pl.DataFrame(values).with_columns(pl.col("low", "high").fill_nan(None))
                names = pl.lit(panel.title).alias("panel"), pl.lit(one.name).alias("series")
                frames.append(frame.select(*names, pl.all()))
        return pl.concat(frames) if frames else pl.DataFrame()

    def _repr_html_(self) -> str:
        """Its view in notebooks."""
        return f'<div style="overflow-x: auto">{self.svg()}</div>'


def _text(x: float, y: float, text: str, kind: Literal["head", "panel", "key"]) -> str:
    size = {"head": 17, "panel": 14, "key": 12}[kind]
    weight = 400 if kind == "key" else 600
    style = f"fill: var(--ink); font-size: {size}px; font-weight: {weight}"
    return f'<text x="{x:g}" y="{y:g}" style="{style}">{html.escape(text)}</text>'


def _legend(keys: Sequence[Key], width: int, top: int) -> tuple[list[str], int]:
    """The legend in lines, and the height below them."""
    parts: list[str] = []
    x = _MARGIN
    for key in keys:
        wide = round(_KEY_PX + len(key.name) * svg_words.LETTER_PX)
        if x + wide > width - _MARGIN and x > _MARGIN:
            x, top = _MARGIN, top + _LINE
        parts += [_mark(key, x, top - 4), _text(x + 34, top, key.name, "key")]
        x += wide
    return parts, top + (14 if parts else -_LINE + 8)


def _mark(key: Key, x: int, y: int) -> str:
    colour = key.colour or "var(--faint)"
    if key.mark in ("dot", "box", "scale"):
        return f'<rect x="{x + 8}" y="{y - 5}" width="11" height="10" fill="{colour}"/>'
    if key.mark == "cross":
        path = f"M{x + 9} {y - 4}l8 8m0 -8l-8 8"
        return f'<path d="{path}" stroke="{colour}" stroke-width="2"/>'
    dash = "" if key.dash == "solid" else f' stroke-dasharray="{key.dash}"'
    ends = f'x1="{x}" x2="{x + 27}" y1="{y}" y2="{y}"'
    return f'<line {ends} stroke="{colour}" stroke-width="2.5"{dash}/>'


def _style() -> str:
    """The rules of the page that are about pictures."""
    text = _asset("charts.css")
    return "".join(re.findall(r"^\.plot [^{]+\{[^}]*\}", text, re.MULTILINE))


def _resolved(text: str) -> str:
    """Without variables, which programs other than browsers do not know."""
    rules = "".join(_asset(name) for name in ("page.css", "charts.css"))
    light = dict(reversed(re.findall(r"--([\w-]+):\s*([^;]+);", rules)))

    def value(found: re.Match[str]) -> str:
        return str(light[found[1]]).replace('"', "'")

    return re.sub(r"var\(--([\w-]+)\)", value, text)


def _asset(name: str) -> str:
    return resources.files("thinktime.present").joinpath("assets", name).read_text("utf-8")
