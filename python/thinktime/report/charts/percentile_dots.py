"""Response times of many names in one picture: a row a name, with a dot a percentile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinktime.present import axes, units
from thinktime.present.chart import Drawing, Key, Panel
from thinktime.present.figure import INK, SHADES, Figure, Series
from thinktime.present.percentile import backed
from thinktime.report.case import Case, Entry
from thinktime.results.independent_requests import worth
from thinktime.theory.law import FloatArray

_PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_SHADES = {"p50": SHADES[0], "p95": SHADES[1], "p99": SHADES[3]}
_ROWS_MAX = 30
_ROW = 24

Curve = tuple[Case, Entry, str, FloatArray]
"""The response times of one name in seconds, rising."""


def drawing(curves: Sequence[Curve], what: str) -> Drawing:
    """The percentiles of each curve that its requests bear; the longest are on top."""
    several = len({(case.place, entry.words) for case, entry, *_ in curves}) > 1
    rows = {_name(curve, several): _percentiles(curve) for curve in curves}
    shown = dict(sorted(rows.items(), key=lambda one: -max(one[1].values()))[:_ROWS_MAX])
    drawn = [name for name in _PERCENTILES if any(name in row for row in shown.values())]
    known = [value for row in shown.values() for value in row.values()]
    across = axes.log(min(known), max(known), "time", "response time")
    up = axes.downward(axes.categories(list(shown)))
    series = [_bars(shown), *(_dots(shown, name) for name in drawn)]
    figure = Figure(across, up, 70 + _ROW * len(shown), series)
    keys = [Key(name, _SHADES[name], mark="dot", group=name) for name in drawn]
    left = f"{len(shown)} of {units.count(len(rows))} are drawn: those with the longest times."
    words = f"{what}. {'; '.join(_words(name, row) for name, row in shown.items())}."
    return Drawing([Panel(figure, words)], keys, note=left if len(rows) > len(shown) else "")


def _name(curve: Curve, several: bool) -> str:
    case, entry, name, _ = curve
    return f"{name}: {case.label}, {entry.words}" if several else name


def _percentiles(curve: Curve) -> dict[str, float]:
    """The median, which every curve has, and those that it has enough requests for."""
    _, entry, _, times = curve
    many = worth(entry.result.summary, len(times))
    known = {name: p for name, p in _PERCENTILES.items() if name == "p50" or backed(name, many)}
    return {name: max(float(np.quantile(times, p)), 1e-9) for name, p in known.items()}


def _bars(rows: dict[str, dict[str, float]]) -> Series:
    """From the first to the last known percentile of each row."""
    low, high = ([end(row.values()) for row in rows.values()] for end in (min, max))
    places = list(range(len(rows)))
    return Series("points", low, places, "", INK, low=low, high=high, spread="across",
                  words=[_words(*one) for one in rows.items()])  # fmt: skip


def _dots(rows: dict[str, dict[str, float]], name: str) -> Series:
    found = [(row[name], place) for place, row in enumerate(rows.values()) if name in row]
    x, y = [one for one, _ in found], [place for _, place in found]
    return Series("points", x, y, name, _SHADES[name], marks="dot", size=9, group=name)


def _words(name: str, row: dict[str, float]) -> str:
    return f"{name}: {', '.join(f'{one} {units.seconds(value)}' for one, value in row.items())}"
