"""The view of a run in progress, and its end once the SLO is lost."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from real_runs import ended_well
from rich.console import Console

import thinktime as tt
from thinktime.cli import live_view
from thinktime.operations.run_progress import ObjectiveMoment, PopulationMoment

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'
WORKLOAD = 'name="w"\n[arrivals]\nmodel="open"\nrate="{rate}/s"\n[slo]\n{slo}\n'


def moment(second: float, **more: object) -> tt.Moment:
    """200 requests a second are offered, 190 succeed."""
    figures = {
        "time_s": second, "in_flight": 7, "requests": int(200 * second),
        "succeeded": int(190 * second), "response_p50_s": 0.0031, "response_p99_s": 0.0421,
        "lateness_p99_s": 64e-6, "errors": {}, "response_buckets": ((-80, int(190 * second)),),
    }  # fmt: skip
    return tt.Moment(**(figures | more))  # type: ignore[arg-type]


def view(end_s: float | None = 30.0, requests: int | None = None) -> live_view.View:
    made = live_view.View("running", requests, end_s)
    for step in range(21):
        made.take(moment(step / 2))
    return made


# ---- the view alone


def test_rates_are_those_of_the_last_seconds() -> None:
    made = view()
    assert made.rates == (pytest.approx(200.0), pytest.approx(190.0))
    for step in range(1, 9):
        made.take(moment(10 + step / 2, requests=2000, succeeded=1900))
    assert made.rates == (0.0, 0.0)
    young = live_view.View("running", None, 1.0)
    assert young.rates == (0.0, 0.0)
    young.take(moment(0.5))
    assert young.rates == (pytest.approx(214.0), pytest.approx(190.0))


def test_time_and_requests_tell_what_is_left() -> None:
    assert view().share == pytest.approx(1 / 3)
    assert view().left == "0:20 left"
    assert view(None, 4000).share == pytest.approx(0.5)
    assert view(None).share is None
    assert view(None).left == ""
    assert view(10.0).left == "waiting for the last responses"


def test_the_view_shows_all_figures() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, no_color=True)
    made = view()
    made.take(moment(10.5, errors={"status": 3, "timeout": 12}))
    console.print(made)
    text = re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())  # type: ignore[attr-defined]
    for part in (
        "3.1 ms", "42.1 ms", "64 us", "in flight", "lateness p99", "offered", "200/s", "0:10",
        "12 timeout, 3 with a status of 400 or more", "left",
    ):  # fmt: skip
        assert part in text, text


def test_populations_have_lines_of_their_own() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, no_color=True)
    made = live_view.View("running", None, 30.0)
    for step in range(21):
        own = {
            "visitors": PopulationMoment(60 * step, 55 * step, 0.002, 0.031),
            "pollers": PopulationMoment(40 * step, 40 * step, None, None),
        }
        made.take(moment(step / 2, populations=own))
    assert made.population_rates == {"visitors": pytest.approx(110), "pollers": pytest.approx(80)}
    console.print(made)
    text = re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())  # type: ignore[attr-defined]
    visitors = next(line for line in text.splitlines() if "visitors" in line)
    assert re.search(r"110/s +p50 +2 ms +p99 +31 ms +100 failed", visitors), text
    assert "visitors 110/s p99 31 ms, pollers 80/s p99 -" in made.line()


def test_objectives_have_lines_of_their_own() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    made = view()
    objectives = (
        ObjectiveMoment("p99", None, 0.25, 0.0421),
        ObjectiveMoment("p50", "cart", 0.002, 0.0031),
        ObjectiveMoment("errors", None, 0.01, None),
    )
    made.take(moment(10.5, objectives=objectives))
    console.print(made)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    whole = next(line for line in lines if line.startswith("p99"))
    cart = next(line for line in lines if line.startswith("cart: p50"))
    errors = next(line for line in lines if line.startswith("errors"))
    assert re.search(r"42.1 ms +wanted 250 ms or less", whole)
    assert re.search(r"3.1 ms +wanted 2 ms or less", cart)
    assert re.search(r"- +wanted 1 % or less", errors)
    assert re.search(r"\x1b\[31m3.1 ms", shown)
    assert made.line().endswith("beyond the SLO: cart: p50, 0:19 left")


def test_plain_lines_come_where_there_is_no_terminal() -> None:
    console = Console(file=io.StringIO(), width=80)
    with live_view.view_of_run("running", None, 30.0, console=console, line_every_s=5.0) as take:
        assert take is not None
        for step in range(101):
            take(moment(step / 5))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(lines) == 4
    assert lines[0].startswith("0:05: 1,000 requests, 190/s of 200/s offered, 7 in flight")
    assert "\x1b" not in "".join(lines)


def test_quiet_shows_nothing() -> None:
    for terminal in (False, True):
        console = Console(file=io.StringIO(), force_terminal=terminal)
        with live_view.view_of_run("running", None, 30.0, quiet=True, console=console) as take:
            assert take is None
        assert console.file.getvalue() == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("time_s", "text"),
    [(None, "-"), (2.5, "2.5 s"), (0.0123, "12.3 ms"), (64e-6, "64 us"), (0.0, "0 us")],
)
def test_times_have_a_unit_that_fits(time_s: float | None, text: str) -> None:
    assert live_view._time(time_s) == text


# ---- runs


@contextmanager
def served(demand: str = "10ms") -> Iterator[str]:
    with tt.serve(tt.System(SYSTEM.replace("10ms", demand))) as server:
        yield server.url


def run(rate: int, slo: str, **options: object) -> tt.Result:
    workload = tt.Workload(WORKLOAD.format(rate=rate, slo=slo))
    with served() as url:
        return tt.run(workload, url, **options)  # type: ignore[arg-type]


def test_moments_of_a_run_add_up() -> None:
    seen: list[tt.Moment] = []
    done = run(50, 'p99 = "10s"', duration="1s", monitor=seen.append)
    assert seen
    times = [one.time_s for one in seen]
    assert times == sorted(times)
    last = seen[-1]
    assert 0 < last.requests <= done.summary["requests"]
    assert last.succeeded == last.requests
    assert last.response_p50_s is not None
    assert last.response_p99_s is not None
    assert last.response_p50_s <= last.response_p99_s <= done.summary["response_time_s"]["max"]
    assert last.lateness_p99_s is not None
    assert last.errors == {}


def test_moments_know_populations() -> None:
    tables = "".join(
        f'[[population]]\nname="{name}"\n[population.arrivals]\nmodel="open"\nrate="{rate}/s"\n'
        for name, rate in (("few", 30), ("many", 120))
    )
    seen: list[tt.Moment] = []
    with served("1ms") as url:
        done = tt.run(tt.Workload(f'name="w"\n{tables}'), url, duration="1s", monitor=seen.append)
    last = seen[-1].populations
    assert set(last) == {"few", "many"}
    assert sum(own.requests for own in last.values()) == seen[-1].requests
    for name, own in last.items():
        assert 0 < own.requests <= done.summary["by_population"][name]["requests"]
        assert own.response_p99_s is not None


def test_a_monitor_sees_the_objectives_of_requests() -> None:
    seen: list[tt.Moment] = []
    text = WORKLOAD.format(rate=200, slo='p99="1us"\nmean="10s"\nerrors="1%"\nhome.errors="50%"')
    text += '[[request]]\nname="home"\ntimeout="1us"\n[[request]]\nname="cart"\n'
    with served("10us") as url:
        done = tt.run(tt.Workload(text), url, requests=200, monitor=seen.append)
    last = {(one.of, one.name): one for one in seen[-1].objectives}
    assert set(last) == {(None, "p99"), (None, "mean"), (None, "errors"), ("home", "errors")}
    assert last[None, "p99"].beyond
    assert not last[None, "mean"].beyond
    assert last["home", "errors"].beyond
    found = {(one.of, one.name): one.value for one in done.objectives}
    value = last[None, "errors"].value
    assert value is not None
    assert abs(value - (found[None, "errors"] or 0)) < 0.2


def test_what_a_monitor_raises_ends_the_run() -> None:
    def refuse(one: tt.Moment) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        run(50, 'p99 = "10s"', duration="60s", monitor=refuse)


def ended_early(done: tt.Result) -> str:
    """The reason; 1,000 have begun by then, few of which a slow machine may have served."""
    (warning,) = [one for one in done.summary["warnings"] if one.startswith("ended early")]
    on_their_way = re.search(r"(\d+) requests on their way", warning)
    assert on_their_way is not None
    assert done.summary["requests"] + int(on_their_way[1]) >= 1000
    return warning


@pytest.mark.parametrize(
    ("slo", "request_table", "words"),
    [
        ('p50 = "5ms"', "", "p50 is beyond 5.00 ms"),
        ('mean = "5ms"', "", "mean is beyond 5.00 ms"),
        ('errors = "1%"', '[[request]]\nname="r"\ntimeout="5ms"\n', "of requests failed"),
    ],
)
def test_a_run_ends_early_when_the_slo_is_lost(slo: str, request_table: str, words: str) -> None:
    """3000 requests a second for a server of 1000: all but the first wait longer than 5 ms."""
    workload = tt.Workload(WORKLOAD.format(rate=3000, slo=slo) + request_table)
    with served("1ms") as url:
        done = tt.run(workload, url, duration="10min", stop_on_slo=True)
    assert words in ended_early(done)
    assert not any(one.startswith("interrupted") for one in done.summary["warnings"])
    assert not done.interrupted
    assert done.breaches()
    assert done.summary["duration_s"] < 600


def test_a_run_that_meets_its_slo_is_not_ended() -> None:
    workload = tt.Workload(WORKLOAD.format(rate=1000, slo='p99 = "10s"\nerrors = "1%"'))
    with served("10us") as url:
        done = tt.run(workload, url, requests=3000, stop_on_slo=True)
    assert done.summary["requests"] == 3000
    assert not any(one.startswith("ended early") for one in done.summary["warnings"])


# ---- the command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "w.toml").write_text(WORKLOAD.format(rate=50, slo='p50 = "10s"'))
    return tmp_path


def on_a_terminal(arguments: list[str], cwd: Path) -> tuple[int, str]:
    """Run with standard error on a terminal; its exit status and its output there."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=cwd, stdout=subprocess.DEVNULL, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b"".join(iter(reader(ours), b""))
    os.close(ours)
    return process.wait(timeout=300), shown.decode()


