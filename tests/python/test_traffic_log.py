"""The generated logs: queues, retries, stamps, formats, scenarios, and the survey of them."""

from __future__ import annotations

import ast
import json
import math
import re
import runpy
import sys
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import traffic
from traffic.addresses import Addresses
from traffic.arrivals import poisson
from traffic.laws import const, exp
from traffic.people import People
from traffic.programs import Loop
from traffic.scenarios import SCENARIOS, scenario
from traffic.scenarios.sites import SHOP, STATUS, single_page
from traffic.scene import EVERYWHERE, Made, Scene, make
from traffic.servers import GIVEN_UP, OVERLOADED, Server
from traffic.truth import COLUMNS, Truth
from traffic.writing import EPOCH, FORMATS, PROXY, Format

from thinktime import _core

FOLDER = Path(traffic.__file__).parent
DEVIATIONS = 4.5
ONE = Addresses(shared=1.0, behind=1, agent="-")


# ---- servers


def callers(rate: float, **more: float) -> People:
    """Users who ask once, if all goes well."""
    return People("callers", single_page(), exp(1.0), poisson(rate), pages=const(1.0), **more)


def served(server: Server, rate: float, span: float = 300.0, **more: float) -> pl.DataFrame:
    """The truth of the callers' requests at a server, in the order of arrival."""
    scene = Scene([callers(rate, **more)], span, {EVERYWHERE: server}, lead_s=0.0)
    return make(scene, seed=1).truth.table.sort("arrival")


def test_an_idle_server_takes_the_demand() -> None:
    table = served(Server(), 5.0)
    assert np.allclose(table["done"] - table["arrival"], table["demand"])


@pytest.mark.parametrize("workers", [1, 3])
def test_first_come_first_served(workers: int) -> None:
    """Every end follows from the ends before it, by Lindley's recursion."""
    table = served(Server("fcfs", workers=workers), 130.0 * workers, span=30.0)
    free = [0.0] * workers
    waited = 0
    for arrival, done, demand in table.select("arrival", "done", "demand").rows():
        begin = max(arrival, min(free))
        waited += begin > arrival
        free[free.index(min(free))] = begin + demand
        # Requests inside at the end of the log have no line, so that the last ones may differ.
        if arrival < 25.0:
            assert done == pytest.approx(begin + demand, abs=1e-9)
    assert waited > 0.5 * table.height


@pytest.mark.parametrize("cores", [1, 2])
def test_processor_sharing(cores: int) -> None:
    """By a second, slower computation: the least that is left is done next."""
    table = served(Server("ps", workers=cores), 100.0 * cores, span=15.0)
    rows = table.select("arrival", "demand", "done").rows()
    now, left, ends = 0.0, {}, {}
    pending = [(arrival, number, demand) for number, (arrival, demand, _) in enumerate(rows)][::-1]
    while pending or left:
        speed = min(1.0, cores / len(left)) if left else 1.0
        first = min(left, key=left.__getitem__) if left else None
        due = now + left[first] / speed if left else math.inf
        if pending and pending[-1][0] <= due:
            then, number, demand = pending.pop()
            left = {one: rest - (then - now) * speed for one, rest in left.items()}
            left[number], now = demand, then
        else:
            left = {one: rest - (due - now) * speed for one, rest in left.items()}
            ends[first], now = due, due
            del left[first]
    early = [number for number, row in enumerate(rows) if row[0] < 10.0]
    assert [ends[n] for n in early] == pytest.approx([rows[n][2] for n in early], abs=1e-6)
    stretch = (table["done"] - table["arrival"]).sum() / table["demand"].sum()
    assert stretch > 1.5


