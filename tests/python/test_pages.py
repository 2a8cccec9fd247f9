"""Every page: what it says as text, and how it lies on telephones, screens and paper."""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path

import page_subjects
import pytest
from browser import Browser, printed
from chart_data import data_of
from made_logs import Known, make
from rich.console import Console

from thinktime.capacity_search.page import page_of as capacity_page
from thinktime.capacity_search.table import table as capacity_table
from thinktime.history.page import page_of as history_page
from thinktime.learn import learn
from thinktime.learn.page import page_of as learned_page
from thinktime.report import page, rows
from thinktime.report.page import Page
from thinktime.report.results_page import page_of as report_page
from thinktime.report.table import Table
from thinktime.report.terminal import Shown, render
from thinktime.sweeping.page import page_of as swept_page
from thinktime.sweeping.table import table as swept_table

GOLDEN = Path(__file__).parent / "golden"
NAMES = (
    "report", "run", "simulate", "compare", "sweep", "sweep-measured", "sweep-wide", "capacity",
    "learn", "history", "live",
)  # fmt: skip
PAPER = 1016  # A4 landscape without its margins, at 96 pixels an inch


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    folder = tmp_path_factory.mktemp("log")
    make(Known(sessions=400, rate=5.0), folder / "access.log")
    swept, measured = page_subjects.swept(), page_subjects.swept(measured=True)
    wide = page_subjects.swept_wide()
    return {
        "report": report_page(page_subjects.results()),
        "run": report_page([page_subjects.measured()]),
        "simulate": report_page([page_subjects.simulated()]),
        "compare": report_page(page_subjects.results()[-3:-1]),
        "sweep": swept_page(swept.table, swept.axes, measured=False),
        "sweep-measured": swept_page(measured.table, measured.axes, measured=True),
        "sweep-wide": swept_page(wide.table, wide.axes, measured=False),
        "capacity": capacity_page(page_subjects.capacity()),
        "learn": learned_page(learn([folder / "access.log"])),
        "history": history_page(page_subjects.history()),
        "live": page_subjects.watched().page(),
    }


