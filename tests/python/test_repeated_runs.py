"""`run --runs`: several runs, restarts between them, and whether they agree."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import cases
import numpy as np
import polars as pl
import pytest
from answer_server import Answer, answer_server
from scipy import stats
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.present.page import Page
from thinktime.report.repeated_runs import runs_in
from thinktime.report.results_page import page_of
from thinktime.validity import DOUBTFUL, FINE, UNSEEN, Finding, agreement_of
from thinktime.validity.agreement import (
    RunMean,
    differ,
    tails_differ,
    tails_of,
    together,
    welch,
)
from thinktime.validity.agreement import agreement_of as agreement
from thinktime.validity.evidence import of_result


def simulated(seed: int, demand: str = "exp(10ms)") -> tt.Result:
    one = cases.system(("fcfs", demand))
    return tt.simulate(cases.open_model(50), one, requests=20_000, seed=seed, rows="all")


# ---- what runs say together


def test_runs_that_settle_on_other_values_are_told_apart() -> None:
    """At a load of 0.5 a mean of 20,000 is good to 2 %; demands of 11 ms make 22 % more."""
    alike = [simulated(seed) for seed in (1, 2, 3, 4)]
    found = agreement_of(alike)
    assert found.verdict == FINE
    assert "4 runs agree" in found.found
    other = agreement_of([*alike[:2], simulated(5, "exp(11ms)"), alike[2]])
    assert other.verdict == DOUBTFUL
    assert "hysteresis" in other.found
    assert "in runs 1, 2 and 4 and" in other.found
    assert "in run 3" in other.found


def test_a_tail_alone_may_differ() -> None:
    """In one run, requests beyond its p98 take twice as long: only the p99 moves."""
    runs = [of_result(simulated(seed)) for seed in (1, 2, 3)]
    rows = pl.DataFrame(runs[0].given_rows)
    took = pl.col("done_ns") - pl.col("scheduled_ns")
    longer = took * pl.when(took > took.quantile(0.98)).then(2).otherwise(1)
    slow = rows.with_columns(done_ns=pl.col("scheduled_ns") + longer)
    found = agreement([replace(runs[0], given_rows=slow), *runs[1:]])
    assert found.verdict == DOUBTFUL
    assert "the p99" in found.found
    assert "the mean" not in found.found


def test_a_request_that_is_tried_again_counts_from_its_first_attempt() -> None:
    """By another way: the times of a result, whose p99 each fifth has about."""
    retries = "timeout = '40ms'\nretry = { attempts = 3, backoff = '5ms' }"
    workload = cases.workload(
        'model = "open"\nrate = 30', requests=f'[[request]]\nname = "a"\n{retries}'
    )
    one = tt.simulate(workload, cases.system(("fcfs", "exp(10ms)")), requests=20_000, rows="all")
    assert one.summary["retries"] > 1000
    found = tails_of(of_result(one))
    times = one.response_times()
    assert found is not None
    assert times is not None
    assert np.exp(found).mean() == pytest.approx(np.quantile(times, 0.99), rel=0.1)


def test_without_rows_the_means_are_looked_at() -> None:
    found = agreement([replace(of_result(simulated(seed)), given_rows=None) for seed in (1, 2)])
    assert found.verdict == FINE
    assert "p99" not in found.found


def test_too_little_says_nothing() -> None:
    assert agreement_of([simulated(1)]).verdict == UNSEEN
    few = [
        tt.simulate(cases.open_model(50), cases.system(("ps", "exp(1ms)")), requests=5, seed=n)
        for n in (1, 2)
    ]
    assert agreement_of(few).verdict == UNSEEN


def test_the_test_of_two_means_is_that_of_welch_and_student() -> None:
    """For two means it is the t-test with unequal variances, which scipy has."""
    means, errors = np.array([1.0, 1.4]), np.array([0.1, 0.25])
    known = stats.ttest_ind_from_stats(
        means[0], errors[0] * np.sqrt(20), 20, means[1], errors[1] * np.sqrt(20), 20,
        equal_var=False,
    )  # fmt: skip
    assert welch(means, errors, 19) == pytest.approx(known.pvalue)


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Five runs of 20 parts each, 4,000 times: at 1 %, 60 and more have a probability of 0.2 %."""
    random = np.random.default_rng(7)
    parts = random.normal(100.0, [[1.0], [1.0], [2.0], [5.0], [5.0]], (4000, 5, 20))
    means, errors = parts.mean(axis=2), parts.std(axis=2, ddof=1) / np.sqrt(20)
    p_values = [welch(one, error, 19) for one, error in zip(means, errors, strict=True)]
    assert 20 < (np.array(p_values) <= 0.01).sum() < 60


