"""Machines in reports: schedules, tables, charts and the page in a browser."""

from __future__ import annotations

import io
import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from machine_results import SYSTEM, WORKLOAD, machine, open_, simulated
from rich.console import Console
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.machine import processor_sharing
from thinktime.present.page import render as render_page
from thinktime.present.units import unbroken
from thinktime.report import machines, report
from thinktime.report import rows as rows_of
from thinktime.report.case import cases
from thinktime.report.charts import by_name, schedule
from thinktime.report.charts.turns import schedule_of, window
from thinktime.report.results_page import page_of
from thinktime.report.sharing import sentence
from thinktime.report.terminal import render


@pytest.fixture(scope="module")
def linux():
    return simulated()


@pytest.fixture(scope="module")
def windows():
    return simulated("windows-server-2003")


# ---- schedules


def test_the_schedule_is_a_trace_that_perfetto_opens(tmp_path):
    simulated(output=tmp_path / "r")
    events = json.loads((tmp_path / "r" / "schedule.json").read_text("utf-8"))
    assert events == tt.Result.load(tmp_path / "r").schedule
    kinds = {kind: [event for event in events if event["ph"] == kind] for kind in "MXi"}
    assert sum(map(len, kinds.values())) == len(events)
    assert {(event["name"], event["tid"]): event["args"]["name"] for event in kinds["M"]} == {
        ("process_name", 0): "server", ("thread_name", 0): "core 0", ("thread_name", 1): "core 1",
    }  # fmt: skip
    assert {event["pid"] for event in events} == {1}
    assert 1000 < len(kinds["X"]) <= 4096
    for event in kinds["X"] + kinds["i"]:
        assert event["name"] in {"page", "monitoring", "reporting"}
        assert event["tid"] in {0, 1}
        assert event["ts"] >= 0
        assert event["args"]["task"] >= 0
    assert all(event["dur"] > 0 and event["args"]["session"] >= 0 for event in kinds["X"])
    assert {event["s"] for event in kinds["i"]} == {"t"}


def drawn(chart, subject):
    """The figure of a chart that is one picture."""
    (panel,) = chart.draw(subject).panels
    return panel.figure


def test_no_two_tasks_have_a_core_at_once_and_no_task_two_cores(linux):
    turns = schedule_of(linux).turns
    assert len(turns) > 1000
    for key in (lambda turn: turn.core, lambda turn: turn.task):
        ordered = sorted(turns, key=lambda turn: (key(turn), turn.from_s))
        for before, after in itertools.pairwise(ordered):
            if key(before) == key(after):
                assert before.until_s <= after.from_s + 1e-9


def test_the_stretch_that_is_shown_is_readable_and_busy(linux, windows):
    turns = schedule_of(linux).turns
    begin, end = window(turns)
    inside = [turn for turn in turns if turn.from_s < end and turn.until_s > begin]
    assert 100 <= len(inside) <= 250
    busy = sum(min(turn.until_s, end) - max(turn.from_s, begin) for turn in inside)
    assert busy > 0.8 * 2 * (end - begin)
    assert len({turn.task for turn in inside}) > 3
    one, other = (panel.figure for panel in schedule.CHART.draw(cases([linux, windows])).panels)
    assert (one.x.low, one.x.high) == (other.x.low, other.x.high)


def test_a_few_turns_are_shown_whole():
    result = tt.simulate(open_(1), machine("windows-7"), requests=3, warmup="1ms")
    turns = schedule_of(result).turns
    assert 1 <= len(turns) <= 20
    assert window(turns) == (turns[0].from_s, turns[-1].until_s)
    assert len(drawn(schedule.CHART, cases([result])).series) >= 1


def test_the_chart_has_a_row_a_core_and_a_colour_a_request_name(linux):
    figure = drawn(schedule.CHART, cases([linux]))
    assert figure.y.names == ("core 0", "core 1")
    bars = {one.name: one for one in figure.series if one.kind == "turns"}
    assert set(bars) == {"page", "monitoring", "reporting"}
    assert len({bar.colour for bar in bars.values()}) == 3
    assert sum(len(bar.x) for bar in bars.values()) <= 900
    first = bars["reporting"].x[0]
    turn = next(one for one in schedule_of(linux).turns if one.from_s == first)
    said = bars["reporting"].words[0]
    assert said.startswith(f"task {turn.task}, session {turn.session}: ")


