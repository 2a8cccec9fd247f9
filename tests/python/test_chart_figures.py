"""What charts draw: limits, what the data bear, clipped scales, rows of words, and tiles."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Sequence
from typing import Any

import fakes
import numpy as np
import page_subjects
import polars as pl
import pytest
from fakes import BIMODAL, one, open_

from thinktime.monitor import live_page
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.objectives import ObjectiveState
from thinktime.monitor.tiles import tiles_of
from thinktime.operations.run_progress import Moment, ObjectiveMoment
from thinktime.present import axes, paths, svg, svg_words
from thinktime.present.figure import Figure, Limit, Series
from thinktime.present.figure_json import json_of
from thinktime.report.case import cases
from thinktime.report.charts import heat, tail
from thinktime.sweeps import charts, grid
from thinktime.sweeps.curves import SweepCurves

OBJECTIVES = [
    {"name": "p99", "of": None, "limit": 0.25, "value": 0.3, "interval": None, "verdict": "x",
     "words": ""},
    {"name": "page_p99", "of": None, "limit": 0.5, "value": 0.3, "interval": None, "verdict": "x",
     "words": ""},
    {"name": "errors", "of": None, "limit": 0.01, "value": 0.0, "interval": None, "verdict": "x",
     "words": ""},
    {"name": "p99", "of": "buyers", "limit": 0.7, "value": 0.3, "interval": None, "verdict": "x",
     "words": ""},
]  # fmt: skip


def drawn(chart: Any, subject: Any) -> Figure:
    drawing = chart.draw(subject)
    assert drawing is not None
    figure: Figure = drawing.panels[0].figure
    return figure


def simulated(requests: int = 2000) -> Any:
    return fakes.result("simulate", open_(0.8 / BIMODAL.mean), one(BIMODAL), requests)


# ---- objectives, and what the data bear


def test_objectives_for_response_times_of_all_are_lines_in_tail_and_heat_map() -> None:
    result = simulated()
    result.summary["objectives"] = OBJECTIVES
    found = cases([result])
    across, up = drawn(tail.CHART, found).limits, drawn(heat.CHART, found).limits
    assert [(one.axis, one.at, one.label) for one in across] == [("x", 0.25, "p99 ≤ 250 ms")]
    assert [(one.axis, one.at, one.label) for one in up] == [("y", 0.25, "p99 ≤ 250 ms")]
    figure = drawn(tail.CHART, found)
    assert figure.x.low < 0.25 < figure.x.high


@pytest.mark.parametrize("requests", [300, 3000, 30_000])
def test_a_tail_is_faint_from_where_its_requests_do_not_bound_it(requests: int) -> None:
    """Beyond a percentile at least one request lies, with a probability of 97.5 %."""
    result = simulated(requests)
    curve = drawn(tail.CHART, cases([result])).series[0]
    share, known = np.asarray(curve.y), curve.known
    assert known is not None
    independent = min(requests, result.summary.get("independent_requests") or requests)
    bound = 1 - 0.025 ** (1 / independent)
    assert share[known - 1] >= bound
    assert (share[known:] < bound).all()
    assert known < len(share) or requests > 300
    low, high = np.asarray(curve.low), np.asarray(curve.high)
    assert (low[:known] <= share[:known]).all()
    assert (share[:known] <= high[:known] + 1e-12).all()
    assert np.isnan(low[known:]).all()


def test_one_request_of_decades_less_does_not_stretch_the_heat_map() -> None:
    random = np.random.default_rng(4)
    begun, took = np.sort(random.uniform(0, 100, 20_000)), random.exponential(0.05, 20_000) + 0.01
    took[777] = 1e-8
    found = heat.of_times(begun, took, 100.0)
    assert found.bounds_s[0] > 0.005
    assert 1 <= found.below <= 20
    assert found.counts.sum() + found.below == 20_000


def test_buckets_of_a_live_heat_map_are_joined_and_none_is_lost() -> None:
    counts = np.random.default_rng(5).poisson(3.0, (30, 200)).astype(float)
    counts[:, 0] = 0.0
    counts[3, 0] = 2.0
    bounds = np.geomspace(1e-6, 1.0, 201)
    found = heat.of_buckets(1.0, bounds, counts)
    assert found.counts.shape[1] <= heat.ROWS_MAX
    assert len(found.bounds_s) == found.counts.shape[1] + 1
    assert found.counts.sum() + found.below == pytest.approx(counts.sum())
    assert found.below <= 0.001 * counts.sum()


# ---- sweeps


def point(**more: Any) -> dict[str, Any]:
    plenty = {"requests": 50_000, "independent_requests": 50_000.0, "errors": 0, "untrusted": None}
    return {"response_mean_s": 0.1, "allowed_p99_s": 0.25, **plenty, **more}


def test_a_sweep_first_shows_one_scale_with_bands_and_the_limit() -> None:
    rows = [
        point(load=load, policy=policy, response_p99_s=at, response_p99_low_s=0.9 * at,
              response_p99_high_s=1.2 * at)
        for load in (0.5, 0.9)
        for policy, at in (("fcfs", 0.2 + load), ("srpt", 0.1 + load))
    ]  # fmt: skip
    axes_ = [grid.parse("load=0.5,0.9"), grid.parse("policy=fcfs,srpt")]
    swept = SweepCurves(pl.DataFrame(rows), axes_, measured=False)
    first = charts.CHARTS[0]
    drawing = first.draw(swept)
    assert drawing is not None
    assert len(drawing.panels) == 1
    figure = drawing.panels[0].figure
    assert [one.label for one in figure.series] == ["fcfs", "srpt"]
    assert all(one.spread == "band" for one in figure.series)
    assert list(figure.series[0].high or ()) == pytest.approx([0.84, 1.32])
    assert [(one.axis, one.at) for one in figure.limits] == [("y", 0.25)]


def test_words_are_rows_with_dots_the_quickest_on_top() -> None:
    known = {"fcfs": 0.5, "srpt": 0.2, "ps": 0.3}
    rows = [point(policy=name, response_p99_s=at) for name, at in known.items()]
    swept = SweepCurves(pl.DataFrame(rows), [grid.parse("policy=fcfs,srpt,ps")], measured=True)
    figure = drawn(charts.CHARTS[0], swept)
    assert figure.y.names == ("srpt", "ps", "fcfs")
    assert figure.y.low > figure.y.high  # the first on top
    (series,) = figure.series
    assert series.kind == "points"
    assert dict(zip(series.y, series.x, strict=True)) == {2: 0.5, 0: 0.2, 1: 0.3}
    assert [one.axis for one in figure.limits] == ["x"]


# ---- drawing


def field(figure: Figure) -> str:
    return svg.drawn(figure, svg_words.room_of(figure))


def test_gaps_are_gaps_and_a_value_alone_is_seen() -> None:
    nan = math.nan
    x, y = np.arange(6.0), np.array([1.0, 1.0, nan, 1.0, nan, 1.0])
    assert paths.line(x, y) == "M0 1l1 0M3 1h1M5 1h1"
    assert paths.steps(x, y) == "M0 1h1h1M3 1h1M5 1h1"


def test_values_without_a_logarithm_draw_nothing() -> None:
    up = axes.log(0.1, 10.0, "number")
    series = Series("line", [1.0, 2.0, 3.0], [0.0, 1.0, -1.0], marks="dot")
    text = field(Figure(axes.linear(0, 4, "number"), up, 200, [series]))
    assert "nan" not in text.lower()
    assert text.count('class="dots"') == 1


def test_any_values_can_be_drawn() -> None:
    """2,000 random series, most of whose values have no place on an axis."""
    random = np.random.default_rng(20261129)
    values = [math.nan, math.inf, -math.inf, 0.0, -1.0, 1.0, 2.0, 1e300, 1e-300]
    scales = [axes.log(0.1, 10.0, "number"), axes.linear(0, 4, "number")]

    def some(many: int) -> list[float]:
        return [values[place] for place in random.integers(len(values), size=many)]

    for _ in range(2000):
        many = int(random.integers(5))
        more: dict[str, Any] = (
            {} if random.random() < 0.5 else {"low": some(many), "high": some(many)}
        )
        series = Series(
            random.choice(["line", "step", "points", "turns"]), some(many), some(many),
            marks=random.choice(["", "dot", "cross"]), label=random.choice(["", "name"]),
            spread=random.choice(["bars", "band", "across"]), filled=bool(random.random() < 0.3),
            known=random.choice([None, 0, 2, 5]), **more,
        )  # fmt: skip
        figure = Figure(*random.choice(scales, size=2), 200, [series])
        text = field(figure)
        assert "nan" not in text, series
        assert "inf" not in text, series
        json.loads(json_of(figure), parse_constant=pytest.fail)


@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_band_that_leaves_its_axis_ends_there(axis: Any) -> None:
    """As an interval of a capacity that reaches down to 0, on a logarithmic scale."""
    scale = axes.log(1.0, 100.0, "number")
    limits = [
        Limit(0.0, axis, until=10.0), Limit(-3.0, axis, until=math.inf), Limit(0.0, axis, "none"),
        Limit(math.nan, axis, until=5.0),
    ]  # fmt: skip
    figure = Figure(scale, scale, 200, [Series("line", [1.0, 2.0], [1.0, 2.0])], limits)
    text = field(figure)
    assert "nan" not in text.lower()
    assert text.count('fill-opacity=".15"') == 2
    assert [one.at for one in figure.drawn_limits] == [scale.low, scale.low]
    assert figure.drawn_limits[1].until == scale.high
    assert ">none<" not in text


def test_names_at_the_ends_of_curves_lie_apart() -> None:
    axis = axes.linear(0, 10, "number")
    curves = [Series("line", [0, 10], [5, 5 + n / 50], label=f"curve {n}") for n in range(5)]
    short = Series("line", [0, 2], [1, 1], label="ends early")
    text = field(Figure(axis, axis, 240, [*curves, short]))
    places = [int(one) for one in re.findall(r'x="100%" dx="8" y="(\d+)"', text)]
    assert len(places) == 5
    assert all(b - a >= svg_words.LINE_PX for a, b in itertools.pairwise(places))
    assert re.search(r'x="20%" dx="7" y="90\.0%" dy="\.36em">ends early', text)


@pytest.mark.parametrize("evil", ['<script>alert("1")</script>', '"><img src=x>', "a & b"])
def test_names_are_text(evil: str) -> None:
    axis = axes.linear(0, 1, "number", evil)
    rows = axes.categories([evil])
    series = Series("line", [0, 1], [0, 1], evil, label=evil, group=evil)
    for figure in (
        Figure(axis, axis, 200, [series], [Limit(0.5, "x", evil)]),
        Figure(axis, rows, 200, [Series("turns", [0.2], [0], texts=[evil], low=[0.1], high=[0.9])]),
    ):
        text = field(figure)
        assert evil not in text
        assert "<script" not in text
        assert "<img" not in text


@pytest.mark.parametrize(
    ("axis", "words"),
    [
        (axes.linear(0, 1.5, "time"), ["0 s", "0.5 s", "1 s", "1.5 s"]),
        (axes.linear(0, 600, "time"), ["0 s", "2 min", "4 min", "6 min", "8 min", "10 min"]),
        (axes.linear(0, 0.2, "time"), ["0 ms", "50 ms", "100 ms", "150 ms", "200 ms"]),
        (axes.linear(0, 3000, "number"), ["0", "1,000", "2,000", "3,000"]),
        (axes.log(0.25, 4, "ratio"), ["0.3 ×", "1 ×", "3 ×"]),
        (axes.linear(-0.1, 0.1, "share"), ["−10 %", "−5 %", "0 %", "5 %", "10 %"]),
    ],
)
def test_ticks_are_round_and_of_one_unit(axis: axes.Axis, words: list[str]) -> None:
    assert [text.replace("\xa0", " ") for _, text in axis.ticks] == words


# ---- tiles


def watched(objectives: Sequence[ObjectiveState] = ()) -> list[Any]:
    """Twenty seconds of 100 requests a second; those of the last ten took longer."""
    seen = live_page.Subject(WatchedRun("run", "t", end_s=60.0))
    moment = None
    for second in range(1, 21):
        quick, slow = 100 * min(second, 10), 100 * max(second - 10, 0)
        buckets = [(one, many) for one, many in ((-64, quick), (0, slow)) if many]
        moment = Moment(
            float(second), 3, 100 * second, 98 * second, 0.06, 0.06, 0.0, {},
            response_buckets=buckets,
        )  # fmt: skip
        seen.take(("moment", (moment, 5)))
    assert moment is not None
    return tiles_of(seen.run, seen.history, moment, objectives)


def test_tiles_say_the_last_seconds_and_the_end() -> None:
    objective, p99, done, failed, left = watched()
    assert (objective.value, objective.state) == ("—", "")
    assert (p99.name, p99.value, p99.more) == (
        "p99 of the last 10 s", "1.00 s", "60.0 ms since the start",
    )  # fmt: skip
    assert (done.value, done.more) == ("98.0/s", "of 100/s offered")
    assert (failed.value, failed.more, failed.state) == ("2.0 %", "40 of 2,000 requests", "")
    assert (left.name, left.value) == ("Time left", "40.0 s")


@pytest.mark.parametrize(
    ("state", "said", "words"),
    [
        ("met", "Met so far", "errors 2.0 %, 10 % or less"),
        ("not met", "Not met so far", "p99 300 ms, 250 ms or less"),
        ("cannot tell", "Cannot tell yet", "p99 300 ms, 250 ms or less"),
    ],
)
def test_the_first_tile_is_the_worst_objective(state: str, said: str, words: str) -> None:
    fine = ObjectiveState(ObjectiveMoment("errors", None, 0.1, 0.02), 0.02, "met")
    late = ObjectiveState(ObjectiveMoment("p99", None, 0.25, 0.3), 0.3, state)
    tile = watched([fine, late])[0]
    assert (tile.value, tile.state) == (said, state)
    assert tile.more.replace("\xa0", " ") == words


def test_the_page_of_a_run_begins_with_tiles_and_its_two_charts() -> None:
    page = page_subjects.watched().page()
    assert len(page.tiles) == 5
    assert [one.name for one in page.sections][:2] == ["heat", "throughput"]
    assert page.details[0].name == "now"


def test_discs_lie_where_their_values_are() -> None:
    x, y = np.array([3.0, 10.0, math.nan, 4.0]), np.array([5.0, 1.0, 2.0, 9.0])
    path = paths.dots(x, y)
    assert path == "m3 5h1m6-4h1m-7 8h1"
    assert paths.dots(x[:0], y[:0]) == ""
