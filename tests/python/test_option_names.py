"""Messages of the command line name options as typed, and those of files verbatim."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app

OPEN = 'name = "open"\n[arrivals]\nmodel = "open"\nrate = "400/s"\n'
SYSTEM = 'name = "server"\n[[station]]\nname = "server"\ndemand = "exp(1ms)"\n'
RUN = ("run", "w.toml", "--target", "https://127.0.0.1:1")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "w.toml").write_text(OPEN)
    (tmp_path / "wrong.toml").write_text(OPEN.replace("open", "partly-open"))
    (tmp_path / "s.toml").write_text(SYSTEM)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*RUN, "--leave-rows", "/rows"], "error: --leave-rows: goes with `--on`,"),
        ([*RUN, "--on-loss", "stop"], "error: --on-loss: goes with `--on`,"),
        ([*RUN, "--unix-socket", "/x", "--source", "127.0.0.1"], "`--source` or `--unix-socket`"),
        ([*RUN, "--key", "a.pem"], "`--key` is that of a `--certificate`"),
        ([*RUN, "--link", "delay=5ms", "--source", "127.0.0.1"], "`--source` does not go with"),
        ([*RUN, "--ca", "a.pem", "--insecure"], "give `--ca` or `--insecure`"),
        ([*RUN, "--clients", "5"], "error: --clients = 5: does not go"),
        (["simulate", "w.toml", "s.toml", "--on", "ray"], "give their number (`--replications`)"),
        (["learn", "-", "--on", "ray"], "error: --on: standard input is read by this process"),
        (["serve", "s.toml", "--link-class", "1:10"], "`--link-class` go with `--files`"),
        (["run", "wrong.toml", *RUN[2:]], "a partly-open model needs `requests`, the"),
    ],
)
def test_options_are_named_as_they_are_typed(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert words in " ".join(done.stderr.split())


def test_python_has_the_names_of_python() -> None:
    CliRunner().invoke(app, [*RUN, "--leave-rows", "/rows"])
    with pytest.raises(tt.InputError, match=r"^leave_rows: goes with `on`,"):
        tt.run("w.toml", "https://127.0.0.1:1", leave_rows="/rows")
