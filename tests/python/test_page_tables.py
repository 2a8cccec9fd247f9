"""The first screen of a page, its contents, and what a reader does with its tables."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_pages
import page_subjects
import pytest
from browser import Browser, printed
from fakes import demo_results

from thinktime.present import page
from thinktime.present.page import Headline, Page
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report.results_page import page_of
from thinktime.results.verdict import Objective

SCREEN = 900


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of one run that misses its objective."""
    result = page_subjects.measured()
    result.summary["response_time_ci95"] = {"p99": [0.213, 0.216]}
    words = "p99 is 214 ms (213 ms to 216 ms), wanted 200 ms or less"
    result.objectives = [Objective("p99", None, 0.2, 0.214, (0.213, 0.216), "not met", words)]
    path: Path = page.write(page_of([result]), tmp_path_factory.mktemp("single") / "run.html")
    return path


def opened(browser: Browser, path: Path, width: int) -> None:
    """Show a page as a reader finds it: what is folded stays so."""
    browser.look(width)
    browser.visit(path.as_uri())
    browser.wait(
        "[...document.querySelectorAll('[data-figure]')]"
        ".every((one) => one.closest('details:not([open])') || 'drawn' in one.dataset)"
    )


def bottom(browser: Browser, part: str) -> float:
    """How far down something ends, in pixels."""
    found = f"document.querySelector({part!r}).getBoundingClientRect()"
    return float(browser.evaluate(f"{found}.bottom + scrollY"))


def test_the_first_screen_has_the_verdict_and_the_first_chart_begins_there(
    browser: Browser, single: Path
) -> None:
    opened(browser, single, 1440)
    assert "Not met" in browser.evaluate("document.querySelector('.state').textContent")
    assert bottom(browser, ".state") < bottom(browser, "h1") < 300
    cells = browser.evaluate(
        "[...document.querySelectorAll('#table-results td')].map((one) => one.innerText)"
    )
    assert "214 ms\n213 to 216 ms" in [one.replace("\u00a0", " ") for one in cells]
    assert bottom(browser, "#table-results table") < SCREEN
    top = "document.querySelector('.chart').getBoundingClientRect().top + scrollY"
    assert browser.evaluate(top) < SCREEN


def missing_on_the_first_screen(browser: Browser, path: Path) -> list[str]:
    """What a page does not show on a screen of 1440 by 900: its answer, and how sure it is."""
    opened(browser, path, 1440)
    tops = browser.evaluate(
        "['h1', '.about', '.chart'].map((one) => document.querySelector(one))"
        ".map((one) => (one ? one.getBoundingClientRect().top + scrollY : -1))"
    )
    limits = {"headline": 300, "origin": 400, "chart": SCREEN}
    found = zip(limits.items(), tops, strict=True)
    return [name for (name, most), top in found if not 0 < top <= most]


ANSWERED = [one for one in made_pages.NAMES if one != "live"]
"""The pages of something that is over; a run under way has tiles, and a test of its own."""


@pytest.mark.parametrize("name", ANSWERED)
def test_each_first_screen_has_the_answer_and_the_first_chart(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    made = made_pages.pages()[name]
    if name == "report":  # as of the demo, without the names that are long
        made = page_of(demo_results())
    shown = page.write(made, tmp_path / "page.html")
    assert missing_on_the_first_screen(browser, shown) == []


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({"about": ""}, ["origin"]),
        ({"sentence": "Words. " * 400}, ["origin", "chart"]),
        ({"findings": ["A finding. " * 20] * 12}, ["chart"]),
    ],
)
def test_an_answer_below_the_first_screen_is_noticed(
    browser: Browser, tmp_path: Path, change: dict[str, Any], lost: list[str]
) -> None:
    made = made_pages.pages()["failing"]
    changed = replace(made, headline=replace(made.headline, **change))
    shown = page.write(changed, tmp_path / "page.html")
    assert missing_on_the_first_screen(browser, shown) == lost


