"""The diagram of a system: its parts one below the other, in the order of requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.diagrams import glyphs, steps
from thinktime.diagrams.board import LINE, Board
from thinktime.diagrams.kinds import RIGHT
from thinktime.diagrams.parts import Part, parts_of
from thinktime.present import units
from thinktime.present.page import Diagram
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import System

PARTS_MAX = 12
"""At most this many parts are drawn; a number stands for the rest."""

BEHAVIOURS_MAX = 4
"""At most this many behaviours are drawn: the first ones. The file, among the sources, has all."""

_FLOW = 60.0
_BESIDE = 100.0


def diagrams_of(system: System, title: str) -> list[Diagram]:
    """The parts of a system, and each behaviour of its requests."""
    whole = system.tables
    parts, behaviours = parts_of(whole), whole["behaviour"]
    found = [_parts(parts, title, flows=not behaviours)] if parts else []
    for one in behaviours[:BEHAVIOURS_MAX]:
        found.append(steps.diagram_of(one, whole, title))
    return found


def target_of(target: str) -> Diagram:
    """A real server, of which only the address is known."""
    board = Board()
    board.circle((_FLOW, 11), 6, "source")
    board.text((_FLOW + 16, 15), "requests", 200, "small")
    board.arrow([(_FLOW, 17), (_FLOW, 40)])
    board.box((30, 40), (RIGHT - 30, 62), "system")
    board.text((42, 62), target, RIGHT - 54, "strong")
    board.text((42, 62 + LINE + 4), "a real server: its inside is not known", RIGHT - 54, "small")
    board.arrow([(_FLOW, 102), (_FLOW, 124)])
    board.circle((_FLOW, 131), 6, "sink")
    board.text((_FLOW + 16, 135), "answers", 200, "small")
    words = f"Requests go to 1 real server, {target}, whose inside is not known."
    return Diagram("the target", board.svg(144, words), words, None)


def _parts(parts: Sequence[Part], title: str, *, flows: bool) -> Diagram:
    """The parts as one path through all of them, or as parts that behaviours use."""
    shown = parts[:PARTS_MAX]
    ways = [one for one in shown if flows and one.form != "places"]
    board, y = Board(), -12.0
    if ways:
        y = _end(board, "source", "requests", 4.0)
    for one in ways:
        board.arrow([(_FLOW, y), (_FLOW, y + 22)])
        y = _part(board, one, y + 22, _FLOW, _BESIDE, flows=True)
    left = len(parts) - len(shown)
    if left:
        board.text((_BESIDE, y + LINE), f"and {units.counted(left, 'more part')}", 240, "small")
        y += LINE + 4
    if ways:
        board.arrow([(_FLOW, y), (_FLOW, y + 22)])
        y = _end(board, "sink", "answers", y + 22)
    for one in shown:
        if one not in ways:
            y = _part(board, one, y + 20, _FLOW, _BESIDE, flows=False)
    words = words_of(parts)
    return Diagram(title, board.svg(y + 8, f"{title}. {words}"), words, table(parts, title))


def _end(board: Board, kind: str, words: str, y: float) -> float:
    """The beginning or the end of a path."""
    board.circle((_FLOW, y + 7), 6, kind)
    board.text((_FLOW + 16, y + 11), words, 200, "small")
    return y + 13


def _part(board: Board, one: Part, y: float, x: float, beside: float, *, flows: bool) -> float:
    """A part with its words; returns where it ends."""
    below = board.lines((beside, y + 12), one.name, RIGHT - beside, "strong", 1)
    for fact in one.facts:
        below = board.lines((beside, below), fact, RIGHT - beside)
    ends = glyphs.draw(board, one, (x, y))
    below -= LINE - 4
    if not one.each:
        if one.form != "places" and ends < below and flows:
            board.line([(x, ends), (x, below)], "flow")
        return max(ends, below)
    return _inside(board, one, max(ends, below) + 8, x)


def _inside(board: Board, one: Part, y: float, x: float) -> float:
    """The servers of a cluster, and the parts of each."""
    board.line([(x, y - 8), (x, y)], "flow")
    y = glyphs.servers(board, one.number, (x, y))
    top, frame = y + 4, Board()
    y = top + 18
    who = "the server" if one.number == 1 else f"each of the {units.count(one.number)} servers"
    frame.text((42, y), who, RIGHT - 60, "small")
    y -= 6
    for part in one.each:
        y = _part(frame, part, y + 20, x + 8, _BESIDE + 12, flows=False)
    board.box((30, top), (RIGHT - 30, y + 10 - top), "frame")
    board.add(frame)
    return y + 10


def words_of(parts: Sequence[Part]) -> str:
    """The parts in sentences."""
    return " ".join(_sentence(one) for one in parts[:PARTS_MAX])


def _sentence(one: Part) -> str:
    inner = [f"{part.name}: {', '.join(part.facts)}" for part in one.each]
    return f"{one.name}: {'; '.join([', '.join(one.facts), *inner])}."


def table(parts: Sequence[Part], title: str) -> Table:
    """The parts, and those of each server of a cluster."""
    lines = []
    for one in parts:
        lines.append(Line(one.name, [Cell("; ".join(one.facts))]))
        lines += [
            Line(f"{one.name}: {each.name}", [Cell("; ".join(each.facts))]) for each in one.each
        ]
    return Table("", title, "part", ("what it is",), [Group(lines)])