def test_a_full_server_turns_away_and_impatient_clients_give_up() -> None:
    table = served(Server("fcfs", room=30), 400.0, span=20.0, patience=0.15)
    counts = dict(table.group_by("status").len().rows())
    assert counts[OVERLOADED] > 1000
    assert counts[GIVEN_UP] > 100
    gone = table.filter(pl.col("status") == GIVEN_UP)
    assert np.allclose(gone["done"] - gone["arrival"], 0.15)
    assert (table["done"] - table["arrival"]).max() <= 0.15 + 1e-9


def test_retries_follow_failures_of_the_same_request() -> None:
    table = served(Server(errors=0.3), 10.0, again=0.6)
    retries = table.filter(pl.col("retry") > 0)
    before = table.filter(pl.col("status") == 500).select(
        *("session", "path", pl.col("retry") + 1), pl.col("done").alias("failed")
    )
    both = retries.join(before, on=["session", "path", "retry"])
    assert both.height == retries.height
    assert np.allclose(both["arrival"] - both["failed"], both["think"])
    failed = (table["status"] == 500).sum()
    # Of those whose think time has begun late, some are not in the log.
    assert abs(failed - 0.3 * table.height) < DEVIATIONS * math.sqrt(0.21 * table.height)
    assert abs(retries.height - 0.6 * failed) < DEVIATIONS * math.sqrt(0.24 * failed) + 10


@pytest.mark.parametrize("status", [502, 0])
def test_a_server_that_is_away(status: int) -> None:
    server = Server(down=[(100.0, 150.0)], down_status=status)
    loops = Loop("pollers", [STATUS], count=10, think=const(1.0))
    table = make(Scene([loops], 300.0, {EVERYWHERE: server}), seed=1).truth.table
    away = table.filter(pl.col("arrival").is_between(100.0, 150.0, closed="left"))
    assert away.height == 0 if status == 0 else set(away["status"]) == {502}
    assert set(table.filter(pl.col("arrival") >= 150.0)["status"]) == {200}


# ---- lines


@cache
def small(form: str, **more: float | tuple[tuple[float, float]]) -> Made:
    """A log of a few hundred lines, of two populations."""
    people = People("visitors", SHOP, exp(5.0), poisson(0.5))
    loops = Loop("pollers", [STATUS], count=2, think=const(4.0), one_address=True)
    return make(Scene([people, loops], 300.0, format=form, lead_s=60.0, **more), seed=2)


LINE = re.compile(
    r"(?:(?P<host>\S+):443 )?(?P<address>\S+) (?:- - \[(?P<date>[^]]+)\]|(?P<epoch>\d+\.\d{3}) "
    r'(?P<before>\d+\.\d{3})) "(?P<method>\S+) (?P<path>\S+) HTTP/1.1" (?P<status>\d+) '
    r'(?P<bytes>\d+) "(?P<referrer>[^"]*)" "(?P<agent>[^"]*)"(?: "(?P<forwarded>[^"]*)")?'
    r"(?: (?P<after>\S+))?"
)


def read(line: str, form: Format) -> dict[str, str | float | None]:
    """The content of a line, read by this test's own means: stamps since the log's beginning."""
    if line.startswith("{"):
        said = json.loads(line)
        names = ["method", "path", "status", "bytes", "host"]
        keys = ["request_method", "request_uri", "status", "body_bytes_sent", "host"]
        if "msec" in said:
            found = {name: said[key] for name, key in zip(names, keys, strict=True)}
            stamp, took = float(said["msec"]), said["request_time"]
            return found | {"address": said["remote_addr"], "stamp": stamp - EPOCH, "took": took}
        stamp = datetime.fromisoformat(said["start_time"]).timestamp()
        address, took = said["client_ip"], said["duration_ms"] / 1000
        return said | {"address": address, "stamp": stamp - EPOCH, "took": took}
    match = LINE.fullmatch(line)
    assert match, line
    found = match.groupdict()
    took = found["after"] or found["before"]
    stamp = float(found["epoch"] or 0)
    if found["date"]:
        stamp = datetime.strptime(found["date"], "%d/%b/%Y:%H:%M:%S %z").timestamp()
    took = took and float(took) / (1e6 if form.name == "apache-timed" else 1)
    address = found["address"]
    if found["forwarded"]:
        assert address == PROXY
        address = found["forwarded"]
    return found | {"address": address, "stamp": stamp - EPOCH, "took": took}


