"""Checks of validity at the points of a sweep and the probes of a capacity, and in Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cases
import polars as pl
import pytest
from test_gate import TOLD, invoke, read

import thinktime as tt
from thinktime.capacity_search.answer import answer, so_far
from thinktime.capacity_search.probe import Probe
from thinktime.capacity_search.report import report_of as capacity_report
from thinktime.capacity_search.search import Search
from thinktime.capacity_search.table import table as capacity_table
from thinktime.gate import markdown
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.live_page import Subject
from thinktime.report import point_checks, report_of
from thinktime.sweeps import grid
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.report import report_of as sweep_report
from thinktime.sweeps.table import table as swept_table
from thinktime.validity import DOUBTFUL, FINE, SPOILT, UNSEEN, Finding
from thinktime.validity.checks import CHECKS

ONE = cases.system(("fcfs", "exp(10ms)"))
WITHOUT_ROWS = {"load", "counts", "failures", "percentiles"}
"""The known facts of a simulation that keeps no rows."""

SLOW = Finding("counts", DOUBTFUL, "they are apart", "run for longer")
WRONG = Finding("counts", SPOILT, "they do not agree", "look again")


def swept(workload: tt.Workload, vary: str, **options: object) -> SweepCurves:
    table = tt.sweep(workload, ONE, [vary], **options)
    return SweepCurves(table, [grid.parse(vary)], measured="target" in options)


def verdicts(row: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["verdict"] for one in row["validity"]}


# ---- sweeps


def test_points_have_the_verdicts_of_checks_that_need_no_rows() -> None:
    found = swept(cases.open_model(50), "load=0.2,0.4", requests=30_000)
    for row in found.rows:
        seen = {name for name, verdict in verdicts(dict(row)).items() if verdict != UNSEEN}
        assert seen == WITHOUT_ROWS
        assert row["untrusted"] is None
    assert json.loads(json.dumps(found.rows))[0]["validity"][0]["name"] in CHECKS
    table = swept_table(found)
    assert table.headings[-1] == "checks"
    assert [line.cells[-1].text for line in table.lines] == [FINE, FINE]


def test_a_load_that_a_point_did_not_reach_is_told_everywhere() -> None:
    """3,000 clients who think a minute and begin together have not all returned in 200 s."""
    workload = cases.workload(
        'model = "closed"\nclients = 3000\nstart = "steady"\n[session]\nthink = "const(60s)"'
    )
    found = swept(workload, "arrivals.start=steady,empty", duration="200s", warmup=0.0)
    steady, empty = (verdicts(dict(row))["load"] for row in found.rows)
    assert (steady, empty) == (FINE, DOUBTFUL)
    cell = swept_table(found).lines[1].cells[-1]
    assert cell.text == DOUBTFUL
    wanted = "At start empty: doubtful, load: a load of "
    subject = Subject(WatchedRun("sweep", "w"))
    subject.take(("swept", (found, 2, 2)))
    made = sweep_report(found, "w")
    for page in (made.page, subject.page()):
        assert any(one.startswith(wanted) for one in page.headline.doubts), page.headline.doubts
        assert [*page.tables, *page.details][0].headings[-1] == "checks"
    assert f"- {wanted}" in markdown.document([made])
    assert "doubtful: " in made.cases[1].words
    assert made.cases[1].outcome == "passed", "it may be read with care"


def test_a_run_at_a_point_is_judged_by_its_generator() -> None:
    with tt.serve(ONE) as server:
        found = swept_real(server.url)
    for row in found.rows:
        assert verdicts(dict(row))["generator"] != UNSEEN
        assert verdicts(dict(row))["punctuality"] != UNSEEN


def swept_real(url: str) -> SweepCurves:
    vary = "arrivals.rate=20/s,40/s"
    table = tt.sweep(cases.open_model(20), None, [vary], target=url, duration=1)
    return SweepCurves(table, [grid.parse(vary)], measured=True)


def test_a_check_that_spoils_a_point_makes_it_untrusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHECKS, "counts", lambda _: WRONG)
    monkeypatch.chdir(tmp_path)
    Path("w.toml").write_text(cases.open_model(50).to_toml())
    Path("s.toml").write_text(ONE.to_toml())
    words = ["sweep", "w.toml", "s.toml", "--vary", "load=0.2,0.4", "--requests", "2000"]
    done = invoke(*words, "-o", "out", *TOLD)
    assert done.exit_code == 3
    table = pl.read_parquet("out/results.parquet")
    assert table["untrusted"].to_list() == ["they do not agree"] * 2
    assert table["validity"].to_list()[0]
    found = read(Path("junit.xml").read_text())
    assert {tag for (_, name), (tag, _) in found.items() if name.startswith("load")} == {"error"}
    # Why a point is not to be trusted is said once.
    assert Path("summary.md").read_text().count("they do not agree") == 1
    assert "not to be trusted" in Path("out/sweep.html").read_text()


def test_points_of_older_versions_have_no_checks() -> None:
    rows = [{"load": 0.2, "response_mean_s": 0.1, "requests": 9, "untrusted": "why"}]
    found = SweepCurves(pl.DataFrame(rows), [grid.parse("load=0.2")], measured=False)
    assert swept_table(found).headings[-1] == "trust"
    assert point_checks.cell(rows[0]).text == SPOILT
    assert point_checks.cell({"untrusted": None}).text == ""


def test_a_check_is_said_once_for_all_points() -> None:
    rows = [(f"load {n}", {"validity": [SLOW.as_dict()]}) for n in range(5)]
    assert point_checks.sentences(rows) == [
        "5 points, the first of them at load 0: doubtful, counts: at the first of them they are "
        "apart; run for longer."
    ]
    assert point_checks.sentences(rows[:1]) == [
        "At load 0: doubtful, counts: they are apart; run for longer."
    ]
    fine = {"validity": [Finding("counts", FINE, "they agree").as_dict()]}
    assert point_checks.sentences([("load 1", fine)]) == []
    assert point_checks.cell(fine | {"untrusted": "stopped"}).text == SPOILT


# ---- capacities


def searched() -> tt.Capacity:
    workload = tt.Workload(cases.open_model(20).to_toml() + '[slo]\nmean = "40ms"\n')
    return tt.capacity(workload, ONE, requests=20_000, precision=0.2)


def test_probes_have_the_verdicts_of_checks() -> None:
    found = searched()
    for row in found.to_dict()["probes"]:
        seen = {name for name, verdict in verdicts(row).items() if verdict != UNSEEN}
        assert seen <= WITHOUT_ROWS
        assert {"load", "percentiles"} <= verdicts(row).keys()
    table = capacity_table(found)
    place = table.headings.index("checks")
    texts = {line.cells[place].text for line in table.lines}
    assert texts <= {FINE, DOUBTFUL, SPOILT}
    assert FINE in texts or DOUBTFUL in texts
    assert found.probes["untrusted"].null_count() == len(found.probes)


def test_a_check_that_spoils_a_probe_makes_it_untrusted_and_no_suspect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = searched()
    monkeypatch.setitem(CHECKS, "counts", lambda _: WRONG)
    found = searched()
    assert found.probes["untrusted"].to_list() == ["they do not agree"] * len(found.probes)
    assert (found.value, found.verdict) == (before.value, before.verdict)
    assert not found.probes["generator"].any()
    (doubt,) = [one for one in found.doubts if "they do not agree" in one]
    assert "not to be trusted" in doubt
    assert doubt in capacity_report(found).warnings
    assert found.to_dict()["probes"][0]["untrusted"] == "they do not agree"


def test_doubts_are_about_probes_that_met_the_objectives() -> None:
    """Beyond its capacity no server is steady."""
    probes = [
        Probe(50.0, True, -1.0, 0.1, validity=(SLOW,)),
        Probe(100.0, False, 1.0, 0.1, validity=(SLOW,)),
    ]
    wanted = ["At 50/s: doubtful, counts: they are apart; run for longer."]
    found = answer(Search(start=50.0, probes=probes, probes_max=2), "rate", "/s")
    assert found.doubts == wanted
    assert [line.cells[-1].below for line in capacity_table(found).lines] == ["counts", "counts"]
    subject = Subject(WatchedRun("capacity", "w"))
    subject.take(("capacity", so_far(probes, "rate", "/s")))
    page = subject.page()
    assert set(wanted) <= set(page.headline.doubts)
    assert "checks" in [*page.tables, *page.details][0].headings


# ---- Markdown


def test_markdown_has_a_line_a_check() -> None:
    made = tt.simulate(cases.open_model(50), ONE, requests=2000)
    made.summary["validity"] = [
        Finding("load", FINE, "it was reached").as_dict(), WRONG.as_dict(), SLOW.as_dict()
    ]  # fmt: skip
    _, _, found = markdown.document([report_of(made)]).partition(
        "Before you trust these numbers:\n\n"
    )
    assert found.splitlines() == [
        "- not to be trusted: counts: they do not agree; look again",
        "- doubtful: counts: they are apart; run for longer",
        "- fine: load: it was reached",
    ]
