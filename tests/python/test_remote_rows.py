"""Rows that stay on the nodes of a cluster: their places, the reports about them, and fetching."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from ray_cluster import frame, shared, temporary

import thinktime as tt
from thinktime.comparison.estimate import Missing
from thinktime.comparison.subject import subject_of
from thinktime.distributed import collection
from thinktime.explain.visits import visits_of
from thinktime.results.remote_rows import FILE, RemoteRows, remote_rows_of

SYSTEM = {"name": "s", "station": [{"name": "s", "policy": "ps", "demand": "exp(1ms)"}]}
WORKLOAD: dict[str, Any] = {
    "name": "w",
    "arrivals": {"model": "open", "rate": "300/s"},
    "clients": {"traceparent": True},
    "request": [{"name": "a", "get": "/"}],
}
FILE_OF_STARTS = """
name = "w"
[arrivals]
model = "open"
process = "trace(starts.csv)"
[[request]]
name = "a"
get = "/"
"""
KEY = ["session", "request", "attempt"]


@pytest.fixture
def cluster() -> Any:
    return shared()


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with tt.serve(SYSTEM) as server:
        yield server.url


def run_that_leaves_rows(target: str, folder: Path) -> tt.Result:
    """A run whose rows stayed, on the cluster."""
    return tt.run(WORKLOAD, target, duration="2s", warmup="500ms", on="auto", generators=3,
                  leave_rows=folder / "there", output=folder / "result")  # fmt: skip


@pytest.fixture
def left(cluster: Any, target: str, tmp_path: Path) -> tt.Result:
    """A run of the test's own, whose rows it may fetch or remove."""
    return run_that_leaves_rows(target, tmp_path)


@pytest.fixture(scope="module")
def stays(target: str, tmp_path_factory: pytest.TempPathFactory) -> tt.Result:
    """A run for tests that leave its rows where they are."""
    shared()
    return run_that_leaves_rows(target, tmp_path_factory.mktemp("stays"))


def rows_of(there: list[RemoteRows]) -> pl.DataFrame:
    files = [pl.read_parquet(Path(one.path) / "requests.parquet") for one in there]
    return pl.concat(files).sort(KEY)


def test_the_result_says_which_node_has_which_rows(stays: tt.Result) -> None:
    assert stays.path is not None
    there = remote_rows_of(stays.summary)
    assert [one.generator for one in there] == [one["name"] for one in stays.summary["generators"]]
    assert len({one.path for one in there}) == 3
    for number, one in enumerate(there):
        found = pl.read_parquet(Path(one.path) / "requests.parquet")
        assert set(found["session"] % 3) == {number}
        assert (one.rows, one.sessions) == (len(found), found["session"].n_unique())
        assert one.bytes == (Path(one.path) / "requests.parquet").stat().st_size
        assert one.missing is None
        assert stays.path.with_name("there") in Path(one.path).parents
    assert json.loads((stays.path / FILE).read_text()) == {"generators": [vars(o) for o in there]}
    assert stays.requests is None
    # On a busy machine generators may have been late; rows of a single node are checked below.
    assert "one of 3 generators" not in (stays.untrusted or "")
    assert tt.Result.load(stays.path).summary == stays.summary


def test_figures_are_those_of_all_rows(stays: tt.Result, target: str) -> None:
    """Each schedule is that of one generator; mean, extremes and counts are those of the rows."""
    rows = rows_of(remote_rows_of(stays.summary))
    alone = frame(tt.run(WORKLOAD, target, duration="2s", warmup="500ms"))
    columns = ["session", "request", "scheduled_ns"]
    assert rows.select(columns).equals(alone.sort(KEY).select(columns))
    assert stays.summary["sessions"] == sum(
        one.sessions or 0 for one in remote_rows_of(stays.summary)
    )
    counted = rows.filter(pl.col("scheduled_ns") >= 5e8)
    times = (counted["done_ns"] - counted["scheduled_ns"]).sort()
    found = stays.summary["response_time_s"]
    assert stays.summary["requests"] == len(counted)
    assert found["mean"] == pytest.approx(times.sum() / len(times) * 1e-9, rel=1e-12)
    assert [found["min"], found["max"]] == pytest.approx([times[0] * 1e-9, times[-1] * 1e-9])
    exact_s = times[math.ceil(0.99 * len(times)) - 1] * 1e-9
    assert found["p99"] == pytest.approx(exact_s, rel=0.001)
    assert sum(count for _, count in stays._outcome.histogram) == len(counted)