@pytest.mark.parametrize("name", ["single", "failing"])
def test_one_run_fits_three_screens_and_four_sheets(
    browser: Browser, single: Path, tmp_path: Path, name: str
) -> None:
    """Also if it has failures, objectives and checks."""
    failing = tmp_path / "page.html"
    shown = single if name == "single" else page.write(made_pages.pages()[name], failing)
    opened(browser, shown, 1440)
    assert browser.evaluate("document.documentElement.scrollHeight") <= 3 * SCREEN
    assert len(printed(browser.print())) <= 4


def test_a_chart_that_is_folded_has_its_room_when_it_is_opened(
    browser: Browser, single: Path
) -> None:
    opened(browser, single, 1280)
    chart = "document.querySelector('.fold .chart')"
    assert not browser.evaluate(f"{chart}.checkVisibility()")
    browser.evaluate(f"{chart}.closest('.fold').open = true")
    places = f"[{chart}, {chart}.querySelector('svg')].map((one) => one.clientWidth)"
    browser.wait(f"{chart}.checkVisibility()")
    place, picture = browser.evaluate(places)
    assert 0.8 * place < picture <= place


def test_a_link_of_the_contents_opens_its_part(browser: Browser, single: Path) -> None:
    opened(browser, single, 1440)
    names = browser.evaluate("[...document.querySelectorAll('.contents a')].map((one) => one.hash)")
    assert names[:2] == ["#table-results", "#section-tail"]
    assert "#table-objectives" in names
    assert browser.evaluate("[...document.querySelectorAll('.contents a')]"
                            ".every((one) => document.querySelector(one.hash))")  # fmt: skip
    folded = "document.querySelector('#origin .fold').open"
    assert not browser.evaluate(folded)
    browser.evaluate("document.querySelector('.contents a[href=\"#origin\"]').click()")
    browser.wait(folded)


@pytest.mark.parametrize(("width", "open_"), [(1440, True), (390, False)])
def test_the_contents_lie_beside_a_wide_page_and_are_folded_on_a_narrow_one(
    browser: Browser, single: Path, width: int, open_: bool
) -> None:
    opened(browser, single, width)
    assert browser.evaluate("document.querySelector('.contents details').open") is open_
    edges = browser.evaluate(
        "[document.querySelector('.contents').getBoundingClientRect().left,"
        " document.querySelector('main').getBoundingClientRect().right]"
    )
    assert (edges[0] >= edges[1]) is open_


def test_a_text_has_one_style_of_percents_and_shows_code_as_code() -> None:
    said = "98.3% of `--rows all`, 5 %, (7%) of 'p99 > +5%'; a ` alone, `<b>`."
    shown = page.render(Page("t", Headline(said), []))
    expected = (
        "98.3\u00a0% of <code>--rows all</code>, 5\u00a0%, (7\u00a0%) of &#39;p99 &gt; +5%&#39;; "
        "a ` alone, `&lt;b&gt;`."
    )
    assert f"<h1>{expected}</h1>" in shown


LONG = Table(
    "names", "Names", "request", ("requests", "mean", "p99"),
    [
        Group(
            [
                Line(f"n{number}" if number != 7 else '=cmd, "x"', [
                    Cell(f"{1000 + number:,}"), Cell(f"{number + 1} ms ± 50 µs"),
                    Cell("—" if number == 3 else f"{number + 1} s"),
                ])
                for number in range(45)
            ]
        )
    ],
)  # fmt: skip


@pytest.fixture
def long_table(browser: Browser, tmp_path: Path) -> Browser:
    made = Page("t", Headline("v"), [LONG])
    browser.complaints.clear()
    opened(browser, page.write(made, tmp_path / "long.html"), 1280)
    browser.evaluate(
        "void (window.kept = [],"
        " URL.createObjectURL = (blob) => { kept.push(blob); return 'data:,'; })"
    )
    return browser


ROWS = "[...document.querySelectorAll('tbody tr')].filter((one) => !one.hidden)"
NAMES = f"{ROWS}.map((one) => one.cells[0].textContent)"


def press(browser: Browser, text: str) -> None:
    browser.evaluate(
        "[...document.querySelectorAll('button')]"
        f".find((one) => one.textContent === {text!r}).click()"
    )


