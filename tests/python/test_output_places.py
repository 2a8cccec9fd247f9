"""Places that are no plain files, take no more, or have another encoding than UTF-8."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import made_pages
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.present import page

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
WORKLOAD = 'name = "käufer"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "a"\ndemand = "exp(1ms)"\n'
WORKLOAD_FILE = "w.toml"
SIMULATION = ["simulate", WORKLOAD_FILE, "s.toml", "--requests", "1000"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / WORKLOAD_FILE).write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


def test_a_page_goes_through_a_pipe_that_stays_one(tmp_path: Path) -> None:
    """So `report -o /dev/full` leaves the device, which root could replace by a file."""
    pipe, read = tmp_path / "page.html", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    made = made_pages.pages()["sweep"]
    assert page.write(made, pipe) == pipe
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join()
    assert read == [page.render(made)]


def test_a_page_leaves_a_link_to_its_place(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    link = tmp_path / "page.html"
    link.symlink_to(tmp_path / "kept" / "page.html")
    page.write(made_pages.pages()["sweep"], link)
    assert link.is_symlink()
    assert [one.name for one in (tmp_path / "kept").iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    "command",
    [
        ["report", "kept", "--output"],
        ["history", "trend", "w", "--output"],
        ["learn", "s.toml", "--report"],
        [*SIMULATION, "--report"],
    ],
    ids=lambda one: one[0],
)
def test_a_page_replaces_pages_alone(
    files: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(files)
    tt.simulate(WORKLOAD_FILE, "s.toml", requests=100, output="kept")
    shown = CliRunner().invoke(app, [*command, WORKLOAD_FILE])
    assert shown.exit_code == 2
    assert "w.toml: is a file and no page: give the page another name" in shown.stderr
    assert (files / WORKLOAD_FILE).read_text() == WORKLOAD
    for _ in range(2):
        tt.report(tt.Result.load("kept"), "page.html")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("command", [SIMULATION, ["compare", "one", "one"]], ids=lambda one: one[0])
def test_an_output_of_another_encoding_is_no_failure(
    files: Path, command: list[str], encoding: str
) -> None:
    """Lines of tables, and signs such as `±`, are in few encodings."""
    subprocess.run([*COMMAND, *SIMULATION, "-o", "one"], cwd=files, check=True, capture_output=True)
    done = subprocess.run(
        [*COMMAND, *command], cwd=files, capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"throughput" in done.stdout


def test_an_output_that_may_not_grow_is_no_missed_objective(files: Path) -> None:
    """Status 1 is that of a missed objective; a limit of the size of files is a full disk."""
    with (files / "out.txt").open("w") as out:
        done = subprocess.run(
            [*COMMAND, *SIMULATION], cwd=files, stdout=out, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        )  # fmt: skip
    assert done.returncode == 3
    assert "error: the output cannot be written: File too large" in done.stderr