def test_what_a_node_keeps_is_a_result_that_says_what_it_is(stays: tt.Result) -> None:
    one = remote_rows_of(stays.summary)[1]
    there = tt.Result.load(one.path)
    assert "one of 3 generators" in (there.untrusted or "")
    # Those without rows make its measured time no longer than that of the run.
    assert there.summary["duration_s"] == pytest.approx(stays.summary["duration_s"], abs=1e-6)
    assert there.summary["warmup_s"] == 0.5


def test_who_needs_rows_says_where_they_are(stays: tt.Result) -> None:
    assert stays.path is not None
    fetch = f"thinktime collect {stays.path}"
    with pytest.raises(tt.InputError, match=fetch):
        tt.traces(stays)
    with pytest.raises(tt.InputError, match=fetch):
        visits_of(stays)
    from thinktime.learn import learn

    with pytest.raises(tt.InputError, match=fetch):
        learn([stays.path])
    tail = subject_of(stays).estimates["p99.9"]
    assert isinstance(tail, Missing)
    assert fetch in tail.reason
    page = stays.path.parent / "page.html"
    tt.report([stays], page)
    assert fetch in page.read_text()
    assert any("stayed on the nodes" in one.found for one in stays.validity)


@pytest.mark.parametrize("far", [False, True])
def test_rows_are_fetched(left: tt.Result, monkeypatch: pytest.MonkeyPatch, far: bool) -> None:
    assert left.path is not None
    there = remote_rows_of(left.summary)
    before = rows_of(there)
    if far:  # as if no disk of this machine had them
        monkeypatch.setattr(collection, "is_here", lambda path: False)
        with pytest.raises(tt.InputError, match="name their Ray cluster"):
            tt.collect(left.path)
    found = tt.collect(left.path, on="auto" if far else None, remove=True)
    rows = frame(found)
    assert rows.sort(KEY).equals(before)
    assert rows["done_ns"].is_sorted()
    assert found.rows_complete
    assert not remote_rows_of(found.summary)
    assert not (left.path / FILE).exists()
    assert not Path(there[0].path).parent.exists()
    assert len(tt.traces(found)) == 10
    again = {name: value for name, value in left.summary.items() if name != "generators"}
    assert {name: found.summary[name] for name in again} == again
    with pytest.raises(tt.InputError, match="none of its rows are on other machines"):
        tt.collect(left.path)


def test_rows_that_are_no_longer_there_are_named_and_nothing_is_lost(left: tt.Result) -> None:
    there = remote_rows_of(left.summary)
    (Path(there[1].path) / "requests.parquet").unlink()
    assert left.path is not None
    with pytest.raises(tt.RunError, match=there[1].generator):
        tt.collect(left.path)
    assert sorted(one.name for one in left.path.iterdir() if one.name.startswith(".")) == []
    assert remote_rows_of(tt.Result.load(left.path).summary) == there


def lose_one(cluster: Any, begun: threading.Event) -> None:
    """A node is killed three seconds after the run began: a busy machine starts it late."""
    begun.wait(60)
    time.sleep(3)
    cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)


