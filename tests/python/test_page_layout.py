"""Every page: its layout on telephones, screens and paper, and its accessibility.

test_pages.py checks its content.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import made_pages
import pytest
from browser import Browser, printed
from made_pages import NAMES

from thinktime.present import page

PAPER = 1016  # A4 landscape without its margins, at 96 pixels an inch


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = made_pages.pages().items()
    return {name: page.write(one, folder / f"{name}.html") for name, one in made}


def seen(width: int, *, dark: bool = False) -> Any:
    """A fixture: each page in turn, opened once for all tests that look at it so."""

    @pytest.fixture(scope="module", params=NAMES)
    def view(request: Any, browser: Browser, written: dict[str, Path]) -> Browser:
        browser.complaints.clear()
        browser.open(written[request.param], width, dark=dark)
        return browser

    return view


narrow, wide, night = seen(360), seen(1280), seen(1280, dark=True)

BOXES = """
(() => {
  const box = (one) => {
    const {left, top, right, bottom} = one.getBoundingClientRect();
    return {left, top, right, bottom, text: one.textContent};
  };
  const seen = (one) => one.getBoundingClientRect().width > 0;
  return [...document.querySelectorAll("figure")].map((figure) => ({
    legend: [...figure.querySelectorAll(".legend li")].map(box),
    charts: [...figure.querySelectorAll(".chart")].map((chart) => ({
      frame: box(chart),
      texts: [...chart.querySelectorAll("text")].filter(seen).map(box),
      titles: [...chart.querySelectorAll(".title")].filter(seen).map(box),
      ticks: [...chart.querySelectorAll(".ticks text")].filter(seen).map(box),
    })),
  }));
})()
"""
WIDER = """
[...document.querySelectorAll("body *")]
  .filter((one) => !one.closest(".scroll, pre, .chart"))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120))
