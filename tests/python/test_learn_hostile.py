"""`thinktime learn` on unsuitable logs: an answer, or a reason, never a crash.

Its output can be read again, whatever was in the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.learn import learn

BEGIN_S = 1_790_000_000
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\npolicy = "ps"\ndemand = "exp(1ms)"\n'


def entry(at: int, path: str, user: int, rest: str = "", status: int = 200) -> str:
    """A line of the combined format, ``at`` seconds after the log's begin."""
    stamp = datetime.fromtimestamp(BEGIN_S + at, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return f'10.0.0.{user} - - [{stamp}] "GET {path} HTTP/1.1" {status} 100 "-" "Mozilla/5.0"{rest}'


def written(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def called(*words: str, status: int = 0) -> str:
    result = CliRunner().invoke(app, ["learn", *words])
    assert result.exit_code == status, result.output
    return result.output


def test_durations_that_are_all_zero_are_learned(tmp_path: Path) -> None:
    """With demands of almost no time, a load would take 195,000,000 users who think."""
    lines = [entry(5 * i, f"/p{i % 7}", i % 50, " 0.000") for i in range(2000)]
    log, workload = written(tmp_path / "a.log", lines), tmp_path / "w.toml"
    found = learn([log], fidelity=False)
    assert found.advice.demand_s == pytest.approx(0.8 * 250 / 5e6, rel=0.05)
    found.save(workload)
    assert tt.simulate(workload, tt.System(SYSTEM), requests=1000).summary["requests"] == 1000


def test_a_population_that_is_not_there_in_the_busiest_hour_is_compared(tmp_path: Path) -> None:
    early = [entry(5 * i, f"/p{i % 7}", i % 50) for i in range(1000)]
    late = [entry(10**8 + 10 * i, f"/q{i % 7}", 100 + i % 50) for i in range(1000)]
    found = learn([written(tmp_path / "a.log", early + late)])
    assert found.fidelity is not None
    assert found.fidelity.differences


def test_objects_that_hardly_any_page_has_are_left_out(tmp_path: Path) -> None:
    """No page led to them, or they had a weight of 1 from nowhere."""
    draw = Random(1)
    seen: list[tuple[int, str]] = []
    for session in range(600):
        at = session * 20
        for i in range(7):
            page = f"/p{draw.randrange(7)}"
            seen.append((at, entry(at, page, session % 200)))
            if i == 3 and session % 100 == 0:
                referred = f'"https://www.example.com{page}"'
                icon = entry(at + 1, "/favicon.ico", session % 200)
                seen.append((at + 1, icon.replace('"-"', referred)))
            at += 3 + int(draw.expovariate(1 / 20))
    lines = [line for _, line in sorted(seen)]
    log, workload = written(tmp_path / "a.log", lines), tmp_path / "w.toml"
    called(str(log), "-o", str(workload), "--system", str(tmp_path / "s.toml"), "--demand", "1ms")
    assert (
        "Hardly any page has objects of one kind: 6 requests are left out." in workload.read_text()
    )
    requests = tt.simulate(workload, tmp_path / "s.toml", requests=1000).summary["by_request"]
    assert set(requests) == {f"/p{i}" for i in range(7)}


def test_a_server_of_which_nothing_was_seen_to_its_end_is_a_file_that_loads(tmp_path: Path) -> None:
    lines = [entry(5 * i, f"/p{i % 7}", i % 50, " 1.000", status=499) for i in range(2000)]
    log, system = written(tmp_path / "a.log", lines), tmp_path / "s.toml"
    called(str(log), "--no-fidelity", "--system", str(system))
    assert 'demand."/p1" = "0s"' in system.read_text()
    tt.System.load(system)


def test_a_fidelity_that_was_not_measured_is_not_called_good(tmp_path: Path) -> None:
    log = written(tmp_path / "a.log", [entry(0, "/", 1)])
    assert "fidelity         not measured" in called(str(log))
    found = learn([log]).fidelity
    assert found is not None
    assert found.to_dict()["good"] is None
    assert found.sentences() == [
        "the log has 1 request: too few to compare the learned workload with"
    ]


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("", [], "no request is in it"),
        (entry(0, "/", 1), [], "no request in it could be read: line 1 is bad (truncated)"),
        (
            entry(0, "/", 1) + "\n",
            ["--only", "path=/shop/*"],
            "--only path=/shop/* leaves no request of 1 line",
        ),
        (
            entry(0, "/", 1) + "\n",
            ["--only", "status=9xx"],
            "--only status=9xx leaves no request of 1 line; status=9xx: HTTP has no such status, "
            "they lie from 100 to 599",
        ),
    ],
)
def test_it_is_told_why_no_request_is_left(
    text: str, words: list[str], told: str, tmp_path: Path
) -> None:
    log = tmp_path / "a.log"
    log.write_text(text)
    assert called(str(log), *words, status=2) == f"error: {log}: {told}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--load", "1e-300"], "the load must lie between 0.001 and 0.95; it is 1e-300"),
        (["--system", "s.toml", "--demand", "-1s"], "--demand: `const(-1s)` can be negative"),
        (
            ["--system", "s.toml", "--demand", "pareto(shape=0.5, scale=1ms)"],
            "has an infinite mean, so no server can keep up with it",
        ),
        (["--report", "FOLDER"], "is a folder: give the name of a file"),
    ],
)
def test_options_that_cannot_be_obeyed_are_refused(
    words: list[str], told: str, tmp_path: Path
) -> None:
    log = written(tmp_path / "a.log", [entry(i, "/", 1) for i in range(10)])
    named = [str(tmp_path) if word == "FOLDER" else word for word in words]
    assert told in " ".join(called(str(log), *named, status=2).split())