def test_a_generator_that_is_lost_leaves_what_it_had_written(
    cluster: Any, target: str, tmp_path: Path
) -> None:
    begun = threading.Event()

    def look(requests: int, _time_s: float, _in_system: int) -> None:
        if requests:
            begun.set()

    thread = threading.Thread(target=lose_one, args=(cluster, begun))
    thread.start()
    try:
        left = tt.run(WORKLOAD, target, duration="9s", on="auto", on_loss="continue",
                      generators=3, leave_rows=tmp_path / "there",
                      output=tmp_path / "result", progress=look)  # fmt: skip
    finally:
        thread.join()
    described = left.summary["generators"]
    lost = [one for one in described if one["lost_at_s"] is not None]
    assert len(lost) == 1
    assert lost[0]["rows"]["rows"] is None
    assert "it was lost at" in lost[0]["rows"]["missing"]
    assert any("that were to stay" in warning for warning in left.summary["warnings"])
    assert left.path is not None
    found = tt.collect(left.path)
    rows = frame(found)
    assert rows.select(KEY).is_duplicated().sum() == 0
    # Its reports are there, and another generator's rows of its sessions.
    share = rows.filter(pl.col("session") % 3 == lost[0]["shares"][0])
    at_ns, from_ns = lost[0]["lost_at_s"] * 1e9, lost[0]["taken_over_at_s"] * 1e9
    assert len(share.filter(pl.col("scheduled_ns") < at_ns - 1.2e9)) > 0
    assert len(share.filter(pl.col("scheduled_ns") > from_ns + 1e8)) > 0
    others = rows.filter(pl.col("session") % 3 != lost[0]["shares"][0])
    assert others["session"].n_unique() > 0
    assert len(rows) >= left.summary["requests"] - 3 * 300 / 3


def test_nothing_is_left_where_rows_are_gathered(cluster: Any, target: str, tmp_path: Path) -> None:
    """Neither files that were taken along nor rows stay on the nodes."""
    before = set(temporary().iterdir())  # of a generator that another test killed
    (tmp_path / "starts.csv").write_text("time\n0.1\n0.2\n", "ascii")
    (tmp_path / "w.toml").write_text(FILE_OF_STARTS, "ascii")
    result = tt.run(tmp_path / "w.toml", target, duration="1s", on="auto", generators=3)
    assert result.summary["requests"] == 2
    assert set(temporary().iterdir()) == before


def test_what_is_wrong_is_said(cluster: Any, target: str, tmp_path: Path) -> None:
    def left(**given: Any) -> tt.Result:
        return tt.run(WORKLOAD, target, duration="1s", **given)

    with pytest.raises(tt.InputError, match="leave_rows: goes with `on`"):
        left(leave_rows="/there")
    with pytest.raises(tt.InputError, match="must begin with /"):
        left(on="auto", leave_rows="there")
    assert not remote_rows_of(left(on="auto", leave_rows="/there", rows="none").summary)
    (tmp_path / "file").touch()
    with pytest.raises(tt.InputError, match="is no folder on the node"):
        left(on="auto", leave_rows=tmp_path / "file" / "there")


def test_the_command_says_where_rows_are_and_fetches_them(
    cluster: Any, target: str, tmp_path: Path
) -> None:
    (tmp_path / "starts.csv").write_text("time\n0.1\n0.2\n", "ascii")
    (tmp_path / "w.toml").write_text(FILE_OF_STARTS, "ascii")

    def said(*words: str) -> tuple[int, str]:
        command = [str(Path(sys.executable).with_name("thinktime")), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        return done.returncode, done.stdout + done.stderr

    left = tt.run(tmp_path / "w.toml", target, duration="1s", on="auto", generators=2,
                  leave_rows=tmp_path / "there", output=tmp_path / "r")  # fmt: skip
    status, text = said("compare", "r", "r")
    assert status == 0, text
    many = sum(one.rows or 0 for one in remote_rows_of(left.summary))
    status, text = said("collect", "r", "--remove")
    assert (status, f"{many:,} rows are in r/requests.parquet" in text) == (0, True), text
    status, text = said("collect", "r")
    assert status == 2, text
    assert "none of its rows are on other machines" in text
