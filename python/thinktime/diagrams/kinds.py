"""A population's kinds of request and their order, as a part of a diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thinktime.diagrams.board import (
    LINE,
    Board,
    Point,
    width_of,
)
from thinktime.diagrams.population import (
    END,
    Kind,
    Population,
    percent,
)
from thinktime.present import units
from thinktime.present.page import colour

LEFT, RIGHT = 30.0, 346.0
"""The width of each box."""

DRAWN_MAX = 8
STEPS_MAX = 6
"""At most this many kinds of a journey are drawn, the most visited; a share stands for the rest."""

FOLLOWING_MAX = 5

_NAME, _NEXT, _LANES = LEFT + 24, 166.0, 262.0
"""The left edges of names, of the following kinds, and of the lanes."""

_PLACE = LEFT + 12
_INSIDE = RIGHT - LEFT - 24


def drawn(people: Population) -> tuple[list[Kind], str]:
    """The drawn kinds, in the order of the file, and the rest in words."""
    most = STEPS_MAX if people.is_journey else DRAWN_MAX
    order = sorted(people.kinds, key=lambda one: -(one.share or 0.0))
    kept = {id(one) for one in order[:most]}
    shown = [one for one in people.kinds if id(one) in kept]
    left = len(people.kinds) - len(shown)
    if not left:
        return shown, ""
    shares = [one.share for one in order[most:] if one.share is not None]
    share_words = f": {percent(sum(shares))} of the requests" if shares else ""
    return shown, f"and {units.count(left)} more kind{'s' if left > 1 else ''}{share_words}"


def draw(board: Board, people: Population, top: float) -> tuple[float, Point | None]:
    """Draw them below a height; returns where the box ends, and where ended journeys leave it."""
    shown, rest = drawn(people)
    frame = Board()
    y = top + 20
    if people.chooses:
        y = frame.lines((_PLACE, y), people.chooses, _INSIDE) + 4
    if people.is_journey:
        y, leaves = _journey(frame, shown, y, "ends" if people.model == "closed" else "leaves")
    else:
        y, leaves = _drawn_anew(frame, shown, y), None
    if rest:
        frame.text((_PLACE, y), rest, _INSIDE, "small")
        y += LINE
    bottom = y - 6
    board.box((LEFT, top), (RIGHT - LEFT, bottom - top))
    board.add(frame)
    if leaves is not None:
        board.line([leaves, (leaves[0], bottom)], "lane")
        leaves = leaves[0], bottom
    return bottom, leaves


def _drawn_anew(board: Board, shown: Sequence[Kind], y: float) -> float:
    """Each kind with its share: the kind before it does not matter."""
    for place, one in enumerate(shown):
        share_words = "" if one.share is None else percent(one.share)
        room = _INSIDE - (width_of(share_words, "strong") + 12 if share_words else 0)
        board.text((_PLACE, y), one.name, room, "strong")
        if one.share is not None:
            board.text((RIGHT - 12, y), share_words, 80, "strong", "end")
            board.bar((_PLACE, y + 5), max(2.0, _INSIDE * one.share), colour(place))
            y += 8
        y += LINE
        for fact in one.facts:
            y = board.lines((_PLACE, y), fact, _INSIDE)
        y += 6
    return y


@dataclass(frozen=True)
class _Lanes:
    """A lane for each kind that has a predecessor, and one for the end, from left to right."""

    places: Mapping[str, float]
    colours: Mapping[str, str]
    leaves: str
    """What a session does at the end of its journey."""

    met: dict[str, list[float]]
    """The heights at which lines meet each lane."""

    @classmethod
    def of(cls, shown: Sequence[Kind], leaves: str) -> _Lanes:
        """The lanes of the drawn kinds."""
        names = [one.name for one in shown if one.name != END]
        come_to = {name for one in shown for name, _ in one.following[:FOLLOWING_MAX]}
        lanes = [name for name in (*names, END) if name in come_to]
        gap = (RIGHT - 10 - _LANES) / max(1, len(lanes) - 1)
        places = {name: _LANES + n * gap for n, name in enumerate(lanes)}
        colours = {name: colour(n) for n, name in enumerate(names)} | {END: ""}
        return cls(places, colours, leaves, {name: [] for name in lanes})


def _journey(
    board: Board, shown: Sequence[Kind], y: float, leaves: str
) -> tuple[float, Point | None]:
    """Each kind with lines to its followers; returns the ends of the box and of the end's lane."""
    lanes = _Lanes.of(shown, leaves)
    for one in shown:
        its_colour = lanes.colours[one.name]
        if one.name in lanes.places and one.name != END:
            lanes.met[one.name].append(y - 4)
            board.arrow([(lanes.places[one.name], y - 4), (_NEXT - 6, y - 4)], "lane", its_colour)
        below = _step(board, one, its_colour, y)
        y = max(below, _following(board, one, y + LINE, lanes)) + 8
    for name, x in lanes.places.items():
        met = lanes.met[name]
        if len(met) > 1:
            board.line([(x, min(met)), (x, max(met))], "lane", lanes.colours[name])
    last = (lanes.places[END], max(lanes.met[END])) if END in lanes.places else None
    return y, last


def _step(board: Board, one: Kind, its_colour: str, y: float) -> float:
    """The name of a kind, and below it the facts about it."""
    room = _NEXT - 10 - _NAME
    board.circle((_PLACE + 2, y - 4), 5, "place", its_colour)
    board.text((_NAME, y), one.name, room, "strong")
    y += LINE
    share_words = [] if one.share is None else [f"{percent(one.share)} of requests"]
    share_words += [f"{percent(one.first)} begin here"] if one.first else []
    for fact in (*share_words, *one.facts):
        y = board.lines((_NAME, y), fact, room)
    return y


def _following(board: Board, one: Kind, y: float, lanes: _Lanes) -> float:
    """Its followers, the most probable first; lines go to the lanes of drawn kinds."""
    room = _LANES - 12 - _NEXT
    for name, share in one.following[:FOLLOWING_MAX]:
        words = f"{percent(share)} {lanes.leaves if name == END else name}"
        board.text((_NEXT, y), words, room, "small")
        if name in lanes.places:
            x, its_colour = lanes.places[name], lanes.colours[name]
            board.line([(_LANES - 8, y - 4), (x, y - 4)], "lane", its_colour, 1 + 2.5 * share)
            board.circle((x, y - 4), 2.5, "place", its_colour)
            lanes.met[name].append(y - 4)
        y += LINE
    left = one.following[FOLLOWING_MAX:]
    if left:
        words = f"{percent(sum(share for _, share in left))} others"
        board.text((_NEXT, y), words, room, "small")
        y += LINE
    return y