@pytest.fixture(scope="module")
def written(pages: dict[str, Page], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {name: page.write(one, folder / f"{name}.html") for name, one in pages.items()}


# ---- words


def shown(what: object, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(what)
    return console.export_text()


def text_of(made: Page) -> str:
    """Verdict, tables, the words of charts, and the tables below them."""
    parts = [made.title, "", made.verdict.headline, *made.verdict.findings]
    parts += ["", "Before you trust these numbers:", *made.verdict.doubts]
    parts += tables_of(made.tables)
    for section in made.sections:
        parts += ["", f"## {section.title}", section.caption]
        if section.drawing is not None:
            parts += [f"[{key.name}]" for key in section.drawing.keys]
            parts += [f"{panel.title}: {panel.words}" for panel in section.drawing.panels]
        parts += [f"{one.title}: {one.words}" for one in section.diagrams]
    return "\n".join([*parts, *tables_of(made.details)]) + "\n"


def tables_of(tables: Sequence[Table]) -> list[str]:
    """The tables, and what opens below their lines."""
    parts = []
    for table in tables:
        parts += ["", f"## {table.title}", table.caption, shown(Shown(table), 200)]
        parts += [f"{name}: {words}" for line in table.lines for name, words in line.folded]
    return parts


def golden(name: str, text: str) -> None:
    """Compare with a recorded text; THINKTIME_RECORD=1 records anew, to be read before commit."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("THINKTIME_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["report", "sweep", "sweep-measured", "capacity"])
def test_what_a_page_says(pages: dict[str, Page], name: str) -> None:
    golden(f"page-{name}", text_of(pages[name]))


@pytest.mark.parametrize("name", NAMES)
def test_no_recorded_page_says_that_it_could_not_look(pages: dict[str, Page], name: str) -> None:
    """A stand-in that lacks what a section reads would have its failure recorded as its words."""
    assert "cannot be read" not in text_of(pages[name])


def test_the_recorded_page_shows_what_a_model_says(pages: dict[str, Page]) -> None:
    text = text_of(pages["report"])
    assert "does what was measured" in text
    assert "the same load, closed, 50 clients" in text


@pytest.mark.parametrize("name", NAMES)
def test_what_charts_draw(pages: dict[str, Page], name: str) -> None:
    """The curves of every chart of every page, in some fifty numbers each."""
    golden(f"charts-{name}", data_of(pages[name]))


@pytest.mark.parametrize("name", NAMES)
def test_every_page_has_charts_to_record(pages: dict[str, Page], name: str) -> None:
    text = data_of(pages[name])
    numbers = [line for line in text.splitlines() if line.startswith("    y: ")]
    assert len(numbers) > 0
    assert max(len(line.split()) for line in numbers) >= 3


@pytest.mark.parametrize("width", [80, 110, 150])
def test_what_a_terminal_shows(width: int) -> None:
    found = {
        "results": render(rows(page_subjects.results())),
        "sweep": Shown(swept_table(page_subjects.swept())),
        "capacity": Shown(capacity_table(page_subjects.capacity())),
    }
    text = "\n".join(shown(one, width) for one in found.values())
    assert all(len(line) <= width for line in text.splitlines())
    golden(f"terminal-{width}", text)


@pytest.mark.parametrize("name", NAMES)
def test_no_page_shows_what_only_programs_read(pages: dict[str, Page], name: str) -> None:
    text = text_of(pages[name])
    for word in ("None", "True", "False", "nan", "_s ", "ci95", "[s]", "[/s]"):
        assert word not in text, word


def test_points_of_a_real_server_are_called_measured(pages: dict[str, Page]) -> None:
    simulated, measured = (text_of(pages[name]) for name in ("sweep", "sweep-measured"))
    assert "simulated" in simulated
    assert "simulated" not in measured
    assert "measured" in measured


def test_learned_pages_say_the_advice_first(pages: dict[str, Page]) -> None:
    made = pages["learn"]
    assert made.verdict.headline.startswith("Plan with an open model, in which requests come at a")
    assert "load test would show" in made.verdict.headline
    for finding in made.verdict.findings:
        assert finding[0] == finding[0].upper()
        assert finding.endswith(".")
        assert not re.search(r"\b(fcfs|ps|srpt|lru|peak)_\w|requests_per_s", finding)
    assert [table.name for table in made.tables] == ["populations", "laws", "models", "requests"]
    assert made.sections[0].title == "How far the models lie apart"


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_told_in_words(pages: dict[str, Page], name: str) -> None:
    for section in pages[name].sections:
        panels = [] if section.drawing is None else section.drawing.panels
        assert panels or section.diagrams
        for one in (*panels, *section.diagrams):
            assert any(letter.isdigit() for letter in one.words), section.title
            assert one.words.endswith(".")


# ---- geometry

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
      titles: [...chart.querySelectorAll(".xtitle, .ytitle, .annotation text")]
        .filter(seen).map(box),
      ticks: [...chart.querySelectorAll(".xtick text, .ytick text")].filter(seen).map(box),
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
    """Texts of charts and legends that lie on one another or outside of their chart."""
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


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_overlaps_and_nothing_is_cut_off(
    browser: Browser, written: dict[str, Path], name: str, width: int
) -> None:
    browser.complaints.clear()
    browser.open(written[name], width, dark=width == 1280)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(WIDER) == []
    figures = browser.evaluate(BOXES)
    assert all(chart["titles"] and chart["ticks"] for one in figures for chart in one["charts"])
    assert collisions(figures) == []
    assert browser.complaints == []


def test_a_collision_is_found() -> None:
    def box(left: float, right: float) -> dict:
        return {"left": left, "right": right, "top": 0, "bottom": 10, "text": f"{left}"}

    chart = {"frame": box(0, 100), "texts": [box(90, 120)], "titles": [box(5, 30)]}
    figure = {"legend": [], "charts": [chart | {"ticks": [box(20, 40), box(50, 60)]}]}
    assert collisions([figure]) == [("90", "outside of its chart"), ("5", "20")]


@pytest.mark.parametrize("name", NAMES)
def test_no_printed_page_is_blank_and_nothing_is_cut(
    browser: Browser, written: dict[str, Path], name: str
) -> None:
    browser.open(written[name], 390)
    sheets = printed(browser.print())
    assert sheets
    assert min(sheet.words for sheet in sheets) > 5, sheets
    # Where something is wider than the paper, Chromium makes all of it smaller, by half at most.
    least = 0.85 if name == "sweep-wide" else 1.0
    assert min(round(sheet.scale, 3) for sheet in sheets) >= least
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    widths = browser.evaluate(
        "[...document.querySelectorAll('.main-svg')].map(one => one.getBoundingClientRect().width)"
    )
    assert max(widths) <= PAPER


def test_titles_in_tables_are_read_without_scrolling(
    browser: Browser, written: dict[str, Path]
) -> None:
    browser.open(written["report"], 390)
    titles = "[...document.querySelectorAll('tr.group .held')]"
    assert browser.evaluate(f"{titles}.length") > 5
    for left in (0, 150):
        browser.evaluate(
            f"document.querySelectorAll('.scroll').forEach(one => one.scrollLeft = {left})"
        )
        ends = browser.evaluate(f"{titles}.map(one => one.getBoundingClientRect().right)")
        starts = browser.evaluate(f"{titles}.map(one => one.getBoundingClientRect().left)")
        assert max(ends) <= 390
        assert min(starts) >= 0


def test_a_wide_table_scrolls_in_its_own_box(browser: Browser, written: dict[str, Path]) -> None:
    """And lies whole on the page where there is room."""
    browser.open(written["sweep-wide"], 390)
    box = "document.querySelector('#table-points .scroll')"
    assert browser.evaluate(f"{box}.scrollWidth") > 700
    assert browser.evaluate(f"{box}.getBoundingClientRect().right") <= 390
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


@pytest.mark.parametrize("name", NAMES)
def test_a_page_can_be_read_without_seeing_it(
    browser: Browser, written: dict[str, Path], name: str
) -> None:
    browser.open(written[name], 1280)
    found = browser.evaluate(ACCESS)
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


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_words_stand_out_from_the_page(
    browser: Browser, written: dict[str, Path], name: str, dark: bool
) -> None:
    """At least 4.5 to 1, as WCAG 2.2 asks for (1.4.3)."""
    browser.open(written[name], 1280, dark=dark)
    assert browser.evaluate(CONTRAST) == []


def test_a_legend_shows_and_hides(browser: Browser, written: dict[str, Path]) -> None:
    browser.open(written["sweep"], 1280)
    lines = "document.querySelectorAll('#chart-figures .scatterlayer .js-line').length"
    before = browser.evaluate(lines)
    browser.evaluate("document.querySelector('.legend button').click()")
    hidden = browser.evaluate(lines)
    browser.evaluate("document.querySelector('.legend button').click()")
    assert hidden < before
    assert browser.evaluate(lines) == before


def test_pictures_of_one_time_axis_are_zoomed_together(
    browser: Browser, written: dict[str, Path]
) -> None:
    browser.open(written["report"], 1280)
    browser.evaluate(
        "void Plotly.relayout('chart-in_system',"
        " {'xaxis.range[0]': 1, 'xaxis.range[1]': 2})"
    )  # fmt: skip
    browser.wait(
        "[...document.querySelectorAll('#section-in_system .chart')]"
        ".every(one => one.layout.xaxis.range[0] === 1 && one.layout.xaxis.range[1] === 2)"
    )
