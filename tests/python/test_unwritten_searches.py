"""Sweeps and searches that cannot be written, or that Ctrl-C ends after their last point."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

THINKTIME = Path(sys.executable).with_name("thinktime")
WORKLOAD = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n[slo]\nmean = "50ms"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'

SWEEP = ["sweep", "w.toml", "s.toml", "--vary", "load=0.5,0.7", "--requests", "20000"]
CAPACITY = ["capacity", "w.toml", "s.toml", "--duration", "200s"]

PAGE_MISSING, NOTHING_KEPT = 40_000, 1_000
"""Limits of a file's size: the first holds points and tables, and no page; the second no point."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the two files."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


def limited(folder: Path, size: int, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """A command whose files may be no larger than `size` bytes, as on a full disk."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
    return subprocess.run(
        [str(THINKTIME), *arguments, "-o", "out", "--quiet"],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False, preexec_fn=limit,
    )  # fmt: skip


@pytest.mark.parametrize("size", [PAGE_MISSING, NOTHING_KEPT])
def test_a_sweep_that_cannot_be_written_is_shown(folder: Path, size: int) -> None:
    done = limited(folder, size, SWEEP)
    assert done.returncode == 3, done.stderr
    assert "exact mean" in done.stdout
    lost = "sweep.html" if size == PAGE_MISSING else "results.parquet"
    assert f"the result could not be written: out/{lost}: File too large" in done.stderr
    assert ("the points are kept in out/points" in done.stderr) == (size == PAGE_MISSING)
    assert "result: out" not in done.stderr


@pytest.mark.parametrize("size", [PAGE_MISSING, NOTHING_KEPT])
def test_a_capacity_that_cannot_be_written_is_shown(folder: Path, size: int) -> None:
    done = limited(folder, size, CAPACITY)
    assert done.returncode == 3, done.stderr
    assert "capacity: " in done.stdout
    lost = "capacity.html" if size == PAGE_MISSING else "probes.parquet"
    assert f"out.partial/{lost}: File too large" in done.stderr
    kept = size == PAGE_MISSING
    assert ("the probes are kept in" in done.stderr) == kept
    assert (folder / "out.partial" / "capacity.json").exists() == kept
    assert "result: out" not in done.stderr


@pytest.mark.parametrize("arguments", [SWEEP, CAPACITY])
def test_a_table_that_cannot_be_written_is_one_in_json_too(
    folder: Path, arguments: list[str]
) -> None:
    done = limited(folder, NOTHING_KEPT, [*arguments, "--json"])
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)


# SIGINT comes to the command itself, when it begins to make the report of what it found.
LATE = """
import os, signal, sys
from thinktime import cli
from thinktime.{module} import report

once = [signal.SIGINT]

def late(*given, made=report.report_of, **more):
    if once:
        os.kill(os.getpid(), once.pop())
    return made(*given, **more)

report.report_of = late
sys.argv = ["thinktime", *{arguments}]
cli.main()
"""


def ended_late(folder: Path, module: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """A command to which Ctrl-C comes after its work."""
    code = LATE.format(module=module, arguments=[*arguments, "--quiet"])
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


@pytest.mark.parametrize("kept", [[], ["-o", "out"]])
def test_ctrl_c_after_the_last_probe_shows_the_capacity(folder: Path, kept: list[str]) -> None:
    done = ended_late(folder, "capacity_search", [*CAPACITY, *kept])
    assert done.returncode == 3, done.stderr
    assert "interrupted" in done.stderr
    assert "capacity" in done.stdout
    assert "80/s" in done.stdout
    if kept:
        # It came while the page was made, so that the answer that is kept says so.
        assert json.loads((folder / "out/capacity.json").read_text())["verdict"] == "interrupted"


def test_ctrl_c_after_the_last_point_shows_the_sweep(folder: Path) -> None:
    done = ended_late(folder, "sweeps", SWEEP)
    assert done.returncode == 3, done.stderr
    assert "interrupted after the end: the result is whole" in done.stderr
    assert "exact mean" in done.stdout


def test_ctrl_c_after_a_simulation_shows_its_result(folder: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from thinktime import cli\n"
        "from thinktime.cli import common\n"
        "show = common.show\n"
        "common.show = lambda *given: (os.kill(os.getpid(), signal.SIGINT), show(*given))\n"
        "sys.argv = ['thinktime', 'simulate', 'w.toml', 's.toml', '--requests', '20000']\n"
        "cli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "interrupted after the end: the result is whole" in done.stderr
    assert "mean" in done.stdout
