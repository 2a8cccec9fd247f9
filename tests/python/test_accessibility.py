"""Every page for readers with a keyboard, a screen reader, or a finger."""

from __future__ import annotations

from pathlib import Path

import made_pages
import pytest
from browser import Browser
from made_pages import NAMES

OPENED = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"

FAULTS = """
axe.run(CONTEXT, {resultTypes: ["violations"], RULES}).then((found) => found.violations.map(
  (one) => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 160)]))
"""

CONTRAST = "color-contrast"
COLOURED = [CONTRAST, "link-in-text-block"]
"""The rules that depend on colours."""

OF_WIDTH = ["scrollable-region-focusable"]
"""Another rule whose answer depends on the width of the window. What else axe looks at is the same
on each: elements and their attributes, and which of them are hidden."""

KINDS = """
(() => {
  const look = (one) => {
    const {color, fill, backgroundColor, opacity, fontSize, fontWeight} = getComputedStyle(one);
    return [one.tagName, one.className.baseVal ?? one.className, one.getAttribute("style"),
            color, fill, backgroundColor, opacity, fontSize, fontWeight].join(" ");
  };
  const path = (one) => one === null ? "" : path(one.parentElement) + " > " + look(one);
  const words = (one) => [...one.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const kinds = new Map();
  for (const one of document.body.querySelectorAll("*")) {
    if (!words(one) || !one.checkVisibility() || one.closest("script, style")) continue;
    const kind = path(one);
    if (!kinds.has(kind)) kinds.set(kind, one);
  }
  return [...kinds.values()];
})()
"""
"""An element with words of each kind: of a class, colours and type, within elements of the same.
Axe takes a hundredth of a second for the contrast of an element, and a page has thousands that look
alike, as cells of tables; test_page_layout.py has the contrast of each by its own computation."""


def faults(browser: Browser, rules: list[str] | None = None) -> list[list[object]]:
    """What axe finds: by all rules or by these, contrast on an element of each kind."""
    axe = pytest.importorskip("axe_playwright_python.base")
    browser.evaluate(OPENED)
    browser.evaluate(axe.AXE_SCRIPT)

    def found(context: str, chosen: str) -> list[list[object]]:
        return list(browser.evaluate(FAULTS.replace("CONTEXT", context).replace("RULES", chosen)))

    if rules is None:
        others = f'rules: {{"{CONTRAST}": {{enabled: false}}}}'
    else:
        others = f"runOnly: {[one for one in rules if one != CONTRAST]}"
    wrong = found("document", others)
    if rules is None or CONTRAST in rules:
        wrong += found(f"{{include: {KINDS}}}", f'runOnly: ["{CONTRAST}"]')
    return wrong


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return made_pages.written(tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(
    browser: Browser, written: dict[str, Path], name: str, dark: bool
) -> None:
    """With all parts open, on a screen by day and on a telephone by night."""
    browser.open(written[name], 390 if dark else 1440, dark=dark)
    assert faults(browser, [*COLOURED, *OF_WIDTH] if dark else None) == []


def test_axe_would_find_a_fault(browser: Browser, written: dict[str, Path]) -> None:
    browser.open(written["capacity"], 1440)
    browser.evaluate("document.querySelector('#table-probes button').textContent = ''")
    assert [one[0] for one in faults(browser)] == ["button-name"]


@pytest.mark.parametrize(
    "fault", ["color = 'rgb(100, 100, 100)'", "background = 'rgb(140, 140, 140)'"]
)
def test_axe_would_find_an_element_that_is_hard_to_read(
    browser: Browser, written: dict[str, Path], fault: str
) -> None:
    """A single one among many that look alike otherwise."""
    browser.open(written["capacity"], 390, dark=True)
    browser.evaluate(f"document.querySelector('#table-probes tr:nth-child(4) th').style.{fault}")
    assert [one[0] for one in faults(browser, COLOURED)] == [CONTRAST]


def test_axe_would_find_a_box_that_no_key_scrolls(
    browser: Browser, written: dict[str, Path]
) -> None:
    browser.open(written["capacity"], 390, dark=True)
    browser.evaluate(
        "document.querySelectorAll('.scroll').forEach((one) => { one.tabIndex = -1; })"
    )
    browser.evaluate("document.querySelectorAll('.scroll button').forEach((one) => one.remove())")
    assert [one[0] for one in faults(browser, OF_WIDTH)] == OF_WIDTH


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
