"""Sweeps and searches for the capacity in the files for pipelines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from test_gate import TOLD, invoke, read

import thinktime as tt
from thinktime.cli import common

WORKLOAD = 'name = "shop"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(5ms)"\n'
TRUSTED = "the result is to be trusted"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the commands, with a workload and a system."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("w.toml").write_text(WORKLOAD + '[slo]\np99 = "50ms"\n')
    Path("s.toml").write_text(SYSTEM)
    return tmp_path


def cases(about: str) -> dict[str, tuple[str, str]]:
    """The cases of the JUnit file, all of one classname."""
    found = read(Path("junit.xml").read_text())
    assert {one for one, _ in found} == {about}
    return {name: said for (_, name), said in found.items()}


# ---- sweep


def sweep(*more: str) -> Any:
    return invoke("sweep", "w.toml", "s.toml", "--requests", "3000", *more)


def test_each_point_of_a_sweep_is_a_test_case_that_may_miss_the_slo() -> None:
    done = sweep("--vary", "load=0.1,0.9", "--vary", "station.server.policy=fcfs,ps", *TOLD)
    assert done.exit_code == 0, done.output
    found = cases("sweep of shop")
    assert found.pop(TRUSTED) == ("passed", "")
    assert {tag for tag, _ in found.values()} == {"system-out"}
    assert len(found) == 4
    words = found["load 0.9, policy ps"][1]
    # Of 3,000 requests at such a load few determine the p99.
    assert re.fullmatch(r"mean [^p]* ms[^p]*, SLO .*", words), words
    assert "p99" in found["load 0.1, policy ps"][1]
    summary = Path("summary.md").read_text()
    assert summary.startswith("## Sweep of shop\n\n**Done**\n\nfcfs and ps meet p99 ≤")
    (header,) = re.findall(r"^\| load \| .*$", summary, re.M)
    assert " SLO |" in header
    # Curves are distinguished, and each has its points under its name.
    assert re.search(r"^\| fcfs \|( +\|)+\n\| 0\.1 \|.*\n\| 0\.9 \|.*\n\| ps \|( +\|)+$",
                     summary, re.M), summary  # fmt: skip


def test_a_point_that_is_not_to_be_trusted_is_an_error_and_gives_3() -> None:
    done = sweep("--vary", "arrivals.rate=50/s,1e-9/s", "--duration", "10s", *TOLD)
    assert done.exit_code == 3
    found = cases("sweep of shop")
    assert found[TRUSTED] == ("error", "of 2 points 1 is not to be trusted")
    assert found["rate 50/s"][0] == "system-out"
    assert found["rate 1e-09/s"][0] == "error"
    assert "**Not to be trusted**: of 2 points 1 is" in Path("summary.md").read_text()


def test_quiet_shows_no_bar_of_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(type(common.errors), "is_terminal", True)
    monkeypatch.setattr("rich.progress.Progress.start", lambda _bar: shown.append("bar"))
    assert sweep("--vary", "load=0.1", "--quiet").exit_code == 0
    assert not shown
    assert sweep("--vary", "load=0.1").exit_code == 0
    assert shown == ["bar"]


# ---- capacity


def test_a_capacity_that_is_found_passes() -> None:
    done = invoke("capacity", "w.toml", "s.toml", "--quiet", "--precision", "20%", *TOLD)
    assert done.exit_code == 0, done.output
    found = cases("capacity of shop")
    assert found[TRUSTED] == ("passed", "")
    tag, words = found["the capacity is found"]
    assert tag == "system-out"
    assert re.fullmatch(r"[\d.]+/s, 95 % interval .* by \d+ probes.*", words), words
    summary = Path("summary.md").read_text()
    assert summary.startswith(f"## Capacity of shop\n\n**Done**: {words}\n\n| rate | SLO |")
    assert len(re.findall(r"^\| [\d.]+/s \| ", summary, re.M)) == int(
        words.split(" by ")[1].split()[0]
    )


def test_an_slo_that_no_rate_meets_is_a_failure_and_gives_1() -> None:
    Path("w.toml").write_text(WORKLOAD + '[slo]\nmean = "0.5ms"\n')
    done = invoke("capacity", "w.toml", "s.toml", "--quiet", *TOLD)
    assert done.exit_code == 1
    tag, words = cases("capacity of shop")["the capacity is found"]
    assert tag == "failure"
    assert "not met even at" in words
    assert "**Not met**: the SLO is not met: " in Path("summary.md").read_text()


def test_a_target_that_is_not_there_is_told(folder: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        url = server.url
    commands = {
        "capacity": ("--duration", "1s"),
        "sweep": ("--duration", "1s", "--vary", "arrivals.rate=5/s"),
    }
    for command, more in commands.items():
        done = invoke(command, "w.toml", "--target", url, *more, *TOLD)
        assert done.exit_code == 3, done.output
        tag, why = cases("shop")[TRUSTED]
        assert tag == "error"
        assert "refused" in why
        assert "refused" in Path("summary.md").read_text()


def test_a_file_that_cannot_be_written_hides_no_verdict() -> None:
    Path("w.toml").write_text(WORKLOAD + '[slo]\nmean = "0.5ms"\n')
    done = invoke("capacity", "w.toml", "s.toml", "--quiet", "--markdown", "/dev/full")
    assert done.exit_code == 3
    assert "written: /dev/full: No space left" in done.stderr
    assert "; the SLO is not met: the objectives are not met even at" in done.stderr
    done = sweep("--vary", "load=0.1", "--junit", "/dev/full")
    assert done.exit_code == 3
    assert "the result could not be written: /dev/full: No space" in done.stderr


@pytest.mark.parametrize("command", ["sweep", "capacity"])
def test_a_path_that_cannot_be_is_found_before_anything_is_done(command: str) -> None:
    more = ("--vary", "load=0.1") if command == "sweep" else ()
    done = invoke(command, "w.toml", "s.toml", "--junit", "none/j.xml", "-o", "out", *more)
    assert done.exit_code == 2
    assert "--junit none/j.xml: there is no folder none" in " ".join(done.output.split())
    assert not Path("out").exists()
