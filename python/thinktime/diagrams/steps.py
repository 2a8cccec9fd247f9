"""The diagram of a behaviour: its steps one below the other, parallel steps indented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from thinktime.diagrams.board import LINE, Board
from thinktime.diagrams.kinds import RIGHT
from thinktime.present import units
from thinktime.present.page import Diagram, colour
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime._core_types import BehaviourTable, StepTable, SystemFile

STEPS_MAX = 40
"""At most this many steps are drawn; a number stands for the rest."""

DEPTH_MAX = 8
"""Deeper forks are not indented any further."""

_WAY = 60.0
_INDENT = 22.0
_HELD = 8.0  # between the lines of held pools

Sign = Literal["use", "delay", "acquire", "release", "fork", "branch", "join", "other"]


@dataclass(frozen=True)
class StepWords:
    """A step in words."""

    sign: Sign
    name: str
    more: str = ""
    depth: int = 0
    """The number of forks around it."""

    @property
    def words(self) -> str:
        """The step within a sentence."""
        begin = {"acquire": "takes a place of ", "release": "gives back a place of "}
        return f"{begin.get(self.sign, '')}{self.name}{f' ({self.more})' if self.more else ''}"


def diagram_of(behaviour: BehaviourTable, system: SystemFile, title: str) -> Diagram:
    """The behaviour of requests of one name, or of all that have none of their own."""
    name = behaviour["request"]
    named = any(one["request"] is not None for one in system["behaviour"])
    whose = f"requests {name}" if name is not None else f"all {'other ' * named}requests"
    steps = list(_step_words(behaviour["steps"], system, name))
    board = Board()
    board.circle((_WAY, 11), 6, "source")
    board.text((_WAY + 16, 15), whose, RIGHT - _WAY - 16, "small")
    y = _drawn(board, steps[:STEPS_MAX], 17.0)
    left = len(steps) - STEPS_MAX
    if left > 0:
        board.text((_WAY + 16, y + LINE), f"and {units.counted(left, 'more step')}", 200, "small")
        y += LINE
    board.arrow([(_WAY, y), (_WAY, y + 20)])
    board.circle((_WAY, y + 26), 6, "sink")
    board.text((_WAY + 16, y + 30), "answers", 200, "small")
    words = f"Steps of {whose}, {len(steps)} in all: {'; '.join(one.words for one in steps)}."
    svg = board.svg(y + 40, f"{title}. {words}")
    lines = [Line(f"{n}", [Cell(one.words)]) for n, one in enumerate(steps, 1)]
    table = Table("", f"{title}: {whose}", "step", ("what happens",), [Group(lines)])
    return Diagram(f"{title}: {whose}", svg, words, table)


def _step_words(
    steps: Sequence[StepTable], system: SystemFile, request: str | None, depth: int = 0
) -> Iterator[StepWords]:
    """All steps in their order, parallel ones one after another."""
    for step in steps:
        if step["use"] is not None:
            yield StepWords("use", step["use"], _demand(step, system, request), depth)
        elif step["delay"] is not None:
            disk = " for a disk" if step["disk"] else ""
            yield StepWords("delay", f"waits{disk}", units.law(str(step["delay"])), depth)
        elif step["acquire"] is not None:
            yield StepWords("acquire", step["acquire"], "", depth)
        elif step["release"] is not None:
            yield StepWords("release", step["release"], "", depth)
        elif step["fork"] is not None:
            branches = step["fork"]
            yield StepWords(
                "fork", f"{units.count(len(branches))} things at the same time", "", depth
            )
            for n, branch in enumerate(branches, 1):
                yield StepWords("branch", f"{n} of {len(branches)}", "", depth + 1)
                yield from _step_words(branch, system, request, depth + 1)
            yield StepWords("join", "continues when all are done", "", depth)
        else:
            given = (f"{key} {value}" for key, value in step.items() if value)
            yield StepWords("other", ", ".join(given), "", depth)


def _demand(step: StepTable, system: SystemFile, request: str | None) -> str:
    """The step's own demand, or the one that its part has for the request."""
    demand: object = step["demand"]
    if demand is None:
        parts = (*system["station"], *system["machine"], *system["service"])
        demand = next((one["demand"] for one in parts if one["name"] == step["use"]), None)
        demand = demand.get(request) if isinstance(demand, Mapping) else demand
    return "" if demand is None else units.law(str(demand))


def _drawn(board: Board, steps: Sequence[StepWords], y: float) -> float:
    """The steps along their path; returns where the last one ends."""
    held: dict[str, float] = {}
    for one in steps:
        x = _WAY + min(one.depth, DEPTH_MAX) * _INDENT
        after = y + (20 if one.sign in ("use", "delay", "other") else 14)
        if one.sign == "branch":
            board.line([(x, y + 4), (x, after + 12)], "flow")
        else:
            (board.arrow if after - y > 14 else board.line)([(x, y), (x, after)])
        y = _row(board, one, x, after)
        for depth in range(min(one.depth, DEPTH_MAX)):
            way = _WAY + depth * _INDENT
            board.line([(way, after - 20), (way, y)], "waits")
        _hold(board, one, held, y)
    return y


def _row(board: Board, one: StepWords, x: float, y: float) -> float:
    """A step below its path; returns where it ends."""
    room = RIGHT - x - 18
    if one.sign == "use":
        board.circle((x, y + 10), 10)
    elif one.sign == "delay":
        board.box((x - 9, y + 1), (18, 18), "think", 9)
        board.line([(x, y + 4), (x, y + 10), (x + 4, y + 12)], "shape")
    elif one.sign in ("fork", "join"):
        board.box((x - 8, y), (_INDENT + 16, 4), "bar", 1)
        board.text((x + _INDENT + 16, y + 7), one.name, room - _INDENT, "small")
        return y + 4
    elif one.sign == "other":
        board.box((x - 9, y + 1), (18, 18), "part", 2)
    else:
        board.line([(x, y), (x, y + 16)])
        board.text((x + 16, y + 8), one.words, room, "small")
        return y + 16
    board.text((x + 18, y + (9 if one.more else 14)), one.name, room, "strong")
    if one.more:
        board.text((x + 18, y + 9 + LINE - 1), one.more, room, "small")
        board.line([(x, y + 20), (x, y + 26)])
        return y + 26
    return y + 20


def _hold(board: Board, one: StepWords, held: dict[str, float], y: float) -> None:
    """A line beside the path for as long as a place of a pool is held."""
    if one.sign == "acquire":
        held[one.name] = y - 12
    elif one.sign == "release" and one.name in held:
        place = list(held).index(one.name)
        x = 40 - _HELD * min(place, 3)
        begin = held.pop(one.name)
        way = [(x + 8, begin), (x, begin), (x, y - 4), (x + 8, y - 4)]
        board.line(way, "held", colour(place))
