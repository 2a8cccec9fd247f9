"""Objectives: the found value, its precision, and the verdict on a result."""

from __future__ import annotations

import http.server
import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cases
import pytest
from real_runs import HttpServer

import thinktime as tt
from thinktime.results.verdict import Exit

SYSTEM = cases.system(("fcfs", "exp(10ms)"))


def simulated(slo: str, rate: float = 50, requests: int = 20_000, **more: object) -> tt.Result:
    workload = cases.workload(f'model = "open"\nrate = {rate}', requests=f"[slo]\n{slo}")
    return tt.simulate(workload, SYSTEM, requests=requests, **more)


def test_each_objective_has_a_verdict_with_its_interval() -> None:
    # M/M/1 at load 0.5: mean 20 ms, p99 92.1 ms.
    result = simulated('mean = "30ms"\np99 = "92.1ms"\np90 = "30ms"', seed=3)
    found = {one.name: one for one in result.objectives}
    assert {name: one.verdict for name, one in found.items()} == {
        "mean": "met", "p99": "cannot tell", "p90": "not met",
    }  # fmt: skip
    for one in found.values():
        assert one.interval is not None
        assert one.value is not None
        assert one.interval[0] < one.value < one.interval[1]
    assert found["mean"].value == result.summary["response_time_s"]["mean"]
    assert "times as many requests would tell" in found["p99"].words
    assert result.verdict.status == "not met"
    assert result.verdict.exit_status is Exit.SLO_NOT_MET
    assert result.breaches() == [found["p90"].words]


def test_replications_judge_by_their_own_intervals() -> None:
    result = simulated('mean = "30ms"', requests=2000, replications=5)
    (one,) = result.objectives
    half = result.summary["response_time_s"]["ci95"]
    mean = result.summary["response_time_s"]["mean"]
    assert one.interval == pytest.approx((mean - half, mean + half))
    assert one.verdict == "met"


def test_a_verdict_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "result"
    done = simulated('p99 = "1s"\nerrors = "1%"', output=path)
    assert tt.Result.load(path).objectives == done.objectives
    assert tt.Result.load(path).verdict.status == "met"
    written = json.loads((path / "summary.json").read_text())["objectives"]
    assert [one["name"] for one in written] == ["errors", "p99"]


@contextmanager
def server(statuses: list[int]) -> Iterator[str]:
    """A server that answers with these statuses in turn."""
    turn = itertools.cycle(statuses)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(next(turn))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    listening = HttpServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}"
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()


MIXED = """
name = "mixed"
[arrivals]
model = "open"
rate = "200/s"
[[request]]
name = "page"
get = "/"
[slo]
errors = "1%"
page.errors = "50%"
"""


def test_a_quarter_of_404s_misses_an_errors_limit() -> None:
    with server([200, 200, 200, 404]) as url:
        result = tt.run(tt.Workload(MIXED), url, requests=400)
    assert [one.verdict for one in result.objectives] == ["not met", "met"]
    assert result.objectives[0].value == pytest.approx(0.25, abs=0.05)
    assert result.objectives[1].of == "page"
    page = result.summary["by_request"]["page"]
    assert page["causes"] == {"status 404": page["errors"]}
    assert "25" in result.verdict.sentence
    assert "failed" in result.verdict.sentence


POPULATIONS = """
name = "two"
[[population]]
name = "hasty"
arrivals = { model = "open", rate = "20/s" }
[[population.request]]
name = "page"
timeout = "1ms"
[[population]]
name = "patient"
arrivals = { model = "open", rate = "20/s" }
[[population.request]]
name = "page"
[slo]
hasty.errors = "1%"
patient.errors = "1%"
"""


def test_an_objective_of_a_population_is_about_its_requests_alone() -> None:
    result = tt.simulate(tt.Workload(POPULATIONS), SYSTEM, requests=20_000)
    found = {one.of: one for one in result.objectives}
    assert {of: one.verdict for of, one in found.items()} == {
        "hasty": "not met", "patient": "met",
    }  # fmt: skip
    # Demands are exponential with a mean of 10 ms, so that 1 ms is enough for 9.5 % at most.
    assert found["hasty"].value > 0.9
    assert found["patient"].value == 0


ABORTING = """
name = "aborting"
[arrivals]
model = "open"
rate = "2000/s"
[slo]
p50 = "1ns"
errors = {{ limit = "1%", abort = {abort} }}
"""


@pytest.mark.parametrize("abort", ["true", "false"])
def test_an_objective_aborts_where_it_says_so(abort: str) -> None:
    with server([404]) as url:
        workload = tt.Workload(ABORTING.format(abort=abort))
        # One that is to be aborted has time to be, however slow the server.
        result = tt.run(workload, url, duration="60s" if abort == "true" else "2s")
    early = [one for one in result.summary["warnings"] if one.startswith("ended early")]
    assert len(early) == (abort == "true")
    assert {one.name: one.verdict for one in result.objectives}["errors"] == "not met"


CHECKED = """
name = "aborting"
[arrivals]
model = "open"
rate = "2000/s"
[[request]]
name = "r"
get = "/"
[request.checks]
"is there" = "header:X-Not-There"
[slo]
"""


@pytest.mark.parametrize("loops", [1, 2])
@pytest.mark.parametrize("objective", ['check."is there"', "checks"])
def test_an_objective_of_a_check_aborts(objective: str, loops: int) -> None:
    workload = tt.Workload(f'{CHECKED}{objective} = {{ limit = "99%", abort = true }}')
    with server([200]) as url:
        result = tt.run(workload, url, duration="60s", loops=loops)
    assert any(
        "of checks failed, wanted 1.00 % or less" in one for one in result.summary["warnings"]
    )
    assert {one.name: one.verdict for one in result.objectives} == {"checks": "not met"}


@pytest.mark.parametrize(
    ("slo", "words"),
    [
        ('p99 = { limit = "1s", abrt = true }', "unknown key `abrt`"),
        ("p99 = { abort = true }", "`abort` goes with `limit`"),
        ('p99 = { limit = "1s", abort = 1 }', "`abort` is true or false"),
        ("p99 = {}", "is an empty table: give a limit, as in"),
        ("check = {}", "is an empty table: give a limit, as in"),
        ("p99 = { limit = { limit = 1 } }", '`limit` is one time or share, as in "1s"'),
        ('test.page_p99 = "1s"', "unknown population or request `test`"),
        ('request.page_p99 = "1s"', "pages are told apart by population"),
        ('request.checks = "1s"', "checks are told apart by their names alone"),
        ('check."a title" = "2"', "slo.check.a title: `2` is not between 0 and 1"),
        ('p99.9 = "1s"', "a key with a dot goes in quotes"),
    ],
)
def test_what_is_wrong_is_told_with_its_key(slo: str, words: str) -> None:
    with pytest.raises(tt.InputError) as error:
        cases.workload('model = "open"\nrate = 1', requests=f"[slo]\n{slo}")
    assert words in str(error.value), str(error.value)
