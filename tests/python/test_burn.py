"""A server that burns CPU time: the command, and `serve(..., burn=True)`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from control_groups import groups, refusal

import thinktime as tt

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
SYSTEM = """
name = "this machine"
[[station]]
name    = "cpu"
servers = 2
demand.quick = "const(1ms)"
demand.slow  = "const(4ms)"
"""
WORKLOAD = """
name = "mix"
seed = 3
[arrivals]
model   = "open"
rate    = "60/s"
[[request]]
name   = "quick"
weight = 3
[[request]]
name   = "slow"
weight = 1
"""


def core() -> int:
    """One of the available cores."""
    return min(os.sched_getaffinity(0))


@pytest.mark.serial
@pytest.mark.parametrize("threads", [None, "per-request", 1])
def test_what_is_burned_is_what_a_simulation_of_the_same_path_demands(
    threads: int | str | None,
) -> None:
    system, workload = tt.System(SYSTEM), tt.Workload(WORKLOAD)
    with tt.serve(system, burn=True, threads=threads, cores=[core()]) as server:
        assert server.work_units_per_s is not None
        assert server.burned is None
        result = tt.run(workload, server.url, requests=60, demands=system)
        assert server.stop() == (60, 0)
    assert result.summary["errors"] == 0
    simulated = tt.simulate(workload, system, requests=60, warmup=0).summary
    used = server.burned
    assert used is not None
    kinds = simulated["by_request"]
    demanded = 0.001 * kinds["quick"]["requests"] + 0.004 * kinds["slow"]["requests"]
    assert used.demanded_s == pytest.approx(demanded)
    assert used.used_s > 0.5 * used.demanded_s


def test_a_modelled_server_has_burned_nothing() -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        assert server.work_units_per_s is None
    assert server.burned is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"burn": True, "cores": [100_000]}, "no core 100000 .* there are"),
        ({"burn": True, "cores": [core(), core()]}, "named twice"),
        ({"burn": True, "threads": "many"}, "`per-request` or the size of a pool, not `many`"),
        ({"burn": True, "threads": 0}, "1 to 10000 threads, not 0"),
        ({"burn": True, "threads": 10_001}, "1 to 10000 threads"),
        ({"cores": [core()]}, "go with burn only"),
        ({"cpu_limit": "700m"}, "goes with burn only"),
        ({"burn": True, "cpu_limit": "many"}, "`many` is no number of cores"),
        ({"burn": True, "cpu_limit": "-1"}, "no number of cores"),
        ({"burn": True, "cpu_limit": 0.009}, "less than 1ms in a period"),
        ({"burn": True, "listen": "nowhere"}, "HOST:PORT"),
    ],
)
def test_wrong_arguments_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(tt.InputError, match=message):
        tt.serve(tt.System(SYSTEM), **change)  # type: ignore[arg-type]


def test_what_only_a_model_has_is_refused() -> None:
    two = SYSTEM + '[[station]]\nname = "disk"\ndemand = "const(1ms)"\n'
    with pytest.raises(tt.InputError, match="has 0 machines and 2 stations"):
        tt.serve(tt.System(two), burn=True)


def test_a_machine_of_a_system_file_burns() -> None:
    machine = tt.System(
        'name = "s"\n[[machine]]\nname = "m"\nos = "linux-eevdf"\nthreads = 3\n'
        'demand.quick = "const(1ms)"\ndemand.slow = "const(4ms)"\n'
    )
    with tt.serve(machine, burn=True) as server:
        tt.run(tt.Workload(WORKLOAD), server.url, requests=20, demands=machine)
        assert server.stop() == (20, 0)


def test_the_command_says_what_it_burned(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SYSTEM)
    server = subprocess.Popen(
        [*COMMAND, "serve", "s.toml", "--burn", "--cores", str(core()), "--listen", "127.0.0.1:0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2].rstrip(";")
        calibrated = server.stdout.readline()
        assert re.fullmatch("calibrated: [\\d,]+ work units a second\n", calibrated)
        tt.run(tt.Workload(WORKLOAD), url, requests=20, demands=tt.System(SYSTEM))
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=300)
    finally:
        server.kill()
        server.wait()
    assert "answered 20 requests, refused 0" in rest
    assert re.search(r"used \S+ m?s of CPU time, for demands of \S+ m?s", rest)
    assert server.returncode == 0


@pytest.mark.parametrize("cores", ["one", "1;2", "-1", ""])
def test_the_command_refuses_what_is_no_list_of_cores(tmp_path: Path, cores: str) -> None:
    (tmp_path / "s.toml").write_text(SYSTEM)
    done = subprocess.run(
        [*COMMAND, "serve", "s.toml", "--burn", f"--cores={cores}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2
    assert "list of numbers" in done.stderr


# ---- limits of CPU time


LIMITED = """
name = "limited"
[[machine]]
name = "m"
os = "linux-eevdf"
demand = "50ms"
quota = "5ms"
period = "50ms"
"""


@pytest.fixture
def limits() -> None:
    """Skips if this user may limit no server."""
    if why := refusal():
        pytest.skip(why)


@pytest.mark.serial
@pytest.mark.parametrize("given", [{}, {"cpu_limit": "200m"}, {"cpu_limit": 0.1}])
def test_a_limited_server_is_throttled_and_leaves_no_group(
    given: dict[str, str | float], limits: None
) -> None:
    """200 ms of CPU time at 0.2 cores or less take ten periods at least, and all are throttled."""
    with tt.serve(tt.System(LIMITED), burn=True, **given) as server:  # type: ignore[arg-type]
        tt.run(
            tt.Workload('name = "w"\n[arrivals]\nmodel = "open"\nrate = "40/s"\n'),
            server.url,
            requests=4,
        )
        now = server.cpu_stat
        assert now is not None
        assert server.stop() == (4, 0)
    done = server.cpu_stat
    assert done is not None
    assert 4 <= now.throttled_periods <= done.throttled_periods <= done.periods
    assert 0 < now.throttled_s <= done.throttled_s
    assert not groups()


def test_a_server_without_a_limit_has_no_group() -> None:
    with tt.serve(tt.System(SYSTEM), burn=True) as server:
        assert server.cpu_stat is None
        assert not groups()
    assert server.cpu_stat is None


@pytest.mark.serial
def test_the_command_says_what_its_limit_did(tmp_path: Path, limits: None) -> None:
    (tmp_path / "s.toml").write_text(SYSTEM)
    server = subprocess.Popen(
        [*COMMAND, "serve", "s.toml", "--burn", "--cpu-limit", "100m", "--listen", "127.0.0.1:0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2].rstrip(";")
        tt.run(tt.Workload(WORKLOAD), url, requests=20, demands=tt.System(SYSTEM))
        server.send_signal(signal.SIGINT)
        said, _ = server.communicate(timeout=300)
    finally:
        server.kill()
    assert re.search(r"throttled in \d+ of \d+ periods \([\d.]+ %\), for .*s over all cores", said)
    assert not list(Path("/sys/fs/cgroup").rglob(f"thinktime-{server.pid}-*"))
