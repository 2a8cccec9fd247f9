"""Generators that die, freeze and are slow in the middle of a run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from ray_cluster import OURS, frame, shared
from request_log_server import RequestLogServer, request_log_server

import thinktime as tt
from thinktime.distributed.work import awaited

RATE = 200
WORKLOAD = {
    "name": "w",
    "arrivals": {"model": "open", "process": f"const({1 / RATE}s)"},
    "request": [{"name": "a", "get": "/"}],
}
RETRYING = WORKLOAD | {
    "request": [{"name": "a", "get": "/", "retry": {"attempts": 3, "backoff": "50ms"}}]
}
TOLD_EVERY_S = 0.5
"""The interval of questions to a generator."""


@pytest.fixture
def cluster() -> Any:
    return shared()


@pytest.fixture
def target() -> Iterator[RequestLogServer]:
    with request_log_server() as server:
        yield server


def marked(mark: str) -> dict[int, str]:
    """The processes that have this in their environment, and their command lines."""
    found = {}
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and mark.encode() in (place / "environ").read_bytes():
                line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(place.name)] = line
        except OSError:
            continue  # it has ended meanwhile, or is not ours
    return {pid: line for pid, line in found.items() if line}


def generators() -> list[int]:
    """The processes of generators of this process's clusters."""
    ours = marked(f"{OURS}={os.getpid()}\0")
    return sorted(pid for pid, line in ours.items() if line.startswith("ray::Generator"))


@contextmanager
def after_begin(seconds: float, do: Callable[[], None]) -> Iterator[list[float]]:
    """Does it a given time after the generators are there; returns the time at which it was
    done."""
    done: list[float] = []

    begun = time.monotonic()

    def watch() -> None:
        while len(generators()) < 3 and time.monotonic() < begun + 60:
            time.sleep(0.05)
        time.sleep(seconds)
        do()
        done.append(time.monotonic())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    yield done
    thread.join()


def counted(result: tt.Result, target: RequestLogServer, attempts: int = 1) -> int:
    """The rows, with at most `attempts` attempts per request.

    The summary's counters are those of the rows. Any further attempts at the target are no more
    than those that one of three generators had not reported when it was lost.
    """
    rows, summary = frame(result), result.summary
    failed = rows.filter(rows["error"].is_not_null())
    over = rows.filter(rows["error"].is_null() | (rows["attempt"] == attempts))
    by_name = summary["by_request"]["a"]
    assert summary["requests"] == by_name["requests"] + by_name["errors"] == len(over)
    # Of the begun sessions, no more are missing than are reported missing.
    said = " ".join([result.untrusted or "", *summary["warnings"]])
    left = re.findall(r"and (\d+) requests that were on their way|are not counted: (\d+)", said)
    assert summary["sessions"] == len(over) + sum(int(one or other) for one, other in left)
    assert summary["retries"] == len(failed.filter(failed["attempt"] < attempts))
    assert sum(summary["errors_by_kind"].values()) == len(failed)
    assert rows.select("session", "request", "attempt").is_duplicated().sum() == 0
    answered = rows.filter(rows["status"].is_not_null())
    lost = any(one["lost_at_s"] is not None for one in summary["generators"])
    assert 0 <= len(target.asked_s) - len(answered) <= (3 * RATE if lost else 0)
    return len(rows)


def test_a_node_that_dies_ends_the_run_and_loses_no_more_than_a_second(
    cluster: Any, target: RequestLogServer
) -> None:
    node = cluster.list_all_nodes()[-1]
    with after_begin(4, lambda: cluster.remove_node(node, allow_graceful=False)):
        result = tt.run(WORKLOAD, target.url, duration="30s", on="auto")
    assert "was lost" in (result.untrusted or "")
    lost = [one for one in result.summary["generators"] if one["lost_at_s"] is not None]
    assert [one["taken_over_by"] for one in lost] == [None]
    rows = frame(result)
    share = rows.filter(rows["session"] % 3 == lost[0]["shares"][0])
    # All its reports are there, and no impossible row.
    at_ns = lost[0]["lost_at_s"] * 1e9
    assert (
        len(share.filter(share["scheduled_ns"] < at_ns - 1e8))
        >= RATE / 3 * (lost[0]["lost_at_s"] - 0.2) - 2
    )
    counted(result, target)


