"""A replayed log over several event loops: each of its requests is sent once, in any company."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
import test_replay

import thinktime as tt

USERS = 23
"""Not a multiple of the numbers of loops."""

LINES = [
    (at * 0.01 + turn * 0.15, 0.001, f"10.0.0.{at}", "GET", f"/{at}/{turn}")
    for at in range(USERS)
    for turn in range(4)
]
ASKED = Counter(line[4] for line in LINES)

POLLERS = """
[[population]]
name = "pollers"
[population.arrivals]
model = "closed"
clients = 7
[population.session]
think = "const(50ms)"
[[population.request]]
name = "status"
get = "/status"
"""


def replayed(
    folder: Path, model: str, beside: str, lines: list[test_replay.Line] = LINES
) -> tt.Workload:
    """The workload that replays these lines, alone or beside another population."""
    test_replay.write_log(folder / "access.log", lines)
    clients = "clients = 5\n" if model == "closed" else ""
    head = '[[population]]\nname = "log"\n[population.arrivals]\n' if beside else "[arrivals]\n"
    process = f"process = '''trace(access.log, user=address, format='{test_replay.FORMAT}')'''\n"
    text = f'name = "r"\n{head}model = "{model}"\n{clients}{process}{beside}'
    return tt.Workload(text, str(folder / "w.toml"))


@pytest.mark.parametrize("loops", [1, 2, 3])
@pytest.mark.parametrize("model", ["open", "partly-open", "closed"])
def test_each_request_of_the_log_is_sent_once(tmp_path: Path, model: str, loops: int) -> None:
    with test_replay.recording() as (url, seen):
        result = tt.run(replayed(tmp_path, model, ""), url, loops=loops)
    assert Counter(target for _, target, _ in seen) == ASKED
    assert (result.summary["requests"], result.summary["errors"]) == (len(LINES), 0)


@pytest.mark.parametrize("loops", [1, 2, 3])
@pytest.mark.parametrize("model", ["open", "partly-open", "closed"])
def test_so_it_is_beside_closed_clients(tmp_path: Path, model: str, loops: int) -> None:
    """These are divided as well: each of them asks, and all ask until the end."""
    with test_replay.recording() as (url, seen):
        result = tt.run(replayed(tmp_path, model, POLLERS), url, loops=loops, duration="1500ms")
    targets = Counter(target for _, target, _ in seen)
    assert targets.pop("/status") > 7
    assert targets == ASKED
    rows = pl.DataFrame(result.requests)
    assert rows.filter(pl.col("population") == "pollers")["session"].n_unique() == 7
    log = rows.filter(pl.col("population") == "log")
    if model != "closed":
        times = {"open": len(LINES), "partly-open": USERS}
        assert sorted(log["session"].unique().to_list()) == list(range(times[model]))


@pytest.mark.parametrize("model", ["open", "partly-open"])
def test_sessions_come_when_one_loop_would_send_them(tmp_path: Path, model: str) -> None:
    begins = []
    for loops in (1, 3):
        with test_replay.recording() as (url, _):
            result = tt.run(replayed(tmp_path, model, ""), url, loops=loops)
        rows = pl.DataFrame(result.requests).filter(pl.col("request") == 0).sort("session")
        begins.append(rows.select("session", "scheduled_ns").rows())
    assert begins[0] == begins[1]


def test_loops_without_a_session_of_the_log_end(tmp_path: Path) -> None:
    lines = [(0.0, 0.0, "10.0.0.1", "GET", "/a"), (0.1, 0.0, "10.0.0.2", "GET", "/b")]
    workload = replayed(tmp_path, "partly-open", "", lines)
    with test_replay.recording() as (url, seen):
        tt.run(workload, url, loops=5)
    assert sorted(target for _, target, _ in seen) == ["/a", "/b"]


def test_scripts_that_share_variables_are_still_refused(tmp_path: Path) -> None:
    (tmp_path / "a.luau").write_text('return function(client) client:get("/") end\n')
    script = POLLERS.replace('think = "const(50ms)"', 'script = "a.luau"').replace(
        '"pollers"', '"scripted"'
    )
    workload = replayed(tmp_path, "open", script)
    with pytest.raises(tt.InputError, match="a workload with a script runs in one event loop"):
        tt.run(workload, "http://127.0.0.1:9", loops=2, duration="1s")


def test_several_generators_replay_no_log_beside_others(tmp_path: Path) -> None:
    """Each of them would send all of it."""
    workload = replayed(tmp_path, "open", POLLERS)
    with pytest.raises(tt.InputError, match="a log is replayed by one generator"):
        tt.run(workload, "http://127.0.0.1:9", on="auto", duration="1s")