@pytest.mark.parametrize("name", FORMATS)
def test_lines_say_what_is_true(name: str) -> None:
    made, form = small(name), FORMATS[name]
    lines = made.text.splitlines()
    assert len(lines) == made.truth.table.height > 300
    for line, row in zip(lines, made.truth.rows(), strict=True):
        said = read(line, form)
        for key in ("address", "method", "path"):
            assert said[key] == row[key]
        assert (int(said["status"]), int(said["bytes"])) == (row["status"], row["bytes"])
        assert said["host"] in (None, row["host"])
        # Servers cut digits off.
        assert -1e-6 <= row[form.stamp] - said["stamp"] < form.resolution_s + 1e-6
        assert (said["took"] is None) == (form.duration_s is None)
        if form.duration_s is not None:
            took = row["done"] - row["arrival"]
            assert -1e-6 <= took - said["took"] < form.duration_s + 1e-6
    done = made.truth.column("done")
    assert (np.diff(done) >= 0).all(), "lines are written as requests end"
    assert 0 <= done[0] <= done[-1] < 300


@pytest.mark.parametrize("name", FORMATS)
def test_thinktime_reads_every_line(name: str, tmp_path: Path) -> None:
    made = small(name)
    definition = FORMATS[name].definition
    found = _core.read_log([str(made.write(tmp_path))], format=definition)
    (file,) = found["files"]
    assert file["lines"] == found["requests"] == made.truth.table.height
    assert file["bad"] == []
    addresses = pl.DataFrame(found["columns"].users())["address"].n_unique()
    assert addresses == made.truth.table["address"].n_unique()


def test_stamps_of_a_collector_come_in_bunches() -> None:
    made = small("combined", bunch_s=10.0)
    stamps = {read(line, FORMATS["combined"])["stamp"] for line in made.text.splitlines()}
    assert stamps <= {10.0 * n for n in range(31)}


def test_lost_lines_are_lost_and_counted() -> None:
    whole, part = small("json"), small("json", lost=((100.0, 150.0),))
    lost = whole.truth.table.filter(pl.col("done").is_between(100.0, 150.0, closed="left"))
    assert part.truth.facts["lost_lines"] == lost.height > 20
    assert part.truth.table.height == whole.truth.table.height - lost.height


def test_the_truth_is_written_beside_the_log(tmp_path: Path) -> None:
    made = small("timed")
    log = made.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("access.log", "access.truth.json", "access.truth.parquet"),
    ]
    truth = Truth.read(log)
    assert truth.table.columns == COLUMNS
    assert truth.table.height == log.read_text().count("\n") == truth.facts["lines"]
    assert truth.facts == json.loads(json.dumps(made.truth.facts))


def test_what_cannot_be_told_apart_by_address_and_agent() -> None:
    assert small("json").truth.inseparable() == 0
    people = People("visitors", SHOP, exp(5.0), poisson(0.5), addresses=ONE)
    loops = Loop("pollers", [STATUS], 2, network=200, one_address=True, agent=ONE.agent)
    truth = make(Scene([people, loops], 300.0), seed=1).truth
    shares = [one["share"] for one in truth.facts["populations"].values()]
    assert truth.inseparable() == pytest.approx(min(shares))


# ---- scenarios


