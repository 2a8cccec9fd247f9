"""Values of options that mean nothing are refused, with what would be right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ports import free_port
from typer.testing import CliRunner

from thinktime.cli import app
from thinktime.importing import import_text

WORKLOAD = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "5/s"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return [str(tmp_path / "w.toml"), str(tmp_path / "s.toml")]


@pytest.mark.parametrize(
    ("command", "typed", "says"),
    [
        ("simulate", ["--rows", "2/3"], "error: `2/3` does not say which rows to keep: `all`"),
        ("sweep", ["--vary", "load"], "error: --vary = load: does not say what to vary: write KEY"),
        (
            "sweep",
            ["--vary", "load=50%"],
            "error: `50%` is no value of `--load`: write a number, as 0.5",
        ),
        (
            "sweep",
            ["--vary", "replications=1.5"],
            "`1.5` is no value of `--replications`: write a whole number, as 5",
        ),
    ],
)
def test_a_value_that_means_nothing_is_refused(
    files: list[str], command: str, typed: list[str], says: str
) -> None:
    done = CliRunner().invoke(app, [command, *files, "--requests", "100", *typed])
    assert done.exit_code == 2, done.output
    assert says in done.stderr


def test_a_page_that_cannot_be_had_is_named_without_a_number_of_the_system() -> None:
    done = CliRunner().invoke(app, ["new", f"http://127.0.0.1:{free_port()}/"])
    assert done.exit_code == 3
    assert done.stderr.strip().endswith(": cannot be had: Connection refused")


@pytest.mark.parametrize(
    ("count", "says"), [(1, "its operation comes by"), (2, "each of its 2 operations")]
)
def test_operations_of_an_interface_are_counted_in_words(count: int, says: str) -> None:
    paths = {f"/{one}": {"get": {"responses": {}}} for one in range(count)}
    interface = {"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    text = import_text(json.dumps(interface).encode(), "t.json").text
    assert says in " ".join(text.replace("#", " ").split())
