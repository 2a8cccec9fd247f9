"""The pictures of a chart as parts of a page, which need no script to be seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from thinktime.present import svg, svg_words
from thinktime.present.figure_json import json_of

if TYPE_CHECKING:
    from markupsafe import Markup

    from thinktime.present.chart import Drawing, Panel
    from thinktime.present.svg_words import Room


@dataclass(frozen=True)
class Plot:
    """One picture, drawn."""

    panel: Panel
    room: Room
    height: int
    """The height of its field in pixels."""

    svg: Markup
    json: Markup
    """Its values, for the page's script: no part may look like its end or a comment."""


def plots_of(drawing: Drawing) -> list[Plot]:
    """The pictures of a chart; those of one horizontal axis begin at the same distance."""
    from markupsafe import Markup

    rooms = rooms_of(drawing)
    return [
        Plot(
            panel,
            room,
            svg_words.field_height(panel.figure),
            Markup(svg.drawn(panel.figure, room)),
            Markup(json_of(panel.figure).replace("<", "\\u003c").replace(">", "\\u003e")),
        )
        for panel, room in zip(drawing.panels, rooms, strict=True)
    ]


def rooms_of(drawing: Drawing) -> list[Room]:
    """The room around each picture."""
    rooms = [svg_words.room_of(panel.figure) for panel in drawing.panels]
    if not drawing.linked:
        return rooms
    left, right = max(one.left for one in rooms), max(one.right for one in rooms)
    return [replace(one, left=left, right=right) for one in rooms]
