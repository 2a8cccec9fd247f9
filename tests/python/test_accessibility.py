"""Every page for readers with a keyboard, a screen reader, or a finger."""

from __future__ import annotations

from pathlib import Path

import made_pages
import pytest
from browser import Browser
from made_pages import NAMES

OPENED = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"

FAULTS = """
axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.map(
  (one) => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 160)]))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return made_pages.written(tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(
    browser: Browser, written: dict[str, Path], name: str, dark: bool
) -> None:
    """With all parts open, on a screen by day and on a telephone by night."""
    axe = pytest.importorskip("axe_playwright_python.base")
    browser.open(written[name], 390 if dark else 1440, dark=dark)
    browser.evaluate(OPENED)
    browser.evaluate(axe.AXE_SCRIPT)
    assert browser.evaluate(FAULTS) == []


def test_axe_would_find_a_fault(browser: Browser, written: dict[str, Path]) -> None:
    axe = pytest.importorskip("axe_playwright_python.base")
    browser.open(written["capacity"], 1440)
    browser.evaluate("document.querySelector('#table-probes button').textContent = ''")
    browser.evaluate(axe.AXE_SCRIPT)
    assert [one[0] for one in browser.evaluate(FAULTS)] == ["button-name"]


REACHABLE = "a[href], button, input, select, summary, [tabindex='0']"
MARKED = f"""
(() => {{
  const all = [...document.querySelectorAll({REACHABLE!r})].filter((one) => one.checkVisibility());
  all.forEach((one, n) => {{ one.dataset.stop = n; }});
  return all.length;
}})()
"""
STOP = "document.activeElement?.dataset?.stop ?? null"


@pytest.mark.parametrize("name", ["run", "compare", "sweep", "capacity", "history"])
def test_the_keyboard_alone_reaches_everything(
    browser: Browser, written: dict[str, Path], name: str
) -> None:
    """Tab goes through all controls of a page, in the order in which they stand."""
    browser.open(written[name], 1440)
    many = browser.evaluate(MARKED)
    found = []
    for _ in range(many):
        browser.press("Tab")
        found.append(browser.evaluate(STOP))
    assert [int(one) for one in found if one is not None] == list(range(many))


def test_a_folded_part_opens_by_the_keyboard(browser: Browser, written: dict[str, Path]) -> None:
    browser.look(1440)
    browser.visit(written["run"].as_uri())
    assert browser.evaluate("document.querySelectorAll('.fold[open]').length") == 0
    browser.evaluate("document.querySelector('.fold > summary').focus()")
    browser.press("Enter")
    assert browser.evaluate("document.querySelectorAll('.fold[open]').length") == 1


TARGETS = """
[...document.querySelectorAll("a[href], button, summary, input")]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 80)])
  .filter(([box]) => box.height > 0 && (box.height < LEAST - 0.1 || box.width < LEAST - 0.1))
  .map(([box, text]) => [box.width, box.height, text])
"""


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_large_enough(browser: Browser, written: dict[str, Path], name: str) -> None:
    """WCAG 2.2 asks for 24 pixels (2.5.8), and for a finger for 44 (2.5.5)."""
    browser.open(written[name], 1440)
    browser.evaluate(OPENED)
    assert browser.evaluate(TARGETS.replace("LEAST", "24")) == []


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_large_enough_for_a_finger(
    browser: Browser, written: dict[str, Path], name: str
) -> None:
    with browser.touched(written[name], 390) as shown:
        shown.evaluate(OPENED)
        assert shown.evaluate("matchMedia('(pointer: coarse)').matches")
        assert shown.evaluate(TARGETS.replace("LEAST", "44")) == []
