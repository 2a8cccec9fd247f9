"""Sweeps: the varied keys, the finished points that are kept, and the results."""

from __future__ import annotations

import json
from pathlib import Path

import command_copies
import polars as pl
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.results.objective_words import words_of
from thinktime.sweeps import charts, grid, objectives_of
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.headline import headline_of

WORKLOAD = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '50/s'\n"
SYSTEM = "name = 's'\n[[station]]\nname = 'server'\ndemand = 'exp(10ms)'\n"


def values(text: str) -> tuple[str, ...]:
    return grid.parse(text).values


def test_ranges_and_lists_are_read() -> None:
    assert values("load=0.1..0.9/5") == ("0.1", "0.3", "0.5", "0.7", "0.9")
    assert values("arrivals.clients=10..1000/3log") == ("10", "100", "1000")
    assert values("session.think=5ms..15ms/3") == ("5ms", "10ms", "15ms")
    assert values("station.a.policy=fcfs, rr(1ms, switch=5us),ps") == (
        "fcfs",
        "rr(1ms, switch=5us)",
        "ps",
    )
    assert grid.parse("session.think=5ms..15ms/3").unit == "ms"
    assert values("arrivals.rate=5/s..20/s/4") == ("5/s", "10/s", "15/s", "20/s")
    assert values("arrivals.rate=60..120/min/2") == ("60/min", "120/min")
    assert values("arrivals.process=trace(../a.csv)") == ("trace(../a.csv)",)


@pytest.mark.parametrize(
    ("halves", "start"),
    [
        ((0.4, 0.7), "These points do not tell how the mean response time changes"),
        ((0.1, 0.1), "The mean response time goes from 650 ms (load 2) to 990 ms (load 1)"),
        ((None, 0.1), "The mean response time goes from"),
    ],
)
def test_chance_is_not_told_as_an_effect(halves: tuple[float | None, float], start: str) -> None:
    means = (0.99, 0.65)
    rows = [
        {"load": load, "response_mean_s": mean, "response_ci95_s": half, "slo": slo}
        for load, mean, half, slo in zip((1, 2), means, halves, ("met", "not met"), strict=True)
    ]
    said = headline_of(SweepCurves(pl.DataFrame(rows), [grid.parse("load=1,2")], measured=True))
    assert said.findings[0].startswith(start)
    assert "The SLO: met at 1, not met at 1 of 2 points." in said.findings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("load", "does not say what to vary"),
        ("load=0.1..x/3", "ends of a range are numbers"),
        ("load=0..1/3log", "above 0"),
        ("load=1ms..2s/3", "same unit"),
        ("load=1,,2", "missing between two commas"),
        ("load=1,1", "given twice"),
        ("load=0.5..0.9", "write load=0.5..0.9/5"),
        ("arrivals.rate=5/s..20/s", "write arrivals.rate=5/s..20/s/5"),
    ],
)
def test_slips_in_what_is_varied_are_named(text: str, message: str) -> None:
    with pytest.raises(tt.InputError, match=message):
        grid.parse(text)


def test_all_points_are_simulated_and_compared_with_theory(tmp_path: Path) -> None:
    table = tt.sweep(
        tt.Workload(WORKLOAD),
        tt.System(SYSTEM),
        ["load=0.3,0.6", "station.server.policy=fcfs,ps"],
        requests=200_000,
        output=tmp_path,
    )
    assert table.height == 4
    assert table["load"].to_list() == [0.3, 0.3, 0.6, 0.6]
    assert table["station.server.policy"].to_list() == ["fcfs", "ps"] * 2
    assert table["exact_response_mean_s"].to_list() == pytest.approx(
        [0.01 / 0.7] * 2 + [0.01 / 0.4] * 2
    )
    assert table["response_mean_s"].to_list() == pytest.approx(
        table["exact_response_mean_s"].to_list(), rel=0.05
    )
    assert table.equals(pl.read_parquet(tmp_path / "results.parquet"))
    page = (tmp_path / "sweep.html").read_text()
    assert "station.server.policy" in page
    assert "http" not in page.split("<script>")[0].replace("http-equiv", "")


def test_finished_points_are_not_done_again(tmp_path: Path) -> None:
    def points() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in (tmp_path / "points").iterdir()}

    def go(vary: str) -> pl.DataFrame:
        return tt.sweep(
            tt.Workload(WORKLOAD), tt.System(SYSTEM), [vary], requests=20_000, output=tmp_path
        )

    first = go("arrivals.rate=10/s,20/s")
    before = points()
    whole = go("arrivals.rate=10/s,20/s,30/s")
    after = points()
    assert len(before) == 2
    assert len(after) == 3
    assert all(after[name] == changed for name, changed in before.items())
    assert whole.head(2).equals(first)


def swept(output: Path) -> pl.DataFrame:
    workload, system = tt.Workload(WORKLOAD), tt.System(SYSTEM)
    return tt.sweep(workload, system, ["arrivals.rate=10/s"], requests=1000, output=output)


