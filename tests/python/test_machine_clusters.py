"""Clusters whose servers are machines: simulated, against theory, in results and as a server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cases
import numpy as np
import polars
import pytest

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
THINKTIME = str(Path(sys.executable).with_name("thinktime"))
EXAMPLE = EXAMPLES / "machine-cluster.toml"


def machine(os: str, cores: int = 1, demand: str = "exp(10ms)") -> str:
    return (
        f'name = "s"\n[[machine]]\nname = "host"\ncores = {cores}\nos = "{os}"\n'
        f'demand = "{demand}"\n'
    )


def cluster(servers: int, dispatch: str, of: str) -> str:
    return (
        f'{of}[[cluster]]\nname = "web"\nserver = "machine:host"\nservers = {servers}\n'
        f'dispatch = "{dispatch}"\n'
    )


@pytest.mark.parametrize("os", ["linux-eevdf", "linux-2.6.22", "windows-server-2003"])
def test_one_server_is_the_machine_alone(os: str) -> None:
    """Request by request, at load 0.7 on two cores, with the same seed."""
    alone = machine(os, 2, "h2(10ms, cv2=4)")
    plan = {"requests": 20_000, "rows": "all", "warmup": 0}
    found = [
        polars.DataFrame(tt.simulate(cases.open_model(140), tt.System(text), **plan).requests)
        for text in (alone, cluster(1, "jsq", alone))
    ]
    times = [rows.drop("station") for rows in found]
    assert times[0].equals(times[1])
    assert set(found[1]["station"].unique()) == {"web/0/host"}


def test_a_random_split_is_a_processor_sharing_queue_for_each() -> None:
    """M/M/1 PS at load 0.8: a mean of 10 ms / 0.2.

    The interval holds it in 95 of 100 seeds, so one of twice its width in more than 99.9.
    """
    system = tt.System(cluster(5, "random", machine("processor-sharing")))
    summary = tt.simulate(
        cases.open_model(400), system, requests=400_000, rows="none", seed=3
    ).summary
    times = summary["response_time_s"]
    assert abs(times["mean"] - 0.050) < 2 * times["ci95"]
    assert times["ci95"] < 0.004


def test_results_tell_of_each_machine(tmp_path: Path) -> None:
    workload, to = EXAMPLES / "shop.toml", tmp_path / "result"
    done = subprocess.run(
        [THINKTIME, "simulate", str(workload), str(EXAMPLE), "--load", "0.7",
         "--requests", "20000", "--warmup", "0", "--output", str(to)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "web, least-connections over 4 servers: loads 0." in said
    assert "(host)" in said
    result = tt.Result.load(to)
    servers = result.summary["clusters"]["web"]["servers"]
    assert sum(one["requests"] for one in servers) == result.summary["requests"]
    for one in servers:
        its = one["machine"]
        assert (its["os"], len(its["core_loads"])) == ("linux-eevdf", 4)
        assert one["load"]["host"] == pytest.approx(np.mean(its["core_loads"]))
        assert its["context_switches"] > 0
    assert result.summary["stations"]["web/host"]["load"] == pytest.approx(0.7, abs=0.05)
    assert ">Clusters<" in tt.report(result, tmp_path / "page.html").read_text(encoding="utf-8")


def test_machines_change_too(tmp_path: Path) -> None:
    """One of two is out from 10 s to 20 s: the other one has all, and no request fails later."""
    text = cluster(2, "round-robin", machine("linux-eevdf", 1, "exp(5ms)"))
    for at, does in ((10, "fails"), (20, "recovers")):
        text += f'[[cluster.change]]\nat = "{at}s"\nserver = 1\ndoes = "{does}"\n'
    result = tt.simulate(
        cases.open_model(100), tt.System(text), duration=30, warmup=0, rows="all",
        output=tmp_path / "out",
    )  # fmt: skip
    rows = polars.DataFrame(result.requests)
    assert set(rows["error"].drop_nulls()) <= {"reset"}
    at_s = rows["scheduled_ns"] / 1e9
    while_out = rows.filter((at_s > 10) & (at_s < 20))
    assert set(while_out["station"].unique()) == {"web/0/host"}
    assert len(while_out) > 500


def test_they_are_served_whole_and_one_by_one(tmp_path: Path) -> None:
    system = tmp_path / "cluster.toml"
    system.write_text(cluster(2, "jsq", machine("linux-eevdf", 1, "20ms")))
    for server in (None, 1):
        with tt.serve(system, server=server) as serving:
            result = tt.run(cases.open_model(5), serving.url, duration=1)
        assert result.summary["errors"] == 0
        assert result.summary["response_time_s"]["p50"] == pytest.approx(0.020, rel=0.3)


def test_a_machine_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(EXAMPLE.read_text().replace("machine:host", "machine:hots"))
    done = subprocess.run(
        [THINKTIME, "simulate", str(EXAMPLES / "shop.toml"), "c.toml"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "c.toml:8: cluster[1].server" in done.stderr
    assert "did you mean `host`?" in " ".join(done.stderr.split())
