"""The section of a report that says what other systems would have shown."""

from __future__ import annotations

from pathlib import Path

import cases
import pytest

import thinktime as tt
from thinktime.report import report
from thinktime.report.explained import lines_of

H2 = "h2(10ms, cv2=4)"


def measured(system: tt.System, rate: float = 70, requests: int = 8000) -> tt.Result:
    return tt.simulate(
        cases.open_model(rate), system, requests=requests, rows="all", warmup=0.0
    )  # fmt: skip


@pytest.fixture
def as_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results count as those of real servers, which a busy machine would spoil."""
    monkeypatch.setattr(tt.Result, "kind", property(lambda _: "run"))


@pytest.mark.usefixtures("as_a_run")
def test_the_report_of_a_run_says_what_other_systems_would_have_shown(tmp_path: Path) -> None:
    result = measured(cases.system(("ps", H2)), requests=12_000)
    page = " ".join(report(result, tmp_path / "report.html").read_text().split())
    assert "What another system would have shown" in page
    assert "1 server, processor sharing at a load of 0." in page
    assert "(of the first 10 000 requests)" in page
    assert "the same load, closed, 50 clients" in page


@pytest.mark.usefixtures("as_a_run")
def test_the_report_says_why_nothing_is_explained() -> None:
    few = measured(cases.system(("ps", H2)), requests=200)
    (line,) = lines_of(few)
    assert "1,000 are needed" in line.note
    idle = measured(cases.system(("ps", "exp(1ms)")), rate=5, requests=2000)
    (line,) = lines_of(idle)
    assert "No model is shown" in line.note
    assert "run it at a higher load" in line.note


def test_simulations_need_no_such_section() -> None:
    assert lines_of(measured(cases.system(("ps", H2)), requests=2000)) == []
