"""The provenance of a result: the command, and the named files, in its directory and on its
page."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.present.page import render
from thinktime.report import origin
from thinktime.report.case import cases
from thinktime.report.results_page import page_of
from thinktime.results import provenance
from thinktime.results.provenance import Provenance, UsedFile, without_secrets

SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(2ms)"\n'
WORKLOAD = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'


def invoke(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code in (0, 3), done.output
    return done.output


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.toml").write_text(
        'name = "plain"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'
    )
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


def test_a_simulation_keeps_its_command_and_its_files(files: Path) -> None:
    words = ["simulate", "plain.toml", "s.toml", "--requests", "1000", "--seed", "4", "-o", "out"]
    invoke(*words)
    made = tt.Result.load("out").made
    assert made is not None
    assert made.command == ("thinktime", *words)
    assert made.command_line == shlex.join(["thinktime", *words])
    assert made.files == tuple(
        UsedFile(use, name, (files / name).stat().st_size, sha256(files / name))
        for use, name in (("workload", "plain.toml"), ("system", "s.toml"))
    )
    assert made.host["kernel"] == os.uname().release
    assert json.loads((files / "out" / "made.json").read_text())["command"] == list(made.command)


def test_a_file_that_was_changed_has_another_hash(files: Path) -> None:
    found = []
    for name in ("a", "b"):
        invoke("simulate", "plain.toml", "s.toml", "--requests", "1000", "-o", name)
        made = tt.Result.load(name).made
        assert made is not None
        found.append(made.files)
        (files / "s.toml").write_text(SYSTEM.replace("2ms", "3ms"))
    assert found[0][0] == found[1][0]
    assert found[0][1].sha256 != found[1][1].sha256 == sha256(files / "s.toml")


def test_what_a_workload_names_is_named_too(files: Path) -> None:
    """Scripts, as each file that a workload is made with."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    result = tt.simulate(
        examples / "buyers.toml", examples / "shop-server.toml", duration=5, warmup=0,
        output=files / "out",
    )  # fmt: skip
    made = tt.Result.load(files / "out").made
    assert made is not None
    assert made.command is None
    by_use = {one.use: one for one in made.files}
    assert set(by_use) == {"workload", "system", "named by the workload"}
    (name,) = result.workload.files
    assert by_use["named by the workload"].name == name
    assert by_use["named by the workload"].sha256 == sha256(Path(result.workload.files[name]))


def test_the_page_of_a_run_says_how_to_do_it_again(files: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        words = ["run", "plain.toml", "--target", server.url, "--duration", "500ms", "-o", "my out"]
        invoke(*words)
    result = tt.Result.load("my out")
    (source,) = origin.sources(cases([result]))
    facts = dict(source.facts)
    assert facts["command"] == shlex.join(["thinktime", *words])
    assert facts["to do it again"] == "thinktime run --again 'my out'"
    assert sha256(files / "plain.toml") in facts["workload"]
    assert facts["workload"].startswith("plain.toml, ")
    assert {"version", "host", "clock"} <= facts.keys()
    text = render(page_of([result]))
    assert sha256(files / "plain.toml") in text
    assert "--duration 500ms" in text


def test_the_page_of_a_simulation_names_its_host(files: Path) -> None:
    invoke("simulate", "plain.toml", "s.toml", "--requests", "1000", "-o", "out")
    (source,) = origin.sources(cases([tt.Result.load("out")]))
    facts = dict(source.facts)
    assert facts["host"].startswith(f"kernel {os.uname().release}, architecture ")
    assert facts["clock"] == "virtual"
    assert sha256(files / "s.toml") in facts["system"]


def test_the_summary_of_what_is_done_again_stays_the_same(files: Path) -> None:
    """The words of a command are not a figure: they are in a file of their own."""
    invoke("simulate", "plain.toml", "s.toml", "--requests", "1000", "-o", "first")
    invoke("simulate", "--again", "first", "-o", "second")
    first, second = (files / name / "summary.json" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    made = tt.Result.load("second").made
    assert made is not None
    assert made.command == ("thinktime", "simulate", "--again", "first", "-o", "second")


def test_nothing_is_kept_of_what_is_written_nowhere(files: Path) -> None:
    assert tt.simulate(tt.Workload(WORKLOAD), tt.System(SYSTEM), requests=100).made is None


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("http://user:HIDDEN@host:80/a", "http://REMOVED@host:80/a"),
        ("http://HIDDEN@host/a", "http://REMOVED@host/a"),
        ("user:HIDDEN@proxy:3128", "REMOVED@proxy:3128"),
        ("http://host/?access_token=HIDDEN&page=1", "http://host/?access_token=REMOVED&page=1"),
        ("http://127.0.0.1:8080/a?page=2", "http://127.0.0.1:8080/a?page=2"),
        ("shop.test:443:127.0.0.1", "shop.test:443:127.0.0.1"),
        ("--duration", "--duration"),
        ("--label=token", "--label=token"),
        ("true --password=HIDDEN -p 80", "true --password=REMOVED -p 80"),
        ("PGPASSWORD='HIDDEN 2' psql -h db", "PGPASSWORD=REMOVED psql -h db"),
        ("java -Ddb.password=HIDDEN -jar a", "java -Ddb.password=REMOVED -jar a"),
        ('start --token "HIDDEN 2" --now', "start --token REMOVED --now"),
        ("curl -H 'Authorization: Bearer HIDDEN' h", "curl -H 'Authorization: REMOVED' h"),
        ("curl -u me:HIDDEN --user me:HIDDEN h", "curl -u me:REMOVED --user me:REMOVED h"),
        ("start --token $TOKEN --token env:TOKEN", "start --token $TOKEN --token env:TOKEN"),
        ("systemctl restart shop --no-block", "systemctl restart shop --no-block"),
        ("sh -c 'sleep 1; start --session --user shop'",) * 2,
    ],
)
def test_words_are_kept_without_passwords(word: str, kept: str) -> None:
    assert without_secrets(word) == kept


def test_a_command_keeps_no_password(files: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        target = server.url.replace("//", "//user:HIDDEN@")
        CliRunner().invoke(
            app, ["run", "plain.toml", "--target", server.url, "--duration", "200ms", "-o", "out",
                  "--label", f"at {target}"],
        )  # fmt: skip
    text = (files / "out" / "made.json").read_text()
    assert "HIDDEN" not in text
    assert "REMOVED" in text


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 3}', '{"files": [{}], "command": 1}'])
def test_a_note_that_somebody_spoilt_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / provenance.FILE).write_text(text)
    assert provenance.read(tmp_path) is None


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = Provenance(
        ("thinktime", "run"), (UsedFile("workload", "<b>.toml", 3, "ab"),), {"cores": 2}
    )
    provenance.write(made, tmp_path)
    assert provenance.read(tmp_path) == made


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    """A reader of its output would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    made = provenance.provenance_of(tt.Workload(WORKLOAD), None, {"workload": tmp_path / "pipe"})
    assert made.files == ()
