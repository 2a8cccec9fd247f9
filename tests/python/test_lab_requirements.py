"""A lab's missing requirements are reported before anything is made."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from labs import TWO_HOSTS, need_root

from thinktime import RunError
from thinktime.cli.lab import run_options
from thinktime.lab import file, instance, requirements
from thinktime.lab.instance import LabInstance

NO_QUEUE = """#!/bin/sh
case "$*" in *KIND*) echo "Error: Specified qdisc kind is unknown." >&2; exit 2 ;; esac
"""
"""A `tc` of a kernel that lacks one of the queues."""


@pytest.fixture
def _nothing_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lab first makes its journal: a lab that reaches it fails the test."""

    def made(*_: object) -> None:
        pytest.fail("something was made")

    monkeypatch.setattr(instance, "Journal", made)


def refused(folder: Path, more: str, before: str = "") -> str:
    """Why the lab with a link like this cannot be made."""
    path = folder / "lab.toml"
    path.write_text(before + TWO_HOSTS + more)
    with (
        pytest.raises(RunError) as caught,
        LabInstance(file.load(path, run_options), folder / "logs"),
    ):
        pass
    assert not (folder / "logs").exists()
    return str(caught.value)


@pytest.mark.usefixtures("_nothing_made")
@pytest.mark.parametrize("line", ['delay = "5ms"', 'loss = "1%"'])
def test_the_device_of_links_with_a_delay(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "TUN", str(tmp_path / "tun"))
    assert "tun is missing or not open to this user" in refused(tmp_path, line)


@pytest.mark.usefixtures("_nothing_made")
@pytest.mark.parametrize(
    ("kind", "line"),
    [("tbf", 'rate = "1Mbit/s"'), ("netem", 'rate = "1Mbit/s"\ndelay = "5ms"\nby = "netem"')],
)
def test_the_queues_of_the_kernel(
    kind: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_root()
    tool = tmp_path / "tc"
    tool.write_text(NO_QUEUE.replace("KIND", kind))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert f"this kernel has no {kind}, " in refused(tmp_path, line)


@pytest.mark.usefixtures("_nothing_made")
def test_netem_of_this_kernel(tmp_path: Path) -> None:
    need_root()
    words = ["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem"]
    line = 'delay = "5ms"\nby = "netem"'
    if subprocess.run(words, capture_output=True).returncode == 0:
        path = tmp_path / "lab.toml"
        path.write_text(f"{TWO_HOSTS}{line}\n")
        assert requirements.missing(file.load(path, run_options)) is None
    else:
        said = refused(tmp_path, line)
        assert said == 'this kernel has no netem, as `by = "netem"` asks for: leave that out'


@pytest.mark.usefixtures("_nothing_made")
def test_congestion_control(tmp_path: Path) -> None:
    need_root()
    said = refused(tmp_path, "", before='congestion_control = "nosuch"\n')
    assert "congestion control by `nosuch` is not permitted" in said
    assert "`reno` is everywhere" in said


def test_what_is_there_is_not_missed(tmp_path: Path) -> None:
    """A link without a rate asks for no queue, and one without a delay for no device."""
    need_root()
    path = tmp_path / "lab.toml"
    path.write_text(TWO_HOSTS)
    assert requirements.missing(file.load(path, run_options)) is None
