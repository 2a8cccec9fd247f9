"""The study of token servers, in small: each way at one load, and what must hold among them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "token-servers"


@pytest.mark.study("token-servers")
def test_each_way_reports_its_own_of_one_server(tmp_path: Path) -> None:
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    found = {one["way"]: one for one in json.loads((tmp_path / "results.json").read_text())}
    closed, reported = found["closed"], found["rate and limit, as reported"]
    due = found["rate and limit, from due"]
    # Of the same requests, those counted from when they were due wait longer by the line alone.
    assert due["response_mean"] == pytest.approx(
        reported["response_mean"] + reported["line_mean"], rel=1e-9
    )
    assert due["first_p99"] > reported["first_p99"]
    assert found["open"]["first_p99"] > closed["first_p99"]
    # All at one throughput: 4,000 requests tell a rate to 1.6 %, and four times that is allowed.
    for one in found.values():
        assert one["throughput"] == pytest.approx(closed["throughput"], rel=0.065)


def test_the_page_shows_the_results() -> None:
    sys.path.insert(0, str(STUDY))
    import study
    import ways

    found = [ways.Seen(**one) for one in json.loads((STUDY / "results.json").read_text())]
    assert "\n".join(study.lines(found)) in study.PAGE.read_text("utf-8")
