"""The drawing of charts on a page: in short turns, visible ones first, and at once on paper."""

from __future__ import annotations

import json
import re
from pathlib import Path

import made_pages
import pytest
from browser import Browser

from thinktime.present import chart_library, page

PAPER = 1016  # A4 landscape without its margins, at 96 pixels an inch

DRAWN = """
(() => {
  const order = [];
  window.order = order;
  const watch = new MutationObserver((all) => order.push(...all.map((one) => one.target.id)));
  watch.observe(document.body, { subtree: true, attributeFilter: ["data-drawn"] });
})()
"""
"""Keeps the order in which charts are drawn from now on."""

STEPS = """
(() => {
  let now = 0;
  performance.now = () => (now += 1000);
  const ask = Plotly.rest;
  window.rests = 0;
  window.atRest = [];
  Plotly.rest = (graph) => {
    const rest = ask(graph);
    if (rest) {
      rests += 1;
      const act = atRest.shift();
      if (act) queueMicrotask(act);
    }
    return rest;
  };
})()
"""
"""Each step of a drawing takes a second from now on, and the page rests after it. `atRest` is done
one by one when it does."""

CHARTS = "document.querySelectorAll('[data-figure]')"
SHOWN = f"""
[...{CHARTS}].map((one) => [...one.querySelectorAll(".main-svg path, .main-svg text")]
  .map((part) => [part.getAttribute("d"), part.getAttribute("transform"), part.textContent]
    .join(" ")))
"""
"""The contents of pictures: the places of lines and words."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("turns")
    return page.write(made_pages.pages()["report"], folder / "report.html")


@pytest.fixture
def opened(browser: Browser, written: Path) -> Browser:
    browser.complaints.clear()
    browser.open(written, 1280)
    return browser


def redraw(browser: Browser, *at_rest: str) -> None:
    """Draw all charts anew, and wait for the end; with actions at the rests."""
    count = browser.evaluate(f"{CHARTS}.length")
    browser.evaluate(DRAWN)
    browser.evaluate(f"atRest.push({', '.join(at_rest)})" if at_rest else "0")
    browser.evaluate("void document.dispatchEvent(new Event('figures'))")
    browser.wait(f"new Set(order).size >= Math.min({count}, {CHARTS}.length)")


def test_what_is_in_sight_is_drawn_first(opened: Browser) -> None:
    opened.evaluate(DRAWN)
    opened.evaluate("document.querySelector('#section-lateness').scrollIntoView()")
    seen = opened.evaluate(
        f"[...{CHARTS}].filter((one) => one.getBoundingClientRect().bottom > 0"
        " && one.getBoundingClientRect().top < innerHeight).map((one) => one.id)"
    )
    everything = opened.evaluate(f"[...{CHARTS}].map((one) => one.id)")
    assert 0 < len(seen) < len(everything)
    assert everything[: len(seen)] != seen
    opened.look(1280, dark=True)
    opened.wait(f"order.length >= {len(everything)}")
    order = opened.evaluate("order")
    assert order[: len(seen)] == seen
    assert sorted(order) == sorted(everything)


def test_a_chart_is_drawn_in_turns_and_looks_as_one_that_is_drawn_at_once(opened: Browser) -> None:
    opened.evaluate("document.querySelectorAll('.legend button').forEach((one) => one.click())")
    opened.evaluate("document.querySelectorAll('.legend button').forEach((one) => one.click())")
    at_once = opened.evaluate(SHOWN)
    opened.evaluate(STEPS)
    redraw(opened)
    assert opened.evaluate("rests") > 5 * opened.evaluate(f"{CHARTS}.length")
    assert opened.evaluate(SHOWN) == at_once
    assert opened.complaints == []


WIDTHS = f"[...{CHARTS}].map((one) => one.querySelector('.main-svg').clientWidth)"


def test_paper_does_not_wait_for_what_is_half_drawn(opened: Browser) -> None:
    wide = opened.evaluate(WIDTHS)
    lines = opened.evaluate("document.querySelectorAll('.js-line').length")
    opened.evaluate(STEPS)
    printed = f"""() => {{
      dispatchEvent(new Event("beforeprint"));
      window.onPaper = [{WIDTHS}, document.querySelectorAll(".js-line").length];
      dispatchEvent(new Event("afterprint"));
    }}"""
    redraw(opened, *["null"] * 4, printed)
    widths, drawn = opened.evaluate("onPaper")
    assert max(widths) <= PAPER < max(wide)
    assert drawn == lines
    opened.wait(f"{WIDTHS}.every((one, place) => one === {json.dumps(wide)}[place])")
    assert opened.complaints == []


def test_a_legend_hides_at_once_what_is_half_drawn(opened: Browser) -> None:
    count = "document.querySelectorAll('#chart-tail .scatterlayer .js-line').length"
    before = opened.evaluate(count)
    opened.evaluate(STEPS)
    click = "document.querySelector('#section-tail .legend button').click()"
    redraw(opened, *["null"] * 3, f"() => {{ {click}; window.left = {count}; }}")
    assert 0 < opened.evaluate("left") < before
    assert opened.evaluate(count) == opened.evaluate("left")
    assert opened.complaints == []


def test_a_chart_that_is_taken_away_half_drawn_holds_up_no_other(opened: Browser) -> None:
    opened.evaluate(STEPS)
    redraw(opened, *["null"] * 3, "() => document.querySelector('#section-tail').remove()")
    assert opened.evaluate("document.querySelector('#chart-tail') === null")
    assert opened.complaints == []


def test_a_chart_that_cannot_be_drawn_holds_up_no_other(opened: Browser) -> None:
    opened.evaluate(
        """
        (() => {
          const react = Plotly.react;
          Plotly.react = (place, ...more) => {
            if (place.id === "chart-tail") throw new Error("broken");
            return react(place, ...more);
          };
        })()
        """
    )
    opened.evaluate(DRAWN)
    opened.evaluate("void document.dispatchEvent(new Event('figures'))")
    opened.wait(f"new Set(order).size === {CHARTS}.length - 1")
    assert opened.evaluate("!order.includes('chart-tail')")
    assert opened.complaints == ["broken"]


def test_the_place_of_a_chart_is_there_before_it_is_drawn(written: Path) -> None:
    text = written.read_text("utf-8")
    places = re.findall(r'data-figure="([\w-]+)" style="height: (\d+)px"', text)
    figures = dict(re.findall(r'id="(figure-[\w-]+)">(.*?)</script>', text))
    assert len(figures) > 5
    assert {name: json.loads(one)["layout"]["height"] for name, one in figures.items()} == {
        name: int(height) for name, height in places
    }


def test_the_library_is_cut_into_small_scripts_that_run_all_of_it() -> None:
    whole, parts = page.asset("plotly-basic.min.js"), chart_library.scripts()
    modules = re.findall(r"\bvar ([\w$]+)=W\(", whole)
    calls = [re.search(r"\);((?:[\w$]+\(\);)+)(?:var Plotly=.*)?$", part, re.S) for part in parts]
    run = [name for one in calls if one for name in one[1].rstrip("();").split("();")]
    order = {name: place for place, name in enumerate(modules)}
    assert len(modules) > 300
    assert set(modules) - set(run) == {"lw"}
    assert [order[name] for name in run] == sorted(order[name] for name in run)
    assert len(parts) > 15
    assert "Licensed under the MIT license" in parts[0]
    assert "http://getify.mit-license.org" in parts[-1]
    assert abs(sum(map(len, parts)) - len(whole)) < 8_000


@pytest.mark.parametrize("wrong", ["", "Plotly = 1;", '/* */"use strict";var Plotly=(()=>{})();'])
def test_another_edition_of_the_library_is_told(wrong: str) -> None:
    with pytest.raises(ValueError, match="built differently"):
        chart_library.cut(wrong)
