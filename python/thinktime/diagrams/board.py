"""The board of diagrams: boxes, lines with arrows, and texts cut to the available room.

A diagram is SVG within the page: its colours are those of the page's style, so that it follows
light, dark and print without a script. It is as wide as a phone, and words beside it say the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from thinktime.present import units

WIDTH = 360
"""The width of all diagrams, in units that are a pixel on a phone."""

LINE = 16
"""The distance between two lines of text."""

SIZES = {"": 12.5, "strong": 12.5, "small": 11.5}
"""The sizes of texts by their kind, as in page.css."""

_HEAD = 6.0  # the length of an arrow's head
_NARROW = "iljftrI.,:;'|!()[]{} \u00a0\u202f"
_WIDE = "mwMW@%\u2014\u2026"

Point = tuple[float, float]


class Board:
    """A picture in progress; y grows downwards."""

    def __init__(self) -> None:
        self._items: list[Markup] = []

    def add(self, other: Board) -> None:
        """Copy another board onto this one."""
        self._items += other._items

    def text(
        self, at: Point, words: str, room: float, kind: str = "", anchor: str = "start"
    ) -> None:
        """A line of text whose baseline begins, or ends, at a point; cut to its room."""
        shown = fitted(words, room, kind)
        full = Markup("<title>{}</title>").format(words) if shown != words else Markup("")
        self._items.append(
            Markup('<text x="{:g}" y="{:g}" class="{}" text-anchor="{}">{}{}</text>').format(
                *at, kind or "plain", anchor, full, shown
            )
        )

    def lines(
        self, at: Point, words: str, room: float, kind: str = "small", most: int = 2
    ) -> float:
        """A text in lines; returns the y of the line after the last."""
        x, y = at
        for one in wrapped(words, room, kind, most):
            self.text((x, y), one, room, kind)
            y += LINE
        return y

    def box(self, at: Point, size: Point, kind: str = "part", radius: float = 5) -> None:
        """A rectangle by its left upper corner."""
        self._items.append(
            Markup(
                '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="{:g}" class="{}"></rect>'
            ).format(*at, *size, radius, kind)
        )

    def bar(self, at: Point, width: float, colour: str) -> None:
        """A bar for a share."""
        self._items.append(
            Markup(
                '<rect x="{:g}" y="{:g}" width="{:.1f}" height="4" rx="2" fill="{}"></rect>'
            ).format(*at, width, colour)
        )

    def circle(self, at: Point, radius: float, kind: str = "part", colour: str = "") -> None:
        """A circle by its centre; filled if it has a colour."""
        fill = Markup(' style="fill: {}"').format(colour) if colour else Markup("")
        self._items.append(
            Markup('<circle cx="{:g}" cy="{:g}" r="{:g}" class="{}"{}></circle>').format(
                *at, radius, kind, fill
            )
        )

    def line(
        self, points: Sequence[Point], kind: str = "flow", colour: str = "", width: float = 0.0
    ) -> None:
        """A line through points."""
        parts = [f"stroke: {colour}"] if colour else []
        parts += [f"stroke-width: {width:.1f}"] if width else []
        style = "; ".join(parts)
        way = " L".join(f"{x:g} {y:g}" for x, y in points)
        more = Markup(' style="{}"').format(style) if style else Markup("")
        self._items.append(Markup('<path d="M{}" class="{}"{}></path>').format(way, kind, more))

    def arrow(self, points: Sequence[Point], kind: str = "flow", colour: str = "") -> None:
        """A line that ends with a head."""
        (x, y), (before_x, before_y) = points[-1], points[-2]
        long = max(abs(x - before_x), abs(y - before_y)) or 1.0
        dx, dy = (x - before_x) / long * _HEAD, (y - before_y) / long * _HEAD
        self.line([*points[:-1], (x - 0.7 * dx, y - 0.7 * dy)], kind, colour)
        corners = [(x, y), (x - dx - dy / 2, y - dy + dx / 2), (x - dx + dy / 2, y - dy - dx / 2)]
        fill = Markup(' style="fill: {}"').format(colour) if colour else Markup("")
        way = " L".join(f"{a:.1f} {b:.1f}" for a, b in corners)
        self._items.append(Markup('<path d="M{}Z" class="head"{}></path>').format(way, fill))

    def svg(self, height: float, words: str) -> Markup:
        """The picture, with a description for readers who cannot see it."""
        return Markup(
            '<svg class="diagram" viewBox="0 0 {} {:g}" preserveAspectRatio="xMinYMin meet" '
            'role="img" aria-label="{}">{}</svg>'
        ).format(WIDTH, height, escape(words), Markup("").join(self._items))


def width_of(words: str, kind: str = "") -> float:
    """The greatest width of a text, in any font of the reader."""
    bold = 1.06 if kind == "strong" else 1.0
    return SIZES.get(kind, SIZES[""]) * bold * sum(map(_em, words))


def fitted(words: str, room: float, kind: str = "") -> str:
    """The text, or the longest beginning that has room."""
    words = _spaced(words)
    if width_of(words, kind) <= room:
        return words
    kept = ""
    for letter in words:
        if width_of(f"{kept}{letter}\u2026", kind) > room:
            break
        kept += letter
    return f"{kept.rstrip()}\u2026"


def wrapped(words: str, room: float, kind: str, most: int) -> list[str]:
    """The text in at most `most` lines; the last one is cut if more text is left."""
    found = list(_wrapped(words, room, kind))
    if len(found) > most:
        found[most - 1] = fitted(" ".join(found[most - 1 :]), room, kind)
    return found[:most]


def _wrapped(words: str, room: float, kind: str) -> Iterator[str]:
    line = ""
    for word in _spaced(units.unbroken(words)).split(" "):
        longer = f"{line} {word}".strip()
        if line and width_of(longer, kind) > room:
            yield line
            longer = word
        line = longer
    if line:
        yield line


def _spaced(words: str) -> str:
    """With one space between words; spaces that do not break stay."""
    return re.sub(r"[ \t\r\n]+", " ", words).strip()


def _em(letter: str) -> float:
    """The width of a letter in a wide font, as a share of its size."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in _NARROW:
        return 0.38
    if letter in _WIDE:
        return 0.98
    return 0.7 if letter.isupper() else 0.62