def test_analysis_of_variance_is_that_of_scipy() -> None:
    random = np.random.default_rng(3)
    for spread in (0.0, 0.3, 1.0):
        logs = random.standard_normal((4, 5)) + spread * np.arange(4)[:, None]
        p_value = stats.f_oneway(*logs).pvalue
        assert tails_differ(logs) == (p_value <= 0.0025), p_value


def test_trifles_do_not_matter_and_equal_runs_are_equal() -> None:
    assert not differ([RunMean(1.00, 1e-9), RunMean(1.04, 1e-9)])
    assert differ([RunMean(1.00, 1e-9), RunMean(1.06, 1e-9)])
    assert not differ([RunMean(1.0, 0.0), RunMean(1.0, 0.0)])


def test_each_run_counts_once() -> None:
    """By hand: the mean of 1, 2 and 6 is 3, their deviation √7, and t with 2 degrees is 4.303."""
    mean, half = together([1.0, 2.0, 6.0])
    assert mean == 3.0
    assert half == pytest.approx(4.3027 * np.sqrt(7 / 3), rel=1e-4)


# ---- the report


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two results, as `run --runs` leaves them, with the findings about both."""
    folder = tmp_path_factory.mktemp("several") / "r"
    one = cases.system(("fcfs", "exp(10ms)"))
    for number in (1, 2):
        tt.simulate(
            cases.open_model(50), one, requests=2000, seed=number, rows="all",
            output=folder / f"run-{number}",
        )  # fmt: skip
    finding = Finding("agreement", DOUBTFUL, "hysteresis: <b>two</b> values", "look for it")
    noted = {"runs": ["run-1", "run-2"], "together": {}, "validity": [finding.as_dict()]}
    (folder / "runs.json").write_text(json.dumps(noted))
    return folder


def report_of(*places: Path) -> Page:
    return page_of([tt.Result.load(place) for place in places])


def test_the_report_of_several_runs_says_first_whether_they_agree(written: Path) -> None:
    made = report_of(written / "run-1", written / "run-2")
    assert made.headline.doubts[0].startswith("Agreement: hysteresis: <b>two</b> values; look for")
    assert [table.name for table in made.tables[:3]] == ["results", "runs", "agreement"]
    assert made.tables[1].lines[-1].name == "all runs"
    done = CliRunner().invoke(
        app, ["report", str(written), "-o", str(written.parent / "page.html")]
    )
    assert done.exit_code == 0, done.output
    text = (written.parent / "page.html").read_text("utf-8")
    assert "Whether the runs agree" in text
    assert "hysteresis: &lt;b&gt;two&lt;/b&gt; values" in text


def test_runs_that_were_not_made_together_say_nothing_of_agreement(
    written: Path, tmp_path: Path
) -> None:
    shutil.copytree(written / "run-2", tmp_path / "run-2")
    for places in ([written / "run-1"], [written / "run-1", tmp_path / "run-2"]):
        assert "agreement" not in {table.name for table in report_of(*places).tables}


@pytest.mark.parametrize("text", ["", "[]", '{"runs": 3}', '{"runs": [], "validity": []}'])
def test_a_note_that_somebody_spoilt_is_no_note(written: Path, tmp_path: Path, text: str) -> None:
    shutil.copytree(written, tmp_path / "r")
    (tmp_path / "r" / "runs.json").write_text(text)
    made = report_of(tmp_path / "r" / "run-1", tmp_path / "r" / "run-2")
    assert "agreement" not in {table.name for table in made.tables}
    assert runs_in(tmp_path / "r") == [tmp_path / "r"]


# ---- the command


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["run", *words])
    return done.exit_code, done.stdout, done.stderr


WORKLOAD = (
    'name = "w"\nseed = 7\n[arrivals]\nmodel = "closed"\nclients = 2\n[session]\nthink = "5ms"\n'
)


def test_a_server_that_each_start_makes_another_is_named(tmp_path: Path) -> None:
    """It answers after 5 ms times the number of its starts: far more than a busy machine does."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    started = tmp_path / "started"

    def answer(_: object) -> Answer:
        time.sleep(0.02 * len(list(tmp_path.glob("started*"))) ** 2)
        return Answer("hello")

    restart = f"mktemp {started}.XXXXXX"
    with answer_server(answer) as (url, _):
        status, text, errors = run(
            str(tmp_path / "w.toml"), "--target", url, "--runs", "2", "--duration", "2s",
            "--restart", restart, "-o", str(tmp_path / "r"),
        )  # fmt: skip
    assert status in (0, 3), errors  # 3 if the machine was late, and reported so
    assert "hysteresis: runs settle on different values" in errors
    assert "all runs" in text
    both = [tt.Result.load(tmp_path / "r" / name) for name in ("run-1", "run-2")]
    assert [one.workload.seed for one in both] == [7, 8]
    found = json.loads((tmp_path / "r" / "runs.json").read_text())
    assert found["runs"] == ["run-1", "run-2"]
    assert found["validity"][0]["verdict"] == DOUBTFUL
    means = [one.summary["response_time_s"]["mean"] for one in both]
    assert found["together"]["mean"]["mean"] == pytest.approx(np.mean(means))


