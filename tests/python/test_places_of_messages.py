"""Messages name the file with its folder as the user typed it, and what would be right."""

from __future__ import annotations

import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import thinktime as tt

THINKTIME = Path(sys.executable).with_name("thinktime")
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'
OPEN = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n'


def command(folder: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """A finished command in a folder."""
    return subprocess.run(
        [str(THINKTIME), *arguments],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False, **more,
    )  # fmt: skip


SCRIPT = OPEN.replace("open", "partly-open") + '[session]\nscript = "bad.luau"\n'
ROWS = OPEN.replace("open", "partly-open") + '[session]\nthink = "1s"\ndata = ["users.csv"]\n'
TRACE = 'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "trace({})"\n'


@pytest.mark.parametrize(
    ("file", "content", "workload", "words"),
    [
        ("bad.luau", "local a = 1\n\nlocal = 5\n", SCRIPT, "dir/bad.luau:3: "),
        ("users.csv", "user,word\nann\n", ROWS, "dir/users.csv:2: has 1 values for 2"),
        ("empty.log", "", TRACE.format("empty.log"), "dir/empty.log: holds no request"),
        ("times.csv", "at\n1\nb\n", TRACE.format("times.csv"), "dir/times.csv:3: `b` is not"),
        ("x.parquet", "PAR1", TRACE.format("x.parquet"), "dir/x.parquet: is no Parquet file"),
    ],
)
def test_a_file_beside_the_workload_is_named_with_its_folder(
    tmp_path: Path, file: str, content: str, workload: str, words: str
) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / file).write_text(content)
    (tmp_path / "dir" / "w.toml").write_text(workload)
    (tmp_path / "s.toml").write_text(SYSTEM)
    done = command(tmp_path, "simulate", "dir/w.toml", "s.toml")
    assert done.returncode == 2, done.stderr
    assert words in done.stderr


def test_damaged_rows_are_named_with_advice(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(OPEN)
    (tmp_path / "s.toml").write_text(SYSTEM)
    made = command(tmp_path, "simulate", "w.toml", "s.toml", "--requests", "20000", "-o", "r", "-q")
    assert made.returncode == 0, made.stderr
    rows = tmp_path / "r" / "requests.parquet"
    rows.write_bytes(rows.read_bytes()[:3000])
    for arguments in (["report", "r"], ["compare", "r", "r"]):
        done = command(tmp_path, *arguments)
        assert done.returncode == 2, done.stderr
        assert "r/requests.parquet: is damaged (" in done.stderr
        assert "or remove it: the figures do not need it" in done.stderr
    done = command(tmp_path, "explain", "r")
    assert done.returncode == 2, done.stderr
    assert "r: its rows cannot be read from requests.parquet: " in done.stderr
    assert "run it again with `-o DIR --rows all`" in done.stderr


def test_the_named_remedy_for_damaged_rows_is_one(tmp_path: Path) -> None:
    done = tt.simulate(tt.Workload(OPEN), tt.System(SYSTEM), requests=20_000, output=tmp_path / "r")
    (tmp_path / "r" / "requests.parquet").unlink()
    assert command(tmp_path, "report", "r").returncode == 0
    assert tt.Result.load(tmp_path / "r").summary == done.summary


LINE = '10.0.0.{0} - - [17/May/2015:10:05:{0:02d} +0000] "GET /a HTTP/1.1" 200 5\n'


@pytest.mark.parametrize("size", [500, 0])
def test_learn_on_a_full_disk_names_no_temporary_file(tmp_path: Path, size: int) -> None:
    (tmp_path / "access.log").write_text("".join(LINE.format(at) for at in range(60)) * 40)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
    done = command(tmp_path, "learn", "access.log", "-o", "l.toml", preexec_fn=limit)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert "thinktime-" not in done.stderr
    assert "temporary files cannot be written: " in done.stderr
    assert "TMPDIR" in done.stderr


def test_a_demand_for_an_unknown_request_lists_those_of_the_workload() -> None:
    system = SYSTEM.replace('demand = "exp(10ms)"', 'demand.zzz = "5ms"\ndemand.home = "5ms"')
    workload = OPEN + '[[request]]\nname = "home"\n[[request]]\nname = "cart"\n'
    with pytest.raises(tt.InputError, match=r"its requests are `home`, `cart`$"):
        tt.simulate(tt.Workload(workload), tt.System(system), requests=100)
    with pytest.raises(tt.InputError, match=r"did you mean `home`\?$"):
        tt.simulate(tt.Workload(workload), tt.System(system.replace("zzz", "hom")), requests=100)


def test_a_page_and_a_learned_file_need_their_folder(tmp_path: Path) -> None:
    (tmp_path / "access.log").write_text("".join(LINE.format(at) for at in range(60)))
    for arguments in (
        ["learn", "access.log", "-o", "no/l.toml"],
        ["report", "r", "-o", "no/r.html"],
        ["record", "--listen", "127.0.0.1:0", "-o", "no/w.toml"],
    ):
        done = command(tmp_path, *arguments)
        assert done.returncode == 2, done.stderr
        assert f"{arguments[-1]}: there is no folder no: make it" in done.stderr
        assert not (tmp_path / "no").exists()
