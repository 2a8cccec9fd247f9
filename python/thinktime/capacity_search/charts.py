"""The charts of a capacity."""

from __future__ import annotations

import math

import polars as pl

from thinktime.capacity_search.answer import Capacity
from thinktime.present import axes, units
from thinktime.present.axes import Axis
from thinktime.present.chart import Chart, Drawing, Key, Panel
from thinktime.present.figure import INK, Figure, Limit, Series
from thinktime.present.page import colour

_SHARE_MAX = 20.0
_MET, _NOT_MET, _FOUND = "var(--met)", "var(--failed)", colour(1)
_VERDICTS = (
    ("met", "SLO met", _MET),
    ("cannot tell", "cannot tell", INK),
    ("not met", "not met", _NOT_MET),
)


def _draw(found: Capacity) -> Drawing | None:
    if not len(found.probes):
        return None
    known = found.probes.filter(pl.col("margin").is_not_null())
    if not len(known):
        return None
    unknown = found.probes.filter(pl.col("margin").is_null())
    keys, series = list[Key](), list[Series]()
    for verdict, name, shade in _VERDICTS:
        part = known.filter(pl.col("slo") == verdict)
        if len(part):
            series.append(_points(part, name, shade, found.unit))
            keys.append(Key(name, shade, mark="dot", group=name))
    for verdict, name, shade in _VERDICTS:
        part = unknown.filter(pl.col("slo") == verdict)
        if len(part):
            series.append(_without_figure(part, name, shade, found.unit))
            keys.append(Key(f"{name}, without a figure (drawn at 1)", shade, mark="cross"))
    limits = _limits(found)
    if found.value is not None:
        keys.append(Key("capacity and its 95 % interval", _FOUND))
    figure = Figure(*_scales(found, known), 440, series, limits)
    return Drawing([Panel(figure, _words(found))], keys)


def _points(probes: pl.DataFrame, name: str, shade: str, unit: str) -> Series:
    shares = [_share(margin) for margin in probes["margin"]]
    factors = [math.exp(1.96 * error) for error in probes["standard_error"]]
    pairs = list(zip(shares, factors, strict=True))
    return Series(
        "points", probes["value"].to_list(), shares, name, shade, marks="dot", size=8, group=name,
        low=[share / factor for share, factor in pairs],
        high=[share * factor for share, factor in pairs], words=_hover(probes, unit),
    )  # fmt: skip


def _without_figure(probes: pl.DataFrame, name: str, shade: str, unit: str) -> Series:
    return Series(
        "points", probes["value"].to_list(), [1.0] * len(probes), name, shade,
        marks="cross", words=_hover(probes, unit),
    )  # fmt: skip


def _hover(probes: pl.DataFrame, unit: str) -> list[str]:
    pairs = zip(probes["value"], probes["why"], strict=True)
    return [f"{units.amount(value, unit)}: {why}" for value, why in pairs]


def _share(margin: float) -> float:
    return min(math.exp(margin), _SHARE_MAX)


def _limits(found: Capacity) -> list[Limit]:
    """The limit, and the capacity with its interval."""
    limits = [Limit(1.0, "y", "allowed", strong=True)]
    if found.value is None:
        return limits
    label = units.amount(found.value, found.unit)
    limits.append(Limit(found.value, "x", label, _FOUND, "solid", width=1.5))
    if found.low is not None and found.high is not None:
        limits.append(Limit(found.low, "x", colour=_FOUND, until=found.high))
    return limits


def _scales(found: Capacity, known: pl.DataFrame) -> tuple[Axis, Axis]:
    values = found.probes["value"].to_list()
    what = f"{found.what} ({found.unit})" if found.unit != found.what else found.what
    shares = [1.0]
    for margin, error in zip(known["margin"], known["standard_error"], strict=True):
        shares += [_share(margin) * math.exp(sign * 1.96 * error) for sign in (-1, 1)]
    low, high = max(min(shares), 1e-3), min(max(shares), 2 * _SHARE_MAX)
    up = axes.log(low, high, "number", "measured / allowed, of the worst objective")
    return axes.log(min(values), max(values), "number", what), up


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
