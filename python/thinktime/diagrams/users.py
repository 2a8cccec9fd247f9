"""The diagram of a population: arrivals, requests, the system, and the loop of its sessions."""

from __future__ import annotations

from thinktime.diagrams import kinds
from thinktime.diagrams.board import (
    LINE,
    Board,
    Point,
    wrapped,
)
from thinktime.diagrams.kinds import LEFT, RIGHT
from thinktime.diagrams.population import Kind, Population, percent
from thinktime.present import units
from thinktime.present.page import Diagram
from thinktime.present.table import Cell, Group, Line, Table

_FLOW = 60.0
"""The line from one box to the next."""

_BESIDE = _FLOW + 16
_LOOP = 12.0
_SYSTEM = 34.0  # the height of the box that stands for the system
_SYSTEM_WIDE = RIGHT - 50 - LEFT
_OUT = LEFT + _SYSTEM_WIDE - 20
ROWS_MAX = 60
"""At most this many kinds stand in a table, the most visited ones."""

HEADINGS = ("share", "begins with it", "followed by", "more")


def diagram_of(people: Population, title: str) -> Diagram:
    """A population as a diagram."""
    board = Board()
    top = _comes(board, people)
    bottom, leaves = kinds.draw(board, people, top)
    served = _served(board, people, bottom)
    height = _goes_on(board, people, top, served, leaves)
    words = words_of(people)
    return Diagram(title, board.svg(height, f"{title}. {words}"), words, table(people, title))


def _comes(board: Board, people: Population) -> float:
    """The origin of sessions; returns where the requests begin."""
    if people.model == "closed":
        y = 14.0
        for n, one in enumerate(people.comes):
            y = board.lines((LEFT, y), one, RIGHT - LEFT, "small" if n else "strong")
        return y - 2
    board.circle((_FLOW, 11), 6, "source")
    y = 15.0
    for n, one in enumerate(people.comes):
        y = board.lines((_BESIDE, y), one, RIGHT - _BESIDE, "small" if n else "strong")
    top = max(y - 2, 40.0)
    board.arrow([(_FLOW, 17), (_FLOW, top)])
    return top


def _served(board: Board, people: Population, y: float) -> float:
    """The system that receives requests; returns where its box ends."""
    begin = y + LINE + 2
    for one in people.limits:
        begin = board.lines((_BESIDE, begin), one, RIGHT - 40 - _BESIDE)
    begin += 4
    board.arrow([(_FLOW, y), (_FLOW, begin)])
    board.box((LEFT, begin), (_SYSTEM_WIDE, _SYSTEM), "system")
    board.text((LEFT + 12, begin + 21), "the system", 220, "strong")
    return begin + _SYSTEM


def _goes_on(
    board: Board, people: Population, top: float, served: float, leaves: Point | None
) -> float:
    """The steps after the answer; returns the height of the picture."""
    y = served + 22
    if people.loops:
        board.arrow([(_FLOW, served), (_FLOW, y)])
        y = _thinks(board, people, top, y, beside=bool(people.leaves) and leaves is None)
    if not people.leaves:
        board.text((LEFT, y + 20), "nobody leaves: each asks again", RIGHT - LEFT, "small")
        return y + 28
    if not people.loops:
        board.arrow([(_FLOW, served), (_FLOW, y)])
        board.circle((_FLOW, y + 7), 6, "sink")
        board.text((_BESIDE, y + 11), people.leaves, RIGHT - _BESIDE, "small")
        return y + 20
    x, begin = leaves or (_OUT, served)
    out = y + 16
    board.arrow([(x, begin), (x, out - 6)])
    board.circle((x, out), 6, "sink")
    words = wrapped(people.leaves, x - 14 - LEFT, "small", 2)
    for n, one in enumerate(words):
        board.text((x - 14, out + 4 + LINE * n), one, x - 14 - LEFT, "small", "end")
    return out + LINE * len(words) - 2


def _thinks(board: Board, people: Population, top: float, y: float, *, beside: bool) -> float:
    """The think time and the path back; beside it may be an exit. Returns where it ends."""
    wide = _SYSTEM_WIDE - (44 if beside else 0)
    words = wrapped(people.think, wide - 30, "", 2)
    high = 14 + LINE * len(words)
    board.box((LEFT, y), (wide, high), "think", 15)
    for n, one in enumerate(words):
        board.text((LEFT + 15, y + 19 + LINE * n), one, wide - 30)
    middle = y + high / 2
    back = [(LEFT, middle), (_LOOP, middle), (_LOOP, top + 18), (LEFT, top + 18)]
    board.arrow(back, "loop")
    return y + high


def words_of(people: Population) -> str:
    """The same in sentences."""
    shown, rest = kinds.drawn(people)
    parts = [f"{people.model.replace('-', ' ')}: {', '.join(people.comes) or 'sessions come'}"]
    parts += [people.chooses] if people.chooses else []
    named = ", ".join(_named(one) for one in shown)
    parts.append(f"requests {named}{f'; {rest}' if rest else ''}")
    parts += list(people.limits)
    after = [one for one in (people.think, people.leaves or "never leaves") if one]
    parts.append(f"after the answer a session {' and '.join(after)}")
    return ". ".join(part[:1].upper() + part[1:] for part in parts) + "."


def _named(one: Kind) -> str:
    return one.name if one.share is None else f"{one.name} {percent(one.share)}"


def table(people: Population, title: str) -> Table:
    """All kinds of request with all their followers."""
    kept = sorted(people.kinds, key=lambda one: -(one.share or 0.0))[:ROWS_MAX]
    lines = [
        Line(
            one.name,
            [
                Cell("" if one.share is None else percent(one.share)),
                Cell(percent(one.first) if one.first else ""),
                Cell(", ".join(f"{name} {percent(share)}" for name, share in one.following)),
                Cell("; ".join(one.facts)),
            ],
        )
        for one in people.kinds
        if one in kept
    ]
    left = len(people.kinds) - len(lines)
    if left:
        lines.append(Line(f"and {units.count(left)} more", [Cell("")] * len(HEADINGS)))
    return Table("", title, "request", HEADINGS, [Group(lines)]).without_empty()
