"""The tasks on each core over time: a row for each core, from the schedules of machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from thinktime.present import axes, units
from thinktime.present.chart import INK, Chart, Drawing, Key, escape, layout
from thinktime.present.chart import Panel as Picture
from thinktime.present.page import colour
from thinktime.report.case import Case
from thinktime.report.charts.turns import Core, Move, Schedule, Turn, schedule_of, window

_ROW_HEIGHT = 30
_FRAME_HEIGHT = 72  # room for ticks and an axis title
_ROWS_MAX = 32  # cores of one panel
_DRAWN_MAX = 900  # turns of one panel; the first view shows only the window's


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
        keys.append(Key("a task is moved"))
    pictures = [Picture(_figure(panel, names), _words(panel), _title(panel)) for panel in panels]
    pictures[-1].figure.update_xaxes(title_text="time since the start of the run")
    return Drawing(pictures, keys, linked=True)


def _figure(panel: _Panel, names: Sequence[str]) -> go.Figure:
    figure = go.Figure(_traces(panel, names))
    inner = max(2, len(panel.rows)) * _ROW_HEIGHT
    figure.update_layout(layout(inner + _FRAME_HEIGHT, barmode="overlay"))
    figure.update_layout(bargap=0.12, uniformtext={"mode": "hide", "minsize": 9}, margin_t=26)
    several = len({core.machine for core in panel.rows}) > 1
    ticks = [
        escape(f"{core.machine}, core {core.number}" if several else f"core {core.number}")
        for core in panel.rows
    ]
    n = len(panel.rows)
    figure.update_yaxes(
        tickvals=list(range(n)), ticktext=ticks, range=[n - 0.5, -0.5], fixedrange=True,
        automargin=True, showgrid=False, zeroline=False,
    )  # fmt: skip
    figure.update_xaxes(axes.linear(*panel.view_s, "time") | {"zeroline": False})
    return figure


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
    after = [turn for turn in turns if turn.from_s > view[1]]
    before = [turn for turn in turns if turn.until_s < view[0]]
    room = max(0, _DRAWN_MAX - len(inside)) // 2
    drawn = [*(before[-room:] if room else []), *inside, *after[:room]]
    begin, end = drawn[0].from_s, max(turn.until_s for turn in drawn)
    moves = [
        move
        for move in schedule.moves
        if begin <= move.at_s <= end and move.source in rows and move.to in rows
    ]
    return _Panel(case, drawn, moves, view, rows, len(schedule.cores))


def _names(case: Case) -> list[str]:
    return list(dict.fromkeys(case.entries[0].result.workload.request_names))


def _traces(panel: _Panel, names: Sequence[str]) -> list[Any]:
    """The turns of each request name, and the moves above them."""
    found = []
    for place, name in enumerate(names):
        turns = [turn for turn in panel.turns if turn.name == name]
        if turns:
            found.append(_bars(panel, turns, name, colour(place)))
    return [*found, _arrows(panel)] if panel.moves else found


def _bars(panel: _Panel, turns: Sequence[Turn], name: str, fill: str) -> go.Bar:
    return go.Bar(
        orientation="h",
        base=[turn.from_s for turn in turns],
        x=[turn.length_s for turn in turns],
        y=[panel.rows[turn.core] for turn in turns],
        customdata=[_hover(turn) for turn in turns],
        text=[str(turn.task) for turn in turns],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        name=escape(name),
        legendgroup=name,
        marker={"color": fill, "line": {"color": "#ffffff", "width": 0.6}},
        meta="turns",
        hovertemplate=(
            "task %{customdata[0]}, session %{customdata[1]}<br>%{customdata[2]} on "
            "%{customdata[3]}<br>from %{customdata[4]} s to %{customdata[5]} s"
            f"<extra>{escape(name)}</extra>"
        ),
    )


def _hover(turn: Turn) -> list[str]:
    where = f"{turn.core.machine}, core {turn.core.number}"
    times = (f"{time:.6f}" for time in (turn.from_s, turn.until_s))
    return [str(turn.task), str(turn.session), units.seconds(turn.length_s), escape(where), *times]


def _arrows(panel: _Panel) -> go.Scatter:
    """From the row of the core that gives up a task to the row of the core that takes it."""
    x: list[float | None] = []
    y: list[float | None] = []
    text, symbols, sizes = [], [], []
    for move in panel.moves:
        source, to = panel.rows[move.source], panel.rows[move.to]
        down = to > source
        edge = 0.3 if down else -0.3  # so that the task's number stays legible
        words = f"task {move.task} moves from core {move.source.number} to {move.to.number}"
        x += [move.at_s, move.at_s, None]
        y += [source + edge, to - edge, None]
        text += [f"{words}<br>at {move.at_s:.6f} s"] * 3
        symbols += ["circle", "triangle-down" if down else "triangle-up", "circle"]
        sizes += [0, 9, 0]
    return go.Scatter(
        x=x, y=y, mode="lines+markers", name="a task is moved", text=text, hoverinfo="text",
        line={"color": INK, "width": 1.2}, meta="moves",
        marker={"symbol": symbols, "size": sizes, "color": INK, "opacity": 1},
    )  # fmt: skip


CHART = Chart(
    name="schedule",
    title="Tasks on each core",
    caption="Each bar is a turn of a task at a core, with the task's number if it fits; gaps are "
    "times when the core is idle. The first view is a busy stretch: drag to zoom. The file "
    "schedule.json of the result directory, which thinktime simulate -o writes, holds more turns "
    "and opens in ui.perfetto.dev.",
    draw=_draw,
    needed=False,
)