def reader(descriptor: int) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            return os.read(descriptor, 65536)
        except OSError:  # the other end is closed
            return b""

    return read


def test_a_terminal_shows_the_run_and_quiet_does_not(files: Path) -> None:
    with served() as url:
        command = ["run", "w.toml", "--target", url, "--duration", "1s"]
        status, shown = on_a_terminal(command, files)
        quiet_status, quiet = on_a_terminal([*command, "--quiet"], files)
    assert ended_well(status, shown), shown
    assert ended_well(quiet_status, quiet), quiet
    for word in ("in flight", "offered", "lateness p99", "response time p50"):
        assert word in shown
    assert "in flight" not in quiet


def test_a_lost_slo_ends_the_command_with_1(files: Path) -> None:
    (files / "w.toml").write_text(WORKLOAD.format(rate=3000, slo='p50 = "5ms"'))
    with served("1ms") as url:
        command = ["run", "w.toml", "--target", url, "--duration", "10min"]
        done = subprocess.run(
            [*COMMAND, *command, "--stop-on-slo", "-o", "out"],
            cwd=files, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert ended_well(done.returncode, done.stderr, 1), done.stderr
    assert "ended early" in done.stderr
    assert "the SLO is not met: p50" in done.stderr
    assert "p50 is beyond 5.00 ms" in ended_early(tt.Result.load(files / "out"))