def test_another_generator_takes_the_sessions_over_and_asks_no_more_of_who_refuses(
    cluster: Any, target: RequestLogServer
) -> None:
    def refuse_and_remove() -> None:
        target.refuses.set()
        time.sleep(1)
        cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)

    with after_begin(3, refuse_and_remove):
        result = tt.run(RETRYING, target.url, duration="14s", on="auto", on_loss="continue")
    assert "was lost" not in (result.untrusted or "")  # a warning may report missing load
    lost = [one for one in result.summary["generators"] if one["lost_at_s"] is not None]
    assert len(lost) == 1
    assert lost[0]["taken_over_by"] is not None
    begin_s, end_s = lost[0]["lost_at_s"], lost[0]["taken_over_at_s"]
    assert any("took them over" in warning for warning in result.summary["warnings"])
    rows = frame(result)
    rows = rows.with_columns(at_s=rows["scheduled_ns"] * 1e-9)
    first = rows.filter(rows["attempt"] == 1)
    theirs = first["session"] % 3 == lost[0]["shares"][0]
    # No other generator's are missing, and of its own only those of the gap.
    assert set(first.filter(~theirs)["session"]) == {
        number for number in range(14 * RATE - 1) if number % 3 != lost[0]["shares"][0]
    }
    gap = first.filter(theirs & (first["at_s"] > begin_s + 0.6) & (first["at_s"] < end_s - 0.05))
    assert len(gap) == 0
    after = first.filter(theirs & (first["at_s"] > end_s + 0.05))
    assert abs(len(after) - (14 - end_s) * RATE / 3) < 10
    # Three attempts of each session that comes, and no catching up.
    attempts = len(rows.filter(rows["at_s"] > end_s))
    assert 2 * RATE * (14 - end_s) < attempts < 3 * RATE * (14 - end_s) + RATE
    counted(result, target, attempts=3)


def test_a_generator_that_freezes_is_lost_and_ends_itself(
    cluster: Any, target: RequestLogServer
) -> None:
    frozen: list[int] = []

    def freeze() -> None:
        frozen.append(generators()[0])
        os.kill(frozen[0], signal.SIGSTOP)

    with after_begin(4, freeze):
        result = tt.run(WORKLOAD, target.url, duration="20s", on="auto", on_loss="continue")
    assert "was lost" not in (result.untrusted or "")
    assert sum(one["lost_at_s"] is not None for one in result.summary["generators"]) == 1
    assert any("no answer for" in warning for warning in result.summary["warnings"])
    assert frozen[0] not in generators()
    counted(result, target)


def test_a_generator_that_is_slow_is_named_and_loses_nothing(
    cluster: Any, target: RequestLogServer
) -> None:
    def stumble() -> None:
        slow = generators()[0]
        os.kill(slow, signal.SIGSTOP)
        time.sleep(3)
        os.kill(slow, signal.SIGCONT)

    with after_begin(3, stumble):
        result = tt.run(WORKLOAD, target.url, duration="10s", on="auto")
    assert any("was slow" in warning for warning in result.summary["warnings"])
    assert all(one["lost_at_s"] is None for one in result.summary["generators"])
    assert counted(result, target) == 10 * RATE - 1


def listening(processes: Iterable[int]) -> set[str]:
    """The addresses on which these processes take connections, as the kernel writes them."""
    sockets = set()
    for pid in processes:
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                sockets.add(os.readlink(file))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].rpartition(":")[0])
    return found


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
"""127.0.0.1, the same as IPv6 has it, and ::1."""


