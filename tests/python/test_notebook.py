"""In notebooks: results as tables and charts, reports from Python, and inputs as dicts."""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cases
import numpy as np
import pytest
from test_report_page import EVIL, Page

import thinktime as tt
from thinktime.inputs.dicts import toml_of
from thinktime.present.picture import Picture
from thinktime.report.case import cases as cases_of
from thinktime.report.charts import CHARTS

SYSTEM = {"name": "s", "station": [{"name": "server", "demand": "exp(10ms)"}]}
WORKLOAD: dict[str, Any] = {
    "name": "shop",
    "seed": 1,
    "arrivals": {"model": "open", "rate": "80/s"},
    "request": [{"name": "item", "get": "/"}, {"name": "list", "get": "/list", "weight": 2}],
}


def simulated(workload: Any = WORKLOAD, system: Any = SYSTEM, **more: Any) -> tt.Result:
    return tt.simulate(workload, system, requests=5000, **more)


@pytest.fixture(scope="module")
def result() -> tt.Result:
    return simulated()


# ---- tables


def test_a_result_is_a_table_with_its_figures_and_the_exact_ones(result: tt.Result) -> None:
    shown = Page(result._repr_html_())
    p90 = 1e3 * result.summary["response_time_s"]["p90"]
    for text in ("5,000 requests", f"{p90:.0f} ms", "230 ms", "M/M/1", "on average"):
        assert text in shown.text.replace("\xa0", " "), text
    assert not {tag for tag, _ in shown.tags} & {"script", "link", "img", "iframe"}


def test_a_result_shows_its_tail_in_little_room(result: tt.Result) -> None:
    shown = Page(result._repr_html_())
    (tail,) = [found for tag, found in shown.tags if tag == "svg" and found.get("role") == "img"]
    assert int(tail["width"]) <= 600
    assert int(tail["height"]) <= 360
    assert "p50" in tail["aria-label"]


def test_a_result_without_requests_says_so() -> None:
    idle = {"name": "idle", "arrivals": {"model": "open", "rate": "0.001/s"}}
    nothing = tt.simulate(idle, SYSTEM, duration="1s", warmup=0)
    assert nothing.summary["requests"] == 0
    assert "no request" in Page(nothing._repr_html_()).text
    with pytest.raises(tt.InputError, match="`tail`: there is nothing to draw"):
        nothing.chart("tail")


def test_what_a_foreign_result_says_is_text_and_no_markup() -> None:
    result = simulated()
    result.summary["warnings"] = [EVIL]
    shown = Page(result._repr_html_())
    assert EVIL in shown.text
    assert not [tag for tag, _ in shown.tags if tag in ("script", "img")]


# ---- charts


def test_the_page_lists_all_charts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    rows = page.partition("| chart | shows |")[2].partition("\n\n")[0].splitlines()
    listed = {name for row in rows if row for name in re.findall("`(.+?)`", row.split("|")[1])}
    assert listed == {one.name for one in CHARTS}


def test_a_chart_is_the_one_of_the_report(result: tt.Result) -> None:
    picture = result.chart("tail")
    assert isinstance(picture, Picture)
    (tail,) = [one for one in CHARTS if one.name == "tail"]
    drawing = tail.draw(cases_of([result]))
    assert drawing is not None
    (panel,) = drawing.panels
    values = picture.values
    assert values.columns == ["panel", "series", "x", "y", "low", "high"]
    for one in panel.figure.series:
        own = values.filter(series=one.name)
        np.testing.assert_array_equal(own["x"], one.x)
        np.testing.assert_array_equal(own["y"], one.y)
    assert len(panel.figure.series) == 2
    shown = Page(picture._repr_html_())
    assert "How long the slowest wait" in shown.text
    assert {tag for tag, _ in shown.tags} <= {
        "div", "svg", "style", "rect", "text", "tspan", "line", "path", "g", "image",
    }  # fmt: skip


def test_panels_lie_one_below_the_other_each_with_its_title(result: tt.Result) -> None:
    drawn = ElementTree.fromstring(result.chart("by_name").svg())
    outer = [one for one in drawn if one.tag.endswith("svg")]
    tops = [float(one.attrib["y"]) for one in outer]
    heights = [float(one.attrib["height"]) for one in outer]
    assert len(outer) == 2
    assert tops[0] + heights[0] < tops[1]
    assert tops[1] + heights[1] < float(drawn.attrib["height"])
    texts = ["".join(one.itertext()) for one in drawn.iter() if one.tag.endswith("text")]
    assert {"item", "list", "How long each kind of request takes"} <= set(texts)


