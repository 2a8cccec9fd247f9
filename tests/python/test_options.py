"""The options of `run` and `simulate`: signatures, the command line and results agree."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import docs_snippets
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime import _core
from thinktime.cli import app, function_options

OPEN = 'name = "open"\n[arrivals]\nmodel = "open"\nrate = "400/s"\n'
SYSTEM = 'name = "server"\n[[station]]\nname = "server"\ndemand = "exp(1ms)"\n'
NOT_OPTIONS = {
    "run": {"workload", "target", "demands", "output", "label", "progress", "monitor"},
    "simulate": {"workload", "system", "output", "label", "progress"},
}
"""Parameters about tools, places, names and views, not about the operation."""


def invoke(*arguments: str) -> Any:
    """The command line in this process."""
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a workload and a system."""
    (tmp_path / "w.toml").write_text(OPEN)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


@pytest.mark.parametrize("command", ["run", "simulate"])
def test_python_takes_the_options_of_the_list(command: str) -> None:
    """Signature and docstring name each option, and no other."""
    function = getattr(tt, command)
    listed = {name for name, _, _ in _core.options(command)}
    taken = set(inspect.signature(function).parameters)
    assert taken - NOT_OPTIONS[command] == listed
    for name in listed:
        assert re.search(rf"^        {name}: ", function.__doc__, re.MULTILINE), name


@pytest.mark.parametrize("command", ["run", "simulate"])
def test_the_command_line_takes_the_options_of_the_list(command: str) -> None:
    """Each is in --help, under its name or a shorter word."""
    shown = invoke(command, "--help").stdout
    for name, _, _ in _core.options(command):
        assert function_options.word(name) in shown


@pytest.mark.parametrize("command", ["run", "simulate", "compare", "sweep", "capacity"])
def test_what_a_pipeline_runs_writes_what_it_reads(command: str) -> None:
    """And long operations are quiet without a viewer."""
    shown = invoke(command, "--help").stdout
    wanted = {"--junit", "--markdown"} | (set() if command == "compare" else {"--quiet"})
    assert wanted <= set(re.findall(r"--[a-z]+", shown))


@pytest.mark.parametrize("command", ["run", "simulate"])
def test_pages_name_the_options(command: str) -> None:
    """Some hand-written page explains the purpose of each."""
    pages = "".join(page.read_text("utf-8") for page in docs_snippets.WRITTEN)
    for name, _, _ in _core.options(command):
        assert function_options.word(name) in pages, name


def test_a_simulation_is_done_again(files: Path) -> None:
    """All options are in run.toml, and lead to the same figures and rows."""
    first, second = files / "first", files / "second"
    given = (
        "--requests",
        "5000",
        "--load",
        "0.7",
        "--seed",
        "5",
        "--rows",
        "1/3",
        "--warmup",
        "1s",
    )
    paths = (str(files / "w.toml"), str(files / "s.toml"))
    assert invoke("simulate", *paths, *given, "-o", str(first)).exit_code == 0
    noted = tomllib.loads((first / "run.toml").read_text())["options"]
    assert noted == {"requests": 5000, "load": 0.7, "seed": 5, "rows": "1/3", "warmup": "1s",
        "replications": 1,
    }  # fmt: skip
    done = invoke("simulate", "--again", str(first), "-o", str(second))
    assert done.exit_code == 0, done.output
    for name in ("summary.json", "requests.parquet", "series.parquet"):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


@pytest.mark.parametrize(("given", "then"), [((), 3), (("--replications", "1"), 1)])
def test_a_repetition_takes_an_option_that_equals_its_default(
    files: Path, given: tuple[str, ...], then: int
) -> None:
    """It is given, so it replaces that of the result; what is not given does not."""
    paths = (str(files / "w.toml"), str(files / "s.toml"))
    first = invoke("simulate", *paths, "-n", "200", "--replications", "3", "-o", str(files / "a"))
    assert first.exit_code == 0, first.output
    again = ("simulate", "--again", str(files / "a"), "-o", str(files / "b"))
    done = invoke(*again, *given)
    assert done.exit_code == 0, done.output
    options = tomllib.loads((files / "b" / "run.toml").read_text())["options"]
    assert (options["replications"], options["requests"]) == (then, 200)


