"""Clusters behind a switch: simulated, against theory, in results and as a server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import cases
import polars
import pytest
from real_runs import complaint

import thinktime as tt
from thinktime import _core
from thinktime.reference import dispatch_policies

ROOT = Path(__file__).resolve().parents[2]
OPEN = """
name = "w"
[arrivals]
model = "open"
rate = "100/s"
[[request]]
name = "page"
get = "/"
"""


def cluster(servers: int, dispatch: str, policy: str = "ps", more: str = "") -> tt.System:
    return tt.System(written(servers, dispatch, policy, more))


def written(servers: int, dispatch: str, policy: str, more: str = "") -> str:
    return (
        f'name = "s"\n[[cluster]]\nname = "web"\nservers = {servers}\ndispatch = "{dispatch}"\n'
        f'{more}\n[[cluster.station]]\nname = "cpu"\npolicy = "{policy}"\ndemand = "exp(10ms)"\n'
    )


@pytest.mark.parametrize("policy", ["ps", "fcfs"])
def test_a_random_split_is_a_queue_for_each_server(policy: str) -> None:
    """M/M/1 at load 0.8: a mean of 10 ms / 0.2.

    The interval holds it in 95 of 100 seeds, so one of twice its width in more than 99.9.
    """
    system = cluster(5, "random", policy)
    summary = tt.simulate(
        tt.Workload(OPEN), system, load=0.8, requests=1_000_000, rows="none"
    ).summary
    times = summary["response_time_s"]
    assert abs(times["mean"] - 0.050) < 2 * times["ci95"]
    assert times["ci95"] < 0.002
    assert summary["stations"]["web/cpu"]["load"] == pytest.approx(0.8, abs=0.01)


def test_two_choices_of_many_servers_are_as_good_as_their_formula() -> None:
    """Mitzenmacher (2001) for infinitely many: 500 servers at load 0.9 are within 2 %."""
    exact_s = 0.010 * sum(0.9 ** (2**i - 2) for i in range(1, 12))
    for policy in ("ps", "fcfs"):
        system = cluster(500, "jsq(2)", policy)
        summary = tt.simulate(
            tt.Workload(OPEN), system, load=0.9, requests=1_000_000, rows="none", warmup=1
        ).summary
        assert summary["response_time_s"]["mean"] == pytest.approx(exact_s, rel=0.02)


def shop(tmp_path: Path) -> tuple[Path, Path]:
    """A workload of cached pages and searches, and a cluster for it."""
    workload, system = tmp_path / "shop.toml", tmp_path / "cluster.toml"
    workload.write_text(
        'name = "shop"\n[arrivals]\nmodel = "open"\nrate = "60/s"\n'
        '[[request]]\nname = "page"\nget = "/page/{zipf(n=50, s=0.8)}"\n'
        'size = "uniform(1kB, 9kB)"\nweight = 3\n'
        '[[request]]\nname = "search"\nget = "/search"\n'
    )
    system.write_text(
        'name = "s"\n[[cluster]]\nname = "web"\nservers = 3\ndispatch = "cap"\n'
        'classes = { static = ["page"], cpu = ["search"] }\n'
        '[[cluster.station]]\nname = "cpu"\npolicy = "ps"\n'
        'demand.page = "1ms"\ndemand.search = "exp(20ms)"\n'
        '[[cluster.station]]\nname = "disk"\ndemand.page = "5ms + size / 10MB/s"\nwhen = "miss"\n'
        '[cluster.cache]\nsize = "60kB"\nholds = ["page"]\n'
    )
    return workload, system


def test_results_tell_of_each_server(tmp_path: Path) -> None:
    workload, system = shop(tmp_path)
    result = tt.simulate(workload, system, requests=30_000, rows="all", warmup=0)
    found: dict[str, Any] = result.summary["clusters"]["web"]
    assert found["dispatch"] == "cap"
    servers = found["servers"]
    assert sum(one["requests"] for one in servers) == 30_000
    for name in ("static", "cpu"):
        counts = [one["by_class"][name] for one in servers]
        assert max(counts) - min(counts) <= 1
    rows = polars.DataFrame(result.requests)
    assert set(rows["station"].unique()) == {
        f"web/{s}/{n}" for s in range(3) for n in ("cpu", "disk")
    }
    # A miss is a page that was at a disk last.
    by_server = Counter(
        rows.filter(polars.col("station").cast(str).str.ends_with("disk"))["station"]
    )
    for number, one in enumerate(servers):
        misses = by_server[f"web/{number}/disk"]
        assert one["hit_ratio"] == pytest.approx(1 - misses / one["by_class"]["static"])
        assert 0.2 < one["hit_ratio"] < 0.9
    loads = [one["load"]["cpu"] for one in servers]
    assert found["imbalance"] == pytest.approx(max(loads) / (sum(loads) / 3) - 1, rel=1e-6)
    assert result.summary["stations"]["web/cpu"]["load"] == pytest.approx(sum(loads) / 3)


def test_a_hash_finds_more_in_the_caches_than_turns_do(tmp_path: Path) -> None:
    workload, system = shop(tmp_path)
    ratios = {}
    for dispatch in ("round-robin", "hash", "lard"):
        changed = tt.System.load(system).with_value("cluster.web.dispatch", dispatch)
        summary = tt.simulate(workload, changed, requests=20_000).summary
        servers = summary["clusters"]["web"]["servers"]
        ratios[dispatch] = sum(one["hit_ratio"] for one in servers) / 3
    assert ratios["round-robin"] + 0.1 < min(ratios["hash"], ratios["lard"])


def test_the_command_line_and_the_page_show_clusters(tmp_path: Path) -> None:
    workload, system = shop(tmp_path)
    to = tmp_path / "result"
    command = [
        str(Path(sys.executable).with_name("thinktime")),
        "simulate",
        str(workload),
        str(system),
    ]
    done = subprocess.run(
        [*command, "--requests", "2000", "--output", str(to)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "web, cap over 3 servers: loads 0." in said
    assert "hit ratio" in said
    heading = re.compile(r"server +cpu load +.*requests +hit ratio +([a-z]+) +([a-z]+)")
    lines = done.stdout.splitlines()
    at = next(n for n, line in enumerate(lines) if heading.match(line))
    rows = [line.split() for line in lines[at + 2 : at + 5]]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    servers = tt.Result.load(to).summary["clusters"]["web"]["servers"]
    classes = [[str(count) for count in one["by_class"].values()] for one in servers]
    assert [row[-len(classes[0]) :] for row in rows] == classes
    assert max(map(len, lines)) <= 80
    page = tt.report(tt.Result.load(to), tmp_path / "report.html").read_text(encoding="utf-8")
    assert ">Clusters<" in page


def test_replications_are_put_together(tmp_path: Path) -> None:
    workload, system = shop(tmp_path)
    summary = tt.simulate(workload, system, requests=2_000, replications=3, warmup=0).summary
    servers = summary["clusters"]["web"]["servers"]
    assert sum(one["requests"] for one in servers) == 6_000


def test_what_the_cluster_must_be_told_is_asked_for(tmp_path: Path) -> None:
    workload, system = shop(tmp_path)
    text = workload.read_text()
    without_sizes = tt.Workload(text.replace('size = "uniform(1kB, 9kB)"\n', ""))
    with pytest.raises(tt.InputError, match="has no `size` in the workload"):
        tt.simulate(without_sizes, tt.System.load(system), requests=10)
    with_another = tt.Workload(text + '[[request]]\nname = "x"\nget = "/x"\n')
    visits = system.read_text().replace("demand.search", 'demand.x = "1ms"\ndemand.search')
    with pytest.raises(tt.InputError, match="`x` is in no class of the cluster `web`"):
        tt.simulate(with_another, tt.System(visits), requests=10)


def test_a_cluster_is_served(tmp_path: Path) -> None:
    """The served cluster answers like the model; if the machine was late, it reports that."""
    workload, system = shop(tmp_path)
    with tt.serve(system, workload=workload) as server:
        result = tt.run(workload, server.url, duration=3)
    simulated = tt.simulate(workload, system, requests=3_000).summary["response_time_s"]["mean"]
    if complaint(result) is None:
        assert result.summary["errors"] == 0
        # Some 180 requests with a standard deviation of about the mean.
        mean = result.summary["response_time_s"]["mean"]
        assert 0.5 * simulated < mean < 2 * simulated + 0.002


def test_caches_are_not_served_without_sizes(tmp_path: Path) -> None:
    _, system = shop(tmp_path)
    with pytest.raises(tt.InputError, match="--workload FILE"):
        tt.serve(system)


def test_the_table_of_policies_is_made_of_the_list() -> None:
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    assert page == dispatch_policies.renewed(page), (
        "python -m thinktime.reference.dispatch_policies docs/clusters.md"
    )


@pytest.mark.parametrize(
    ("usage", "needs", "source"),
    [(usage, needs, source) for usage, _, needs, source in _core.dispatch_policies()],
)
def test_every_policy_stands_in_the_table(usage: str, needs: list[str], source: str) -> None:
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    assert source
    told = ", ".join(needs) or dispatch_policies.NOTHING
    line = rf"^\| `{re.escape(usage)}` \| .*\. \| {told} \| {re.escape(source)} \|$"
    assert re.search(line, page, re.M)


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="no table that begins with"):
        dispatch_policies.renewed("# Something else\n")


def changed(at: str, server: int, does: str) -> str:
    return f'[[cluster.change]]\nat = "{at}"\nserver = {server}\ndoes = "{does}"\n'


def test_a_server_at_half_its_speed_has_twice_the_demand() -> None:
    """Two queues M/G/1 PS, one at half the speed: 1 / (1 - 0.3) and 2 / (1 - 0.6) times 10 ms.

    The 95 % interval is widened to 4 standard errors: a false alarm in 15,000 seeds, and the seed
    is fixed.
    """
    system = tt.System(written(2, "random", "ps") + changed("0s", 1, "slows(0.5)"))
    summary = tt.simulate(cases.open_model(60), system, requests=400_000, seed=5).summary
    times = summary["response_time_s"]
    exact = (0.010 / (1 - 0.3) + 0.020 / (1 - 0.6)) / 2
    assert abs(times["mean"] - exact) < times["ci95"] * 4 / 1.96
    loads = [one["load"]["cpu"] for one in summary["clusters"]["web"]["servers"]]
    assert loads == pytest.approx([0.3, 0.6], rel=0.02)


def test_a_failure_is_seen_in_errors_and_ends_with_recovery(tmp_path: Path) -> None:
    system = tt.System(
        written(2, "round-robin", "ps", 'seen_after = "50ms"')
        + changed("10s", 1, "fails")
        + changed("20s", 1, "recovers")
    )
    result = tt.simulate(
        cases.open_model(170), system, duration=30, warmup=0, rows="all", output=tmp_path / "out"
    )
    failed = polars.DataFrame(result.requests).filter(polars.col("error").is_not_null())
    times = failed["scheduled_ns"] / 1e9
    # Until the switch has seen it, half of 50 ms at 170 requests a second; and those already there.
    assert 1 <= len(failed) <= 40
    assert times.min() >= 9.0
    assert times.max() <= 10.051
    assert set(failed["error"]) == {"reset", "refused"}


def test_a_server_of_a_cluster_is_served_alone(tmp_path: Path) -> None:
    text = written(2, "random", "ps").replace("exp(10ms)", "20ms")
    (tmp_path / "cluster.toml").write_text(text + changed("0s", 1, "slows(0.5)"))
    for server, least in ((0, 0.020), (1, 0.040)):
        with tt.serve(tmp_path / "cluster.toml", server=server) as serving:
            result = tt.run(cases.open_model(5), serving.url, duration=1)
        assert result.summary["errors"] == 0
        times = result.summary["response_time_s"]
        # A model never answers too soon, and too late only if the machine is busy.
        assert times["min"] >= 0.99 * least
        assert times["min"] < 1.3 * least or complaint(result) is not None
    with pytest.raises(tt.InputError, match="`server` must be from 0 to 1"):
        tt.serve(tmp_path / "cluster.toml", server=2)
    one = tt.System('name="s"\n[[station]]\nname="a"\ndemand="1s"\n')
    with pytest.raises(tt.InputError, match="for a system of one cluster; this one has 0"):
        tt.serve(one, server=0)


CHANGED = """name = 's'
[[cluster]]
name = 'web'
servers = 2
dispatch = 'random'
[[cluster.station]]
name = 'cpu'
demand = 'exp(1ms)'
[[cluster.station]]
name = 'disk'
when = 'miss'
demand = '{disk}'
[cluster.cache]
size = '1MB'
[[cluster.change]]
at = '500ms'
server = 0
does = 'slows(0.5)'
[[cluster.change]]
at = '2s'
server = 1
does = 'slows(0.5)'
[[cluster.change]]
at = '1h'
server = 1
does = 'recovers'
"""
CACHED = """name = 'w'
[arrivals]
model = 'open'
rate = '100/s'
[[request]]
name = 'file'
get = '/{zipf(n=100, s=0.5)}'
size = 'const(1kB)'
"""


@pytest.mark.parametrize("replications", [1, 3])
def test_changes_and_loads_of_misses_are_told(replications: int) -> None:
    given = tt.Workload(CACHED), tt.System(CHANGED.format(disk="0.1ms"))
    result = tt.simulate(
        *given, load=0.3, duration="5s", warmup=1, replications=replications, rows="none"
    )
    slow, within, load = result.summary["notes"]
    assert slow.startswith("at 500 ms web/0 slows(0.5): before the measured time")
    assert within.startswith("at 2.00 s web/1 slows(0.5): within the measured time, 1.00 s after")
    assert load.startswith("a load of 0.3 was asked for, and web/disk reached 0.0")
    (never,) = (one for one in result.summary["warnings"] if "web/1" in one)
    assert never.startswith("at 60.0 min web/1 recovers: it never happened")


def test_a_load_far_above_the_one_asked_for_is_warned_of() -> None:
    system = tt.System(CHANGED.format(disk="300ms").partition("[[cluster.change]]")[0])
    result = tt.simulate(tt.Workload(CACHED), system, load=0.3, duration="5s", warmup=0)
    (told,) = (one for one in result.summary["warnings"] if "asked for" in one)
    assert told.startswith("a load of 0.3 was asked for, and web/disk reached ")
    assert result.summary["notes"] == []


def test_changes_cannot_be_varied() -> None:
    system = tt.System(CHANGED.format(disk="1ms"))
    for key in ("cluster.web.change.at", "system.cluster.web.change"):
        with pytest.raises(tt.InputError, match="changes of servers have no names"):
            tt.sweep(tt.Workload(CACHED), system, [f"{key}=1s,2s"])
