"""`thinktime doctor`: each probe approves of a good machine, and gives advice for a bad one."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from thinktime.doctor import Finding, Machine, examine
from thinktime.doctor.probes import PROBES

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
GOVERNOR = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
FILES = {
    "proc/loadavg": "0.10 0.20 0.30 1/100 4242",
    "proc/stat": "cpu  1000 0 1000 8000 0 0 0 10 0 0\ncpu0 1 2 3\n",
    "proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n",
    "proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    "proc/sys/net/core/somaxconn": "4096\n",
    "sys/fs/cgroup/cpu.max": "max 100000\n",
    "sys/fs/cgroup/pids.max": "max\n",
    CLOCK: "tsc\n",
    GOVERNOR: "performance\n",
}


class Told(Machine):
    """A machine all of whose facts are given."""

    def __init__(self, root: Path, **facts: object) -> None:
        super().__init__(root)
        self.facts: dict[str, object] = {
            "kernel": ("Linux", "6.1.0-18-amd64"), "cores": 4, "descriptors": 1_048_576,
            "threads": -1, "lateness_s": [60e-6] * 200,
        } | facts  # fmt: skip

    def kernel(self):
        return self.facts["kernel"]

    def cores(self):
        return self.facts["cores"]

    def descriptors(self):
        return self.facts["descriptors"]

    def threads(self):
        return self.facts["threads"]

    def lateness_s(self):
        return self.facts["lateness_s"]


def machine(root: Path, files: dict[str, str] | None = None, **facts: object) -> Told:
    for path, text in (FILES | (files or {})).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Told(root, **facts)


def by_name(found: list[Finding]) -> dict[str, Finding]:
    return {one.name: one for one in found}


def test_a_good_machine_has_nothing_to_change(tmp_path: Path) -> None:
    found = examine(machine(tmp_path))
    assert [one.name for one in found if not one.enough or one.change] == []
    assert len(found) == len(PROBES)
    named = by_name(found)
    assert named["ports"].allows.startswith("28,232 connections")  # 60999 - 32768 + 1
    assert named["descriptors"].allows.startswith("1,048,476 connections")


@pytest.mark.parametrize(
    ("name", "files", "facts", "words"),
    [
        ("kernel", {}, {"kernel": ("Linux", "5.10.0-28")}, "5.11 or newer"),
        ("kernel", {}, {"kernel": ("Darwin", "23.1.0")}, "5.11 or newer"),
        ("cores", {}, {"cores": 1}, "2 cores or more"),
        ("cores", {"sys/fs/cgroup/cpu.max": "150000 100000"}, {}, "without --cpus"),
        ("other work", {"proc/loadavg": "3.1 1 1 5/100 7"}, {}, "top"),
        ("stolen time", {"proc/stat": "cpu 100 0 100 700 0 0 0 100 0 0"}, {}, "of its own"),
        ("frequency", {GOVERNOR: "powersave"}, {}, "performance"),
        ("clock", {CLOCK: "hpet"}, {}, "tsc"),
        ("timers", {}, {"lateness_s": [60e-6] * 190 + [2e-3] * 10}, "without other guests"),
        ("descriptors", {}, {"descriptors": 1024}, "ulimit -Hn"),
        ("ports", {"proc/sys/net/ipv4/ip_local_port_range": "60000 60999"}, {}, "sysctl -w"),
        ("waiting connections", {"proc/sys/net/core/somaxconn": "128"}, {}, "somaxconn=4096"),
        ("threads", {}, {"threads": 4096}, "ulimit -u"),
        ("threads", {"sys/fs/cgroup/pids.max": "512"}, {}, "--pids-limit"),
        ("memory", {"proc/meminfo": "MemAvailable: 200000 kB"}, {}, "more memory"),
    ],
)
def test_what_is_not_enough_is_said_with_what_changes_it(
    tmp_path: Path, name: str, files: dict[str, str], facts: dict[str, object], words: str
) -> None:
    found = by_name(examine(machine(tmp_path, files, **facts)))
    assert [one for one in found if not found[one].enough] == [name]
    assert words in found[name].change


def test_what_a_machine_does_not_tell_is_left_out(tmp_path: Path) -> None:
    """As in a container without /sys, or under another kernel."""
    found = {one.name for one in examine(Told(tmp_path))}
    assert found == {"kernel", "cores", "timers", "descriptors", "threads"}


def test_this_machine_is_looked_at(tmp_path: Path) -> None:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, limit[1]), limit[1]))
    try:
        done = subprocess.run([*COMMAND, "doctor", "--json"], capture_output=True, check=True)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    found = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
    assert {"kernel", "cores", "timers", "descriptors", "threads"} <= set(found)
    # The generator raises its limit to the hard one, which counts.
    assert found["descriptors"]["found"].startswith(f"{limit[1]:,} ")
    shown = subprocess.run([*COMMAND, "doctor"], capture_output=True, check=True, text=True).stdout
    assert all(name in shown for name in found)
    assert all(one["change"] for one in found.values() if not one["enough"])
