"""The study of containers, in small: it measures and simulates, and writes its table.

Nothing is asserted of measured times: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from control_groups import refusal

STUDY = Path(__file__).resolve().parents[2] / "studies" / "containers"


@pytest.mark.study("containers")
def test_cells_are_measured_and_simulated(tmp_path: Path) -> None:
    if why := refusal():
        pytest.skip(why)
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    found = json.loads((tmp_path / "results.json").read_text())
    free, limited = found["no limit"], found["0.7 in 100 ms"]
    for cell in (free, limited):
        assert cell["measured"]["errors"] == 0
        assert cell["measured"]["requests"] == cell["simulated"]["requests"] > 0
    # Of one sample path, a limit makes no mean shorter, and a model without one knows none.
    assert limited["simulated"]["mean"] > free["simulated"]["mean"]
    assert limited["simulated"]["without"] == free["simulated"]["without"]
    assert free["measured"]["throttled"] is None
    assert limited["measured"]["throttled"] is not None


def test_the_page_shows_the_results() -> None:
    script = "import json, study; print(*study.lines(json.load(open('results.json'))), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=STUDY, capture_output=True, text=True, check=True
    )
    page = STUDY.parents[1] / "docs" / "studies-containers.md"
    assert done.stdout in page.read_text("utf-8")
