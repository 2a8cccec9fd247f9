"""The refusals of docs/limits.md are real, and their messages give the right form.

Sentences about missing parts (another operating system, a browser) have nothing to run.
"""

from __future__ import annotations

from pathlib import Path

import polars
import pytest
from answer_server import Answer, answer_server

import thinktime as tt

SERVER = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'
OPEN = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'
CLOSED = 'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 2\n[session]\nthink = "1ms"\n'


@pytest.mark.parametrize("scheme", ["http3", "mysql", "amqp", "ldap", "smtp"])
def test_other_protocols_are_no_targets(scheme: str) -> None:
    with pytest.raises(tt.InputError, match="a target is written as"):
        tt.run(tt.Workload(OPEN), f"{scheme}://127.0.0.1:9", duration="1s")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (CLOSED.replace("[session]", 'profile = "ramp(from=0, to=1)"\n[session]'), "no arrivals"),
        (CLOSED.replace("= 2", '= "ramp(from=1, to=2)"'), "clients"),
        (OPEN + '[clients]\nntlm = "user:password"\n', "ntlm"),
        (OPEN + '[[request]]\nname = "a"\nget = "http://elsewhere.test/"\n', "begin"),
        (OPEN + '[[request]]\nname = "a"\ntake = { x = "css:h1" }\n', "css"),
    ],
)
def test_files_that_want_what_there_is_not_are_refused(text: str, why: str) -> None:
    with pytest.raises(tt.InputError, match=why):
        tt.Workload(text)


def test_there_is_no_steady_state_at_a_load_of_one() -> None:
    full = tt.Workload(OPEN.replace("50/s", "100/s"))
    with pytest.raises(tt.InputError, match="no steady state"):
        tt.simulate(full, tt.System(SERVER), requests=1000)
    assert tt.simulate(full, tt.System(SERVER), duration="1s").summary["requests"] > 0


def test_a_script_runs_in_one_event_loop(tmp_path: Path) -> None:
    (tmp_path / "a.luau").write_text('return function(client) client:get("/") end\n')
    text = CLOSED.replace("[session]", '[session]\nscript = "a.luau"')
    workload = tt.Workload(text, str(tmp_path / "w.toml"))
    with pytest.raises(tt.InputError, match="one event loop"):
        tt.run(workload, "http://127.0.0.1:9", duration="1s", loops=2)


def test_redirects_to_others_are_failures_and_retry_after_is_not_heeded() -> None:
    elsewhere = Answer(status=302, headers=[("Location", "http://elsewhere.test/")])
    with answer_server(lambda _: elsewhere) as (url, _):
        followed = tt.Workload(OPEN + "[session]\nredirects = 5\n")
        summary = tt.run(followed, url, requests=3).summary
    assert summary["errors_by_kind"] == {"redirect_elsewhere": 3}
    busy = Answer(status=503, headers=[("Retry-After", "60")])
    again = OPEN + '[[request]]\nname = "a"\nretry = { attempts = 2 }\n'
    with answer_server(lambda _: busy) as (url, seen):
        summary = tt.run(tt.Workload(again), url, requests=3).summary
    assert (summary["retries"], len(seen)) == (3, 6)


def test_what_the_data_cannot_bound_is_not_shown() -> None:
    quiet = tt.Workload(OPEN.replace("50/s", "5/s"))
    few, more = (tt.simulate(quiet, tt.System(SERVER), requests=n) for n in (300, 3000))
    found = {one.name: one.found for one in few.validity}["percentiles"]
    assert "p99 and p99.9 are not known" in found
    assert list(more.summary["response_time_ci95"]) == ["p50", "p90", "p95", "p99"]


def test_a_replayed_log_has_no_bodies(tmp_path: Path) -> None:
    line = '192.0.2.1 - - [22/Nov/2026:10:00:0{} +0000] "{} /{} HTTP/1.1" 200 5 "-" "-"\n'
    log = "".join(line.format(n, m, n) for n, m in enumerate(("GET", "POST", "GET")))
    (tmp_path / "access.log").write_text(log)
    for methods, kept in (("safe", ["GET", "GET"]), ("all", ["GET", "POST", "GET"])):
        text = OPEN.replace(
            'rate = "50/s"', f'process = "trace(access.log, speed=20, methods={methods})"'
        )
        with answer_server(lambda _: Answer()) as (url, seen):
            rows = tt.run(tt.Workload(text, str(tmp_path / "w.toml")), url).requests
        assert [one.method for one in seen] == kept
        assert not any(one.body for one in seen)
        assert polars.DataFrame(rows).height == len(kept)
