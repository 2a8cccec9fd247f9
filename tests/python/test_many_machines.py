"""Runs and sweeps on a cluster of three nodes on this machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from page_commands import HOST, commands, made, shorter, why_not_run
from ray_cluster import frame, shared
from shared_server import shared_server
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.sweeps import sweep

SYSTEM = {"name": "s", "station": [{"name": "s", "policy": "ps", "demand": "exp(1ms)"}]}


@pytest.fixture(scope="module")
def cluster() -> Any:
    return shared()


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with tt.serve(SYSTEM) as server:
        yield server.url


def workload(model: str) -> dict[str, Any]:
    arrivals: dict[str, Any] = {"model": model, "rate": "200/s"}
    session: dict[str, Any] = {}
    if model != "open":
        session["think"] = "exp(100ms)"
    if model == "partly-open":
        session["requests"] = "geometric(mean=3)"
    if model == "closed":
        arrivals = {"model": model, "clients": 30}
    return {
        "name": "w",
        "arrivals": arrivals,
        **({"session": session} if session else {}),
        "request": [{"name": "a", "get": "/", "weight": 3}, {"name": "b", "get": "/b"}],
    }


def schedule(result: tt.Result) -> pl.DataFrame:
    """The scheduled requests, as far as they do not depend on answers."""
    rows = frame(result)
    return rows.select("session", "request", "name", "scheduled_ns").sort("session", "request")


@pytest.mark.parametrize("generators", [1, 2, 3, 7])
def test_any_number_of_generators_makes_the_same_load(
    cluster: Any, target: str, generators: int
) -> None:
    alone = tt.run(workload("open"), target, duration="2s")
    result = tt.run(workload("open"), target, duration="2s", on="auto", generators=generators)
    assert schedule(result).equals(schedule(alone))
    assert result.summary["sessions"] == alone.summary["sessions"]
    shares = [share for one in result.summary["generators"] for share in one["shares"]]
    assert sorted(shares) == list(range(generators))


@pytest.mark.parametrize("model", ["partly-open", "closed"])
def test_sessions_of_all_models_are_divided(cluster: Any, target: str, model: str) -> None:
    alone = tt.run(workload(model), target, duration="2s")
    result = tt.run(workload(model), target, duration="2s", on="auto")
    rows = [frame(one) for one in (alone, result)]
    # The sessions, and the first request of each, do not depend on answers.
    first = [one.sort("session", "request").group_by("session", maintain_order=True).first()
             for one in rows]  # fmt: skip
    columns = ["session", "name", "scheduled_ns"]
    assert first[1].select(columns).equals(first[0].select(columns))


PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def binned(time_ns: int) -> int:
    """The largest time in its bin of an HdrHistogram of three digits, by that one's definition."""
    bin_ns = 1 << max(0, time_ns.bit_length() - 11)
    return time_ns // bin_ns * bin_ns + bin_ns - 1


def test_figures_are_those_of_one_generator_with_the_same_rows(cluster: Any, target: str) -> None:
    result = tt.run(workload("open"), target, duration="2s", on="auto")
    rows = frame(result)
    times = (rows["done_ns"] - rows["scheduled_ns"]).sort().to_list()
    found = result.summary["response_time_s"]
    assert found["mean"] == pytest.approx(sum(times) / len(times) * 1e-9, rel=1e-12)
    assert [found["min"], found["max"]] == pytest.approx([times[0] * 1e-9, times[-1] * 1e-9])
    for name, share in PERCENTILES.items():
        exact = times[math.ceil(share * len(times)) - 1]
        assert found[name] == pytest.approx(min(binned(exact), times[-1]) * 1e-9, rel=1e-15), name
    assert result.summary["requests"] == len(rows)
    assert all(one["begun_late_s"] is not None for one in result.summary["generators"])


def test_event_loops_of_each_generator_have_shares_of_their_own(cluster: Any, target: str) -> None:
    result = tt.run(workload("open"), target, duration="1s", on="auto", generators=2, loops=2)
    assert [one["shares"] for one in result.summary["generators"]] == [[0, 1], [2, 3]]
    assert schedule(result).equals(schedule(tt.run(workload("open"), target, duration="1s")))


def test_limits_that_are_divided_are_told(cluster: Any, target: str) -> None:
    def notes(**limits: Any) -> str:
        given = workload("open") | {"clients": limits}
        result = tt.run(given, target, duration="500ms", on="auto", generators=2)
        return " ".join(result.summary["notes"])

    assert "the limit of requests in flight was divided among 2" in notes(concurrency=50)
    assert "the retry budget was divided among 2" in notes(retry_budget={"share": 0.1})
    assert "divided" not in notes(connections="keep-alive")


