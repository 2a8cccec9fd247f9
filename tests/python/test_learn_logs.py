"""The lines of a log that `learn` takes, those that it leaves, and its report of both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.learn import learn
from thinktime.learn.logs.log import Log, read
from thinktime.learn.views.changes import Change, lines

pytestmark = pytest.mark.usefixtures("brief_advice")
BEGIN = 1_790_000_000
LEFT = "unused columns: "


def logged(path: Path, count: int = 60, **more: Any) -> Path:
    """A log in lines of JSON, each with these keys, too; every third of them failed."""
    rows = []
    for n in range(count):
        row = {"time": BEGIN + 7 * n, "ip": f"10.0.0.{n % 9}", "path": "/", "method": "GET"}
        rows.append(json.dumps(row | {"status": 500 if n % 3 == 0 else 200} | more) + "\n")
    path.write_text("".join(rows))
    return path


def test_what_is_not_taken_is_shown_everywhere(tmp_path: Path) -> None:
    log = logged(tmp_path / "access.json", pod="web-3", zone="b")
    page = tmp_path / "page.html"
    words = ["learn", str(log), "--no-fidelity", "--without", "status=5xx", "--report", str(page)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert f"note: {LEFT}pod, zone\n" in result.output
    assert "note: 20 requests dropped by --only and --without" in result.output
    assert "Unused columns: pod, zone." in page.read_text()
    found = learn([log], without=["status=5xx"], fidelity=False).to_dict()
    assert (found["columns_left_over"], found["dropped"]) == (["pod", "zone"], 20)
    assert len(found["notes"]) == 2


def test_nothing_is_said_of_what_is_taken(tmp_path: Path) -> None:
    log = read([logged(tmp_path / "access.json", bytes=20)])
    assert (log.notes, log.warnings, log.dropped) == ([], [], 0)


AGENT = '"-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/120.0"'


def combined(path: Path, count: int, begin: str = "198.51.100.{n}", end: str = "") -> Path:
    """Lines of the Combined Log Format: ``begin`` has the client, and ``end`` comes last."""
    path.write_text(
        "".join(
            f"{begin.format(n=n % 50)} - - [17/May/2015:10:{n // 60 % 60:02}:{n % 60:02} +0000] "
            f'"GET /p{n % 7} HTTP/1.1" 200 500 {AGENT}{end.format(n=n % 50)}\n'
            for n in range(count)
        )
    )
    return path


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("198.51.100.{n}", ""),
        ("198.51.100.{n}:5{n:02}00", ""),
        ("shop.example 198.51.100.{n}", ""),
        ("shop.example:443 198.51.100.{n}:5{n:02}00", ""),
        ("198.51.100.{n}, 10.0.0.7", ""),
        ("198.51.100.{n}", ' 203.0.113.5 "-"'),
        ("10.0.0.7", ' "198.51.100.{n}, 10.0.0.8"'),
        ("[2001:db8::{n}]:443", ""),
    ],
)
def test_the_users_are_the_same_in_whatever_form_the_address_stands(
    tmp_path: Path, begin: str, end: str
) -> None:
    log = read([combined(tmp_path / "access.log", 300, begin, end)])
    assert log.requests.user_count == 50


def test_a_log_in_one_file_has_the_users_that_it_has_in_two(tmp_path: Path) -> None:
    """`X-Forwarded-For` comes in the last lines alone, of one person behind several proxies."""
    old = combined(tmp_path / "access.log.1", 3000, end=' "-"')
    new = tmp_path / "access.log"
    lines = [
        line.replace(' "-"\n', ' "203.0.113.77"\n') for line in old.read_text().splitlines(True)
    ]
    new.write_text("".join(lines[:8]).replace("17/May", "18/May"))
    both = tmp_path / "both.log"
    both.write_text(old.read_text() + new.read_text())
    assert read([both]).requests.user_count == read([old, new]).requests.user_count == 51


def test_a_reading_that_is_open_is_named_with_the_option_that_decides(tmp_path: Path) -> None:
    log = read([combined(tmp_path / "access.log", 300, end=" 10.0.0.7")])
    (doubt, unused) = log.notes
    assert "`10.0.0.7`) is taken for the server's own address" in doubt
    assert "--format" in doubt
    assert unused.startswith(LEFT)


def test_requests_among_other_lines_are_read_and_the_others_counted(tmp_path: Path) -> None:
    log = combined(tmp_path / "access.log", 40)
    log.write_text("worker started\n" * 60 + log.read_text())
    found = read([log])
    assert (found.count, sum(one.count for one in found.bad_lines)) == (40, 60)
    (warning,) = (one for one in found.warnings if "no requests" in one)
    assert warning.startswith("60 of 100 lines of ")


def test_many_columns_are_counted(tmp_path: Path) -> None:
    log = logged(tmp_path / "wide.json", **{f"x{n}": n for n in range(14)})
    (note,) = read([log]).notes
    assert note.startswith(f"{LEFT}x0, x1,")
    assert note.endswith("x8, x9 and 4 more")


def test_a_field_without_a_name_comes_with_the_option_that_names_it(tmp_path: Path) -> None:
    """Apache's %D at the end of lines: the advice was to log %D."""
    log = tmp_path / "access.log"
    line = '10.0.0.1 - - [22/Nov/2026:10:00:{:02} +0000] "GET / HTTP/1.1" 200 5 "-" "x" 39157\n'
    log.write_text("".join(line.format(second) for second in range(60)))
    (note,) = (one for one in read([log]).notes if one.startswith(LEFT))
    assert "--format 'apache:LOGFORMAT'" in note


