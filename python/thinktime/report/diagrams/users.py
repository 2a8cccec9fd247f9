"""The diagram of a population: arrivals, requests, the system, and the loop of its sessions."""

from __future__ import annotations

from thinktime.report import units
from thinktime.report.diagrams import kinds
from thinktime.report.diagrams.board import LINE, Board, Point
from thinktime.report.diagrams.kinds import LEFT, RIGHT
from thinktime.report.diagrams.population import Population, percent
from thinktime.report.page import Diagram
from thinktime.report.table import Cell, Group, Line, Table

_FLOW = 60.0
"""Where the way from one box to the next is."""

_BESIDE = _FLOW + 16
_LOOP = 12.0
_SYSTEM = 34.0  # the height of the box that stands for the system
_OUT = RIGHT - 10.0
ROWS_MAX = 60
"""So many kinds stand in a table, the most visited ones."""

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
    """Where sessions come from; gives where the requests begin."""
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
    """The system that requests go to; gives where its box ends."""
    begin = y + LINE + 2
    for one in people.limits:
        begin = board.lines((_BESIDE, begin), one, RIGHT - 40 - _BESIDE)
    begin += 4
    board.arrow([(_FLOW, y), (_FLOW, begin)])
    board.box((LEFT, begin), (RIGHT - 50 - LEFT, _SYSTEM), "system")
    board.text((LEFT + 12, begin + 21), "the system", 220, "strong")
    return begin + _SYSTEM


def _goes_on(
    board: Board, people: Population, top: float, served: float, leaves: Point | None
) -> float:
    """What happens after the answer; gives the height of the picture."""
    y = served + 22
    if people.loops:
        board.arrow([(_FLOW, served), (_FLOW, y)])
        board.box((LEFT, y), (RIGHT - 50 - LEFT, 30), "think", 15)
        board.text((LEFT + 14, y + 19), people.think, RIGHT - 78 - LEFT)
        back = [(LEFT, y + 15), (_LOOP, y + 15), (_LOOP, top + 18), (LEFT, top + 18)]
        board.arrow(back, "loop")
        y += 30
    if not people.leaves:
        board.text((LEFT, y + 20), "nobody leaves: each asks again", RIGHT - LEFT, "small")
        return y + 28
    if not people.loops:
        board.arrow([(_FLOW, served), (_FLOW, y)])
        board.circle((_FLOW, y + 7), 6, "sink")
        board.text((_BESIDE, y + 11), people.leaves, RIGHT - _BESIDE, "small")
        return y + 20
    x, begin = leaves or (_OUT - 54, served)
    out = y + 16
    board.arrow([(x, begin), (x, out - 6)])
    board.circle((x, out), 6, "sink")
    board.text((x - 14, out + 4), people.leaves, x - 14 - LEFT, "small", "end")
    return out + 14


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


def _named(one: kinds.Kind) -> str:
    return one.name if one.share is None else f"{one.name} {percent(one.share)}"


def table(people: Population, title: str) -> Table:
    """All kinds of request with all that follows them."""
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
