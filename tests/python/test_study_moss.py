"""The case study of MOSS: its dual-core medians are those measured, within the tolerances.

Seeds are fixed, so the results are the same each time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "moss" / "study.py"
LINUX, WINDOWS = "linux-2.6.22", "windows-server-2003"


@pytest.fixture(scope="module")
def cells() -> list[dict[str, Any]]:
    """With 12 of the study's 20 runs a cell: medians have a standard error of 4 % at most, where
    the tolerance is 15 %, and next to none elsewhere (false alarm 0.4 %, were seeds not fixed)."""
    command = [sys.executable, str(STUDY), "--json", "--runs", "12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["cells"]


def of(cells: list[dict[str, Any]], cores: int, rate: int, os: str, request: str) -> dict[str, Any]:
    wanted = {"cores": cores, "rate_per_min": rate, "os": os, "request": request}
    (found,) = [one for one in cells if all(one[key] == wanted[key] for key in wanted)]
    return found


@pytest.mark.study("moss")
def test_all_cells_are_there(cells: list[dict[str, Any]]) -> None:
    loads = {(one["cores"], one["rate_per_min"]) for one in cells}
    assert loads == {(1, 180), (2, 180), (2, 360), (4, 180), (4, 360), (4, 720)}
    assert len(cells) == 36
    for one in cells:
        low, high = one["ci95_ms"]
        assert low <= one["median_ms"] <= high
        assert one["median_ms"] <= one["p95_ms"]


@pytest.mark.study("moss")
@pytest.mark.parametrize(
    ("rate", "os", "measured", "tolerance"),
    [
        (180, LINUX, 255, 0.05),
        (360, LINUX, 258, 0.10),
        (180, WINDOWS, 256, 0.05),
        (360, WINDOWS, 458, 0.15),
    ],
)
def test_two_cores_have_the_medians_measured(
    cells: list[dict[str, Any]], rate: int, os: str, measured: float, tolerance: float
) -> None:
    median = of(cells, 2, rate, os, "monitoring")["median_ms"]
    assert median == pytest.approx(measured, rel=tolerance)


@pytest.mark.study("moss")
def test_the_systems_differ_as_measured(cells: list[dict[str, Any]]) -> None:
    medians = [of(cells, 2, 360, os, "monitoring")["median_ms"] for os in (LINUX, WINDOWS)]
    assert medians[1] / medians[0] == pytest.approx(1.8, rel=0.15)


@pytest.mark.study("moss")
def test_ranges_are_those_of_the_paper(cells: list[dict[str, Any]]) -> None:
    # Monitoring: 250 to 650 ms under Linux, 250 to 3600 ms under Windows; tails within a factor 2.
    assert of(cells, 2, 360, LINUX, "monitoring")["p95_ms"] < 1300
    assert 1800 < of(cells, 2, 360, WINDOWS, "monitoring")["p95_ms"] < 7200
    # Pages: at least 95 % are done in 5 ms under Linux, all but a few under Windows.
    for os in (LINUX, WINDOWS):
        assert of(cells, 2, 360, os, "page")["p95_ms"] < 5.5


@pytest.mark.study("moss")
def test_linux_stays_and_windows_gains_from_one_core_to_two(cells: list[dict[str, Any]]) -> None:
    full = ((1, 180), (2, 360), (4, 720))
    linux = [of(cells, *load, LINUX, "monitoring")["median_ms"] for load in full]
    windows = [of(cells, *load, WINDOWS, "monitoring")["median_ms"] for load in full]
    assert max(linux) / min(linux) < 1.15
    assert 1.4 < windows[0] / windows[1] < 2.1
