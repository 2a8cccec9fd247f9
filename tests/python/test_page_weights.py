"""The weights of pages: each fits into a mail."""

from __future__ import annotations

from pathlib import Path

import made_pages
import numpy as np
import pytest

from thinktime.present import embedded, page
from thinktime.present.figure import POINTS_MAX, thin

MOST = 900_000
"""Bytes of a page."""


@pytest.mark.parametrize("name", made_pages.NAMES)
def test_a_page_is_light(name: str, tmp_path: Path) -> None:
    made = page.write(made_pages.pages()[name], tmp_path / "page.html")
    assert 10_000 < made.stat().st_size <= MOST


def test_the_script_is_small() -> None:
    assert len(embedded.asset("charts.js")) < 25_000


def test_a_curve_of_many_points_keeps_its_extremes_alone() -> None:
    y = np.sin(np.arange(100_000) / 30.0)
    y[77_777] = 9.0
    x, kept = thin(np.arange(100_000.0), y)
    assert len(x) <= POINTS_MAX
    assert kept.max() == 9.0
    assert (x[0], x[-1]) == (0.0, 99_999.0)
