"""The colours of pages, by the stylesheet alone: words and lines have enough contrast.

The ratios are those of WCAG 2.2, level AA: 4.5 to 1 for words (1.4.3), 3 to 1 for other necessary
parts, such as lines of charts and the frame of the focus (1.4.11).
"""

from __future__ import annotations

import itertools
import re

import pytest

from thinktime.present.page import COLOURS, asset

WORDS, LINES = 4.5, 3.0
INKS = ("ink", "soft", "faint", "warn")
"""The variables in which words are written; each may stand on each paper."""
PAPERS = ("paper", "raised", "warn-paper")


def variables(css: str) -> dict[str, dict[str, str]]:
    """The colours by mode: those of dark replace those of light, those of print are on paper."""
    blocks = {
        "light": re.search(r"^:root \{(.*?)\}", css, re.S | re.M),
        "dark": re.search(r"@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}",
                          css, re.S),
        "print": re.search(r"@media print \{\s*:root \{(.*?)\}", css, re.S),
    }  # fmt: skip
    found = {}
    for mode, block in blocks.items():
        assert block is not None, mode
        found[mode] = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", block[1]))
    return {mode: found["light"] | own for mode, own in found.items()}


def luminance(colour: str) -> float:
    """The relative luminance of `#rgb` or `#rrggbb`."""
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(2 * one for one in digits)
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1, of the same colour, to 21, of black and white."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_ratio_is_that_of_wcag() -> None:
    assert contrast("#fff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.005)  # known to fall short
    assert contrast("#767676", "#fff") == pytest.approx(4.54, abs=0.005)  # and the next to do


@pytest.mark.parametrize("mode", ["light", "dark", "print"])
def test_words_and_lines_stand_out_in_each_mode(mode: str) -> None:
    known = variables(asset("page.css"))[mode]
    assert set(INKS) | set(PAPERS) <= set(known)
    words = itertools.product(INKS, PAPERS)
    faint = [(a, b) for a, b in words if contrast(known[a], known[b]) < WORDS]
    assert faint == []
    lines = [*COLOURS, known["focus"]]
    assert [one for one in lines if contrast(one, known["paper"]) < LINES] == []


def test_words_have_no_colours_but_those_that_are_looked_at() -> None:
    css = asset("page.css")
    rules = re.sub(r":root \{.*?\}", "", css, flags=re.S)
    used = set(re.findall(r"(?<![\w-])color: ([^;]+);", rules))
    assert used <= {"inherit", *(f"var(--{one})" for one in INKS)}
    papers = set(re.findall(r"background: ([^;]+);", rules)) - {"none", "var(--case)"}
    assert papers <= {f"var(--{one})" for one in PAPERS}
