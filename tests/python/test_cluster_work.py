"""Simulations and logs that are divided among the cores of a cluster give the same results."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from ray_cluster import frame, shared

import thinktime as tt
from thinktime.learn import learn

STATIONS = {
    "name": "two",
    "station": [
        {"name": "cpu", "policy": "ps", "demand": "exp(2ms)"},
        {"name": "disk", "policy": "fcfs", "demand": "h2(mean=1ms, cv2=8)"},
    ],
    "pool": [{"name": "threads", "size": 6}],
}
MACHINES = {
    "name": "machines",
    "machine": [{"name": "m", "os": "linux-2.6.22", "cores": 2, "demand": "exp(2ms)"}],
}
CLUSTER = {
    "name": "switched",
    "cluster": [
        {
            "name": "web",
            "servers": 3,
            "dispatch": "jsq",
            "station": [{"name": "cpu", "policy": "ps", "demand": "exp(6ms)"}],
        }
    ],
}
OPEN = {
    "name": "open",
    "arrivals": {"model": "open", "rate": "200/s"},
    "request": [{"name": "a", "weight": 3}, {"name": "b", "timeout": "30ms"}],
}
CLOSED = {
    "name": "closed",
    "arrivals": {"model": "closed", "clients": 40},
    "session": {"think": "exp(100ms)"},
    "request": [{"name": "a", "timeout": "20ms", "retry": {"attempts": 3, "backoff": "5ms"}}],
}
PEOPLE = {
    "name": "people",
    "arrivals": {"model": "partly-open", "rate": "40/s"},
    "session": {"think": "exp(50ms)", "requests": "geometric(mean=4)"},
}


@pytest.fixture(scope="module")
def cluster() -> Any:
    return shared()


@pytest.mark.parametrize(
    ("workload", "system"),
    [(OPEN, STATIONS), (CLOSED, MACHINES), (PEOPLE, CLUSTER)],
    ids=["stations", "machines", "cluster"],
)
def test_replications_on_a_cluster_come_to_the_same(
    cluster: Any, tmp_path: Path, workload: dict[str, Any], system: dict[str, Any]
) -> None:
    how: dict[str, Any] = {"requests": 4_000, "replications": 5}
    here = tt.simulate(workload, system, output=tmp_path / "here", **how)
    there = tt.simulate(workload, system, output=tmp_path / "there", on="auto", **how)
    names = {path.name for path in (tmp_path / "here").iterdir()} - {"run.toml", "label.json"}
    assert names > {"summary.json", "requests.parquet"}
    for name in names:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert frame(there).equals(frame(here))
    assert there.summary["response_time_s"]["ci95"] > 0


def test_a_warm_up_that_is_given_and_a_script_are_taken_along(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "client.luau").write_text(
        'return function(client)\n\twhile true do\n\t\tlocal a = client:get("/")\n'
        '\t\tclient:check("ok", a.ok)\n\t\tclient:think("exp(20ms)")\n\tend\nend\n'
    )
    text = (
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 5\n[session]\nscript = "client.luau"\n'
    )
    (tmp_path / "w.toml").write_text(text)
    how: dict[str, Any] = {"duration": "20s", "warmup": "2s", "replications": 3, "rows": "none"}
    here = tt.simulate(tmp_path / "w.toml", STATIONS, **how)
    there = tt.simulate(tmp_path / "w.toml", STATIONS, on="auto", **how)
    assert there.summary == here.summary
    assert here.summary["checks"]["ok"]["passed"] > 500


def test_what_a_cluster_has_no_use_for_is_refused(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(tt.InputError, match="a cluster divides replications"):
        tt.simulate(OPEN, STATIONS, on="auto", requests=100)
    with pytest.raises(tt.InputError, match="no cluster"):
        tt.simulate(OPEN, STATIONS, on="mars", replications=2)
    with pytest.raises(tt.InputError, match="warm-up"):
        tt.simulate(OPEN, STATIONS, on="auto", replications=2, duration="1s", warmup="2s")
    with pytest.raises(tt.InputError, match="standard input"):
        learn(["-"], on="auto")
    with pytest.raises(tt.InputError, match="a log that grows"):
        learn([tmp_path / "a.log"], on="auto", follow=True)
    with pytest.raises(tt.InputError, match="No such file"):
        learn([tmp_path / "a.log"], on="auto")


def logs(folder: Path) -> list[Path]:
    """Files of a site whose users continue from one file to the next; some lines are bad."""
    chance = random.Random(5)
    lines = []
    for second in range(0, 40_000, 4):
        user = chance.randrange(120)
        stamp = f"25/Nov/2026:{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d} +0000"
        path = chance.choice(["/", "/a", "/b", "/style.css", f"/item/{chance.randrange(300)}"])
        size = chance.randrange(100, 90_000)
        lines.append(
            f'10.0.0.{user} - - [{stamp}] "GET {path} HTTP/1.1" 200 {size} "http://h/a" "Agent"\n'
        )
        if chance.random() < 0.002:
            lines.append("no line of a log\n")
    names = [folder / f"access.log.{number}" for number in range(5)]
    for number, name in enumerate(reversed(names)):
        name.write_text("".join(lines[number * len(lines) // 5 : (number + 1) * len(lines) // 5]))
    return names


def test_logs_that_a_cluster_reads_teach_the_same(cluster: Any, tmp_path: Path) -> None:
    names = logs(tmp_path)
    how: dict[str, Any] = {"fidelity": False, "without": ["path=/b"]}
    here, there = learn(names, **how), learn(names, on="auto", **how)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert there.workload().to_toml() == here.workload().to_toml()
    assert there.log.files == here.log.files
    assert there.log.bad_lines
    assert there.log.dropped
    # Sessions are joined by user across files: cut at their ends, there would be more.
    alone = sum(learn([name], **how).to_dict()["sessions"] for name in names)
    assert there.to_dict()["sessions"] < alone
    for name in ("rows", "users", "paths"):
        columns = [pl.DataFrame(getattr(one.log.columns, name)()) for one in (here, there)]
        assert columns[0].equals(columns[1]), name


def test_a_log_that_is_none_is_refused_as_on_one_machine(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("x\n" * 100)
    messages = []
    for on in (None, "auto"):
        with pytest.raises(tt.InputError) as caught:
            learn([tmp_path / "a.log"], on=on)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_the_command_line_takes_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    (tmp_path / "w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n')
    (tmp_path / "s.toml").write_text('name = "s"\n[[station]]\nname = "cpu"\ndemand = "exp(5ms)"\n')
    command = [
        sys.executable, "-c", "from thinktime.cli import main; main()", "simulate", "w.toml",
        "s.toml", "--requests", "2000", "--replications", "4", "--json",
    ]  # fmt: skip
    printed = [
        subprocess.run(
            [*command, *more], cwd=tmp_path, env=os.environ, capture_output=True, check=True
        ).stdout
        for more in ([], ["--on", "ray"])
    ]
    assert printed[0] == printed[1]
