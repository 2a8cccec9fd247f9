"""Servers' own times, by `Server-Timing`: from the response to the report."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import cases
import numpy as np
import polars as pl
import pytest
from answer_server import Answer, Received, answer_server
from real_runs import HttpServer
from skips import busy
from switch_servers import switching
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.explain import explain_result
from thinktime.explain.demands import of_server_timing
from thinktime.explain.server_timing import UnusableTimesError
from thinktime.present import units
from thinktime.report.results import rows as table_rows
from thinktime.report.results import table
from thinktime.report.server_time import line_of

SYSTEM = cases.system(("ps", "exp(2ms)"), ("fcfs", "exp(1ms)"))
"""Each request visits both stations."""


def open_workload(rate: float = 100) -> tt.Workload:
    return cases.open_model(rate)


def rows_of(result: tt.Result) -> pl.DataFrame:
    return pl.DataFrame(result.requests).sort("session", "request", "attempt")


def told(*values: str, status: int = 200) -> tt.Result:
    """Made by a server whose responses have these fields, each of them one of the header."""

    def answer(_: Received) -> Answer:
        return Answer("ok", status, [("Server-Timing", value) for value in values])

    closed = cases.closed_model(2, "const(1ms)")
    with answer_server(answer) as (url, _):
        return tt.run(closed, url, requests=6)


# ---- what serve tells


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2"])
def test_rows_have_the_demands_that_the_server_tells(version: str) -> None:
    """The demands go with the requests, so that they are those of the simulation with the seed; a
    switch speaks HTTP/2, and passes the header on."""
    alike = tt.simulate(open_workload(), SYSTEM, requests=200, rows="all", warmup=0.0)
    with tt.serve(SYSTEM, server_timing=True) as server:
        if version == "HTTP/1.1":
            result = tt.run(open_workload(), server.url, requests=200, warmup=0, demands=SYSTEM)
        else:
            with switching("jsq", [server.url]) as proxy:
                target = proxy.url.replace("http:", "h2c:")
                result = tt.run(open_workload(), target, requests=200, warmup=0, demands=SYSTEM)
    measured, simulated = rows_of(result), rows_of(alike)
    assert len(measured) == len(simulated) == 200
    assert measured["error"].is_null().all()
    demands = simulated["demand_s"].to_list()
    assert measured["server_time_s"].to_list() == pytest.approx(demands, abs=1e-9)
    summary = result.summary
    assert summary["server_timed"] == 200
    assert summary["server_time_s"]["mean"] == pytest.approx(sum(demands) / 200, rel=1e-6)
    assert summary["server_time_s"]["max"] == pytest.approx(max(demands), rel=1e-6)
    assert summary["server_time_s"]["mean"] < summary["response_time_s"]["mean"]
    assert set(summary["server_time_s"]) == set(summary["response_time_s"])


def test_a_server_that_burns_tells_what_it_demanded() -> None:
    system = cases.system(("fcfs", "const(2ms)"))
    with tt.serve(system, burn=True, threads=1, server_timing=True) as server:
        result = tt.run(cases.closed_model(1, "const(1ms)"), server.url, requests=20)
    assert rows_of(result)["server_time_s"].to_list() == pytest.approx([0.002] * 20)


def test_without_the_option_nothing_is_told() -> None:
    with tt.serve(SYSTEM) as server:
        result = tt.run(open_workload(), server.url, requests=50)
    rows = rows_of(result)
    assert rows.schema["server_time_s"] == pl.Float64
    assert rows["server_time_s"].is_null().all()
    assert "server_time_s" not in result.summary
    assert "server_timed" not in result.summary
    assert line_of(result) is None


def test_simulations_have_no_such_column(tmp_path: Path) -> None:
    result = tt.simulate(open_workload(), SYSTEM, requests=50, rows="all", output=tmp_path / "it")
    assert "server_time_s" not in rows_of(result).columns
    assert "server_time_s" not in result.summary


def test_files_are_served_without_it(tmp_path: Path) -> None:
    with pytest.raises(tt.InputError, match="files are served instead of a system"):
        tt.serve(files=tmp_path, server_timing=True)


# ---- what others tell


@pytest.mark.parametrize(
    ("values", "time_s"),
    [
        (["db;dur=53.2, app;desc=\"x\";dur=47"], 0.1002),
        (["db;dur=53.2", "app;dur=46.8"], 0.1),
        (["db;dur=53.2, total;dur=60"], 0.06),
        (['a;desc="x, b;dur=5";dur=1'], 0.001),
        (["cache;desc=hit"], None),
        (["a;dur=-1, b;dur=NaN, c;dur=inf, d;dur=1e999"], None),
        (["a;dur=53ms"], None),
        (['a;desc="never closed, b;dur=5'], None),
        ([",;,=;\"\\", "a;dur=2"], 0.002),
        (["=" * 4000 + ";dur=1," * 1000 + "a;dur=3"], 0.004),
        ([""], None),
    ],
)  # fmt: skip
def test_hostile_values_do_no_harm(values: list[str], time_s: float | None) -> None:
    result = told(*values)
    assert (result.summary["requests"], result.summary["errors"]) == (6, 0)
    times = rows_of(result)["server_time_s"].to_list()
    assert times == [None] * 6 if time_s is None else times == pytest.approx([time_s] * 6)


def test_failures_tell_a_time_that_is_in_no_figure() -> None:
    result = told("a;dur=2", status=500)
    assert rows_of(result)["server_time_s"].to_list() == pytest.approx([0.002] * 6)
    assert "server_time_s" not in result.summary


def test_the_times_of_redirects_are_added() -> None:
    def answer(asked: Received) -> Answer:
        if asked.path == "/old":
            return Answer("", 302, [("Location", "/new"), ("Server-Timing", "a;dur=2")])
        return Answer("ok", 200, [("Server-Timing", "a;dur=3")])

    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 1\n[session]\nthink = "1ms"\n'
        'redirects = 5\n[[request]]\nname = "old"\nget = "/old"\n'
    )
    with answer_server(answer) as (url, _):
        result = tt.run(workload, url, requests=4)
    assert rows_of(result)["server_time_s"].to_list() == pytest.approx([0.005] * 4)


# ---- where it is shown


def test_it_stands_below_the_response_times(tmp_path: Path) -> None:
    with tt.serve(SYSTEM, server_timing=True) as server:
        result = tt.run(open_workload(200), server.url, requests=300, output=tmp_path / "run")
    line = line_of(result)
    assert line is not None
    times, response = result.summary["server_time_s"], result.summary["response_time_s"]
    share = times["mean"] / response["mean"]
    assert line.cells[2].below == f"{units.percent(share)} of it"
    assert line.below == "as 300 responses say"
    from thinktime.report.case import cases as sorted_into

    shown = table(table_rows(sorted_into([result])))
    assert [one.name for one in shown.lines][:2] == ["measured", "the server's own time"]
    page = tmp_path / "report.html"
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "-o", str(page)])
    assert done.exit_code == 0, done.stderr
    text = page.read_text()
    assert "server&#39;s own time" in text or "server's own time" in text


def test_the_command_serves_and_runs_with_it(tmp_path: Path) -> None:
    """As a user has it: the table names the time, and `--json` has the figures."""
    (tmp_path / "w.toml").write_text(open_workload().to_toml())
    with tt.serve(SYSTEM, server_timing=True) as server:
        words = ["run", str(tmp_path / "w.toml"), "--target", server.url, "--duration", "2s"]
        table_shown = CliRunner().invoke(app, [*words, "--quiet"])
        figures = CliRunner().invoke(app, [*words, "--quiet", "--json"])
    assert "the server's own time" in " ".join(table_shown.stdout.split())
    summary = json.loads(figures.stdout)
    assert summary["server_timed"] == summary["requests"] - summary["errors"] > 0


# ---- as demands


class Queueing(BaseHTTPRequestHandler):
    """First come, first served, for exp(5 ms) each; it reports its own time of a request, waiting
    included."""

    protocol_version = "HTTP/1.1"
    turns = threading.Lock()
    random = np.random.default_rng(5)

    def do_GET(self) -> None:
        came_s = time.perf_counter()
        with self.turns:
            time.sleep(self.random.exponential(0.005))
        took_ms = 1e3 * (time.perf_counter() - came_s)
        self.wfile.write(
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
            b"Server-Timing: total;dur=%.3f\r\n\r\n" % took_ms
        )

    def log_message(self, *_: object) -> None:
        """Tests print nothing."""


@pytest.mark.serial
def test_explain_learns_the_demands_of_a_real_server(tmp_path: Path) -> None:
    """Demands of 5 ms at a load of 0.6; of 1,800 requests some 700 find the server idle, and of
    about 400 the demand is known: five standard errors of their mean are 25 %."""
    with HttpServer(("127.0.0.1", 0), Queueing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        result = tt.run(cases.open_model(120), url, duration=15, warmup=0, output=tmp_path / "run")
        server.shutdown()
    try:
        known = of_server_timing(result, 100_000)
    except UnusableTimesError as error:
        why = str(error)
        # A server that waits for a core of this machine takes longer than it knows.
        if "the rest is the network's" in why:
            busy(why)
        raise
    assert tt.Distribution(known.law).mean == pytest.approx(0.005, rel=0.25)
    found = explain_result(result)
    assert known.source in found.sentence
