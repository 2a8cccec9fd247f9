"""The charts of a capacity."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import polars as pl

from thinktime.capacity_search.answer import Capacity
from thinktime.present import axes, units
from thinktime.present.chart import INK, Chart, Drawing, Key, Panel, layout, titled
from thinktime.present.page import colour

_SHARE_MAX = 20.0
_MET, _NOT_MET, _FOUND = colour(2), colour(0), colour(1)
_VERDICTS = (
    ("met", "SLO met", _MET),
    ("cannot tell", "cannot tell", INK),
    ("not met", "not met", _NOT_MET),
)


def _draw(found: Capacity) -> Drawing | None:
    if not len(found.probes):
        return None
    known = found.probes.filter(pl.col("margin").is_not_null())
    failed = found.probes.filter(pl.col("margin").is_null())
    keys = []
    figure = go.Figure()
    for verdict, name, shade in _VERDICTS:
        part = known.filter(pl.col("slo") == verdict)
        if len(part):
            figure.add_trace(_points(part, name, shade, found.unit))
            keys.append(Key(name, shade, mark="dot"))
    if len(failed):
        figure.add_trace(_failed(failed, found.unit))
        keys.append(Key("failed without a figure (drawn at 1)", _NOT_MET))
    _limits(figure, found)
    if found.value is not None:
        keys.append(Key("capacity and its 95 % interval", _FOUND))
    figure.update_layout(layout(440))
    _scales(figure, found, known)
    titled(figure, "measured / allowed, of the worst objective")
    return Drawing([Panel(figure, _words(found))], keys)


def _points(probes: pl.DataFrame, name: str, shade: str, unit: str) -> go.Scatter:
    shares = [_share(margin) for margin in probes["margin"]]
    ends = [1.96 * error for error in probes["standard_error"]]
    return go.Scatter(
        x=probes["value"].to_list(), y=shares, mode="markers", name=name,
        text=_hover(probes, unit), hoverinfo="text", marker={"size": 8, "color": shade},
        error_y={
            "array": [y * math.expm1(end) for y, end in zip(shares, ends, strict=True)],
            "arrayminus": [-y * math.expm1(-end) for y, end in zip(shares, ends, strict=True)],
            "thickness": 1, "width": 3,
        },
    )  # fmt: skip


def _failed(probes: pl.DataFrame, unit: str) -> go.Scatter:
    return go.Scatter(
        x=probes["value"].to_list(), y=[1.0] * len(probes), mode="markers",
        text=_hover(probes, unit), hoverinfo="text",
        marker={"symbol": "x", "size": 9, "color": _NOT_MET},
    )  # fmt: skip


def _hover(probes: pl.DataFrame, unit: str) -> list[str]:
    pairs = zip(probes["value"], probes["why"], strict=True)
    return [f"{units.amount(value, unit)}: {why}" for value, why in pairs]


def _share(margin: float) -> float:
    return min(math.exp(margin), _SHARE_MAX)


def _limits(figure: go.Figure, found: Capacity) -> None:
    """The limit, and the capacity with its interval."""
    figure.add_hline(y=1, line={"color": INK, "dash": "dash", "width": 1}, name="ink")
    if found.value is None:
        return
    figure.add_vline(x=found.value, line={"color": _FOUND, "width": 1.5})
    if found.low is not None and found.high is not None:
        figure.add_vrect(x0=found.low, x1=found.high, fillcolor=_FOUND, opacity=0.15, line_width=0)


def _scales(figure: go.Figure, found: Capacity, known: pl.DataFrame) -> None:
    values = found.probes["value"].to_list()
    what = f"{found.what} ({found.unit})" if found.unit != found.what else found.what
    figure.update_xaxes(axes.log(min(values), max(values), "number", what))
    shares = [1.0]
    for margin, error in zip(known["margin"], known["standard_error"], strict=True):
        shares += [_share(margin) * math.exp(sign * 1.96 * error) for sign in (-1, 1)]
    low, high = max(min(shares), 1e-3), min(max(shares), 2 * _SHARE_MAX)
    figure.update_yaxes(axes.log(low, high, "number"))


def _words(found: Capacity) -> str:
    """Every probe with its outcome."""
    rows = found.probes.to_dicts()
    phrases = [
        f"{units.amount(row['value'], found.unit)} {row['slo']}"
        + ("" if row["margin"] is None else f", {units.number(math.exp(row['margin']))}")
        for row in rows
    ]
    return f"Measured over allowed at each probe: {'; '.join(phrases)}."


_PROBES: Chart[Capacity] = Chart(
    name="probes",
    title="How far each probe is from what is allowed",
    caption="Below 1 the objectives are met; bars are 95 % confidence intervals.",
    draw=_draw,
)

CHARTS: list[Chart[Capacity]] = [_PROBES]
"""Charts in the order of the page."""
