"""What commands show of a result: its checks in short, all of them on request, and its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import cases
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

SYSTEM = cases.system(("fcfs", "exp(10ms)"))


def invoke(*arguments: str) -> Any:
    """The command line in this process."""
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a workload and a system."""
    (tmp_path / "w.toml").write_text(cases.open_model(50).to_toml())
    (tmp_path / "s.toml").write_text(SYSTEM.to_toml())
    return tmp_path


def test_what_was_not_looked_at_is_one_line_and_its_reasons_are_shown_on_request(
    files: Path,
) -> None:
    """A simulation that keeps no rows: four of its checks need them."""
    command = ("simulate", f"{files}/w.toml", f"{files}/s.toml", "--requests", "20000")
    short = invoke(*command).stdout
    (line,) = [line for line in short.splitlines() if "not looked at" in line]
    assert line.startswith("not looked at: arrivals")
    assert line.endswith("(--verbose says why)")
    assert "No rows were kept" not in short
    assert re.search(rf"^open  {cases.open_model(50).name}$", short, re.MULTILINE), "its name"
    whole = " ".join(invoke(*command, "--verbose").stdout.split())
    assert "not looked at" not in whole
    assert "No rows were kept" in whole
    assert "arrivals could not look" in whole


def test_a_page_is_written_on_request_with_the_charts_of_rows(files: Path) -> None:
    page = files / "page.html"
    command = ("simulate", f"{files}/w.toml", f"{files}/s.toml", "--requests", "2000")
    done = invoke(*command, "--report", f"{page}")
    assert done.exit_code == 0, done.output
    assert f"page: {page}" in done.stderr
    assert 'id="section-heat"' in page.read_text(), "a chart that needs rows"
    done = invoke(*command, "--report", f"{files}/none/page.html")
    assert done.exit_code == 2
    assert "there is no folder" in done.stderr


def test_one_result_is_compared_with_nothing_and_that_is_said(files: Path) -> None:
    tt.simulate(files / "w.toml", files / "s.toml", requests=2000, output=files / "one")
    done = invoke("compare", f"{files}/one")
    assert done.exit_code == 0
    assert done.stdout.startswith("nothing is compared: give a second result, or --against COMMIT")
