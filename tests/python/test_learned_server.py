"""The doubt of a learned server reaches each verdict on it, until somebody confirms it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from made_logs import Known, make
from road.log import write
from road.site import Site
from typer.testing import CliRunner

import thinktime as tt
from thinktime.capacity_search.answer import Capacity
from thinktime.capacity_search.report import outcome
from thinktime.cli import app

WORKLOAD = """
name = "people"
[arrivals]
model = "open"
rate = "{rate}/s"
{slo}
[[request]]
name = "page"
get = "/"
"""

SYSTEM = """
name = "learned"
[learned]
from = "access.log"
confidence = "{confidence}"
guesses = ["policy"]
reason = "Stamps in steps of 1 s do not show it."
{more}
[[station]]
name = "server"
demand = "exp(10ms)"
"""


def workload(rate: float, slo: str = "") -> tt.Workload:
    return tt.Workload(WORKLOAD.format(rate=rate, slo=slo))


def system(more: str = "", confidence: str = "low") -> tt.System:
    return tt.System(SYSTEM.format(confidence=confidence, more=more))


@pytest.mark.parametrize(
    ("rate", "more", "confidence", "doubted"),
    [
        (20, 'up_to = "26/s"', "low", False),
        (40, 'up_to = "26/s"', "low", True),
        (40, 'up_to = "26/s"', "high", True),
        (26.5, 'up_to = "26/s"', "fair", False),
        (20, "", "low", True),
        (40, "", "fair", False),
        (40, 'up_to = "26/s"\nconfirmed = true', "low", False),
        (40, "confirmed = true", "low", False),
    ],
)
def test_a_rate_beyond_the_known_one_is_doubted(
    rate: float, more: str, confidence: str, doubted: bool
) -> None:
    result = tt.simulate(workload(rate), system(more, confidence), requests=2000)
    found = {one.name: one for one in result.validity}["learned model"]
    assert found.verdict == ("not to be trusted" if doubted else "fine")
    assert result.verdict.status == ("not to be trusted" if doubted else "done")
    assert (result.untrusted is not None) == doubted
    assert "access.log" in found.found
    if doubted:
        assert "guessed: policy" in found.found
        assert "steps of 1 s" in found.found
        assert "confirmed = true" in found.advice


def test_a_system_that_was_not_learned_has_no_such_check() -> None:
    own = tt.System('name = "own"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n')
    result = tt.simulate(workload(40), own, requests=2000)
    assert "learned model" not in {one.name for one in result.validity}
    assert result.untrusted is None


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A workload of a rate beyond the known one, and the learned system."""
    (tmp_path / "w.toml").write_text(WORKLOAD.format(rate=40, slo='[slo]\np99 = "1s"'))
    (tmp_path / "s.toml").write_text(SYSTEM.format(confidence="low", more='up_to = "26/s"'))
    return str(tmp_path / "w.toml"), str(tmp_path / "s.toml")


def said(*words: str, status: int) -> str:
    """The output of a command with this exit status."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == status, result.output
    return result.output


def test_each_command_says_so(files: tuple[str, str], tmp_path: Path) -> None:
    output = ["-o", str(tmp_path / "result"), "--junit", str(tmp_path / "j.xml")]
    text = said("simulate", *files, "--requests", "5000", "-q", *output, status=3)
    assert "not to be trusted: the server was learned from access.log" in text
    assert "learned from access.log" in (tmp_path / "j.xml").read_text()
    page = tmp_path / "page.html"
    said("report", str(tmp_path / "result"), "-o", str(page), status=0)
    assert "learned from access.log" in page.read_text()
    text = said("compare", *[str(tmp_path / "result")] * 2, "--fail-if", "p99 > +5%", status=3)
    assert "learned from access.log" in text
    vary = ["--vary", "arrivals.rate=20/s,40/s", "--requests", "5000"]
    text = said("sweep", *files, *vary, "-q", status=3)
    assert "learned from access.log" in text
    assert "of 2 points 1 is" in text


def test_an_overload_of_a_server_that_is_not_known_is_doubted(files: tuple[str, str]) -> None:
    text = said("simulate", *files, "--scale", "20", status=2)
    assert "the offered load is" in text
    assert "not to be trusted: the server was learned from access.log" in text


def test_a_capacity_beyond_the_known_rate_is_not_to_be_trusted(files: tuple[str, str]) -> None:
    result = CliRunner().invoke(app, ["capacity", *files, "--precision", "0.2", "-q", "--json"])
    assert result.exit_code == 3, result.output
    found = json.loads(result.output[: result.output.rindex("}") + 1])
    assert found["value"] > 26
    assert any("learned from access.log" in doubt for doubt in found["doubts"])


@pytest.mark.parametrize(
    ("high", "status"), [(2.2, "done"), (2.4, "not to be trusted"), (None, "done")]
)
def test_a_capacity_whose_interval_reaches_beyond_the_known_rate(
    high: float | None, status: str
) -> None:
    """The probe at 2.3 times failed, on a server that is known up to 2 times."""
    doubt = {"name": "learned model", "verdict": "not to be trusted", "found": "", "advice": ""}
    probes = pl.DataFrame({
        "value": [2.3, 2.0], "passed": [False, True], "untrusted": ["a guess", None],
        "validity": [[doubt], [{**doubt, "verdict": "fine"}]],
    })  # fmt: skip
    found = Capacity(
        what="scale", unit="times the workload", value=2.1, low=2.0, high=high, verdict="found",
        words="", probes=probes,
    )  # fmt: skip
    assert outcome(found).status == status


@pytest.mark.usefixtures("brief_advice")
def test_learn_says_what_it_learned_and_how_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(7, "fcfs", 2, 0.05, 1.0, 0.4, 400.0, True, False)
    log, file = tmp_path / "access.log", tmp_path / "server.toml"
    words = ["learn", str(log), "--format", str(write(site, log)), "--no-fidelity", "-q"]
    text = said(*words, "--system", str(file), status=0)
    table = tt.System.load(file).learned
    assert table is not None
    assert table["from"] == "access.log"
    assert table["up_to"] > 4 * site.rate * 0.9
    assert "2 workers, first come, first served" in text
    assert f"Confidence: {table['confidence']}" in " ".join(text.split())
    assert "can be trusted up to" in text
    found = json.loads(said(*words, "--json", status=0))["server"]
    assert (found["policy"], found["servers"], found["up_to"]) == ("fcfs", 2, None)
    text = said(*words, "-o", str(tmp_path / "site"), status=0)
    for ending in ("toml", "system.toml", "html"):
        assert f"written: {tmp_path / 'site'}.{ending}" in text
    assert tt.System.load(tmp_path / "site.system.toml").learned == table
    monkeypatch.setattr("thinktime.learn.views.server.QUICK", 10)
    assert "`--system FILE`" in said(*words, status=0)


@pytest.mark.usefixtures("brief_advice")
def test_a_given_demand_is_known_at_no_rate(tmp_path: Path) -> None:
    log, files = tmp_path / "access.log", (tmp_path / "w.toml", tmp_path / "s.toml")
    make(Known(sessions=300, rate=2.0), log)
    words = ["learn", str(log), "--no-fidelity", "-q", "-o", str(files[0])]
    text = said(*words, "--system", str(files[1]), "--demand", "exp(5ms)", status=0)
    assert "$msec" in text
    assert tt.System.load(files[1]).learned["confidence"] == "low"
    assert "does not show it at any rate" in str(tt.simulate(*files, requests=500).untrusted)
