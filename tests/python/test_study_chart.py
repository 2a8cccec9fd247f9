"""The studies' charts: data is not shortened, and the same chart is the same file."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "studies"))

from chart import LineChart, number  # noqa: E402


def drawn(path: Path) -> str:
    chart = LineChart("A tail & its <law>", "time (ms)", "share", y_log=True, y_limits=(1e-4, 1))
    chart.line("open", [1.0, 2.0, 3.0], [0.5, math.inf, 0.001], errors=[0.1, 0.0, 0.0])
    chart.line("exact", [1.0, 3.0], [0.4, 0.002], dashed=True, style=6, marks=False)
    chart.save(path)
    return path.read_text(encoding="utf-8")


def texts(svg: str) -> list[str]:
    return [
        "".join(one.itertext()).strip() for one in ET.fromstring(svg).iter() if "text" in one.tag
    ]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> str:
    return drawn(tmp_path_factory.mktemp("charts") / "a.svg")


def test_words_and_ticks_are_text_and_whole(first: str) -> None:
    shown = texts(first)
    words = {"A tail & its <law>", "time (ms)", "share", "open", "exact"}
    assert words | {"0.0001", "0.001", "0.01", "0.1", "1"} <= set(shown)


def test_the_same_chart_is_the_same_file(first: str, tmp_path: Path) -> None:
    assert drawn(tmp_path / "b.svg") == first
    assert not re.search(r"[ \t]$", first, re.MULTILINE)


def test_numbers_of_axes() -> None:
    found = [number(value) for value in (0.0, 0.02, 5, 1234, 1e6, 2e-5)]
    assert found == ["0", "0.02", "5", "1,234", "10⁶", "2·10⁻⁵"]


def test_recorded_figures_are_small() -> None:
    figures = list((ROOT / "studies").glob("*/figures/*.svg"))
    assert len(figures) > 30
    assert max(path.stat().st_size for path in figures) < 60_000
