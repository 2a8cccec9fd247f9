"""The end of a command that is stopped early, or whose output nobody reads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
def test_a_command_without_an_output_ends_as_with_one(tmp_path: Path, closed: str) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    command = f"{THINKTIME} simulate w.toml s.toml --requests 500 -o r {closed}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
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
