"""The straight road over a real site: learned, simulated at twice the traffic, run at twice.

The site is a service behind nginx, with a pool of three connections that are held for exponential
times. Its visitors, the service and the log share no code with the tool.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from real_site.site import site, visited
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

LOG_S, RUN_S = 40, 30
SESSIONS_S = 20.0
"""Four pages each, of 15 ms: a load of 0.4."""

WITHIN = 0.20


def said(*words: object) -> tuple[int, str]:
    """The status and the output of a command."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    assert done.exit_code in (0, 3), done.output
    return done.exit_code, done.output


def beyond(before: Path, after: Path) -> list[str]:
    """The figures that surely differ by more than the bound, of results that are both trusted.

    A difference is sure if its 95 % interval has nothing within the bound. The true differences are
    of a few percent, so that chance makes one for less than one run in 10,000.
    """
    _, output = said("compare", before, after, "--json")
    (found,) = json.loads(output[: output.rindex("}") + 1])["comparisons"]
    wrong = []
    for name in ("mean", "p50", "p95", "p99"):
        if name in found["missing"]:
            continue
        low, high = found["figures"][name]["relative_ci95"]
        if low > WITHIN or high < -WITHIN:
            wrong.append(f"{name}: {low:+.1%} to {high:+.1%}")
    return wrong


@pytest.mark.serial
def test_twice_the_traffic_is_as_simulated_or_not_trusted(tmp_path: Path) -> None:
    with site(tmp_path, seed=1) as at:
        visited(at, LOG_S, SESSIONS_S, seed=2)
        for stamps in ("ms", "s"):
            shutil.copy(tmp_path / f"{stamps}.log", tmp_path / f"{stamps}-access.log")
            learned(tmp_path, stamps)
        target = ("--target", f"http://{at}", "--scale", "2", "--duration", f"{RUN_S}s")
        said("run", tmp_path / "ms.toml", *target, "-o", tmp_path / "after")
    after = tt.Result.load(tmp_path / "after")
    assert after.summary["errors"] == 0
    for stamps in ("ms", "s"):
        made = simulated(tmp_path, stamps)
        if made is None or made.untrusted is not None or after.untrusted is not None:
            continue
        assert stamps == "ms", "whole seconds do not show the waiting"
        wrong = beyond(tmp_path / f"{stamps}-before", tmp_path / "after")
        assert not wrong, wrong
    # The comparison finds what is wrong: with half of the traffic nobody waits.
    files = tmp_path / "ms.toml", tmp_path / "ms.system.toml"
    said("simulate", *files, "-o", tmp_path / "once", "--requests", "200000")
    assert beyond(tmp_path / "once", tmp_path / "after")


def learned(folder: Path, stamps: str) -> None:
    """Learn three files from a log; what is said of the server is right or doubted."""
    said("learn", folder / f"{stamps}-access.log", "-o", folder / stamps, "--no-fidelity", "-q")
    assert (folder / f"{stamps}.html").exists()
    system = tt.System.load(folder / f"{stamps}.system.toml")
    assert system.learned is not None
    if system.learned["confidence"] == "high":
        text = system.to_toml()
        assert "servers = 3" in text, text
        assert 'policy = "fcfs"' in text, text


def simulated(folder: Path, stamps: str) -> tt.Result | None:
    """The simulation of twice the traffic; None if its overload is said to be doubtful."""
    files = folder / f"{stamps}.toml", folder / f"{stamps}.system.toml"
    said("capacity", *files)
    before = folder / f"{stamps}-before"
    words = ["simulate", *files, "--scale", "2", "-o", before, "--requests", "200000"]
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exit_code in (0, 3):
        return tt.Result.load(before)
    assert "the offered load is" in done.output, done.output
    assert "not to be trusted: the server was learned" in done.output, done.output
    return None
