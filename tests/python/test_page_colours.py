"""The colours of pages, by the stylesheet alone: words and lines have enough contrast.

The ratios are those of WCAG 2.2, level AA: 4.5 to 1 for words (1.4.3), 3 to 1 for other necessary
parts, such as lines of charts and the frame of the focus (1.4.11).
"""

from __future__ import annotations

import itertools
import math
import re

import pytest

from thinktime.present.embedded import asset
from thinktime.present.page import COLOURS

WORDS, LINES = 4.5, 3.0
INKS = ("ink", "soft", "faint", "warn", "met", "failed")
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


SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green cones": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue cones": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""How linear light is seen. Source: Machado, Oliveira and Fernandes, 'A physiologically-based model
for simulation of color vision deficiency' (IEEE TVCG 15, 2009), at full severity."""


def lab(colour: str, sight: str) -> tuple[float, float, float]:
    """CIELAB of `#rrggbb` as seen, in daylight (D65)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    light = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    seen = [
        min(max(sum(w * c for w, c in zip(row, light, strict=True)), 0.0), 1.0)
        for row in SIGHTS[sight]
    ]
    to_xyz = (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
    xyz = [sum(w * c for w, c in zip(row, seen, strict=True)) for row in to_xyz]
    x, y, z = (
        math.cbrt(one) if one > 216 / 24389 else (24389 / 27 * one + 16) / 116
        for one in (xyz[0] / 0.95047, xyz[1], xyz[2] / 1.08883)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """CIEDE2000. Source: Sharma, Wu and Dalal, 'The CIEDE2000 color-difference formula' (Color
    Research and Application 30, 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    middle = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    grown = 1.5 - 0.5 * math.sqrt(middle**7 / (middle**7 + 25.0**7))
    c1, c2 = math.hypot(a1 * grown, b1), math.hypot(a2 * grown, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * grown)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = (h1 + turn / 2) % 360
    wave = (
        1
        - 0.17 * math.cos(math.radians(hue - 30))
        + 0.24 * math.cos(math.radians(2 * hue))
        + 0.32 * math.cos(math.radians(3 * hue + 6))
        - 0.20 * math.cos(math.radians(4 * hue - 63))
    )
    lights = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    parts = (
        (l2 - l1) / lights,
        (c2 - c1) / (1 + 0.045 * chroma),
        2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * wave),
    )
    spin = -2 * math.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    spin *= math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    return math.sqrt(sum(part * part for part in parts) + spin * parts[1] * parts[2])


@pytest.mark.parametrize(
    ("one", "other", "known"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (61.0, -5.0, 29.0), 22.8977),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ],
)
def test_the_difference_is_that_of_its_authors(
    one: tuple[float, float, float], other: tuple[float, float, float], known: float
) -> None:
    assert apart(one, other) == pytest.approx(known, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHTS)
def test_curves_differ_for_all_eyes(sight: str) -> None:
    seen = [lab(colour, sight) for colour in COLOURS]
    for (n, one), (m, other) in itertools.combinations(enumerate(seen), 2):
        wanted = 10.0 if max(n, m) < 6 else 8.0
        assert apart(one, other) >= wanted, (COLOURS[n], COLOURS[m])


def test_no_curve_has_the_colour_of_a_state() -> None:
    for mode, found in variables(asset("page.css")).items():
        for name in ("met", "failed", "warn"):
            near = min(apart(lab(found[name], "all cones"), lab(c, "all cones")) for c in COLOURS)
            assert near >= 5.0, (mode, name, near)
