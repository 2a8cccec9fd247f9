"""The study of sieges, in small: both servers under slow headers, and its table.

Of times nothing is asserted: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import labs
import pytest
from nginx_server import NGINX
from skips import busy

from thinktime.cli.lab import run_options
from thinktime.lab import file
from thinktime.lab.hostile import kinds

STUDY = Path(__file__).resolve().parents[2] / "studies" / "siege"
sys.path.insert(0, str(STUDY))

import cells  # noqa: E402 - the study is a folder of scripts


def test_every_hostile_client_is_tried_on_both_servers(tmp_path: Path) -> None:
    every = list(cells.all_cells())
    assert {one.kind for one in every} == set(kinds.KINDS)
    assert len(every) == 2 * len(kinds.KINDS)
    for one in every:
        path = tmp_path / f"{one.name}.toml"
        path.write_text(one.lab())
        lab = file.load(path, run_options)
        assert lab.hostiles[0].start + lab.hostiles[0].duration < 20


@contextmanager
def besieging(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The study in small; its lab and its folders leave nothing behind."""
    labs.need_root()
    if NGINX is None:
        pytest.skip("the system package nginx is not installed")
    (folder / "temporary").mkdir()
    command = [sys.executable, str(STUDY / "study.py"), "--small", "--to", str(folder)]
    with labs.nothing_left():
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"TMPDIR": str(folder / "temporary")},
        )  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
            process.communicate()
    assert os.listdir(folder / "temporary") == []


@pytest.mark.study("siege")
def test_two_cells_are_measured_and_written(tmp_path: Path) -> None:
    with besieging(tmp_path) as study:
        said = study.communicate(timeout=labs.WAIT_S)[1]
    assert study.returncode == 0, said
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert [one["server"] for one in found] == ["nginx", "thinktime serve"]
    for one in found:
        # About 200, if the machine is not busy.
        if one["parts"]["before"]["requests"] <= 10:
            busy("no requests were made before the attack")
        assert one["parts"]["before"]["failed"] < 0.5
        assert one["hostile"]["opened"] > 0
    # nginx has 768 connections, which two seconds of the attack take.
    assert found[0]["parts"]["during"]["failed"] > found[0]["parts"]["before"]["failed"]
    page = (tmp_path / "README.md").read_text("utf-8")
    assert re.search(r"^\| nginx \| slow-headers \| 500/s \|", page, re.MULTILINE)


@pytest.mark.study("siege")
def test_what_is_tried_anew_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    """By a study without new measurements: two of the kept cells are made anew."""
    (tmp_path / "results.json").write_text((STUDY / "results.json").read_text("utf-8"))
    script = (
        "import sys; sys.argv[1:] = ['--only', 'garbage', '--to', sys.argv[1]]; import study; "
        "study._missing = lambda: None; "
        "study.measured = lambda cell: {**study.asdict(cell), 'parts': "
        "dict.fromkeys(('before', 'during', 'after'), {'failed': 1.0})}; sys.exit(study.main())"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, cwd=STUDY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kept, found = (
        json.loads((one / "results.json").read_text("utf-8")) for one in (STUDY, tmp_path)
    )
    assert [(one["server"], one["kind"]) for one in found] == [
        (one["server"], one["kind"]) for one in kept
    ]
    for old, new in zip(kept, found, strict=True):
        assert (new == old) == (old["kind"] != "garbage")


@pytest.mark.study("siege")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_who_ends_a_study_ends_its_lab(how: signal.Signals, tmp_path: Path) -> None:
    """While its users are there and the attack is under way."""
    with besieging(tmp_path) as study:
        end = time.monotonic() + labs.WAIT_S
        while not any("thinktime.lab.hostile" in one for one in labs.traces()["processes"]):
            assert study.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        study.send_signal(how)
        said = study.communicate(timeout=labs.WAIT_S)[1]
    assert study.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[how], said
    assert not (tmp_path / "results.json").exists()


def test_the_tables_of_the_pages_are_those_of_the_results() -> None:
    import table

    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    assert len(found) == 2 * len(kinds.KINDS)
    assert "\n".join(table.lines(found)) in (STUDY / "README.md").read_text("utf-8")
    assert "\n".join(table.beside(found)) in table.PAGE.read_text("utf-8")
