"""`run URL`: a first run without a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cases
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server that is quick."""
    with tt.serve(cases.system(("fcfs", "const(10us)"))) as server:
        yield server.url


def run(*arguments: str) -> Any:
    """The command in this process."""
    return CliRunner().invoke(app, ["run", *arguments])


def test_a_url_is_an_open_workload_of_one_request_that_is_done_again(
    address: str, tmp_path: Path
) -> None:
    there = ("-o", f"{tmp_path}/a", "--json")
    done = run(f"{address}/items/7?page={{2}}#top", "--rate", "200/s", "--requests", "40", *there)
    assert done.exit_code in (0, 3), done.output
    assert json.loads(done.stdout)["requests"] == 40
    noted = tomllib.loads((tmp_path / "a" / "run.toml").read_text())
    assert noted["run"]["target"] == address
    assert noted["workload"]["arrivals"] == {"model": "open", "rate": "200/s"}
    assert noted["workload"]["request"] == [{"name": "items-7", "get": "/items/7?page=%7B2%7D"}]
    assert "duration" not in noted["options"]
    again = run("--again", f"{tmp_path}/a", "--json")
    assert json.loads(again.stdout)["requests"] == 40


def test_clients_make_it_closed_and_a_token_in_it_is_not_kept(address: str, tmp_path: Path) -> None:
    url, into = f"{address}/?token=xyzzy", ("-o", f"{tmp_path}/a", "--json")
    done = run(url, "--clients", "2", "--think", "10ms", "--duration", "200ms", *into)
    assert json.loads(done.stdout)["sessions"] == 2, done.output
    files = [file for file in (tmp_path / "a").iterdir() if file.suffix in (".toml", ".json")]
    assert files
    assert not [file for file in files if "xyzzy" in file.read_text()]
    assert run("--again", f"{tmp_path}/a").exit_code == 2
    assert json.loads(run("--again", f"{tmp_path}/a", url, "--json").stdout)["sessions"] == 2


def test_without_options_it_takes_ten_seconds_at_ten_a_second(address: str) -> None:
    from thinktime.inputs import url

    workload, target, given = url.taken(address, None, {"seed": 3})
    assert (workload.model, workload.request_rate, target) == ("open", 10, address)
    assert given == {"seed": 3, "duration": "10s"}
    assert url.taken(address, None, {"precision": "5%"})[2] == {"precision": "5%"}
    assert tt.run(address, rate=500, requests=20).summary["requests"] == 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["http://127.0.0.1:1/", "--target", "http://x"], "leave out `--target`, http://x"),
        (["tcp://127.0.0.1:1"], "tcp: a run without a workload file is for http, https, h3"),
        (["http://[::1/"], "is no URL"),
        (["http://me:xyzzy@127.0.0.1:1/"], "a target has no user and no password"),
        (["http://127.0.0.1:1/", "--think", "1s"], "an open session has none"),
        ([], "give a URL, a workload file and --target, or --again DIR"),
        (["w.toml"], "give a URL, a workload file and --target, or --again DIR"),
        (["127.0.0.1:80/x"], "`127.0.0.1:80/x` has no scheme, as http://: it is a file"),
        (["pyproject.toml"], "`pyproject.toml` is a file: say against what, by --target"),
    ],
)
def test_what_does_not_go_is_said(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert "xyzzy" not in done.output


def test_python_says_that_the_address_is_missing() -> None:
    with pytest.raises(tt.InputError, match="target: give the address of the server"):
        tt.run({"name": "w"})