def command(
    folder: Path, url: str, mark: str, *more: str, shown: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """A run from two generators, on a cluster of its own, with this in its environment."""
    name, _, value = mark.partition("=")
    (folder / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "200/s"\n[[request]]\nname = "a"\n', "ascii"
    )
    words = [
        sys.executable, "-c", "from thinktime.cli import main; main()", "run", "w.toml",
        "--target", url, "--duration", "120s", "--on", "ray", "--generators", "2", "-o", "result",
        *more,
    ]  # fmt: skip
    return subprocess.Popen(
        words, cwd=folder, env=os.environ | {name: value}, stdout=shown, stderr=shown,
    )  # fmt: skip


def test_of_a_generator_that_is_lost_our_own_words_are_shown_alone(
    target: RequestLogServer, tmp_path: Path
) -> None:
    """Ray reports dead processes on standard output, and more on standard error."""
    mark = f"THINKTIME_TEST={uuid.uuid4()}"
    more = ("--duration", "10s", "--on-loss", "continue")
    driver = command(tmp_path, target.url, mark, *more, shown=subprocess.PIPE)
    while len(target.asked_s) < 400 and driver.poll() is None:
        time.sleep(0.1)
    there = marked(mark)
    os.kill(next(pid for pid in there if makes_load([there[pid]])), signal.SIGKILL)
    shown = b"".join(driver.communicate(timeout=300)).decode()
    assert "was lost (its process or node is gone)" in shown
    assert not re.search(r"\x1b|raylet|pid=|Generator|SIGKILL|ray\.|\.py:|\.cc:", shown), shown


def makes_load(lines: Iterable[str]) -> int:
    """The number of generators among these processes."""
    return sum("Generator" in line for line in lines)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_generator_goes_on_when_the_command_has_ended(
    target: RequestLogServer, tmp_path: Path, how: signal.Signals
) -> None:
    mark = f"THINKTIME_TEST={uuid.uuid4()}"
    driver = command(tmp_path, target.url, mark)
    until = time.monotonic() + 300
    while len(target.asked_s) < 400 and time.monotonic() < until:
        time.sleep(0.1)
    there = marked(mark)
    assert makes_load(there.values()) == 2
    urgent = {os.getpriority(os.PRIO_PROCESS, pid) for pid in there if makes_load([there[pid]])}
    assert max(urgent) < 15  # which is Ray's own behaviour
    # Ray's process of this name counts usage, which is off, and shows nothing.
    dashboards = [line for line in there.values() if "dashboard/dashboard.py" in line]
    assert all("--disable-frontend" in line for line in dashboards)
    assert listening(there) - LOOPBACK == set()
    assert listening(there)
    driver.send_signal(how)
    ended_s = time.monotonic()
    driver.wait(timeout=60)
    while makes_load(marked(mark).values()) and time.monotonic() < until:
        time.sleep(0.1)
    left = marked(mark)
    assert not makes_load(left.values())
    for pid in left if how == signal.SIGKILL else ():
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(pid, signal.SIGKILL)  # some of Ray's own would stay for a minute
    # By the target's own clock no request comes for longer than five seconds.
    assert target.asked_s[-1] < ended_s + 5
    if how == signal.SIGINT:
        result = tt.Result.load(tmp_path / "result")
        assert result.interrupted
        assert result.summary["requests"] > 200


def test_pieces_of_a_node_that_dies_are_done_again_elsewhere(cluster: Any, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def piece(number: int) -> int:
        import time
        from pathlib import Path

        import ray

        with Path(begun).open("a") as file:
            file.write(f"{number}@{ray.get_runtime_context().get_node_id()}\n")
        time.sleep(2.0)
        return number * number

    def remove() -> None:
        node = cluster.list_all_nodes()[-1]
        while not begun.exists() or f"@{node.node_id}\n" not in begun.read_text():
            time.sleep(0.02)
        cluster.remove_node(node, allow_graceful=False)

    remover = threading.Thread(target=remove, daemon=True)
    remover.start()
    done = [one for one in awaited(piece, [(number,) for number in range(9)]) if one is not None]
    remover.join()
    assert sorted(done) == [(number, number * number) for number in range(9)]
    noted = [int(line.partition("@")[0]) for line in begun.read_text().split()]
    # Requests in progress there were begun twice, and finished ones only once.
    assert len(noted) == 10
    assert set(noted) == set(range(9))
