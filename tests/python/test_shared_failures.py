"""A server of scripts' shared values that is killed, stopped and started again during a run.

The truth is at the target: each lock's token goes to it with a request that is made while the
session has the lock.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from answer_server import Answer, Received, answer_server
from live_commands import COMMAND
from real_runs import complaint, ended_well
from shared_server import KEEPS, Shared, each_kind, shared_server

import thinktime as tt

COUNTING = """
local shared = client.shared
local token = shared:lock("a")
local count = shared:get("count") or 0
client:get(string.format("/%d", token))
shared:put("count", count + 1)
shared:unlock("a")
shared:add("added")
client:check("counted", true)
"""
"""A session that counts; only the lock keeps its count from being lost."""


def workload(directory: Path, body: str, shared: str, more: str = "") -> tt.Workload:
    """Ten clients of this kind, and the further ones in `more`."""
    (directory / "client.luau").write_text(f"return function(client)\n{body}\nend")
    text = (
        f'name = "s"\nshared = {shared}\n[[population]]\nname = "sharing"\n[population.arrivals]\n'
        f'model = "closed"\nclients = 10\n[population.session]\nscript = "client.luau"\n{more}'
    )
    (directory / "workload.toml").write_text(text)
    return tt.Workload.load(directory / "workload.toml")


@contextmanager
def meanwhile(seen: list[Received], steps: list[tuple[int, Callable[[], None]]]) -> Iterator[None]:
    """Do these one after another, each when the target has received some more requests."""
    over = threading.Event()

    def watch() -> None:
        for more, step in steps:
            until = len(seen) + more
            while len(seen) < until and not over.is_set():
                time.sleep(0.005)
            if not over.is_set():
                step()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def restarted(server: Shared, after_s: float = 0.2) -> Callable[[], None]:
    def restart() -> None:
        server.kill()
        time.sleep(after_s)
        server.start()

    return restart


def stopped(server: Shared, for_s: float) -> Callable[[], None]:
    def stop() -> None:
        server.signal(signal.SIGSTOP)
        time.sleep(for_s)
        server.signal(signal.SIGCONT)

    return stop


def tokens(seen: list[Received]) -> list[int]:
    return [int(one.target[1:]) for one in seen]


def counted(result: tt.Result) -> int:
    found: int = result.summary["checks"]["counted"]["passed"]
    return found


@each_kind
def test_nothing_is_lost_or_done_twice_by_a_server_that_keeps_what_it_was_told(
    tmp_path: Path,
    kind: str,
) -> None:
    """Killed twice and stopped once, for less than sessions wait."""
    with (
        shared_server(tmp_path, *KEEPS, kind=kind) as server,
        answer_server(lambda _: Answer()) as (url, seen),
    ):
        table = f'{{ url = "{server.url}", wait = "60s", lease = "60s" }}'
        kill, stop = restarted(server), stopped(server, 0.5)
        with meanwhile(seen, [(40, one) for one in (kill, stop, kill)]):
            result = tt.run(
                workload(tmp_path, COUNTING, table), url, requests=200, duration="300s", loops=2
            )
        given = tokens(seen)
        assert len(given) == result.summary["requests"] == 200
        # One at a time, in the order of their tokens: no two had the lock at the same time.
        assert given == sorted(set(given))
        assert server.number("count") == server.number("added") == 200
        assert counted(result) == 200
        assert not any("forgotten" in one for one in result.summary["warnings"])


@each_kind
def test_a_server_that_forgets_gives_no_token_twice(tmp_path: Path, kind: str) -> None:
    """The counts are lost, and reported as lost. The former owners of a lock are recognized by its
    token, and their next write is refused."""
    with (
        shared_server(tmp_path, kind=kind) as server,
        answer_server(lambda _: Answer()) as (url, seen),
    ):
        table = f'{{ url = "{server.url}", wait = "60s", lease = "60s" }}'
        with meanwhile(seen, [(50, restarted(server)), (50, restarted(server))]):
            result = tt.run(workload(tmp_path, COUNTING, table), url, requests=200, duration="300s")
        given = tokens(seen)
        assert len(given) == len(set(given)) == 200
        warnings = result.summary["warnings"]
        assert any("lost the variables that scripts share" in one for one in warnings)
        left = server.number("count")
        assert 0 < left <= 200 - 100
        # At each kill at most one session had the lock.
        lost = [one for one in warnings if "shared_lock_lost" in one]
        assert counted(result) >= 200 - 2
        assert (counted(result) == 200) == (lost == [])


OTHERS = (
    '[[population]]\nname = "others"\n[population.arrivals]\nmodel = "open"\nrate = "100/s"\n'
    'process = "even"\n[[population.request]]\nname = "other"\nget = "/other"\n'
)


@each_kind
def test_sessions_wait_so_long_and_nobody_else_does(tmp_path: Path, kind: str) -> None:
    """The server stands still for two seconds; sessions wait for half a second."""
    pause = """
    local fine, why = pcall(function() client.shared:add("n") end)
    client:check("fine", fine)
    client:check("named", fine or string.find(why, "shared_unavailable: redis://", 1, true) ~= nil)
    client:get("/sharing")
    client:think("20ms")
    """
    with (
        shared_server(tmp_path, kind=kind) as server,
        answer_server(lambda _: Answer()) as (url, seen),
    ):
        table = f'{{ url = "{server.url}", wait = "500ms" }}'
        with meanwhile(seen, [(200, stopped(server, 2.0))]):
            result = tt.run(workload(tmp_path, pause, table, OTHERS), url, duration="4s")
        checks = result.summary["checks"]
        assert checks["named"]["failed"] == 0
        # Ten clients, each of which had time for at most five waits.
        assert 10 <= checks["fine"]["failed"] <= 50
        assert checks["fine"]["passed"] > 0
        others = result.summary["by_request"]["other"]
        # One every 10 ms, the first after as much, the last before the end.
        assert others["requests"] == 399
        if complaint(result) is None:
            assert result.summary["lateness_s"]["max"] < 0.5


@each_kind
def test_a_server_that_is_gone_ends_sessions_and_not_the_run(tmp_path: Path, kind: str) -> None:
    body = 'client:get("/")\nclient.shared:lock("a")\nclient.shared:add("n")\nclient:think("10ms")'
    with (
        shared_server(tmp_path, kind=kind) as server,
        answer_server(lambda _: Answer()) as (url, seen),
    ):
        table = f'{{ url = "{server.url}", wait = "100ms" }}'
        with meanwhile(seen, [(50, server.kill)]):
            result = tt.run(workload(tmp_path, body, table), url, duration="2s")
        assert result.summary["errors"] == 0
        said = " ".join(result.summary["warnings"])
        assert f"shared_unavailable: {server.url} gave no answer within 0.1 s" in said
        assert len(seen) > 60


@each_kind
def test_a_session_ends_when_the_server_refuses(tmp_path: Path, kind: str) -> None:
    """It may use a megabyte less than it has."""
    body = 'client.shared:put("x", string.rep("x", 100))\nclient:get("/")'
    with (
        shared_server(tmp_path, kind=kind) as server,
        answer_server(lambda _: Answer()) as (url, seen),
    ):

        def fill() -> None:
            server.said("CONFIG", "SET", "maxmemory", "1")

        with meanwhile(seen, [(20, fill)]):
            result = tt.run(workload(tmp_path, body, f'"{server.url}"'), url, duration="1s")
        said = " ".join(result.summary["warnings"])
        assert f"shared_unavailable: {server.url} refused (OOM" in said


def ghost(server: Shared, run: str, number: int, *words: str) -> str:
    """The message of another member of the run: an operation with its number."""
    script = Path(__file__).resolve().parents[2] / "crates/net/src/generator/shared/server.lua"
    order = (str(number), str(number))
    return server.said("EVAL", script.read_text("utf-8"), "1", run, "ghost", "1", *order, *words)


def run_of(server: Shared) -> str:
    """The name of the only run."""
    key = server.said("KEYS", "thinktime:*:values").split("\r\n")[2]
    return key.removesuffix(":values")


@each_kind
def test_a_lock_of_whoever_is_gone_goes_to_the_next(tmp_path: Path, kind: str) -> None:
    """And a later message of the former one is refused."""
    body = """
    client.shared:put("begun", true)
    client:get("/0")
    client:think("1s")
    local token = client.shared:lock("a")
    client:get(string.format("/%d", token))
    client.shared:put("who", "me")
    client:think("1h")
    """
    told: dict[str, Any] = {}
    with (
        shared_server(tmp_path, kind=kind) as server,
        answer_server(lambda _: Answer()) as (url, seen),
    ):

        def take() -> None:
            told["run"] = run_of(server)
            told["got"] = ghost(server, told["run"], 1, "700000", "lock", "a", "0", "ghost/1")

        table = f'{{ url = "{server.url}", lease = "500ms" }}'
        with meanwhile(seen, [(1, take)]):
            tt.run(workload(tmp_path, body, table), url, requests=11, duration="300s")
        late = ghost(server, told["run"], 2, "700000", "put", "who", "tghost", "a", "ghost/1")
        assert "lost" in late
        token = int(told["got"].split("\r\n")[4])
        assert tokens(seen)[-1] > token
        assert server.value("who") == "tme"


@each_kind
def test_a_generator_that_stood_still_for_too_long_finds_its_writes_refused(
    tmp_path: Path, kind: str
) -> None:
    """It is stopped while it has the lock, until another has it; the target sees both tokens."""
    body = """
    client.shared:put("begun", true)
    local token = client.shared:lock("a")
    client:get(string.format("/%d", token))
    local fine, why = pcall(function() client.shared:put("who", "the old one") end)
    client:check("refused", not fine and string.find(why, "shared_lock_lost", 1, true) ~= nil)
    client:get("/after")
    client:think("1h")
    """
    generator: list[subprocess.Popen[str]] = []
    others: list[int] = []

    def answer(asked: Received) -> Answer:
        if not others:
            os.kill(generator[0].pid, signal.SIGSTOP)
            others.append(taken_over(server))
            os.kill(generator[0].pid, signal.SIGCONT)
        return Answer()

    with shared_server(tmp_path, kind=kind) as server, answer_server(answer) as (url, seen):
        workload(tmp_path, body, f'{{ url = "{server.url}", lease = "300ms" }}')
        limits = ["--requests", "2", "--duration", "100s"]
        arguments = ["run", "workload.toml", "--target", url, *limits, "--json"]
        with subprocess.Popen(
            [*COMMAND, *arguments], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            generator.append(process)
            said = process.communicate(timeout=300)
        assert ended_well(process.returncode, said[1]), said
        assert json.loads(said[0])["checks"]["refused"]["passed"] >= 1
        assert server.value("who") == "tthe new one"
        assert others[0] > tokens(seen[:1])[0]


def taken_over(server: Shared) -> int:
    """The token with which another client gets the lock, and writes."""
    run, number = run_of(server), 1
    while "token" not in (
        got := ghost(server, run, number, "1000000", "lock", "a", "0", "ghost/1")
    ):
        assert "waits" in got
        time.sleep(0.05)
        number += 1
    wrote = ghost(server, run, number + 1, "1000000", "put", "who", "tthe new one", "a", "ghost/1")
    assert "done" in wrote
    return int(got.split("\r\n")[4])
