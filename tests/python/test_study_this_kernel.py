"""The study of this machine's kernel, in small: it measures, predicts and writes its table.

Nothing is asserted of times: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "this-kernel"


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(STUDY / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.study("this-kernel")
def test_points_are_measured_and_predicted(tmp_path: Path) -> None:
    folder = str(tmp_path / "points")
    options = ["--cores", "1", "--loads", "0.5", "--threads", "8,per-request"]
    measured = run("measure.py", folder, *options, "--duration", "3s")
    assert "| 1 | 0.5 | 8 |" in measured
    assert "| 1 | 0.5 | per-request |" in measured
    run("predict.py", folder, "--to", str(tmp_path))
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [one["request"] for one in found] == ["page", "monitoring", "reporting"] * 2
    assert all(one["predicted_median_ms"] > 0 for one in found)
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 6
    assert "Medians within 10 %" in (tmp_path / "tables.md").read_text(encoding="utf-8")
