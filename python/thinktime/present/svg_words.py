"""The words of a figure drawn as SVG: ticks, titles and names at the ends of curves."""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass

import numpy as np

from thinktime.present import paths
from thinktime.present.axes import Axis
from thinktime.present.figure import Figure, Limit, Series
from thinktime.present.limit_labels import Label, placed
from thinktime.present.paths import FIELD

LETTER_PX = 6.7
"""The width of a letter of ticks and labels, on average."""

LINE_PX = 15
_LABEL_LETTERS = 22
_EARLY = 0.9  # a curve that ends before this share of the width has its name beside its end
_NAME_LETTERS = 24  # a longer name of a category stands in several lines


@dataclass(frozen=True)
class Room:
    """The distances in pixels from a figure's edges to its field."""

    left: int
    right: int
    top: int
    bottom: int


def room_of(figure: Figure) -> Room:
    """The room that ticks, titles and labels need."""
    ticks = [line for _, text in figure.y.ticks for line in _lines(figure.y, text)]
    left = max((len(one) for one in ticks), default=0) * LETTER_PX + 14
    labels = max((len(one.label) for one in figure.series), default=0)
    right = min(labels, _LABEL_LETTERS) * LETTER_PX + 12 if labels else 0
    below = max((len(_lines(figure.x, text)) for _, text in figure.x.ticks), default=0)
    title = LINE_PX * len(figure.x.title.split("\n")) + 4 if figure.x.title else 0
    top = 24 if figure.y.title else 10
    return Room(max(round(left), 40), max(round(right), 24), top, 10 + LINE_PX * below + title)


def field_height(figure: Figure) -> int:
    """The height of the field in pixels."""
    room = room_of(figure)
    return max(figure.height - room.top - room.bottom, 40)


def words(figure: Figure, room: Room) -> str:
    """All words of a figure."""
    return f"{_ticks(figure, room)}{_labels(figure, field_height(figure))}"


def escape(text: str) -> str:
    """Text without markup."""
    return html.escape(text)


def share(place: float) -> str:
    """A place of the field in per cent."""
    return f"{place / FIELD * 100:.2f}".rstrip("0").rstrip(".") + "%"


def group(one: Series) -> str:
    """The attribute by which a legend hides a series."""
    return f' data-group="{escape(one.group)}"' if one.group else ""


def _lines(axis: Axis, text: str) -> list[str]:
    """The lines of a tick: names of categories may be long."""
    if not axis.names:
        return [text]
    return textwrap.wrap(text, _NAME_LETTERS, max_lines=2, placeholder="…") or [""]


def _ticks(figure: Figure, room: Room) -> str:
    parts = []
    places = paths.up(figure.y, [tick for tick, _ in figure.y.ticks])
    for place, (_, text) in zip(places, figure.y.ticks, strict=True):
        lines = _lines(figure.y, text)
        first = 0.36 - 0.6 * (len(lines) - 1)
        spans = "".join(
            f'<tspan x="-8" dy="{first if n == 0 else 1.2:.2f}em">{escape(line)}</tspan>'
            for n, line in enumerate(lines)
        )
        parts.append(f'<text class="y" y="{share(place)}" text-anchor="end">{spans}</text>')
    wide = sum(len(text) * LETTER_PX + 12 for _, text in figure.x.ticks)
    for n, (tick, text) in enumerate(figure.x.ticks):
        at, spare = share(paths.across(figure.x, [tick])[0]), wide > 260 and n % 2
        spans = "".join(
            f'<tspan x="{at}" dy="{LINE_PX if m else 16}">{escape(line)}</tspan>'
            for m, line in enumerate(_lines(figure.x, text))
        )
        kind = "x spare" if spare and not figure.x.names else "x"
        parts.append(f'<text class="{kind}" y="100%" text-anchor="middle">{spans}</text>')
    return f'<g class="ticks">{"".join(parts)}</g>{_titles(figure, room)}'


def _titles(figure: Figure, room: Room) -> str:
    below = max((len(_lines(figure.x, text)) for _, text in figure.x.ticks), default=0)
    across = "".join(
        f'<text class="title" x="50%" y="100%" dy="{12 + LINE_PX * (below + n + 1)}" '
        f'text-anchor="middle">{escape(line)}</text>'
        for n, line in enumerate(figure.x.title.split("\n") if figure.x.title else ())
    )
    title = escape(figure.y.title)
    return f'{across}<text class="title" x="{8 - room.left}" y="-9">{title}</text>'


def _labels(figure: Figure, height: int) -> str:
    """Names at the ends of curves, moved apart, and those of limits."""
    found = list[tuple[float, Series]]()
    early = list[str]()
    for one in figure.series:
        y = paths.up(figure.y, one.y) / FIELD
        known = np.flatnonzero(np.isfinite(y))
        if not one.label or not len(known):
            continue
        x, up = paths.across(figure.x, one.x)[known[-1]], float(np.clip(y[known[-1]], 0, 1))
        if x < _EARLY * FIELD:
            at = f'x="{share(x)}" dx="7" y="{100 * up:.1f}%"'
            early.append(f'<text{group(one)} {at} dy=".36em">{_short(one.label)}</text>')
        else:
            found.append((up * height, one))
    places = list[float]()
    for y_px, _ in sorted(found, key=lambda pair: pair[0]):
        places.append(max(y_px, places[-1] + LINE_PX) if places else y_px)
    over = max(places[-1] - height, 0.0) if places else 0.0
    ends = "".join(
        f'<text{group(one)} x="100%" dx="8" y="{y_px - over:.0f}" dy=".36em">'
        f"{_short(one.label)}</text>"
        for y_px, (_, one) in zip(places, sorted(found, key=lambda pair: pair[0]), strict=True)
    )
    limits = "".join(_limit_label(*one) for one in placed(figure, height))
    return f'<g class="ends">{ends}{"".join(early)}</g><g class="limits">{limits}</g>'


def _short(label: str) -> str:
    return escape(textwrap.shorten(label, _LABEL_LETTERS, placeholder="…"))


def _limit_label(one: Limit, label: Label) -> str:
    """The text beside the line, 4 pixels from it."""
    begins = label.anchor == "start"
    x = label.left if begins else label.right
    kind = ' class="x"' if one.axis == "x" else ""
    return (
        f'<text{kind} x="{share(x * FIELD)}" dx="{4 if begins else -4}" '
        f'y="{share(label.bottom * FIELD)}" dy="-4" text-anchor="{label.anchor}">'
        f"{escape(one.label)}</text>"
    )