def test_a_sweep_leaves_alone_what_is_not_its_own(tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "file"
    other.mkdir()
    (other / "thesis.txt").write_text("two years")
    file.write_text("a file")
    for place, message in (
        (other, "is not empty and holds no sweep: name a new directory"),
        (file, "file: is a file"),
        (file / "in" / "it", "file: is a file"),
    ):
        with pytest.raises(tt.InputError, match=message):
            swept(place)
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]
    assert file.read_text() == "a file"


def test_a_kept_point_that_is_damaged_is_named(tmp_path: Path) -> None:
    before = swept(tmp_path / "new" / "sweep")
    (point,) = (tmp_path / "new" / "sweep" / "points").iterdir()
    point.write_bytes(point.read_bytes()[:20])
    with pytest.raises(tt.InputError, match=f"{point.name}: is damaged .*: remove it"):
        swept(tmp_path / "new" / "sweep")
    point.unlink()
    assert swept(tmp_path / "new" / "sweep").equals(before)


def test_what_cannot_be_varied_is_named_before_anything_is_done(tmp_path: Path) -> None:
    for vary, message in (
        ("lod=0.1,0.2", "begins with one of"),
        ("station.servr.policy=ps", "did you mean `server`"),
        ("station.server.policy=ps,fsfc", "did you mean `fcfs`"),
        ("requests=many", "no value of `requests`"),
    ):
        with pytest.raises(tt.InputError, match=message):
            tt.sweep(tt.Workload(WORKLOAD), tt.System(SYSTEM), [vary], output=tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_real_server_is_swept_point_by_point(tmp_path: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        table = tt.sweep(
            tt.Workload(WORKLOAD),
            None,
            ["arrivals.rate=20/s,40/s"],
            target=server.url,
            duration=1,
            output=tmp_path,
        )
    page = (tmp_path / "sweep.html").read_text("utf-8").partition("<script>")[0]
    assert "measured" in page
    assert "simulated" not in page
    assert table["requests"].to_list() == sorted(table["requests"].to_list())
    assert table["errors"].to_list() == [0, 0]


def test_the_command_prints_a_list(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    options = ["--vary", "load=0.2,0.4", "--requests", "5000", "--json"]
    words = ["sweep", "w.toml", "s.toml", *options]
    done = command_copies.thinktime(words, tmp_path, timeout_s=300)
    assert done.returncode == 0, done.stderr
    assert [row["load"] for row in json.loads(done.stdout)] == [0.2, 0.4]


def test_points_that_are_not_to_be_trusted_are_marked_and_told_by_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One point receives no requests, which is not a result."""
    monkeypatch.setenv("COLUMNS", "150")
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    files = [str(tmp_path / "w.toml"), str(tmp_path / "s.toml")]
    options = ["--duration", "10s", "-o", str(tmp_path / "out")]

    def swept(rates: str, status: int) -> str:
        words = ["sweep", *files, "--vary", f"arrivals.rate={rates}", *options]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == status, done.output
        return done.output

    assert "trust" not in swept("50/s,60/s", 0)
    for _ in range(2):  # done, and then kept from before
        said = swept("50/s,1e-9/s", 3)
        (marked,) = [line for line in said.splitlines() if line.startswith("1e-09/s")]
        assert marked.endswith("not to be trusted")
        assert "At rate 1e-09/s: not to be trusted: " in said
        assert "of 2 points 1 is not to be trusted" in said
    table = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert [why is None for why in table["untrusted"]] == [True, False]
    assert "not to be trusted" in (tmp_path / "out" / "sweep.html").read_text()


def test_an_overloaded_point_leaves_the_others(tmp_path: Path) -> None:
    """50 requests a second of 10 ms are a load of 0.5, and 150 one of 1.5."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    words = ["sweep", str(tmp_path / "w.toml"), str(tmp_path / "s.toml"), "-q", "--vary",
             "scale=1,3", "--requests", "2000", "-o", str(tmp_path / "out")]  # fmt: skip
    for _ in range(2):  # the second time all points are kept ones
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 3, result.output
        assert "At scale 3: not to be trusted: the offered load is 1.500" in result.output
        assert "of 2 points 1 is not to be trusted" in result.output
    table = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert table["load"].to_list() == [pytest.approx(0.5, rel=0.1), None]
    alone = tt.sweep(tt.Workload(WORKLOAD), tt.System(SYSTEM), ["scale=3"], requests=2000)
    assert "the offered load is 1.500" in alone["untrusted"][0]


def test_points_that_an_older_version_kept_are_taken(tmp_path: Path) -> None:
    def go(values: str) -> pl.DataFrame:
        workload, system = tt.Workload(WORKLOAD), tt.System(SYSTEM)
        return tt.sweep(workload, system, [f"load={values}"], requests=500, output=tmp_path)

    go("0.2")
    (point,) = (tmp_path / "points").iterdir()
    row = json.loads(point.read_text())
    del row["untrusted"]
    point.write_text(json.dumps(row))
    assert go("0.2,0.3")["untrusted"].to_list() == [None, None]


def test_help_speaks_of_runs_as_well_as_of_simulations() -> None:
    said = " ".join(CliRunner().invoke(app, ["sweep", "--help"]).output.split())
    assert "Virtual time at which" not in said
    assert "30s against a server" in said


@pytest.mark.parametrize(
    ("row", "doubt"),
    [
        ({"requests": 1000, "errors": 0, "untrusted": None}, False),
        ({"requests": 1000, "errors": 90, "untrusted": None}, False),
        ({"requests": 1000, "errors": 649, "untrusted": None}, True),
        ({"requests": 1000, "errors": 0, "untrusted": "an overload"}, True),
    ],
)
def test_a_point_whose_requests_fail_is_drawn_as_one_in_doubt(
    row: dict[str, object], doubt: bool
) -> None:
    rows = [
        {"rate": 1.0, "requests": 1000, "errors": 0, "untrusted": None, "response_mean_s": 0.1},
        {"rate": 2.0, "response_mean_s": 0.08, **row},
    ]
    swept = SweepCurves(pl.DataFrame(rows), [grid.parse("rate=1,2")], measured=False)
    (figures,) = (one for one in charts.CHARTS if one.name == "figures")
    drawing = figures.draw(swept)
    assert drawing is not None
    assert any(key.name == charts.IN_DOUBT for key in drawing.keys) == doubt
    marks = drawing.panels[0].figure.series[0].marks
    assert list(marks) == ["dot", "cross" if doubt else "dot"]


def judged(verdicts: dict[str, str], objectives: str = "") -> SweepCurves:
    """A sweep over three loads by policies, each with the verdict at every load, by its letters."""
    words = {"m": "met", "n": "not met", "?": "cannot tell"}
    rows = [
        {"load": load, "station.server.policy": policy, "response_mean_s": 0.1 + load,
         "slo": words[letter], "warnings": ""}
        for policy, letters in verdicts.items()
        for load, letter in zip((0.3, 0.6, 0.9), letters, strict=True)
    ]  # fmt: skip
    axes = [
        grid.parse("load=0.3,0.6,0.9"),
        grid.parse(f"station.server.policy={','.join(verdicts)}"),
    ]
    return SweepCurves(pl.DataFrame(rows), axes, False, objectives)


@pytest.mark.parametrize(
    ("verdicts", "objectives", "headline"),
    [
        (
            {"fcfs": "nnn", "ps": "nnn", "srpt": "mmn"}, "p99 ≤ 250 ms",
            "srpt meets p99 ≤ 250 ms up to a load of 0.6; fcfs and ps at none.",
        ),
        (
            {"fcfs": "m?n", "ps": "mmm"}, "p99 ≤ 1 s",
            "ps meets p99 ≤ 1 s everywhere; fcfs up to a load of 0.3 (cannot tell at 0.6).",
        ),
        (
            {"fcfs": "nmm", "ps": "nnm"}, "",
            "fcfs meets the SLO from a load of 0.6 on; ps from a load of 0.9 on.",
        ),
        (
            {"fcfs": "mnm", "ps": "???"}, "",
            "fcfs meets the SLO at 0.3 and 0.9; ps at none (cannot tell at 0.3, 0.6 and 0.9).",
        ),
    ],
)  # fmt: skip
def test_the_headline_says_where_objectives_are_met(
    verdicts: dict[str, str], objectives: str, headline: str
) -> None:
    found = headline_of(judged(verdicts, objectives))
    assert found.sentence == headline
    assert found.findings[0].startswith("The mean response time goes from")


def test_a_point_that_is_not_to_be_trusted_meets_nothing_for_certain() -> None:
    swept = judged({"fcfs": "mmn", "ps": "mmm"})
    table = swept.table.with_columns(
        untrusted=pl.when((pl.col("load") == 0.6) & (pl.col("station.server.policy") == "ps")).then(
            pl.lit("the generator was late")
        )
    )
    found = headline_of(SweepCurves(table, swept.axes, False))
    assert found.sentence == (
        "fcfs meets the SLO up to a load of 0.6; ps at 0.3 and 0.9 (cannot tell at 0.6). "
        "1 of 6 points is doubtful."
    )


@pytest.mark.parametrize(
    ("slo", "words"),
    [
        ("", ""),
        ('errors = "1%"\np99 = "250ms"', "p99 ≤ 250 ms and errors ≤ 1 %"),
        ('mean = "1.5s"', "mean ≤ 1.50 s"),
        ('p50 = "1s"\np90 = "2s"\np95 = "3s"\np99 = "4s"', ""),
    ],
)
def test_objectives_are_named_unless_they_are_many(slo: str, words: str) -> None:
    assert words_of(tt.Workload(f"{WORKLOAD}[slo]\n{slo}\n")) == words


def test_a_varied_objective_is_not_named() -> None:
    workload = tt.Workload(f"{WORKLOAD}[slo]\np99 = '250ms'\n")
    assert objectives_of(workload, [grid.parse("load=0.1,0.2")]) == "p99 ≤ 250 ms"
    assert objectives_of(workload, [grid.parse("slo.p99=100ms,200ms")]) == ""