def test_a_scenario_is_the_same_for_the_same_seed() -> None:
    scene = replace(SCENARIOS["everything"].build(400.0), lead_s=30.0)
    first, again, other = (make(scene, seed) for seed in (1, 1, 2))
    assert first.text == again.text
    assert first.text != other.text
    name = "single-requests"
    assert scenario(name, 3, 0.01).text == scenario(name, 3, 0.01).text
    with pytest.raises(KeyError, match="no scenario `nothing`"):
        scenario("nothing")


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_makes_a_log(name: str) -> None:
    """A hundredth of each; the rates are such that the whole log has about 100,000 lines."""
    scene = SCENARIOS[name].build(SCENARIOS[name].span_s / 100)
    made = make(replace(scene, lead_s=30.0))
    facts = made.truth.facts
    assert facts["lines"] == made.text.count("\n") > 200
    assert sum(one["lines"] for one in facts["populations"].values()) == facts["lines"]
    models = {one["model"] for one in facts["populations"].values()}
    assert models <= {"open", "closed", "partly-open"}
    json.dumps(facts)


def test_there_are_scenarios_of_many_kinds() -> None:
    assert len(SCENARIOS) >= 24
    assert {found.build(600.0).format for found in SCENARIOS.values()} == set(FORMATS)


def test_shares_of_populations_are_those_of_their_rates() -> None:
    """22 pollers of 5.004 s and visitors of 3.5 lines a second."""
    facts = scenario("pollers", scale=0.1).truth.facts
    pollers, visitors = (facts["populations"][name] for name in ("pollers", "visitors"))
    assert (pollers["clients"], pollers["users"], pollers["model"]) == (22, 22, "closed")
    assert pollers["lines"] == pytest.approx(22 * facts["span_s"] / 5.004, abs=22)
    # A session's pages have E[N²] / E[N] < 8, by which the variance is larger than a Poisson one.
    expected = 3.5 * facts["span_s"]
    assert abs(visitors["lines"] - expected) < DEVIATIONS * math.sqrt(8 * expected)


# ---- independence and the survey


def test_nothing_of_thinktime_is_in_it() -> None:
    # That file compares the learned model with the truth, and makes no logs.
    for path in set(FOLDER.rglob("*.py")) - {FOLDER / "recovery.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not [name for name in names if name.startswith("thinktime")], path


PROGRAM = """\
#!{python}
import json, sys, time
command, log, *options = sys.argv[1:]
lines = open(log).read().count("\\n")
assert command == "learn" and "--json" in options
if {does!r} == "sleeps":
    time.sleep(60)
if {does!r} == "fails":
    raise SystemExit("it cannot")
told = {{"requests": lines, "bad_lines": {{"no time": 3}}, "requests_per_session": {{"mean": 2.5}}}}
told |= {{"sessions": 40, "session_rate": 0.25, "programs": {{"requests": lines // 2}}}}
told |= {{"session_arrivals_poisson": {{"verdict": "no"}}}}
told |= {{"recommended_model": "closed", "confidence": "sure: so", "simulated": {{"clients": 7}}}}
print(json.dumps(told))
"""
"""Stands in for `thinktime`, whose answers other tests check."""


@pytest.mark.parametrize(
    ("does", "shown"),
    [
        ("answers", ["40, 0.25, 2.5", "50% | no", "closed (sure) 3 bad lines 7 clients"]),
        ("fails", ["status 1: it cannot"]),
        ("sleeps", ["more than 0.5 s"]),
    ],
)
def test_the_survey_shows_the_truth_beside_the_answer(
    does: str,
    shown: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    program, answers = tmp_path / "program", tmp_path / "answers.json"
    program.write_text(PROGRAM.format(python=sys.executable, does=does))
    program.chmod(0o755)
    wanted = ["pollers", "--scale", "0.02", "--program", str(program), "--json", str(answers)]
    limit = "0.5" if does == "sleeps" else "300"
    monkeypatch.setattr(sys, "argv", ["survey", *wanted, "--timeout", limit])
    runpy.run_module("traffic.survey", run_name="__main__")
    row = capsys.readouterr().out.splitlines()[2]
    assert "visitors 4" in row
    assert "closed 22" in row
    for part in shown:
        assert part in row
    assert json.loads(answers.read_text())["pollers"]["truth"]["lines"] > 1000
