"""The study of wide areas: its files, its tables, and in small the whole of it.

Of times nothing is asserted: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import labs
import pytest

import thinktime as tt
from thinktime.cli.lab import run_options
from thinktime.lab import file

STUDY = Path(__file__).resolve().parents[2] / "studies" / "wide-area"
sys.path.insert(0, str(STUDY))

import wide_models as models  # noqa: E402 - the study is a folder of scripts
import wide_tables  # noqa: E402


def test_all_cells_are_labs_and_models(tmp_path: Path) -> None:
    assert len(models.LINKS) * len(models.SIZES) == 27
    for link in models.LINKS:
        (tmp_path / "a.toml").write_text(models.toml(models.transfers(["2 kB"])), "utf-8")
        (tmp_path / "lab.toml").write_text(models.lab(link, ["a"], 1, 0, 1), "utf-8")
        real = file.load(tmp_path / "lab.toml", run_options)
        assert real.congestion_control == models.CONGESTION_CONTROL
        assert real.links[0].delay == pytest.approx(link.delay_ms / 1e3)
        assert real.links[0].loss == pytest.approx(link.loss / 100)
        text = models.toml(models.behind(link, models.quick_server()))
        assert 'name = "wan"' in tt.System(text).to_toml()


def test_loads_are_held_behind_every_link() -> None:
    for condition in models.CONDITIONS:
        system = models.behind(models.CONDITIONS[condition], models.file_server("ps"))
        done = tt.simulate(models.users("open"), system, load=0.5, requests=20_000, rows="none")
        assert done.summary["errors"] == 0
        assert done.summary["stations"][models.SERVER]["load"] == pytest.approx(0.5, rel=0.1)


def test_the_page_has_the_tables_of_the_results() -> None:
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    page = (STUDY / "README.md").read_text("utf-8")
    assert "\n".join(wide_tables.cells(found)) in page
    assert wide_tables.said_of_cells(found) in page
    assert "\n".join(wide_tables.figure_4(found)) in page
    assert "\n".join(wide_tables.all_points(found)) in (STUDY / "tables.md").read_text("utf-8")


def test_most_cells_are_predicted_within_a_fifth() -> None:
    """Of those kept with the study; a new measurement has to show it anew."""
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    share = wide_tables.ratios(found)
    assert len(share) == 27
    good = [ratio for ratio in share.values() if abs(1 / ratio - 1) <= wide_tables.GOOD]
    assert len(good) > 27 / 2


def test_predictions_are_those_of_this_model() -> None:
    """One cell of each size, simulated anew: the kept mean is the same to the last digit."""
    found = json.loads((STUDY / "results.json").read_text("utf-8"))["predicted"]
    link = models.LINKS[4]
    system = models.behind(link, models.quick_server())
    for size in models.SIZES:
        done = tt.simulate(models.transfers([size]), system, requests=models.PREDICTED, rows="none")
        kept = found[wide_tables.cell_name(link, size)]["mean_s"]
        assert done.summary["response_time_s"]["mean"] == pytest.approx(kept, rel=1e-9)


@pytest.mark.study("wide-area")
def test_the_study_in_small(tmp_path: Path) -> None:
    labs.need_root()
    labs.need_tun()
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path)]
    with labs.nothing_left():
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    (cell,) = found["measured"].values()
    for size in ("of-2kb", "of-50kb", "of-1mb"):
        assert cell[size]["errors"] == 0
        # Not sooner than light: a round trip for the connection, and one for the rest.
        assert cell[size]["p50_s"] > 0.04
    (point,) = found["points measured"].values()
    assert point["requests"] == point["beside"]["requests"]
    # Existing measurements are not repeated.
    again = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert again.returncode == 0, again.stderr
    assert "measured" not in again.stderr
