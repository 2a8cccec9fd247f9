"""`-` is a workload of standard input, and the same as the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

WORKLOAD = """name = "w"
[arrivals]
model = "open"
process = "trace(times.csv)"
rate = "100/s"
[slo]
p99 = "1s"
"""
STEADY = WORKLOAD.replace('process = "trace(times.csv)"\n', "")
SYSTEM = 'name = "s"\n[[station]]\nname = "a"\ndemand = "exp(5ms)"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SYSTEM)
    (tmp_path / "times.csv").write_text("".join(f"{n / 50}\n" for n in range(500)))
    return tmp_path


def shown(*arguments: str, text: str | bytes) -> Any:
    return CliRunner().invoke(app, [*arguments], input=text)


def test_a_simulation_is_that_of_the_file(folder: Path) -> None:
    """A file that the text names is beside the current folder."""
    (folder / "w.toml").write_text(WORKLOAD)
    found = shown("simulate", "-", "s.toml", "--json", "--quiet", text=WORKLOAD)
    other = shown("simulate", "w.toml", "s.toml", "--json", "--quiet", text="")
    assert found.exit_code == other.exit_code != 2, found.output
    assert json.loads(found.stdout) == json.loads(other.stdout)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("sweep", ["s.toml", "--vary", "rate=10,50", "--requests", "1000"]),
        ("capacity", ["s.toml", "--duration", "100s", "--precision", "30%"]),
        ("show", ["s.toml"]),
    ],
)
def test_other_commands_take_it_too(command: str, options: list[str], folder: Path) -> None:
    found = shown(command, "-", *options, text=STEADY)
    assert found.exit_code == 0, found.output
    (folder / "w.toml").write_text(STEADY)
    other = shown(command, "w.toml", *options, text="")
    assert found.stdout.replace("workload: -", "workload: w.toml") == other.stdout


def test_a_run_takes_it_too() -> None:
    """So far as to say that the target is missing; then that it does not answer."""
    found = shown("run", "-", text=STEADY)
    assert found.exit_code == 2
    assert "give a URL, a workload file and --target" in found.stderr
    found = shown("run", "-", "--target", "nonsense", text=STEADY)
    assert found.exit_code == 2
    assert "nonsense" in found.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (STEADY.replace("open", "opem"), "error: -:3: "),
        ("", "error: -:"),
        (b"\xff\xff", "error: -: is no text in UTF-8"),
        (SYSTEM, "error: -: is a system file, and here belongs a workload file"),
        (WORKLOAD.replace("times.csv", "none.csv"), "none.csv"),
    ],
)
def test_messages_name_it(text: str | bytes, said: str) -> None:
    found = shown("simulate", "-", "s.toml", text=text)
    assert found.exit_code == 2
    assert said in found.stderr


def test_overlays_are_laid_over_it(folder: Path) -> None:
    (folder / "over.toml").write_text('[arrivals]\nrate = "7/s"\n')
    found = shown("show", "-", "--with", "over.toml", text=STEADY)
    assert found.exit_code == 0, found.output
    assert tt.Workload(found.stdout).session_rate == 7
    (folder / "over.toml").write_text('[arrivals]\nrate = "7 apples"\n')
    wrong = shown("show", "-", "--with", "over.toml", text=STEADY)
    assert "over.toml:2" in wrong.stderr


def test_the_system_may_come_from_there(folder: Path) -> None:
    (folder / "w.toml").write_text(STEADY)
    found = shown("simulate", "w.toml", "-", "--requests", "20000", text=SYSTEM)
    assert found.exit_code == 0, found.output
    both = shown("simulate", "-", "-", text=STEADY)
    assert both.exit_code == 2
    assert "-: is a workload file, and here belongs a system file" in both.stderr
