"""The script of charts: values under the pointer, legends, zoom, and pictures to save."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import made_pages
import numpy as np
import pytest
from browser import Browser

from thinktime.present import axes, page, units
from thinktime.present.chart import Drawing, Key, Panel
from thinktime.present.figure import Cells, Figure, Limit, Series

POINTER = """
(name, share, up) => {
  const svg = document.querySelector(`#chart-${name} .plot > svg`);
  const box = svg.getBoundingClientRect();
  const at = {
    bubbles: true, pointerType: "mouse",
    clientX: box.left + share * box.width, clientY: box.top + (1 - up) * box.height,
  };
  svg.dispatchEvent(new PointerEvent("pointermove", at));
}
"""
TIP = "document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').textContent"


def point(browser: Browser, chart: str, share: float, up: float) -> str:
    """What is said of a place in a chart, given as shares of its width and height."""
    wait = "new Promise((done) => setTimeout(done, 150))"
    browser.evaluate(f"document.querySelector('#chart-{chart}').scrollIntoView()")
    browser.evaluate(wait)
    browser.evaluate(f"void ({POINTER})('{chart}', {share}, {up})")
    browser.evaluate(wait)
    return str(browser.evaluate(TIP)).replace("\xa0", " ")


def drag(browser: Browser, chart: str, begin: float, end: float, kind: str = "mouse") -> None:
    """Drag across a chart from one share of its width to another."""
    browser.evaluate(
        f"""
        (() => {{
          const svg = document.querySelector("#chart-{chart} .plot > svg");
          const box = svg.getBoundingClientRect();
          for (const [name, share] of [["down", {begin}], ["move", {end}], ["up", {end}]]) {{
            svg.dispatchEvent(new PointerEvent(`pointer${{name}}`, {{
              bubbles: true, pointerType: "{kind}", button: 0, clientY: box.top + 9,
              clientX: box.left + share * box.width,
            }}));
          }}
        }})()
        """
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scripts")
    across, up = axes.linear(0, 10, "time", "t"), axes.log(1e-4, 1.0, "share", "s")
    counts = np.array([[0.0, 3.0], [5000.0, 0.0]])
    curve = Series("line", [2.0, 8.0], [0.01, 0.1], "a <b>", group="a", phrase="{y} by {x}")
    step = Series("step", [0.0, 5.0, 10.0], [1.0, 2.0, 2.0], "n", low=[0.5, 1, 1], high=[2, 3, 3])
    rows = axes.downward(axes.categories(["one", "two"]))
    turns = Series(
        "turns", [1.0, 2.0], [0, 1], "job", low=[1.0, 2.0], high=[3.0, 6.0], words=["j1", "j2"],
        texts=["1", "2"],
    )  # fmt: skip
    cells = Cells(counts, (0.0, 10.0), (1e-4, 1.0), "#096ad0")
    grid = axes.Axis(1e-4, 1.0, "time", "s", is_log=True)
    figures = {
        "curve": [Figure(across, up, 200, [curve], [Limit(4.0, "x", "4 s", strong=True)])],
        "step": [Figure(across, axes.linear(0, 4, "number"), 200, [step])],
        "turns": [Figure(across, rows, 160, [turns])],
        "cells": [Figure(axes.linear(0, 10, "time"), grid, 200, [], [], cells)],
        "linked": [Figure(across, axes.linear(0, 4, "number"), 140, [step])] * 2,
    }
    sections = [
        page.Section(
            name, name.title(), "c",
            Drawing([Panel(one, "1.") for one in found], [Key("a", group="a")], linked=True),
        )
        for name, found in figures.items()
    ]  # fmt: skip
    own = page.Page("own", page.Headline("v"), [], sections)
    made = {"own": own, "report": made_pages.pages()["report"]}
    return {name: page.write(one, folder / f"{name}.html") for name, one in made.items()}


@pytest.fixture
def own(browser: Browser, written: dict[str, Path]) -> Browser:
    browser.complaints.clear()
    browser.open(written["own"], 1000)
    return browser


@pytest.mark.parametrize(
    ("chart", "share", "up", "said"),
    [
        ("curve", 0.2, 0.5, "a <b>\n1 % by 2.00 s"),
        ("curve", 0.5, 0.05, ""),
        ("step", 0.7, 0.5, "n\n2 (1 to 3) at 5.00 s"),
        ("turns", 0.4, 0.25, "job\nj2"),
        ("cells", 0.25, 0.75, "3 requests\n10.0 ms to 1.00 s\nat 0 s to 5.00 s"),
        ("cells", 0.25, 0.25, ""),
    ],
)
def test_the_value_under_the_pointer_is_said(
    own: Browser, chart: str, share: float, up: float, said: str
) -> None:
    assert point(own, chart, share, up) == said
    assert own.complaints == []


def test_many_requests_of_a_cell_are_about_so_many(own: Browser) -> None:
    said = point(own, "cells", 0.75, 0.25)
    assert said.startswith("about 5,")
    assert said.endswith("at 5.00 s to 10.0 s")


def test_a_legend_hides_a_series_and_its_values(own: Browser) -> None:
    shown = "document.querySelector('#chart-curve [data-group=a]').getBoundingClientRect().width"
    assert own.evaluate(shown) > 0
    own.evaluate("document.querySelector('#section-curve .legend button').click()")
    assert own.evaluate(shown) == 0
    assert point(own, "curve", 0.2, 0.5) == ""
    own.evaluate("document.querySelector('#section-curve .legend button').click()")
    assert own.evaluate(shown) > 0


FIELDS = (
    "[...document.querySelectorAll('#section-{} .field')].map((one) => one.getAttribute('viewBox'))"
)
WHOLE = "0 0 10000 10000"


def test_pictures_of_one_time_axis_are_zoomed_together_and_back(own: Browser) -> None:
    drag(own, "linked", 0.5, 0.75)
    fields = own.evaluate(FIELDS.format("linked"))
    assert len(fields) == 2
    for found in fields:
        begin, _, width, _ = (float(one) for one in found.split())
        assert (begin, width) == pytest.approx((5000, 2500), abs=20)
    ticks = (
        "[...document.querySelectorAll('#chart-linked .zoomed text')].map(one => one.textContent)"
    )
    assert "6.00 s" in own.evaluate(ticks) or "6 s" in own.evaluate(ticks)
    reset = "document.querySelector('#section-linked .reset')"
    assert own.evaluate(f"{reset}.getBoundingClientRect().height") >= 24
    assert point(own, "linked", 0.5, 0.5).startswith("n\n2")
    own.evaluate(f"{reset}.click()")
    assert own.evaluate(FIELDS.format("linked")) == [WHOLE] * 2
    assert own.evaluate(f"{reset}.getBoundingClientRect().height") == 0
    assert own.complaints == []


def test_a_finger_scrolls_and_never_zooms(own: Browser) -> None:
    drag(own, "linked", 0.2, 0.6, "touch")
    assert own.evaluate(FIELDS.format("linked")) == [WHOLE] * 2


def test_a_picture_is_saved_at_twice_the_size_with_its_title(own: Browser) -> None:
    own.evaluate(
        """
        (() => {
          window.saved = null;
          HTMLAnchorElement.prototype.click = function () {
            createImageBitmap(window.blob).then((image) => {
              window.saved = [this.download, image.width, image.height];
            });
          };
          URL.createObjectURL = (blob) => { window.blob = blob; return "blob:x"; };
        })()
        """
    )
    for chart in ("curve", "cells"):
        own.evaluate(f"document.querySelector('#section-{chart} .save').click()")
        own.wait(f"window.saved !== null && window.saved[0] === 'chart-{chart}.png'")
        _, width, height = own.evaluate("window.saved")
        assert width == 2000
        assert height > 400
    assert own.complaints == []


def test_what_is_hidden_and_zoomed_stays_so_where_pictures_are_replaced(own: Browser) -> None:
    drag(own, "curve", 0.1, 0.6)
    own.evaluate("document.querySelector('#section-curve .legend button').click()")
    before = own.evaluate(FIELDS.format("curve"))
    own.evaluate(
        """
        (() => {
          const chart = document.querySelector("#chart-curve");
          const next = new DOMParser().parseFromString(chart.outerHTML, "text/html");
          for (const one of next.querySelectorAll("[hidden]")) one.removeAttribute("hidden");
          next.querySelector(".field").setAttribute("viewBox", "0 0 10000 10000");
          chart.replaceChildren(...next.querySelector(".chart").childNodes);
          document.dispatchEvent(new Event("figures"));
        })()
        """
    )
    assert before != [WHOLE]
    assert own.evaluate(FIELDS.format("curve")) == before
    assert own.evaluate(
        "document.querySelector('#chart-curve [data-group=a]').hasAttribute('hidden')"
    )


@pytest.mark.parametrize("name", ["own", "report"])
def test_pictures_are_there_without_the_script(written: dict[str, Path], name: str) -> None:
    text = written[name].read_text("utf-8")
    pictures = text.split("<main>")[1].split("</main>")[0]
    assert pictures.count('class="field"') == pictures.count('class="chart"') > 4
    assert pictures.count('role="img" aria-label') >= pictures.count('class="chart"')
    assert "<path" in pictures
    assert " onclick" not in pictures


NUMBERS = [0.0, 4.7e-4, 0.0999, 1.0, 59.9, 119.0, 121.0, 7300.0, 1234.5, 0.25, 3e-9]


def test_the_script_writes_numbers_as_tables_do(own: Browser) -> None:
    """It shows a value with one point, whose words come from the axis."""
    found: Any = own.evaluate(
        f"""
        (() => {{
          const section = document.querySelector("#section-step");
          const json = section.querySelector("script");
          const figure = JSON.parse(json.textContent);
          return {json.dumps(NUMBERS)}.map((value) => {{
            const one = {{...figure.series[0], x: [5], y: [1], phrase: "{{x}}"}};
            delete one.low;
            one.x = [value];
            const made = document.createElement("script");
            made.type = "application/json";
            const x = {{...figure.x, low: value - 1, high: value + 1}};
            made.textContent = JSON.stringify({{...figure, x, series: [one]}});
            section.querySelector("script").replaceWith(made);
            const svg = section.querySelector(".plot > svg");
            const box = svg.getBoundingClientRect();
            svg.dispatchEvent(new PointerEvent("pointermove", {{
              bubbles: true, clientX: box.left + box.width / 2,
              clientY: box.top + box.height * 0.75,
            }}));
            return document.querySelector(".tip").textContent.split("\\n")[1];
          }});
        }})()
        """
    )
    assert [one.replace("\xa0", " ") for one in found] == [units.seconds(one) for one in NUMBERS]
