"""The tasks on each core over time: a row for each core, from the schedules of machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thinktime.present import axes, units
from thinktime.present.chart import Chart, Drawing, Key
from thinktime.present.chart import Panel as Picture
from thinktime.present.figure import Figure, Series
from thinktime.present.page import colour
from thinktime.report.case import Case
from thinktime.report.charts.turns import Core, Move, Schedule, Turn, schedule_of, window

_ROW_HEIGHT = 30
_FRAME_HEIGHT = 72  # room for ticks and an axis title
_ROWS_MAX = 32  # cores of one panel


@dataclass(frozen=True)
class _Panel:
    """The drawn part of one schedule."""

    case: Case
    turns: Sequence[Turn]
    moves: Sequence[Move]
    view_s: tuple[float, float]
    rows: Mapping[Core, int]
    """Each core's row, the first one on top."""

    cores: int
    """The number of cores, including those without a row."""


def _draw(cases: Sequence[Case]) -> Drawing | None:
    panels = _panels(cases)
    if not panels:
        return None
    names = list(dict.fromkeys(name for panel in panels for name in _names(panel.case)))
    shown = {turn.name for panel in panels for turn in panel.turns}
    keys = [
        Key(name, colour(place), mark="box", group=name)
        for place, name in enumerate(names)
        if name in shown
    ]
    if any(panel.moves for panel in panels):
        keys.append(Key("a task is moved", group="moves"))
    last = panels[-1]
    pictures = [
        Picture(_figure(panel, names, panel is last), _words(panel), _title(panel))
        for panel in panels
    ]
    return Drawing(pictures, keys, linked=True)


def _figure(panel: _Panel, names: Sequence[str], last: bool) -> Figure:
    several = len({core.machine for core in panel.rows}) > 1
    rows = [
        f"{core.machine}, core {core.number}" if several else f"core {core.number}"
        for core in panel.rows
    ]
    title = "time since the start of the run" if last else ""
    across = axes.linear(*panel.view_s, "time", title)
    up = axes.downward(axes.categories(rows))
    height = max(2, len(rows)) * _ROW_HEIGHT + _FRAME_HEIGHT
    return Figure(across, up, height, _series(panel, names))


def _title(panel: _Panel) -> str:
    n = len(panel.rows)
    more = f" (the first {n} of {panel.cores} cores)" if n < panel.cores else ""
    return panel.case.label + more


def _words(panel: _Panel) -> str:
    """The number of events in the view."""
    begin, end = panel.view_s
    turns = [turn for turn in panel.turns if turn.until_s > begin and turn.from_s < end]
    moves = [move for move in panel.moves if begin <= move.at_s <= end]
    tasks = {turn.task for turn in turns}
    return (
        f"Turns of tasks at {units.counted(len(panel.rows), 'core')}: from "
        f"{units.seconds(begin)} to {units.seconds(end)} {units.counted(len(turns), 'turn')} of "
        f"{units.counted(len(tasks), 'task')} and {units.counted(len(moves), 'move')}."
    )


def _panels(cases: Sequence[Case]) -> list[_Panel]:
    """The first schedule of each case, in the same stretch of time if that is readable."""
    found: list[tuple[Case, Schedule]] = []
    for case in cases:
        schedules = (schedule_of(entry.result) for entry in case.entries)
        schedule = next((one for one in schedules if one is not None), None)
        if schedule is not None:
            found.append((case, schedule))
    if not found:
        return []
    covered_s = min(max(turn.until_s for turn in one.turns) for _, one in found)
    first = found[0][1].turns
    common = window([turn for turn in first if turn.until_s <= covered_s] or first)
    return [_panel(case, one, window(one.turns, common)) for case, one in found]


def _panel(case: Case, schedule: Schedule, view: tuple[float, float]) -> _Panel:
    rows = {core: place for place, core in enumerate(schedule.cores[:_ROWS_MAX])}
    turns = [turn for turn in schedule.turns if turn.core in rows]
    inside = [turn for turn in turns if turn.until_s >= view[0] and turn.from_s <= view[1]]
    begin, end = view
    moves = [
        move
        for move in schedule.moves
        if begin <= move.at_s <= end and move.source in rows and move.to in rows
    ]
    return _Panel(case, inside, moves, view, rows, len(schedule.cores))


def _names(case: Case) -> list[str]:
    return list(dict.fromkeys(case.entries[0].result.workload.request_names))


def _series(panel: _Panel, names: Sequence[str]) -> list[Series]:
    """The turns of each request name, and the moves above them."""
    found = []
    for place, name in enumerate(names):
        turns = [turn for turn in panel.turns if turn.name == name]
        if turns:
            found.append(_turns(panel, turns, name, colour(place)))
    return [*found, *_moves(panel)] if panel.moves else found


def _turns(panel: _Panel, turns: Sequence[Turn], name: str, fill: str) -> Series:
    begin, end = panel.view_s
    return Series(
        "turns", [turn.from_s for turn in turns], [panel.rows[turn.core] for turn in turns],
        name, fill, group=name,
        low=[max(turn.from_s, begin) for turn in turns],
        high=[min(turn.until_s, end) for turn in turns],
        texts=[str(turn.task) for turn in turns], words=[_turn_words(turn) for turn in turns],
    )  # fmt: skip


def _turn_words(turn: Turn) -> str:
    where = f"{turn.core.machine}, core {turn.core.number}"
    return (
        f"task {turn.task}, session {turn.session}: {units.seconds(turn.length_s)} on {where}, "
        f"from {turn.from_s:.6f} s to {turn.until_s:.6f} s"
    )


def _moves(panel: _Panel) -> list[Series]:
    """From the row of the core that gives up a task to the row of the core that takes it."""
    x, y, low, high, marks, words = [], [], [], [], [], list[str]()
    for move in panel.moves:
        source, to = panel.rows[move.source], panel.rows[move.to]
        edge = 0.3 if to > source else -0.3  # so that the task's number stays legible
        x.append(move.at_s)
        y.append(to - edge)
        low.append(min(source + edge, to - edge))
        high.append(max(source + edge, to - edge))
        marks.append("down" if to > source else "up")
        words.append(
            f"task {move.task} moves from core {move.source.number} to {move.to.number} "
            f"at {move.at_s:.6f} s"
        )
    return [
        Series("points", x, y, "a task is moved", "var(--ink)", marks=marks, low=low, high=high,
               words=words, group="moves")
    ]  # fmt: skip


CHART = Chart(
    name="schedule",
    title="Tasks on each core",
    caption="Each bar is a turn of a task at a core, with the task's number if it fits; gaps are "
    "times when the core is idle. The stretch is a busy one. The file "
    "schedule.json of the result directory, which thinktime simulate -o writes, holds more turns "
    "and opens in ui.perfetto.dev.",
    draw=_draw,
    needed=False,
)
