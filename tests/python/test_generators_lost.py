"""Generators that die, freeze and are slow in the middle of a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ray_cluster import frame, three_nodes

import thinktime as tt

RATE = 200
WORKLOAD = {
    "name": "w",
    "arrivals": {"model": "open", "process": f"const({1 / RATE}s)"},
    "request": [{"name": "a", "get": "/"}],
}
SYSTEM = {"name": "s", "station": [{"name": "s", "policy": "ps", "demand": "exp(1ms)"}]}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    with three_nodes() as cluster:
        yield cluster


@pytest.fixture
def cluster(nodes: Any) -> Any:
    while len(nodes.list_all_nodes()) < 3:
        nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    return nodes


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with tt.serve(SYSTEM) as server:
        yield server.url


def generators() -> list[int]:
    """The processes of generators of this worker's clusters."""
    found = []
    ours = f"PYTEST_XDIST_WORKER={os.environ.get('PYTEST_XDIST_WORKER', '')}".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                name = (place / "cmdline").read_bytes()
                environment = (place / "environ").read_bytes()
            except OSError:
                continue
            if name.startswith(b"ray::Generator") and (ours[-1:] == b"=" or ours in environment):
                found.append(int(place.name))
    return sorted(found)


@contextmanager
def after_begin(seconds: float, do: Callable[[], None]) -> Iterator[list[float]]:
    """Does it so long after the generators are there; gives the time at which it was done."""
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


def counted(result: tt.Result) -> int:
    """The rows, which are as many as the summary says."""
    rows = frame(result)
    assert result.summary["requests"] == len(rows)
    return len(rows)


def test_a_node_that_dies_ends_the_run_and_loses_no_more_than_a_second(
    cluster: Any, target: str
) -> None:
    node = cluster.list_all_nodes()[-1]
    with after_begin(4, lambda: cluster.remove_node(node, allow_graceful=False)):
        result = tt.run(WORKLOAD, target, duration="30s", on="auto")
    assert "was lost" in (result.untrusted or "")
    lost = [one for one in result.summary["generators"] if one["lost_at_s"] is not None]
    assert [one["taken_over_by"] for one in lost] == [None]
    rows = frame(result)
    share = rows.filter(rows["session"] % 3 == lost[0]["shares"][0])
    # All that it had told is there, and nothing that it can have done.
    at_ns = lost[0]["lost_at_s"] * 1e9
    assert (
        len(share.filter(share["scheduled_ns"] < at_ns - 1e8))
        >= RATE / 3 * (lost[0]["lost_at_s"] - 0.2) - 2
    )
    assert counted(result) == len(rows)


def test_another_generator_takes_the_sessions_over(cluster: Any, target: str) -> None:
    node = cluster.list_all_nodes()[-1]
    with after_begin(4, lambda: cluster.remove_node(node, allow_graceful=False)):
        result = tt.run(WORKLOAD, target, duration="14s", on="auto", on_loss="continue")
    assert "was lost" not in (result.untrusted or "")  # though it may be told that load is missing
    lost = [one for one in result.summary["generators"] if one["lost_at_s"] is not None]
    assert len(lost) == 1
    assert lost[0]["taken_over_by"] is not None
    begin_s, end_s = lost[0]["lost_at_s"], lost[0]["taken_over_at_s"]
    assert any("took them over" in warning for warning in result.summary["warnings"])
    rows = frame(result)
    seconds = rows.with_columns(rows["scheduled_ns"] * 1e-9)["scheduled_ns"]
    theirs = rows["session"] % 3 == lost[0]["shares"][0]
    # Nobody else's is missing, and of its own those of the gap alone; none is there twice.
    assert set(rows.filter(~theirs)["session"]) == {
        number for number in range(14 * RATE - 1) if number % 3 != lost[0]["shares"][0]
    }
    gap = rows.filter(theirs & (seconds > begin_s + 0.6) & (seconds < end_s - 0.05))
    assert len(gap) == 0
    after = rows.filter(theirs & (seconds > end_s + 0.05))
    assert abs(len(after) - (14 - end_s) * RATE / 3) < 10
    assert rows.select("session", "request").is_duplicated().sum() == 0


def test_a_generator_that_freezes_is_lost_and_ends_itself(cluster: Any, target: str) -> None:
    frozen: list[int] = []

    def freeze() -> None:
        frozen.append(generators()[0])
        os.kill(frozen[0], signal.SIGSTOP)

    with after_begin(4, freeze):
        result = tt.run(WORKLOAD, target, duration="20s", on="auto", on_loss="continue")
    assert "was lost" not in (result.untrusted or "")
    assert sum(one["lost_at_s"] is not None for one in result.summary["generators"]) == 1
    assert any("no answer for" in warning for warning in result.summary["warnings"])
    assert frozen[0] not in generators()
    counted(result)


def test_a_generator_that_is_slow_is_named_and_loses_nothing(cluster: Any, target: str) -> None:
    def stumble() -> None:
        slow = generators()[0]
        os.kill(slow, signal.SIGSTOP)
        time.sleep(3)
        os.kill(slow, signal.SIGCONT)

    with after_begin(3, stumble):
        result = tt.run(WORKLOAD, target, duration="10s", on="auto")
    assert any("was slow" in warning for warning in result.summary["warnings"])
    assert all(one["lost_at_s"] is None for one in result.summary["generators"])
    assert counted(result) == 10 * RATE - 1


def marked(mark: str) -> list[str]:
    """The processes that have this in their environment."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and mark.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended meanwhile, or is none of ours
    return [one for one in found if one]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_generator_goes_on_when_the_command_has_ended(
    target: str, tmp_path: Path, how: signal.Signals
) -> None:
    mark = f"THINKTIME_TEST={uuid.uuid4()}"
    name, _, value = mark.partition("=")
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "200/s"\n[[request]]\nname = "a"\n', "ascii"
    )
    command = [
        sys.executable, "-c", "from thinktime.cli import main; main()", "run", "w.toml",
        "--target", target, "--duration", "120s", "--on", "ray", "--generators", "2",
        "-o", "result",
    ]  # fmt: skip
    driver = subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | {name: value}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until = time.monotonic() + 90
    while sum("Generator" in one for one in marked(mark)) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(4)
    driver.send_signal(how)
    driver.wait(timeout=60)
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert marked(mark) == []
    if how == signal.SIGINT:
        result = tt.Result.load(tmp_path / "result")
        assert result.interrupted
        assert result.summary["requests"] > 200
