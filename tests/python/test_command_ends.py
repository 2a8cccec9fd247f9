"""The end of a command that is stopped early, or whose output nobody reads."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from thinktime.cli import memory_shortage

THINKTIME = Path(sys.executable).with_name("thinktime")
WORKLOAD = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'


@pytest.mark.parametrize("wait_s", [0.05, 0.1, 0.15, 0.25])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_early_ends_quietly(
    number: signal.Signals, wait_s: float, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [str(THINKTIME), "serve", "s.toml"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    maps = Path(f"/proc/{process.pid}/maps")
    while "_core.abi3.so" not in maps.read_text() and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(wait_s / 5)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert "Traceback" not in errors, errors
    # Before the command has begun the signal itself ends it, as a shell's 128 and its number.
    assert process.returncode in (-number, 128 + number, 0, 2), (process.returncode, errors)


def test_a_signal_while_a_command_loads_has_its_own_status(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from thinktime import cli\n"
        "cli.app = lambda **_: (_stop(), None)\n"
        "def _stop():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        signal.pause()\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit(130)\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 128 + signal.SIGTERM


@pytest.mark.parametrize(
    "arguments",
    [
        ["schema", "workload"],
        ["simulate", "w.toml", "s.toml", "--requests", "1000"],
        ["simulate", "w.toml", "s.toml", "--requests", "1000", "--json"],
        ["--help"],
    ],
)
def test_a_pipe_that_nobody_reads_ends_a_command_quietly(
    arguments: list[str], tmp_path: Path
) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [str(THINKTIME), *arguments],
        cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == 128 + signal.SIGPIPE, done.stderr
    assert "Traceback" not in done.stderr
    assert "roken pipe" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_closed_output_is_as_a_full_one(tmp_path: Path, closed: str) -> None:
    """What is printed is lost, and the status says so; the result is written."""
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    command = f"{THINKTIME} simulate w.toml s.toml --requests 500 -o r {closed}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert ("the output cannot be written" in done.stderr) == ("2>" not in closed)
    assert {"run.toml", "summary.json"} <= {one.name for one in (tmp_path / "r").iterdir()}


@pytest.mark.parametrize("option", ["--target", "--proxy", "--label", "--resolve"])
def test_bytes_that_are_no_text_are_wrong_input_and_not_told(tmp_path: Path, option: str) -> None:
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 1\n[session]\nthink = "1ms"\n'
    )
    given: list[str | bytes] = ["--target", "http://shop.invalid", option, b"http://u:xyz\xff@p:1"]
    done = subprocess.run(
        [str(THINKTIME), "run", "w.toml", *given, "-q"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "xyz" not in done.stderr


def test_learned_files_are_written_also_if_nobody_reads_the_output(tmp_path: Path) -> None:
    line = '10.0.0.{0} - - [17/May/2015:10:05:{0:02d} +0000] "GET /a HTTP/1.1" 200 5\n'
    (tmp_path / "access.log").write_text("".join(line.format(at) for at in range(60)))
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [str(THINKTIME), "learn", "access.log", "--no-fidelity", "-o", "x.toml"],
        cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == 128 + signal.SIGPIPE, done.stderr
    assert "written: x.toml" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "x.toml").exists()


@pytest.mark.parametrize("least_kb", [300_000, 500_000])
def test_too_little_memory_is_said_without_a_traceback(tmp_path: Path, least_kb: int) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    command = f"ulimit -v {least_kb}; {THINKTIME} simulate w.toml s.toml --requests 500 -o r"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    allowed = f"`ulimit -v` allows {least_kb * 1024 / 1e9:.2g} GB of address space"
    assert f"warning: {allowed}" in done.stderr
    assert "Traceback (most recent call last)" not in done.stderr
    assert done.returncode == 0 or "emory" in done.stderr


def test_an_error_is_one_of_memory_only_if_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, error, expected in [
        (None, MemoryError(), "not enough memory: take a smaller part"),
        (None, OSError(errno.ENOMEM, "no"), "not enough memory"),
        (None, NameError("x"), None),
        (400_000_000, KeyboardInterrupt(), None),
        (400_000_000, BrokenPipeError(errno.EPIPE, "no"), None),
        (4_000_000_000, ImportError("x"), None),
        (4_000_000_000, MemoryError(), "`ulimit -v` allows 4 GB"),
        (400_000_000, ImportError("x\ny"), "ImportError: x y; there may not be enough memory"),
    ]:
        monkeypatch.setattr(memory_shortage, "_limit", lambda limit=limit: limit)
        said = memory_shortage.sentence(error)
        assert (said is None) if expected is None else expected in (said or ""), said
