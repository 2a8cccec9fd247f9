"""The study of omission and collapse, in small: it runs, and its numbers are right.

Seeds are fixed, so the results are the same each time; the margins are those within which nearly
any seeds would fall.
"""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

STUDY = Path(__file__).resolve().parents[2] / "studies" / "omission-and-collapse"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("collapse")
    command = [sys.executable, str(STUDY / "run.py"), "--quick", "--to", str(to)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return to


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


@pytest.mark.study("omission-and-collapse")
def test_figures_are_pictures(folder: Path) -> None:
    figures = {file.stem for file in (folder / "figures").glob("*.svg")}
    assert {"exponential", "bimodal", "bimodal-tail", "queue-length"} <= figures
    for file in (folder / "figures").glob("*.svg"):
        picture = ET.parse(file).getroot()
        assert picture.tag.endswith("svg")
        assert "nan" not in ET.tostring(picture, encoding="unicode")


@pytest.mark.study("omission-and-collapse")
def test_a_closed_client_sees_no_queue(results: dict[str, Any]) -> None:
    p99_ms = results["response_times"]["bimodal, closed-1"]["found"]["p99"] * 1e3
    assert 0.465 <= p99_ms <= 0.476  # exact: 0.4704


@pytest.mark.study("omission-and-collapse")
def test_the_open_tail(results: dict[str, Any]) -> None:
    """12 million requests; at 800 million the p99 of four seeds scattered by 0.4 %.

    That is 3.3 % here, and the margin four times as much.
    """
    p99_ms = results["response_times"]["bimodal, open"]["found"]["p99"] * 1e3
    assert p99_ms == pytest.approx(45.798, rel=0.13)


@pytest.mark.study("omission-and-collapse")
def test_means_agree_with_exact_theory(results: dict[str, Any]) -> None:
    for one in results["response_times"].values():
        found, exact = one["found"], one["exact"]["mean"]
        assert abs(found["mean"] - exact) <= 3 * found["ci95"]
        assert one["load"] == pytest.approx(0.8, abs=0.01)


@pytest.mark.study("omission-and-collapse")
def test_reading_a_collapses_as_soon_as_in_another_simulator(results: dict[str, Any]) -> None:
    """The median of 40 runs has a standard error of about 6 %; the margin is 20 %."""
    found = results["readings"]["A"]["found"]
    assert found["runs"] == 40
    assert found["collapsed"] == 40
    assert found["p50"] == pytest.approx(1708, rel=0.2)
    assert found["within_5_s"] > 0.95


@pytest.mark.study("omission-and-collapse")
def test_reading_b_collapses_sooner(results: dict[str, Any]) -> None:
    """The times scatter more: the standard error is about 17 %, and the margin 40 %.

    One choice of seeds in fifty fails a right program; this one has passed.
    """
    found = results["readings"]["B"]["found"]
    assert found["collapsed"] == found["runs"] == 40
    assert found["p50"] == pytest.approx(631, rel=0.4)


@pytest.mark.study("omission-and-collapse")
@pytest.mark.parametrize("row", ["C1", "none", "A-exponential", "B-exponential"])
def test_what_is_stable_stays_so(results: dict[str, Any], row: str) -> None:
    found = results["readings"][row]["found"]
    assert found["runs"] == 8
    assert found["collapsed"] == 0


@pytest.mark.study("omission-and-collapse")
def test_the_tool_tells_of_every_collapse(results: dict[str, Any]) -> None:
    for row in results["readings"].values():
        assert row["found"]["untold"] == 0
    assert results["readings"]["A"]["found"]["told"] >= 10


@pytest.mark.study("omission-and-collapse")
def test_remedies(results: dict[str, Any]) -> None:
    remedies = results["remedies"]
    for reading in "ABC":
        assert remedies["none"][reading]["collapsed"] == remedies["none"][reading]["runs"]
        for key in ("budget-10%", "concurrency-10", "srpt"):
            assert remedies[key][reading]["collapsed"] == 0
        assert remedies["srpt"][reading]["on_time"] > 0.99


@pytest.mark.study("omission-and-collapse")
def test_many_closed_clients_get_nothing(results: dict[str, Any]) -> None:
    """More of them than fit into the timeout: 15 ms / E[S] = 136."""
    rows = results["closed_clients"]
    assert rows["A, 10 clients"]["goodput"] > 0.8
    assert rows["A, 1000 clients"]["goodput"] < 0.05
    assert rows["A, 1000 clients"]["most_in_server"] <= 1000
    assert rows["B, 1000 clients"]["most_in_server"] > 5000


@pytest.mark.study("omission-and-collapse")
def test_every_claim_has_a_verdict(folder: Path, results: dict[str, Any]) -> None:
    assert len(results["claims"]) == 9
    tables = (folder / "tables.md").read_text(encoding="utf-8")
    for claim in results["claims"]:
        assert claim["verdict"] in tables


def test_claims_are_made_of_a_few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the whole study, which are kept, are the source of its tables."""
    monkeypatch.syspath_prepend(str(STUDY))
    _claims_are_those_of_the_tables(STUDY)


@pytest.mark.study("omission-and-collapse")
def test_claims_of_a_small_study_are_made_of_a_few_figures(
    folder: Path, results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(STUDY))
    import claims

    _claims_are_those_of_the_tables(folder)
    assert claims.claims(results) == claims.claims(claims.needed(results))


def _claims_are_those_of_the_tables(place: Path) -> None:
    import claims

    kept = json.loads((place / "claims.json").read_text(encoding="utf-8"))
    tables = (place / "tables.md").read_text(encoding="utf-8")
    made = claims.claims(kept)
    assert len(made) == 9
    for one in made:
        assert f"| {one.claim} | {one.found} | {one.verdict} |" in tables


def test_words_follow_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDY))
    import claims

    results = json.loads((STUDY / "claims.json").read_text(encoding="utf-8"))

    def found(about: str) -> claims.Claim:
        return next(one for one in claims.claims(results) if about in one.claim)

    about = "99th percentile is over 25 ms"
    assert found(about).found.endswith("and the claim fails")
    assert found(about).verdict == "holds for exponential modes, does not hold for constants"
    results["constants"]["p99"] = 0.030
    assert found(about).found.endswith("30.0 ms, and the claim holds too")
    assert found(about).verdict == "holds"

    about = "each late request adds load"
    assert found(about).verdict == "holds, but is not all of it"
    for row in results["readings"].values():
        row["found"]["collapsed"] *= row["load"] > 0.75
    assert found(about).verdict == "holds"
    results["theory"]["capacity"]["no limit"] = 0.9
    assert found(about).verdict == "does not hold"

    assert found("grows without bound").verdict.endswith("or it is taken back even out of service")
    results["readings"]["D"]["found"]["collapsed"] = 3
    assert found("grows without bound").verdict.endswith("and retries are limited")

    about = "Closed systems do not collapse"
    assert found(about).verdict.startswith("holds for the queue, not for what clients get")
    results["closed_clients"]["A, 1000 clients"]["no_goodput"] = 0
    assert found(about).verdict == "holds"
