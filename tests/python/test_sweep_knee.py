"""The knee of a sweep, against its closed form for M/G/1, and the chart that marks it."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from thinktime.present.figure import SHADES
from thinktime.present.page import render
from thinktime.sweeps import parse
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.knee import knee_of
from thinktime.sweeps.report import report_of

LOADS = [n / 100 for n in range(2, 99)]


def row(load: float, cv2: float, mean_s: float = 0.01, **more: Any) -> dict[str, Any]:
    """A point as the formula of Pollaczek and Khinchine has it."""
    response = mean_s * (1 + load * (1 + cv2) / (2 * (1 - load)))
    times = {f"response_{name}_s": k * response for name, k in
             (("mean", 1), ("p50", 0.7), ("p90", 2.3), ("p99", 4.6), ("p99.9", 6.9))}  # fmt: skip
    rate = load / mean_s
    counts = {"requests": 10_000, "errors": 0, "independent_requests": 10_000.0}
    return times | counts | {"load": load, "offered_rate": rate, "throughput": rate} | more


@pytest.mark.parametrize("cv2", [0.0, 0.5, 1.0, 4.0, 25.0])
def test_it_is_where_the_closed_form_has_it(cv2: float) -> None:
    found = knee_of([row(load, cv2) for load in LOADS])
    assert found is not None
    exact = 1 / (1 + math.sqrt((1 + cv2) / 2))
    assert found["load"] == pytest.approx(exact, abs=0.0051)  # the points are 0.01 apart


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row(0.5, 1.0), row(0.6, 1.0)],
        [row(load, 1.0) for load in LOADS if load > 0.55],  # beyond it
        [row(load, 1.0) for load in LOADS if load < 0.45],  # before it
        [row(0.5, 1.0, cv) for cv in (0.0100, 0.0101, 0.0102)],  # all of one load
        [row(load, 1.0) | {"response_mean_s": None} for load in LOADS],
    ],
    ids=["none", "two", "beyond", "before", "one load", "no times"],
)
def test_where_there_is_none_none_is_told(rows: list[dict[str, Any]]) -> None:
    assert knee_of(rows) is None


def swept(requests: int) -> SweepCurves:
    counts = {"requests": requests, "independent_requests": float(requests)}
    rows = [row(n / 20, 1.0, **counts, point=n) for n in range(1, 20)]
    return SweepCurves(pl.DataFrame(rows), [parse("load=0.05..0.95/19")], measured=False)


def test_it_is_marked_and_told() -> None:
    shown = swept(10_000)
    page = report_of(shown).page
    assert any("knee" in one and one.endswith("is at load 0.5.") for one in page.headline.findings)
    section = next(one for one in page.sections if one.name == "percentiles")
    assert section.drawing is not None
    figure = section.drawing.panels[0].figure
    assert [one.name for one in figure.series] == ["p50", "p90", "p99", "p99.9"]
    assert [one.colour for one in figure.series] == list(SHADES)
    assert [one.at for one in figure.limits] == [pytest.approx(50.0)]
    assert "greatest, is at 50.0/s" in section.drawing.panels[0].words
    assert "Percentiles against the offered load" in render(page)


def test_percentiles_without_the_data_for_them_are_not_drawn() -> None:
    shown = swept(500)  # p99.9 needs 3,688
    page = report_of(shown).page
    section = next(one for one in page.sections if one.name == "percentiles")
    assert section.drawing is not None
    names = [one.name for one in section.drawing.panels[0].figure.series]
    assert names == ["p50", "p90", "p99"]