def test_moves_go_from_row_to_row(linux):
    moves = schedule_of(linux).moves
    assert moves
    figure = drawn(schedule.CHART, cases([linux]))
    arrows = next(one for one in figure.series if one.kind == "points")
    at, ends = arrows.x[0], {round(arrows.low[0]), round(arrows.high[0])}
    move = next(one for one in moves if one.at_s == at)
    assert ends == {move.source.number, move.to.number}
    assert round(arrows.y[0]) == move.to.number
    assert arrows.words[0].startswith(f"task {move.task} moves from core {move.source.number} ")


def test_many_machines_and_cores_stay_readable():
    text = "".join(
        f"[[machine]]\nname='m{n}'\nos='linux-cfs'\ncores=24\ndemand='exp(200ms)'\n" for n in (1, 2)
    )
    result = tt.simulate(open_(90), tt.System("name='s'\n" + text), requests=3000, warmup=1)
    (panel,) = schedule.CHART.draw(cases([result])).panels
    assert panel.figure.y.names[0] == "m1, core 0"
    assert len(panel.figure.y.names) == 32
    assert "of 48 cores" in panel.title
    assert " to " in machines.figures_of(result)[0].line.cells[1].text


# ---- tables


def test_the_page_shows_tables_chart_and_verdict(linux, tmp_path):
    text = report([linux], tmp_path / "r.html").read_text("utf-8")
    assert re.search(r'id="chart-schedule"', text)
    assert "ui.perfetto.dev" in text
    for name in ("requests", "machines"):
        assert f'id="table-{name}"' in text
    table = re.search(r'id="table-machines".*?</table>', text, re.DOTALL)[0]
    assert re.search(r'<th scope="row"[^>]*>server<small>linux-2.6.22</small></th>', table)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", table, re.DOTALL)
    assert cells[0].strip() == "2"
    assert "Would processor sharing have been good enough?" in text
    assert unbroken(sentence(processor_sharing.compare(linux))) in text
    assert "Preemptions" in text
    assert render_page(page_of([linux])) == render_page(page_of([linux]))


def test_pages_of_stations_stay_as_they_were():
    system = tt.System("name='s'\n[[station]]\nname='m'\ndemand='exp(5ms)'\n")
    text = render_page(page_of([tt.simulate(open_(10), system, requests=500)]))
    for words in ("figure-schedule", "table-machines", "table-requests", "Preemptions"):
        assert words not in text
    assert "processor sharing" not in text.lower()


def test_counts_become_rates(linux):
    found = machines.figures_of(linux)[0]
    given = linux.summary["machines"]["server"]
    assert found.preemptions == pytest.approx(given["preemptions"] / linux.summary["duration_s"])
    assert found.moves == pytest.approx(given["migrations"] / linux.summary["duration_s"])
    assert found.words.startswith("server, linux-2.6.22 on 2 cores: loads 0.")


def test_the_terminal_shows_request_names_and_machines(linux, windows):
    console = Console(width=150, record=True, file=io.StringIO())
    console.print(render(rows_of([linux, windows])))
    text = console.export_text()
    assert "open, linux-2.6.22 on 2 cores" in text
    assert "open, windows-server-2003 on 2 cores" in text
    times = linux.summary["by_request"]["monitoring"]
    assert re.search(rf"monitoring +{times['requests']:,} ", text)
    assert text.count("preemptions/s") == 2


def test_the_command_says_a_sentence_and_keeps_its_json(tmp_path):
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    command = ["simulate", str(tmp_path / "w.toml"), str(tmp_path / "s.toml")]
    shown = CliRunner().invoke(app, [*command, "--duration", "10min"]).output
    assert shown.count("Processor sharing would") == 1
    plain = CliRunner().invoke(app, [*command, "--duration", "10min", "--json"]).stdout
    assert "machines" in json.loads(plain)


def test_each_request_name_has_its_distribution(linux, windows):
    panels = by_name.CHART.draw(cases([linux, windows])).panels
    assert [panel.title for panel in panels] == ["page", "monitoring", "reporting"]
    curves = [one for panel in panels for one in panel.figure.series]
    assert len(curves) == 6
    median = linux.summary["by_request"]["reporting"]["response_time_s"]["p50"]
    curve = curves[4]
    at = next(time for time, share in zip(curve.x, curve.y, strict=True) if share >= 0.5)
    assert at == pytest.approx(median, rel=0.05)
    assert by_name.CHART.draw(cases([simulated(duration="1min", rows="none")])) is None


# ---- in a browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_browser_draws_the_schedule(linux, windows, tmp_path):
    path = report([linux, windows], tmp_path / "report.html")
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=10000", "--dump-dom", Path(path).as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    bars = done.stdout.split('id="chart-schedule"')[1].split("</section>")[0]
    assert bars.count("data-wide=") > 200