def test_what_a_terminal_would_obey_is_not_printed(tmp_path: Path) -> None:
    log = tmp_path / "odd.csv"
    log.write_text("time,ip,path,method,odd\x1b[2J\n" + f"{BEGIN},10.0.0.1,/,GET,1\n" * 40)
    assert read([log]).left_over == ["odd?[2J"]


def test_the_unit_of_durations_is_told_where_nothing_says_it(tmp_path: Path) -> None:
    (note,) = read([logged(tmp_path / "quick.json", request_time=0.02)]).notes
    assert note.startswith("durations are taken as seconds")
    assert note.endswith("the median is 20.0 ms")
    slow = logged(tmp_path / "slow.json", duration=20)
    doubted = read([slow])
    (warning,) = doubted.warnings
    assert warning.startswith("half of the answers take 20.0 s or more")
    assert warning.endswith("--format json:duration_ms=COLUMN")
    assert doubted.notes == []
    told: Log = read([slow], format="json:duration_ms=duration")
    assert told.requests.rows["duration_us"].median() == 20_000
    assert told.notes == told.warnings == []


@pytest.mark.parametrize("name", ["duration_s", "took_ms", "elapsed_us"])
def test_a_name_with_a_unit_leaves_nothing_to_be_said(name: str, tmp_path: Path) -> None:
    found = read([logged(tmp_path / "access.json", **{name: 20})])
    assert found.notes == found.warnings == []
    unit_us = {"s": 1_000_000, "ms": 1000, "us": 1}[name.rpartition("_")[2]]
    assert found.requests.rows["duration_us"].median() == 20 * unit_us


def test_what_is_too_long_for_a_column_is_told(tmp_path: Path) -> None:
    found = read([logged(tmp_path / "access.json", bytes=6_000_000_000, duration_s=18_000)])
    assert [note.partition(" than ")[0] for note in found.notes] == [
        "60 responses are larger",
        "60 answers take longer",
    ]


def test_numbers_of_a_table_with_gaps_are_read(tmp_path: Path) -> None:
    """Statuses are then fractions, as in 200.0."""
    log = tmp_path / "access.csv"
    log.write_text("time,ip,path,method,status\n" + f"{BEGIN},10.0.0.1,/,GET,404.0\n" * 40)
    assert read([log]).requests.rows["status"].unique().to_list() == [404]


def test_what_is_too_short_to_compare_is_not_called_good(tmp_path: Path) -> None:
    log = logged(tmp_path / "access.json", bytes=20)
    shown = CliRunner().invoke(app, ["learn", str(log)]).output
    assert "fidelity         not measured\n" in shown
    found = learn([log]).fidelity
    assert found is not None
    assert found.to_dict()["good"] is None


def test_a_demand_that_is_not_used_is_told(tmp_path: Path) -> None:
    log, system = logged(tmp_path / "access.json", request_time=0.02), tmp_path / "s.toml"
    words = ["learn", str(log), "--no-fidelity", "--demand", "exp(5ms)", "--system", str(system)]
    assert "--demand is not used" in CliRunner().invoke(app, words).output
    assert "5ms" not in system.read_text()


def test_great_ratios_are_told_as_factors() -> None:
    before, after = 0.001, 0.5
    _, wide, small = lines(
        [
            Change("requests for /new", "share", before, after, True),
            Change("requests for /old", "share", after, before, True),
        ]
    )
    assert wide.split()[-2:] == ["x", "500"]
    assert small.endswith("\u221299.8 %")


def test_a_result_is_learned_from_its_folder(tmp_path: Path) -> None:
    workload = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n'
    system = 'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(1ms)"\n'
    result = tmp_path / "result"
    tt.simulate(tt.Workload(workload), tt.System(system), requests=400, output=result)
    log = read([result])
    assert log.formats == ["thinktime"]
    assert log.count == read([result / "requests.parquet"]).count > 300


def test_a_folder_without_rows_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(tt.InputError, match="is a folder"):
        read([tmp_path])


def test_what_days_of_one_log_could_mean_is_said_once(tmp_path: Path) -> None:
    """Each day has other values, and the doubt is the same."""
    line = '10.0.0.{} - - [{:02}/Nov/2026:08:00:{:02} +0000] "GET / HTTP/1.1" 200 9 "-" "a" {}\n'
    for day in (1, 2, 3):
        rows = (line.format(n, day, n, f"0.{day}{n:02}") for n in range(60))
        (tmp_path / f"access.log.{day}").write_text("".join(rows))
    logs = sorted(tmp_path.glob("access.log.*"))
    notes = learn(logs, fidelity=False).to_dict()["notes"]
    said = [one for one in notes if "$upstream_response_time" in one]
    assert len(said) == 1
    assert "field 1 of those added (`0.100`)" in said[0]