def test_a_run_is_done_again_with_all_its_options(files: Path) -> None:
    """The former gaps of run.toml: loops, lateness, sources, TLS, stop-on-slo."""
    given = {
        "duration": "500ms", "loops": 2, "lateness": "100us", "sources": ["127.0.0.1"],
        "stop_on_slo": True, "drain": 2, "seed": 3,
    }  # fmt: skip
    with tt.serve(tt.System(SYSTEM)) as server:
        first = tt.run(tt.Workload(OPEN), server.url, output=files / "first", **given)
        assert tomllib.loads(first.run_toml)["options"] == given
        second = tt.again(files / "first", drain="1s", output=files / "second")
        shown = invoke("run", "--again", str(files / "first"), "--duration", "200ms", "--json")
    assert second.options == {key: given[key] for key in given if key != "seed"} | {"drain": "1s"}
    assert second.summary["seed"] == json.loads(shown.stdout)["seed"] == 3
    # The schedule is that of the seed: as many requests, whatever the server did.
    assert second.summary["requests"] == first.summary["requests"]
    with pytest.raises(tt.InputError, match="not both"):
        tt.run(tt.Workload(OPEN), "https://127.0.0.1:1", ca_file="ca.pem", insecure=True)


def test_what_cannot_be_done_again_is_said(files: Path) -> None:
    """A result without a record of its options, and a script that has gone."""
    made = files / "made"
    tt.simulate(tt.Workload(OPEN), tt.System(SYSTEM), requests=100, output=made)
    text = (made / "run.toml").read_text()
    older = re.sub(r"(?s)\[options\].*?\n\n", "", text)
    assert older != text
    (made / "run.toml").write_text(older)
    with pytest.raises(tt.InputError, match="an older version wrote it"):
        tt.again(made)
    (files / "buyer.luau").write_text("request()\n")
    scripted = f'{OPEN.replace("open", "partly-open")}[session]\nscript = "buyer.luau"\n'
    (files / "w.toml").write_text(scripted)
    tt.simulate(files / "w.toml", files / "s.toml", duration=1, output=made)
    (files / "buyer.luau").unlink()
    with pytest.raises(tt.InputError, match=r"buyer\.luau"):
        tt.again(made)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"duration": "2sec"}, "duration: unknown unit `sec`"),
        ({"requests": -5}, "requests: must be a whole number, 0 or more, not -5"),
        ({"rows": "some"}, "`all`, `none`, or `1/N`"),
        ({"precision": "tight"}, "precision: `tight`"),
        ({"load": 1e308}, "load: must be a smaller number, not 1e+308"),
        ({"scale": 1e308}, "scale: must be a smaller number, not 1e+308"),
    ],
)
def test_a_wrong_option_is_named(given: dict[str, Any], said: str) -> None:
    """With the right form."""
    with pytest.raises(tt.InputError) as caught:
        tt.simulate(tt.Workload(OPEN), tt.System(SYSTEM), **given)
    assert said in str(caught.value)


@pytest.mark.parametrize("option", ["load", "replications"])
def test_a_sweep_of_a_target_refuses_what_is_of_simulations(option: str) -> None:
    """It was a TypeError with a traceback."""
    workload = tt.Workload(OPEN)
    for vary, options in (([f"{option}=0.5,0.7"], {}), (["duration=1,2"], {option: 0.5})):
        with pytest.raises(tt.InputError, match=option):
            tt.sweep(workload, None, vary, target="http://127.0.0.1:1", **options)


def test_wrong_values_in_files_are_named() -> None:
    """A dot that TOML takes for a table, and an unknown unit."""
    with pytest.raises(tt.InputError, match=r"p99\.9"):
        tt.Workload(OPEN + '[slo]\np99.9 = "1s"\n')
    with pytest.raises(tt.InputError, match="unknown unit `sec`"):
        tt.System(SYSTEM.replace("exp(1ms)", "2sec"))
