"""Ctrl-C after all is read ends the fidelity alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fidelity_cases import case

from thinktime.learn import learn
from thinktime.learn.fidelity import fidelity
from thinktime.learn.stop_signal import StopSignal, WorkStopped


def test_fidelity_ends_before_its_replays(tmp_path: Path) -> None:
    people = case("people", seed=12, scale=0.25)
    stopping = StopSignal()
    stopping.stop()
    with pytest.raises(WorkStopped):
        fidelity(
            people.requests, people.kinds, people.names, people.text(tmp_path), tmp_path,
            begins=people.begins, stopping=stopping,
        )  # fmt: skip


def test_fidelity_that_is_not_wanted_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    line = '10.0.0.{} - - [01/Mar/2026:00:{:02}:{:02} +0000] "GET /{} HTTP/1.1" 200 9 "-" "x"\n'
    log.write_text("".join(line.format(n % 250, n // 60, n % 60, n % 7) for n in range(3000)))
    stopping = StopSignal()
    whole = learn([log], stopping=stopping)
    assert whole.fidelity is not None
    stopping.stop()
    found = learn([log], stopping=stopping)
    assert found.fidelity is None
    assert found.workload_text == whole.workload_text


CHILD = """
import os, signal, sys, time
from thinktime.cli import main
from thinktime.learn import learner
whole = learner.stand_in
def interrupted(log, kinds, parts, stopping):
    os.kill(os.getpid(), signal.SIGINT)
    while stopping.wanted:
        time.sleep(0.001)
    return whole(log, kinds, parts, stopping)
learner.stand_in = interrupted
sys.exit(main())
"""


def test_ctrl_c_when_all_is_read_leaves_out_the_fidelity(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    line = '10.0.0.{} - - [01/Mar/2026:00:{:02}:{:02} +0000] "GET /{} HTTP/1.1" 200 9 "-" "x"\n'
    log.write_text("".join(line.format(n % 250, n // 60, n % 60, n % 7) for n in range(3000)))
    words = [sys.executable, "-c", CHILD, "learn", str(log), "--json", "-o", tmp_path / "w.toml"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 3, done.stderr
    assert "its fidelity was not measured to the end" in done.stderr
    found = json.loads(done.stdout)
    assert (found["requests"], found["fidelity"]) == (3000, None)
    assert (tmp_path / "w.toml").exists()