"""
SLACK = 1.5  # pixels by which boxes of text may meet: their lines have room above and below


def overlap(a: dict, b: dict) -> bool:
    return (
        min(a["right"], b["right"]) - max(a["left"], b["left"]) > SLACK
        and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > SLACK
    )


def collisions(figures: list[dict]) -> list[tuple[str, str]]:
    """Texts of charts and legends that overlap or lie outside of their chart."""
    found = []
    for figure in figures:
        legend = figure["legend"]
        frames = [chart["frame"] for chart in figure["charts"]]
        pairs = [(a, b) for n, a in enumerate(legend) for b in [*legend[:n], *frames]]
        pairs += [(a, b) for n, a in enumerate(frames) for b in frames[:n]]
        for chart in figure["charts"]:
            titles, frame = chart["titles"], chart["frame"]
            pairs += [(a, b) for n, a in enumerate(titles) for b in [*titles[:n], *chart["ticks"]]]
            outside = [
                (text["text"], "outside of its chart")
                for text in chart["texts"]
                if text["left"] < frame["left"] - SLACK or text["right"] > frame["right"] + SLACK
            ]
            found += outside
        found += [(a["text"][:60], b["text"][:60]) for a, b in pairs if overlap(a, b)]
    return found


def lies_well(browser: Browser, width: int) -> None:
    """Nothing overlaps, nothing is cut off, and the page has no complaints."""
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(WIDER) == []
    figures = browser.evaluate(BOXES)
    assert all(chart["titles"] and chart["ticks"] for one in figures for chart in one["charts"])
    assert collisions(figures) == []
    assert browser.complaints == []


def test_nothing_overlaps_and_nothing_is_cut_off_on_a_telephone(narrow: Browser) -> None:
    lies_well(narrow, 360)


def test_nothing_overlaps_and_nothing_is_cut_off_on_a_screen(night: Browser) -> None:
    lies_well(night, 1280)


def test_a_collision_is_found() -> None:
    def box(left: float, right: float) -> dict:
        return {"left": left, "right": right, "top": 0, "bottom": 10, "text": f"{left}"}

    chart = {"frame": box(0, 100), "texts": [box(90, 120)], "titles": [box(5, 30)]}
    figure = {"legend": [], "charts": [chart | {"ticks": [box(20, 40), box(50, 60)]}]}
    assert collisions([figure]) == [("90", "outside of its chart"), ("5", "20")]


def test_no_printed_page_is_blank_and_nothing_is_cut(
    narrow: Browser, request: pytest.FixtureRequest
) -> None:
    sheets = printed(narrow.print())
    assert sheets
    assert min(sheet.words for sheet in sheets) > 5, sheets
    # If a part is wider than the paper, Chromium shrinks the page, by half at most.
    least = 0.85 if request.node.callspec.params["narrow"] == "sweep-wide" else 1.0
    assert min(round(sheet.scale, 3) for sheet in sheets) >= least
    narrow.look(PAPER, medium="print")
    right = "one.getBoundingClientRect().right"
    widths = narrow.evaluate(f"[...document.querySelectorAll('.plot > svg')].map(one => {right})")
    narrow.look(360)
    assert max(widths) <= PAPER


def test_titles_in_tables_are_read_without_scrolling(
    browser: Browser, written: dict[str, Path]
) -> None:
    browser.open(written["report"], 360)
    titles = "[...document.querySelectorAll('tr.group .held')]"
    assert browser.evaluate(f"{titles}.length") > 5
    for left in (0, 150):
        browser.evaluate(
            f"document.querySelectorAll('.scroll').forEach(one => one.scrollLeft = {left})"
        )
        ends = browser.evaluate(f"{titles}.map(one => one.getBoundingClientRect().right)")
        starts = browser.evaluate(f"{titles}.map(one => one.getBoundingClientRect().left)")
        assert max(ends) <= 360
        assert min(starts) >= 0


def test_a_wide_table_scrolls_in_its_own_box(browser: Browser, written: dict[str, Path]) -> None:
    """And lies whole on the page if there is room."""
    browser.open(written["report"], 360)
    box = "document.querySelector('#table-results .scroll')"
    assert browser.evaluate(f"{box}.scrollWidth") > 600
    assert browser.evaluate(f"{box}.getBoundingClientRect().right") <= 360
    browser.evaluate(f"{box}.scrollLeft = 200; scrollTo(200, 0)")
    assert browser.evaluate(f"{box}.scrollLeft") == 200
    assert browser.evaluate("scrollX") == 0


ACCESS = """
(() => {
  const named = (one) => one.closest('[role="img"][aria-label]') || one.closest('[aria-hidden]');
  return {
    pictures: [...document.querySelectorAll("svg, img")].filter((one) => !named(one)).length,
    headings: [...document.querySelectorAll("h1, h2, h3, h4")].map((one) => +one.tagName[1]),
    scrolled: [...document.querySelectorAll(".scroll")].every((one) => one.tabIndex === 0),
    buttons: [...document.querySelectorAll(".legend button")].every((one) => one.tabIndex === 0),
    summaries: [...document.querySelectorAll("summary")].every((one) => one.tabIndex === 0),
    viewport: document.querySelector('meta[name="viewport"]') !== null,
  };
})()
"""


def test_a_page_can_be_read_without_seeing_it(wide: Browser) -> None:
    found = wide.evaluate(ACCESS)
    headings = found.pop("headings")
    assert found == {
        "pictures": 0, "scrolled": True, "buttons": True, "summaries": True, "viewport": True,
    }  # fmt: skip
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(headings))


CONTRAST = """
(() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const paper = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const own = (one) => [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  return [...document.querySelectorAll("main *")]
    .filter((one) => own(one) && !/SCRIPT|NOSCRIPT/.test(one.tagName))
    .map((one) => {
      const style = getComputedStyle(one);
      const ink = one.namespaceURI.endsWith("svg") ? style.fill : style.color;
      const [a, b] = [light(ink), light(paper(one))].sort((x, y) => y - x);
      return [(a + 0.05) / (b + 0.05), one.textContent.slice(0, 40)];
    })
    .filter(([ratio]) => ratio < 4.5);
})()
"""


def test_words_stand_out_from_the_page_by_day(wide: Browser) -> None:
    """At least 4.5 to 1, as WCAG 2.2 asks for (1.4.3)."""
    assert wide.evaluate(CONTRAST) == []


def test_words_stand_out_from_the_page_by_night(night: Browser) -> None:
    assert night.evaluate(CONTRAST) == []