def test_a_long_table_shows_twenty_rows_and_then_the_rest(long_table: Browser) -> None:
    assert long_table.evaluate(f"{ROWS}.length") == 20
    press(long_table, "25 more")
    assert long_table.evaluate(f"{ROWS}.length") == 45


def test_a_long_table_is_sorted_by_number_and_filtered(long_table: Browser) -> None:
    press(long_table, "p99")
    assert long_table.evaluate(NAMES)[:2] == ["n44", "n43"]
    assert long_table.evaluate("document.querySelectorAll('th[aria-sort=descending]').length") == 1
    press(long_table, "p99")
    assert long_table.evaluate(NAMES)[:2] == ["n3", "n0"]  # what is not known is least
    long_table.evaluate(
        "const box = document.querySelector('input');"
        " box.value = 'N4'; void box.dispatchEvent(new Event('input'))"
    )
    assert long_table.evaluate(NAMES) == ["n4", "n40", "n41", "n42", "n43", "n44"]


def test_a_table_is_saved_with_numbers_in_base_units(long_table: Browser) -> None:
    """A name that a spreadsheet would compute is text."""
    press(long_table, "CSV")
    text: Any = long_table.evaluate("kept[0].text()")
    lines = text.lstrip("\ufeff").splitlines()
    assert lines[0] == "request,requests,mean (s),± mean (s),p99 (s)"
    assert lines[1] == "n0,1000,0.001,0.00005,1"
    assert lines[4] == "n3,1003,0.004,0.00005,"
    assert lines[8] == '"\'=cmd, ""x""",1007,0.008,0.00005,8'
    assert len(lines) == 46
    assert long_table.complaints == []


def test_a_table_of_few_rows_is_turned_on_a_telephone(browser: Browser, single: Path) -> None:
    """Each number has its heading, and nothing is out of sight."""
    opened(browser, single, 360)
    cells = "[...document.querySelectorAll('#table-results td[data-heading]')]"
    assert browser.evaluate(f"{cells}.length") > 5
    assert browser.evaluate(f"{cells}.every((one) => one.getBoundingClientRect().right <= 360)")
    first = browser.evaluate(f"{cells}.slice(0, 4).map((one) => one.dataset.heading)")
    assert first == ["p50", "p90", "p99", "p99.9"]


def test_short_names_leave_room_for_numbers_on_a_telephone(
    browser: Browser, tmp_path: Path
) -> None:
    """The p99 of a sweep's points is seen without scrolling."""
    opened(browser, page.write(made_pages.pages()["sweep"], tmp_path / "page.html"), 390)
    cell = (
        "[...document.querySelectorAll('#table-points thead th')]"
        ".find((one) => one.textContent.trim() === 'p99').getBoundingClientRect().right"
    )
    assert browser.evaluate(cell) <= 390


@pytest.mark.parametrize("name", ["run", "sweep", "simulate"])
def test_nothing_is_wider_than_320_pixels(browser: Browser, tmp_path: Path, name: str) -> None:
    browser.open(page.write(made_pages.pages()[name], tmp_path / "page.html"), 320)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("width", [1024, 1440])
def test_a_run_under_way_shows_two_charts_side_by_side(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """Both lie on the first screen, below the tiles."""
    opened(browser, made_pages.written(tmp_path)["live"], width)
    heat, rate = (
        browser.evaluate(
            f"document.querySelector('#section-{name} .chart').getBoundingClientRect()"
        )
        for name in ("heat", "throughput")
    )
    assert heat["right"] <= rate["left"]
    assert rate["right"] <= width
    assert bottom(browser, ".tiles") < heat["top"]
    assert max(heat["top"], rate["top"]) < SCREEN - 100


def test_a_live_page_without_scripts_does_not_claim_to_be_live() -> None:
    """Its share stands still, nothing can be stopped, and its words say so."""
    shown = page.render_live(made_pages.pages()["live"], 0.25, False)
    bar = shown[shown.index("<header") : shown.index("</header>")]
    assert "Live." not in bar
    assert 'value="0.25"' in bar
    assert "<noscript>Without scripts this page stays as it is" in bar
    assert re.search(r'<button[^>]* id="stop" hidden>', bar)
