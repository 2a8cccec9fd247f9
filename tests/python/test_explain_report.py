"""The section of a report about the figures of other systems."""

from __future__ import annotations

import html
from pathlib import Path

import cases
import polars as pl
import pytest

import thinktime as tt
from thinktime.present import units
from thinktime.present.table import Line
from thinktime.report import explanation, report
from thinktime.report.explanation import lines_of

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
    assert "(of the first 10,000 requests)" in page
    assert "the same load, closed, 50 clients" in page
    assert "A closed test with 10 clients at the same throughput would have shown" in page


@pytest.mark.usefixtures("as_a_run")
def test_the_report_says_why_nothing_is_explained() -> None:
    few = measured(cases.system(("ps", H2)), requests=200)
    (line,) = lines_of(few)
    assert "1,000 are needed" in line.note
    idle = measured(cases.system(("ps", "exp(1ms)")), rate=5, requests=2000)
    (line,) = lines_of(idle)
    assert "No model is shown" in line.note
    assert "run it at a higher load" in line.note
    assert line.note.endswith("would have shown cannot be said: no model fits.")


def test_a_run_against_a_real_server_has_the_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a model, or with the reason for its absence, such as a busy machine."""
    found: list[list[Line]] = []

    def kept(result: tt.Result) -> list[Line]:
        found.append(lines_of(result))
        return found[-1]

    monkeypatch.setattr(explanation, "lines_of", kept)
    with tt.serve(cases.system(("ps", "exp(3ms)"))) as server:
        result = tt.run(
            cases.open_model(200), server.url, duration=8, output=tmp_path / "measured"
        )  # fmt: skip
    written = report(tt.Result.load(tmp_path / "measured"), tmp_path / "report.html")
    page = " ".join(html.unescape(written.read_text()).split())
    assert "What another system would have shown" in page
    assert "cannot be read" not in page
    rows = pl.DataFrame(result.requests).filter(pl.col("error").is_null())
    mean_s = (rows["done_ns"] - rows["sent_ns"]).mean() * 1e-9
    ((measured, *asked),) = found
    assert measured.cells[0].text == units.seconds(mean_s)
    assert " ".join(measured.note.split()) in page
    if asked:
        assert "matches the measurement" in measured.note
        assert "the same load, closed, 50 clients" in page
    else:
        assert measured.note.startswith("No model is shown: ")


def test_simulations_need_no_such_section() -> None:
    assert lines_of(measured(cases.system(("ps", H2)), requests=2000)) == []