def test_a_chart_is_a_file_that_needs_no_page(result: tt.Result, tmp_path: Any) -> None:
    """Other programs know no variables of a page's style."""
    path = result.chart("heat").save(tmp_path / "heat.svg")
    text = path.read_text("utf-8")
    assert ElementTree.fromstring(text).attrib["width"] == "960"
    assert "var(" not in text
    assert "data:image/png;base64," in text
    assert result.chart("tail").save(str(tmp_path / "tail.html")).read_text().startswith("<!")
    with pytest.raises(ValueError, match=r"tail\.png: a chart is written as \.svg or \.html"):
        result.chart("tail").save(tmp_path / "tail.png")
    with pytest.raises(ValueError, match="at least 300 pixels wide, not 20"):
        result.chart("tail").svg(20)


@pytest.mark.parametrize(("name", "why"), [("tial", "no such chart"), ("pages", "nothing to draw")])
def test_another_chart_is_an_error_that_lists_those_there_are(
    result: tt.Result, name: str, why: str
) -> None:
    known = "`tail`, `heat`, `by_name`, `in_system`, `throughput`"
    message = f"chart `{name}`: there is {why}; this result has {known}"
    with pytest.raises(tt.InputError, match=message):
        result.chart(name)


def test_every_chart_is_named_where_the_method_is_documented() -> None:
    documented = tt.Result.chart.__doc__ or ""
    assert all(f"`{one.name}`" in documented for one in CHARTS)


# ---- reports


def test_a_report_is_written_of_one_result_or_several(result: tt.Result, tmp_path: Any) -> None:
    one = tt.report(result, tmp_path / "one.html")
    same = tt.report([result], str(tmp_path / "same.html"))
    assert (one, same) == (tmp_path / "one.html", tmp_path / "same.html")
    assert one.read_bytes() == same.read_bytes()
    both = tt.report(
        [result, simulated(cases.closed_model(5, "exp(10ms)"))], tmp_path / "both.html"
    )
    assert "closed, 5 clients" in Page(both.read_text("utf-8")).text
    assert "closed, 5 clients" not in Page(one.read_text("utf-8")).text


# ---- dicts


def test_a_dict_is_what_its_file_would_be(result: tt.Result) -> None:
    text = (
        'name = "shop"\nseed = 1\n[arrivals]\nmodel = "open"\nrate = "80/s"\n'
        '[[request]]\nname = "item"\nget = "/"\n[[request]]\nname = "list"\nget = "/list"\n'
        "weight = 2\n"
    )
    system = tt.System('name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n')
    assert simulated(tt.Workload(text), system).summary == result.summary
    other = {**WORKLOAD, "arrivals": {"model": "open", "rate": "70/s"}}
    assert simulated(other).summary != result.summary


def test_texts_and_numbers_of_all_kinds_stay_what_they_are() -> None:
    import tomllib

    given = {
        "quoted \"key\"": "a\\b\n\t\x7f\u20ac\U0001f600'\"",
        "yes": True, "numbers": [1, 2.5, 1e300],
        "table": {"of": [{"tables": False, "deep": {"er": {}}}, {}], "after": 1},
        "none": [], "numpy": np.float64(0.5),
    }  # fmt: skip
    assert tomllib.loads(toml_of(given)) == given


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        (
            {"name": "w", "arrivals": {"rate": [1, None]}},
            r"`arrivals.rate\[2\]`: NoneType is nothing",
        ),
        ({"name": "w", "request": [{}, {"get": b"/"}]}, r"`request\[2\].get`: bytes is nothing"),
        (
            {"name": "w", "arrivals": {"model": "oepn"}},
            "^the dict of the workload: `arrivals.model`: .*`oepn`",
        ),
        (WORKLOAD | {"arrivals": {"model": "open"}}, "^the dict of the workload: arrivals: needs"),
        (
            WORKLOAD | {"request": [{"name": "a", "get": "/"}, {"name": "b", "weight": "x"}]},
            r"^the dict of the workload: `request\[2\]\.weight`: must be a number, not",
        ),
        (WORKLOAD | {"session": {"thnik": 1}}, "^the dict of the workload: `session.thnik`: unkn"),
        ({}, "^the dict of the workload: "),
        (80, "a workload is a Workload, the path of a file, or a dict, not int"),
    ],
)
def test_a_wrong_dict_is_told_by_its_key(workload: Any, words: str) -> None:
    with pytest.raises(tt.InputError, match=words):
        tt.simulate(workload, SYSTEM)


