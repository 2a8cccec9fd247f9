"""No result is lost: not by kill -9 at any moment, not by SIGTERM, not by a full disk."""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import recovery_processes
from polars.testing import assert_frame_equal
from typer.testing import CliRunner
from volume import oracle, volume

import thinktime as tt
from thinktime.cli import app
from thinktime.results import recovery
from thinktime.results.recovery import Recovered, leftovers

SPAWN = multiprocessing.get_context("forkserver")
SPAWN.set_forkserver_preload(["thinktime", "thinktime.learn", "recovery_processes"])
COMMAND = (sys.executable, "-c", "from thinktime.cli import main; main()")
MOMENTS = random.Random(25)
OLD_SEED = 99


def killed(work: Callable[..., None], *arguments: Any, after: Any) -> Any:
    """The work's last report before it was killed, once `after` accepted a report."""
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=work, args=(theirs, *arguments), daemon=True)
    process.start()
    theirs.close()
    told = ours.recv()
    while not after(told):
        told = ours.recv()
    time.sleep(MOMENTS.uniform(0, 0.1))
    process.kill()
    process.join()
    try:
        while ours.poll():
            told = ours.recv()
    except EOFError:
        pass
    return told


def older(output: Path) -> dict[str, Any]:
    """An older result at this place."""
    workload, system = tt.Workload(recovery_processes.OPEN), tt.System(recovery_processes.SYSTEM)
    workload = workload.with_seed(OLD_SEED)
    return tt.simulate(workload, system, requests=500, warmup=0, output=output).summary


