"""The command line, as a user types it: output, messages and exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import command_copies
import jsonschema_lite
import pytest
import typer
from real_runs import ended_well

import thinktime as tt
from thinktime.cli import app
from thinktime.cli.group import COMMANDS

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]

WORKLOAD = """
name = "test"
[arrivals]
model = "open"
rate  = "80/s"
"""
SYSTEM = """
name = "one server"
[[station]]
name   = "server"
demand = "exp(10ms)"
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    return tmp_path


def thinktime(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return command_copies.thinktime(arguments, cwd, timeout_s=300)


def test_steps_that_endless_sessions_leave_for_good_are_named_before_the_run(files: Path) -> None:
    visits = (
        'name = "test"\n[arrivals]\nmodel = "closed"\nclients = 3\n[session]\nthink = "1s"\n'
        '[[request]]\nname = "home"\nnext = { item = 1 }\n'
        '[[request]]\nname = "item"\nnext = { item = 0.5, basket = 0.5 }\n'
        '[[request]]\nname = "basket"\nnext = { item = BACK, home = HOME }\n'
    )
    for back, home, said in [("1", "0", True), ("0.5", "0.5", False)]:
        text = visits.replace("BACK", back).replace("HOME", home)
        (files / "visits.toml").write_text(text)
        done = thinktime("simulate", "visits.toml", "s.toml", "--requests", "2000", cwd=files)
        assert done.returncode == 0, done.stderr
        note = "unless `end` has a share somewhere, it never returns to `home`"
        assert (note in done.stderr) is said


def test_simulate_prints_one_json_object_of_the_contract(files: Path) -> None:
    done = thinktime("simulate", "w.toml", "s.toml", "--requests", "20000", "--json", cwd=files)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    for key, kind in {
        "kind": str, "model": str, "seed": int, "requests": int, "errors": int, "timeouts": int,
        "retries": int, "dropped": int, "sessions": int, "duration_s": float, "warmup_s": float,
        "offered_rate": float, "throughput": float, "think_time_s": float,
        "response_time_s": dict, "service_time_s": dict, "lateness_s": dict, "stations": dict,
        "by_request": dict, "warnings": list,
    }.items():  # fmt: skip
        assert isinstance(summary[key], kind), key
    times = ("mean", "ci95", "sd", "min", "max", "p50", "p90", "p95", "p99", "p99.9", "p99.99")
    assert set(summary["response_time_s"]) == set(times)
    station = summary["stations"]["server"]
    assert set(station) == {
        "load", "queue_length_mean", "queue_length_max", "queue_length_shares", "throughput",
        "response_time_mean_s", "demand_s", "ci95",
    }  # fmt: skip
    assert set(station["demand_s"]) == {"mean", "cv2"}


def test_simulate_writes_the_result_directory(files: Path) -> None:
    done = thinktime("simulate", "w.toml", "s.toml", "--requests", "2000", "-o", "out", cwd=files)
    assert done.returncode == 0, done.stderr
    assert "mean" in done.stdout
    names = {path.name for path in (files / "out").iterdir()}
    assert names == {
        "run.toml", "summary.json", "requests.parquet", "series.parquet", "latency.hlog",
        "label.json", "made.json",
    }  # fmt: skip
    report = thinktime("report", "out", "-o", "page.html", cwd=files)
    assert report.returncode == 0, report.stderr
    assert (files / "page.html").read_text().startswith("<!")
    assert thinktime("compare", "out", "out", cwd=files).returncode == 0


def test_run_measures_a_served_model(files: Path) -> None:
    server = subprocess.Popen(
        [*COMMAND, "serve", "s.toml", "--listen", "127.0.0.1:0"],
        cwd=files,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2].rstrip(";")
        done = thinktime("run", "w.toml", "--target", url, "--duration", "1s", "--json", cwd=files)
        assert ended_well(done.returncode, done.stderr), done.stderr
        assert json.loads(done.stdout)["kind"] == "run"
    finally:
        server.send_signal(signal.SIGINT)
        rest, _ = server.communicate(timeout=300)
    assert "answered" in rest
    assert server.returncode == 0


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        (("rate", "rtae"), [], "w.toml:5: unknown key `rtae`: did you mean `rate`?"),
        (('"open"', '"closed"'), [], "w.toml:5: arrivals.rate: does not go with this model"),
        (('"80/s"', '"80 parsecs"'), [], "w.toml:5: arrivals.rate: unknown unit"),
        (("rate", "= rate"), [], "w.toml:5"),
        (('"80/s"', '"180/s"'), [], "the offered load is 1.8"),
        (("x", "x"), ["--load", "1"], "a load lies between 0 and 1"),
        (("x", "x"), ["--duration", "soon"], "soon"),
        (("x", "x"), ["-o", "."], "holds no result"),
        (("x", "x"), ["--requests", "-5"], "must be a larger whole number, not -5"),
        (("x", "x"), ["--seed", str(2**64)], "must be a smaller whole number"),
    ],
)
def test_wrong_input_exits_2_and_says_what_would_be_right(
    files: Path, change: tuple[str, str], arguments: list[str], words: str
) -> None:
    (files / "w.toml").write_text(WORKLOAD.replace(*change))
    done = thinktime("simulate", "w.toml", "s.toml", *arguments, cwd=files)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("switch", "s.toml"), "'--server'. A server, as in http://HOST:PORT"),
        (("switch",), "'SYSTEM'. The system file with the cluster."),
        (("workload", "show"), "'NAME'. A workload of the list."),
    ],
)
def test_of_what_is_missing_it_is_said_what_it_is(
    files: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = thinktime(*arguments, cwd=files)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_missing_and_binary_files_are_named(files: Path) -> None:
    done = thinktime("simulate", "nothing.toml", "s.toml", cwd=files)
    assert done.returncode == 2
    assert done.stderr == "error: nothing.toml: No such file or directory\n"
    (files / "w.toml").write_bytes(os.urandom(500))
    done = thinktime("simulate", "w.toml", "s.toml", cwd=files)
    assert done.returncode == 2
    assert "w.toml" in done.stderr


def test_an_slo_that_is_not_met_exits_1(files: Path) -> None:
    (files / "w.toml").write_text(WORKLOAD + '[slo]\np99 = "1ms"\n')
    done = thinktime("simulate", "w.toml", "s.toml", "--requests", "5000", "--json", cwd=files)
    assert done.returncode == 1
    assert "the SLO is not met: p99" in done.stderr
    assert json.loads(done.stdout)["requests"] == 5000


def test_a_target_that_nobody_listens_on_exits_3(files: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        url = server.url
    done = thinktime("run", "w.toml", "--target", url, "--duration", "1s", cwd=files)
    assert done.returncode == 3
    assert "cannot be reached" in done.stderr


def cpu_s(process_id: int) -> float:
    """The CPU time that a process has used, in seconds."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_keeps_the_result_and_exits_3(files: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "simulate", "w.toml", "s.toml", "--requests", "1000000000", "-o", "out"],
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (files / "out.partial" / "run.toml").exists():
        assert process.poll() is None
        time.sleep(0.05)
    begun_s = cpu_s(process.pid)
    while cpu_s(process.pid) < begun_s + 0.3:  # by then thousands of requests are over
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 3
    assert "interrupted" in errors
    assert tt.Result.load(files / "out").summary["requests"] > 0


@pytest.mark.parametrize(
    "words", ["simulate w.toml s.toml --requests 1000", "schema result", "show w.toml"]
)
def test_a_full_disk_under_the_output_is_told(files: Path, words: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *words.split()], cwd=files, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "the output cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("kind", ["workload", "system", "result"])
def test_the_json_schema_describes_the_files(files: Path, kind: str) -> None:
    done = thinktime("schema", kind, cwd=files)
    schema = json.loads(done.stdout)
    assert schema["additionalProperties"] is False
    described = jsonschema_lite.property_descriptions(schema)
    assert described
    assert all(described.values()), described
    assert thinktime("schema", "other", cwd=files).returncode == 2


def test_every_command_explains_itself(files: Path) -> None:
    whole = thinktime("--help", cwd=files).stdout
    group = typer.main.get_command(app)
    with group.make_context("thinktime", [], resilient_parsing=True) as context:
        for name in COMMANDS:
            assert f"\n  {name} " in whole
            command = group.get_command(context, name)
            parts = getattr(command, "commands", {}).values() or [command]
            for part in parts:
                assert part.help
                assert all(one.help for one in part.params if one.name != "help"), name
    assert thinktime("--version", cwd=files).stdout.startswith("thinktime ")


def test_a_think_time_without_a_mean_and_a_run_without_requests_are_said(files: Path) -> None:
    (files / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 5\n'
        '[session]\nthink = "pareto(shape=0.5, scale=1ms)"\n'
    )
    done = thinktime("simulate", "w.toml", "s.toml", "--requests", "1000", "--json", cwd=files)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["think_time_s"] is None
    (files / "w.toml").write_text(WORKLOAD.replace("80/s", "1/h"))
    done = thinktime("simulate", "w.toml", "s.toml", "--duration", "1min", "--json", cwd=files)
    assert done.returncode == 3, done.stderr
    assert "give it a longer duration" in done.stderr
    assert json.loads(done.stdout)["duration_s"] == 60.0
    assert "no request was begun" in done.stderr


def test_a_file_that_is_not_there_is_named_without_the_number_of_the_error(files: Path) -> None:
    done = thinktime("lab", "lab.toml", cwd=files)
    assert done.returncode == 2
    assert done.stderr == "error: lab.toml: No such file or directory\n"


@pytest.mark.parametrize("command", ["simulate", "capacity"])
def test_a_server_that_a_log_does_not_show_is_missing_for_a_reason(
    command: str, files: Path
) -> None:
    """`learn -o w` writes no w.system.toml if the log has no durations."""
    done = thinktime(command, "w.toml", "w.system.toml", cwd=files)
    assert done.returncode == 2
    assert "w.system.toml: No such file" in done.stderr
    assert "--demand 'exp(5ms)'" in done.stderr
    done = thinktime(command, "w.toml", "other.toml", cwd=files)
    assert "--demand" not in done.stderr


def test_files_in_the_wrong_order_are_told_apart(files: Path) -> None:
    """A file of the other kind is called that, and not a file with a wrong key."""
    done = thinktime("simulate", "s.toml", "w.toml", cwd=files)
    assert done.returncode == 2
    assert "s.toml: is a system file, and here belongs a workload file" in done.stderr
    done = thinktime("serve", "w.toml", cwd=files)
    assert "w.toml: is a workload file, and here belongs a system file" in done.stderr
    (files / "x.toml").write_text(SYSTEM.replace("demand", "demmand"))
    done = thinktime("serve", "x.toml", cwd=files)
    assert "did you mean `demand`?" in done.stderr