def test_the_same_command_continues(tmp_path: Path) -> None:
    """Runs that are done are read; those that are missing or more are done."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "other.toml").write_text(WORKLOAD.replace("5ms", "6ms"))

    def again(name: str, runs: int, url: str) -> tuple[int, str, str]:
        restart = f"mktemp {tmp_path}/started.XXXXXX"
        return run(
            str(tmp_path / name), "--target", url, "--runs", str(runs), "--requests", "20",
            "--restart", restart, "-o", str(tmp_path / "r"),
        )  # fmt: skip

    def started() -> int:
        return len(list(tmp_path.glob("started*")))

    with answer_server(lambda _: Answer("hello")) as (url, _):
        again("w.toml", 2, url)
        first = tt.Result.load(tmp_path / "r" / "run-1").summary
        assert started() == 2
        shutil.rmtree(tmp_path / "r" / "run-2")
        _, text, errors = again("w.toml", 3, url)
        assert started() == 4
        assert "run 1 is there" in errors
        assert "all runs" in text
        assert tt.Result.load(tmp_path / "r" / "run-1").summary == first
        assert json.loads((tmp_path / "r" / "runs.json").read_text())["runs"][2] == "run-3"
        status, _, errors = again("other.toml", 3, url)
    assert (status, started()) == (2, 4)
    assert "has runs of another workload, target or options" in " ".join(errors.split())


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        (["--restart", "true"], 2, "--restart goes with --runs"),
        (["--runs", "1"], 2, "--runs takes 2 to 1,000; it is 1"),
        (["--runs", "2", "--otlp", "http://h"], 2, "--runs does not go with --otlp"),
        (["--runs", "2", "--junit", "x.xml"], 2, "--runs does not go with --junit"),
        (["--runs", "2", "-o", "full"], 2, "is not empty and holds no repeated runs"),
        (["--runs", "2", "--restart", "false"], 3, "it ended with 1"),
        (["--runs", "2", "--restart", "no-such-command"], 3, "no-such-command"),
        (["--runs", "2", "--restart", "sh -c 'echo why >&2; exit 4'"], 3, "ended with 4: why"),
    ],
)
def test_what_does_not_work_is_said_before_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], status: int, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    found, _, errors = run("w.toml", "--target", "http://127.0.0.1:1", *more)
    assert found == status
    assert words in " ".join(errors.split())
    assert (tmp_path / "full" / "notes").read_text() == "mine"