def test_files_of_a_workload_are_taken_along(cluster: Any, target: str, tmp_path: Path) -> None:
    (tmp_path / "starts.csv").write_text("time\n0.1\n0.2\n0.35\n", "ascii")
    text = """
        name = "w"
        [arrivals]
        model = "open"
        process = "trace(starts.csv)"
        [[request]]
        name = "a"
        get = "/"
        """
    (tmp_path / "w.toml").write_text(text, "ascii")
    result = tt.run(tmp_path / "w.toml", target, duration="1s", on="auto")
    assert result.summary["requests"] == 3


def test_generators_share_what_scripts_share(cluster: Any, target: str, tmp_path: Path) -> None:
    """Sums of all generators are exact, those of `add` and those that only a lock protects."""
    (tmp_path / "client.luau").write_text("""
        return function(client)
            client:get("/")
            client.shared:add("added")
            client.shared:lock("mine")
            client.shared:put("counted", (client.shared:get("counted") or 0) + 1)
            client.shared:unlock("mine")
            client:check("counted", true)
        end""")
    with shared_server(tmp_path) as server:
        (tmp_path / "w.toml").write_text(f"""
            name = "w"
            shared = "{server.url}"
            [arrivals]
            model = "partly-open"
            rate = "200/s"
            [session]
            script = "client.luau"
            """)
        result = tt.run(tmp_path / "w.toml", target, duration="1s", on="auto", generators=2)
        assert len(result.summary["generators"]) == 2
        sessions = result.summary["sessions"]
        assert sessions > 100
        assert server.number("added") == server.number("counted") == sessions
        assert result.summary["checks"]["counted"] == {"passed": sessions, "failed": 0}


def test_what_is_wrong_is_said_as_by_run(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(tt.RunError, match="cannot be reached"):
        tt.run(workload("open"), "http://127.0.0.1:9", duration="1s", on="auto")
    with pytest.raises(tt.InputError, match="on_loss"):
        tt.run(workload("open"), "http://127.0.0.1:9", on="auto", on_loss="weep")
    with pytest.raises(tt.InputError, match="cannot be divided among 40"):
        tt.run(workload("closed"), "http://127.0.0.1:9", on="auto", generators=2, loops=20)
    with pytest.raises(tt.InputError, match="one at least"):
        tt.run(workload("open"), "http://127.0.0.1:9", on="auto", generators=0)
    with pytest.raises(tt.InputError, match="1 to 10000"):
        tt.run(workload("open"), "http://127.0.0.1:9", on="auto", generators=10_001)
    for loops in (0, 1025, 10**15):
        with pytest.raises(tt.InputError, match="1 to 1024 event loops"):
            tt.run(workload("open"), "http://127.0.0.1:9", on="auto", loops=loops)
    with pytest.raises(tt.InputError, match="generators: goes with `on`"):
        tt.run(workload("open"), "http://127.0.0.1:9", generators=2)
    with pytest.raises(tt.InputError, match="no cluster"):
        tt.run(workload("open"), "http://127.0.0.1:9", on="mars")
    (tmp_path / "a.log").write_text(
        '127.0.0.1 - - [25/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 1\n'
    )
    log = {"name": "w", "arrivals": {"model": "open", "process": f"trace({tmp_path / 'a.log'})"}}
    with pytest.raises(tt.InputError, match="a log is replayed by one generator"):
        tt.run(log, "http://127.0.0.1:9", on="auto")


def test_a_sweep_comes_to_the_same_as_on_one_machine(cluster: Any, tmp_path: Path) -> None:
    def points(on: str | None) -> pl.DataFrame:
        return sweep(workload("open"), SYSTEM, ["load=0.3,0.6"], on=on, requests=20_000)

    assert points("auto").equals(points(None))


def test_the_commands_of_the_page_do_what_it_says(
    cluster: Any, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the cluster of these tests: a command uses one that its process is connected to. That
    `--on ray` starts one of its own is a matter of test_generator_losses.py."""
    page = "docs/many-machines.md"
    monkeypatch.chdir(made(tmp_path, page))
    done = 0
    for words in commands(page):
        if why_not_run(words) is not None:
            continue
        words = shorter(
            [word.replace(HOST, target.removeprefix("http")) for word in words], tmp_path
        )
        shown = CliRunner().invoke(app, words[1:])
        assert shown.exception is None or isinstance(shown.exception, SystemExit), shown.output
        # As in test_docs.py: a short run may say too little, or be late on a busy machine.
        assert shown.exit_code in (0, 1, 3), (words, shown.output)
        if "-o" in words:
            assert Path(words[words.index("-o") + 1]).exists(), words
        done += "ray" in words
    assert done >= 4