def test_a_wrong_dict_of_a_system_is_told_by_its_key() -> None:
    station = {"name": "server", "demand": "exp(5mx)"}
    with pytest.raises(tt.InputError) as told:
        tt.simulate(WORKLOAD, SYSTEM | {"station": [station]})
    assert str(told.value).startswith("the dict of the system: station[1].demand: unknown unit")
    assert repr(type(told.value)) == "<class 'thinktime.InputError'>"
    with pytest.raises(tt.RunError) as failed:
        tt.run(WORKLOAD, "http://127.0.0.1:1", duration=1)
    assert traceback.format_exception_only(failed.value)[0].startswith(
        "thinktime.UnreachableError: "
    )


def test_other_commands_take_dicts_too(tmp_path: Any) -> None:
    with tt.serve(SYSTEM, workload=WORKLOAD) as server:
        measured = tt.run(WORKLOAD, server.url, duration=0.5, demands=SYSTEM)
    assert measured.summary["requests"] > 0
    slo = {**WORKLOAD, "slo": {"p99": "500ms"}}
    assert tt.capacity(slo, SYSTEM, requests=2000, precision=0.3).verdict


# ---- sweeps


def test_a_sweep_of_dicts_is_that_of_files_and_texts(tmp_path: Any) -> None:
    vary = {"load": [0.5, np.float64(0.8)], "station.server.policy": ["fcfs", "ps"]}
    found = tt.sweep(WORKLOAD, SYSTEM, vary, requests=1000)
    texts = ["load=0.5,0.8", "station.server.policy=fcfs,ps"]
    (tmp_path / "w.toml").write_text(toml_of(WORKLOAD))
    (tmp_path / "s.toml").write_text(toml_of(SYSTEM))
    assert found.equals(tt.sweep(tmp_path / "w.toml", tmp_path / "s.toml", texts, requests=1000))
    assert found["load"].to_list() == [0.5, 0.5, 0.8, 0.8]
    ranged = tt.sweep(WORKLOAD, SYSTEM, {"load": "0.5..0.8/2"}, requests=1000)
    assert ranged["load"].to_list() == [0.5, 0.8]


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({"load": []}, "`load`: a key and at least one value"),
        ({"load": [0.5, 0.5]}, "`load`: a value is given twice"),
        ({"load": [0.5, None]}, "`load`: NoneType is nothing"),
        ({"load": 0.5}, "`load`: its values are a list"),
        ({"load": "0.5..0.9"}, "write load=0.5..0.9/5"),
        ("load=0.5,0.6", r'write \["load=0.5,0.6"\]'),
        ({"load": [{}]}, "`load`: dict is nothing that varies: write a text, a number, true or"),
    ],
)
def test_what_cannot_be_varied_is_told(vary: Any, words: str) -> None:
    with pytest.raises(tt.InputError, match=words):
        tt.sweep(WORKLOAD, SYSTEM, vary)


CYCLE: dict[str, Any] = {"name": "c"}
CYCLE["arrivals"] = CYCLE


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (CYCLE, "nested too deeply, or holds itself"),
        ({"name": "a\ud800"}, "no character"),
        ({"\ud800": 1}, "no character"),
        ({"name": "a", "seed": np.array([1, 2])}, "`seed`: ndarray is nothing that a file has"),
    ],
)
def test_a_dict_that_no_file_can_hold_is_refused(workload: dict[str, Any], said: str) -> None:
    with pytest.raises(tt.InputError, match=said):
        tt.simulate(workload, {"name": "s"}, requests=10)


@pytest.mark.parametrize("given", [float("nan"), float("inf")])
def test_an_option_that_is_no_finite_number_is_named(given: float) -> None:
    with pytest.raises(tt.InputError, match="duration: must be a finite number"):
        tt.simulate(WORKLOAD, SYSTEM, duration=given)