@pytest.fixture(scope="module")
def whole_simulation(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """The first rows of the simulation that is killed."""
    workload, system = tt.Workload(recovery_processes.OPEN), tt.System(recovery_processes.SYSTEM)
    result = tt.simulate(workload.with_seed(7), system, requests=3_000_000, warmup=0, rows="all")
    return pl.DataFrame(result.requests)


@oracle
@pytest.mark.parametrize("moment", range(volume(6, 12)))
def test_a_killed_simulation_keeps_the_rows_that_it_had(
    tmp_path: Path, whole_simulation: pl.DataFrame, moment: int
) -> None:
    """The recovered rows are the beginning of the complete ones, row by row."""
    output = tmp_path / "result"
    before = older(output)
    enough = MOMENTS.uniform(100_000, 1_500_000)
    killed(recovery_processes.simulate, output, after=lambda requests: requests >= enough)
    assert tt.Result.load(output).summary == before
    assert [one.name for one in leftovers(output)] == ["result.partial"]
    (found,) = tt.recover(output)
    if found.path is None:  # it had not run for a second
        return
    assert tt.Result.load(output).summary == before
    assert found.path == tmp_path / "result.recovered"
    recovered = tt.Result.load(found.path)
    assert recovered.interrupted
    assert any("cut short" in one for one in recovered.summary["warnings"])
    rows = pl.DataFrame(recovered.requests)
    shared = min(len(rows), len(whole_simulation))
    assert len(rows) >= recovered.summary["requests"] > 0
    assert_frame_equal(rows.head(shared), whole_simulation.head(shared), categorical_as_str=True)
    assert leftovers(output) == []


@pytest.mark.serial  # a busy process writes later
def test_killed_runs_lose_less_than_a_second(tmp_path: Path) -> None:
    """The median of ten, and half a second more: a machine that is busy elsewhere keeps the
    process from writing. Rows that were written less than once in 1.5 s would not be there."""
    lost = []
    with tt.serve(tt.System(recovery_processes.SYSTEM)) as server:
        for moment in range(10):
            output = tmp_path / f"run-{moment}" / "result"
            until = 1.5 + MOMENTS.uniform(0, 1.0)
            told = killed(
                recovery_processes.measure,
                output,
                server.url,
                after=lambda time_s, u=until: time_s >= u,
            )
            with pytest.raises(tt.InputError, match="thinktime recover"):
                tt.Result.load(output)
            (found,) = tt.recover(output)
            assert found.path == output
            recovered = tt.Result.load(output)
            rows = pl.DataFrame(recovered.requests)
            assert recovered.summary["requests"] == len(rows) > 0
            lost.append(told - rows["done_ns"].max() * 1e-9)
    assert statistics.median(lost) < 1.5


@pytest.mark.parametrize(
    ("more", "newer"),
    [(0, True), (-7, True), (1, False)],
    ids=["their rows were saved", "more rows were saved", "their rows were not saved"],
)
def test_figures_count_once_their_rows_are_saved(tmp_path: Path, more: int, newer: bool) -> None:
    """A run that is killed within a checkpoint has its newer figures beside those in place."""
    output = tmp_path / "result"
    with tt.serve(tt.System(recovery_processes.SYSTEM)) as server:
        killed(recovery_processes.measure, output, server.url, after=lambda time_s: time_s >= 1.0)
    left = tmp_path / "result.partial"
    whole = pl.DataFrame(tt.Result.load(tt.recover(left)[0].path).requests)
    # The same remains, with the checkpoint that was under way.
    summary = json.loads((output / "summary.json").read_text())
    output.rename(left)
    (left / "PARTIAL").write_text("# A result that is being written.\n")
    run = (left / "run.toml").read_text()
    (left / "run.toml").write_text(run[: run.index("[outcome]")])
    waiting = left / f"figures-{len(whole) + more}"
    waiting.mkdir()
    (waiting / "summary.json").write_text(json.dumps(summary | {"requests": 12_345}))
    (left / "figures-.new").mkdir()
    (found,) = tt.recover(output)
    assert found.path == output
    recovered = tt.Result.load(output)
    assert recovered.summary["requests"] == (12_345 if newer else len(whole))
    assert len(pl.DataFrame(recovered.requests)) == len(whole)
    assert list(output.glob("figures-*")) == []


@oracle
@pytest.mark.parametrize("what", ["simulate", "sweep", "capacity", "learn"])
def test_what_is_killed_while_it_writes_is_there_whole(tmp_path: Path, what: str) -> None:
    """Nearly all of this work's time is its last write; it is killed in the middle of it."""
    line = '10.0.0.{} - - [22/Nov/2026:10:{:02}:{:02} +0000] "GET /{} HTTP/1.1" 200 512 "-" "x"'
    lines = [line.format(n % 9, n // 60, n % 60, n % 5) for n in range(300)]
    (tmp_path / "access.log").write_text("\n".join(lines) + "\n")
    output = tmp_path / "result"
    for moment in range(volume(4, 16)):
        least = 1 + moment % 2
        killed(
            recovery_processes.write_again_and_again,
            output,
            what,
            after=lambda seed, n=least: seed >= n,
        )
        assert _seed_of(what, output) >= 1
        for found in tt.recover(output):
            assert found.path is None or found.path.exists()


def _seed_of(what: str, output: Path) -> int:
    """Reads all of a result."""
    if what == "simulate":
        result = tt.Result.load(output)
        assert len(pl.DataFrame(result.requests)) == result.summary["requests"] == 200
        return int(result.summary["seed"])
    if what == "sweep":
        assert (output / "sweep.html").read_text().rstrip().endswith("</html>")
        return int(pl.read_parquet(output / "results.parquet")["seed"][0])
    if what == "capacity":
        assert json.loads((output / "capacity.json").read_text())["verdict"] != "interrupted"
        return len(pl.read_parquet(output / "probes.parquet"))
    text = output.read_text()
    assert tt.Workload(text).name == "access"
    return int(text.split()[1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_end_a_run_as_ctrl_c_does(tmp_path: Path, number: signal.Signals) -> None:
    """The measurements are shown and written, and the status is 3."""
    workload = tmp_path / "open.toml"
    workload.write_text(recovery_processes.OPEN)
    output = tmp_path / "result"
    with tt.serve(tt.System(recovery_processes.SYSTEM)) as server:
        arguments = ("run", workload, "--target", server.url, "--duration", "60s", "-o", output)
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Under `nohup` it would be ignored.
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        )  # fmt: skip
        while not (tmp_path / "result.partial" / "summary.json").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        shown, said = process.communicate()
    assert process.returncode == 3, said
    assert "interrupted" in said
    result = tt.Result.load(output)
    assert result.interrupted
    assert result.summary == json.loads(shown)
    assert leftovers(output) == []


def test_a_full_disk_keeps_what_was_written_and_shows_what_was_measured(tmp_path: Path) -> None:
    """The limit of a file's size fails like a full disk."""
    for name, text in (("w.toml", recovery_processes.OPEN), ("s.toml", recovery_processes.SYSTEM)):
        (tmp_path / name).write_text(text)
    output = tmp_path / "result"
    before = older(output)
    arguments = ("simulate", "w.toml", "s.toml", "--requests", "300000", "--rows", "all")
    done = subprocess.run(
        [*COMMAND, *arguments, "-o", str(output)], cwd=tmp_path, capture_output=True, text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000)),
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "File too large" in done.stderr
    assert f"thinktime recover {output}" in done.stderr
    whole = "whole are run.toml, summary.json, series.parquet, latency.hlog"
    assert f"{whole}; requests.parquet exists in part" in " ".join(done.stderr.split())
    assert "simulated" in done.stdout
    assert tt.Result.load(output).summary == before
    (found,) = tt.recover(output)
    assert found.path is not None
    assert found.path.name == "result.recovered"
    assert tt.Result.load(found.path).summary["requests"] > 0


def test_files_that_are_no_results_stay(tmp_path: Path) -> None:
    """A note beside a result is still there when a newer result has replaced it."""
    output = tmp_path / "result"
    older(output)
    (output / "notes.md").write_text("mine")
    older(output)
    assert (output / "notes.md").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_what_limits_a_recovered_result_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "result"
    result = tt.simulate(
        tt.Workload(recovery_processes.OPEN), tt.System(recovery_processes.SYSTEM), requests=10,
        precision="1%", output=output,
    )  # fmt: skip
    warnings = result.summary["warnings"]
    assert warnings
    found = [Recovered(tmp_path / "result.partial", output)]
    monkeypatch.setattr(recovery, "recover", lambda _path: found)
    said = CliRunner().invoke(app, ["recover", str(output)])
    assert said.exit_code == 0, said.output
    assert said.stdout == f"{output}\n"
    assert all(f"warning: {warning}" in said.stderr for warning in warnings)


def test_there_is_nothing_to_recover(tmp_path: Path) -> None:
    """An ordinary result is left alone."""
    older(tmp_path / "result")
    assert tt.recover(tmp_path / "result") == []
    assert tt.recover(tmp_path / "nowhere") == []


def test_a_result_without_its_summary_is_not_shown_as_an_empty_one(tmp_path: Path) -> None:
    workload = tt.Workload(
        "name='w'\n[arrivals]\nmodel='open'\nrate='10/s'\n[[request]]\nname='a'\nget='/'\n"
    )
    system = tt.System("name='s'\n[[station]]\nname='cpu'\ndemand='exp(1ms)'\n")
    result = tmp_path / "result"
    tt.simulate(workload, system, requests=100, output=result)
    (result / "summary.json").unlink()
    for command in (["compare", str(result)], ["report", str(result), "-o", str(tmp_path / "x")]):
        shown = CliRunner().invoke(app, command)
        assert shown.exit_code == 2
        assert "result: summary.json is missing" in shown.stderr
        assert f"`thinktime simulate --again {result}`" in shown.stderr
    assert CliRunner().invoke(app, ["simulate", "--again", str(result)]).exit_code == 0


@pytest.mark.parametrize("text", ["", "{", '{"requests": 1}'])
def test_a_damaged_summary_is_named_with_what_to_do(tmp_path: Path, text: str) -> None:
    result = tmp_path / "result"
    older(result)
    (result / "summary.json").write_text(text)
    shown = CliRunner().invoke(app, ["report", str(result), "-o", str(tmp_path / "x")])
    assert shown.exit_code == 2
    assert f"{result / 'summary.json'}: is damaged: " in shown.stderr
    assert f"remove the file and do it again: `thinktime simulate --again {result}`" in shown.stderr
    (result / "summary.json").unlink()
    again = CliRunner().invoke(app, ["simulate", "--again", str(result)])
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    ("page", "what"), [("sweep.html", "a sweep"), ("capacity.html", "a search for a capacity")]
)
def test_what_has_a_page_and_is_no_result_is_told(tmp_path: Path, page: str, what: str) -> None:
    (tmp_path / page).write_text("")
    for command in (["report", "-o", str(tmp_path / "x")], ["explain"], ["compare"]):
        shown = CliRunner().invoke(app, [*command, str(tmp_path)])
        assert shown.exit_code == 2
        assert f"is {what}, and no result of one run: its page is {tmp_path / page}" in shown.stderr


@pytest.mark.parametrize("command", [["report", "."], ["history", "trend", "w"]])
def test_a_page_goes_into_a_folder_that_is_there(tmp_path: Path, command: list[str]) -> None:
    page = tmp_path / "nowhere" / "x.html"
    shown = CliRunner().invoke(app, [*command, "-o", str(page)])
    assert shown.exit_code == 2
    assert f"{page}: there is no folder {page.parent}: make it" in shown.stderr
    assert not page.parent.exists()


@pytest.mark.parametrize("probed", [True, False])
def test_a_killed_search_for_a_capacity_is_recovered_if_it_had_an_answer(
    tmp_path: Path, probed: bool
) -> None:
    left = tmp_path / "cap.partial"
    (left / "points").mkdir(parents=True)
    (left / "PARTIAL").write_text("# A result that is being written.\n")
    if probed:
        (left / "capacity.json").write_text("{}\n")
        (left / "points" / "1.json").write_text("{}\n")
    said = CliRunner().invoke(app, ["recover", str(tmp_path / "cap")])
    assert said.exit_code == 0, said.output
    assert not left.exists()
    assert (tmp_path / "cap" / "capacity.json").exists() == probed
    assert (tmp_path / "cap").exists() == probed
    assert ("nothing had been measured yet" in said.stdout) != probed
