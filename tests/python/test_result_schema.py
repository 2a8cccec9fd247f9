"""`thinktime schema result` describes every summary; Python has the types of Rust's schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import core_types
import jsonschema
import pytest

import thinktime as tt
from thinktime.lab.link_option import parse_link
from thinktime.lab.link_record import LinkRecord

SCHEMA = json.loads(tt.schema("result"))

OPEN = 'model = "open"\nrate = "30/s"'
WORKLOADS = {
    "open": f"[arrivals]\n{OPEN}",
    "closed": '[arrivals]\nmodel = "closed"\nclients = 5\n[session]\nthink = "exp(100ms)"',
    "partly open": '[arrivals]\nmodel = "partly-open"\nrate = "10/s"\n'
    '[session]\nrequests = "geometric(4)"\nthink = "exp(100ms)"',
    "pages": f"""[arrivals]\n{OPEN}
[[request]]\nname = "page"\nweight = 1\nobjects = {{count = "geometric(3)", of = {{image = 1}}}}
[[request]]\nname = "image"\nget = "/image"
[slo]\np99 = "1s"\nerrors = "1%"\npage_p95 = "2s\"""",
    "retries": f"""[arrivals]\n{OPEN}\n[clients]\nconcurrency = 4
[[request]]\nname = "item"\ntimeout = "20ms"\nretry = {{attempts = 2}}""",
    "populations": """[[population]]\nname = "people"\narrivals = {model = "open", rate = "30/s"}
[[population]]\nname = "loops"\narrivals = {model = "closed", clients = 2}
session = {think = "1s"}
[[population.request]]\nname = "poll"\nget = "/poll\"""",
}
"""By what is special in it, the tables of a workload."""

STATION = '[[station]]\nname = "server"\ndemand = "exp(4ms)"\n'
MACHINE = '[[machine]]\nname = "host"\ncores = 2\nos = "linux-cfs"\ndemand = "exp(4ms)"\n'
CLUSTER = '[[cluster]]\nname = "web"\nservers = 2\ndispatch = "round-robin"\n'
SYSTEMS = {
    "station": STATION,
    "machine": MACHINE,
    "cluster": f'{CLUSTER}cache = {{size = "1MB"}}\n[[cluster.station]]\nname = "cpu"\n'
    'demand = "5ms"\n',
    "cluster of machines": f'{CLUSTER}server = "machine:host"\n{MACHINE}',
    "link": f'[[link]]\nname = "line"\ndelay = "5ms"\nrate = "10Mbit/s"\nloss = "1%"\n{STATION}',
    "pool": f'[[pool]]\nname = "threads"\nsize = 2\n{STATION}[[behaviour]]\nsteps = ['
    '{acquire = "threads"}, {use = "server"}, {release = "threads"}]\n',
}
"""By what is special in it, the tables of a system."""


def workload(kind: str) -> tt.Workload:
    return tt.Workload(f'name = "w"\n{WORKLOADS[kind]}\n')


def system(kind: str) -> tt.System:
    return tt.System(f'name = "s"\n{SYSTEMS[kind]}')


def complaints(summary: Any) -> list[str]:
    found = jsonschema.Draft202012Validator(SCHEMA).iter_errors(summary)
    return [f"{one.json_path}: {one.message}" for one in found]


@pytest.mark.parametrize("kind", WORKLOADS)
def test_summaries_of_all_workloads_are_as_described(kind: str, tmp_path: Path) -> None:
    made = tt.simulate(workload(kind), system("station"), requests=400, output=tmp_path / "r")
    assert complaints(made.summary) == []
    assert complaints(json.loads((tmp_path / "r/summary.json").read_text("utf-8"))) == []
    assert tt.Result.load(tmp_path / "r").summary == made.summary


@pytest.mark.parametrize("kind", SYSTEMS)
def test_summaries_of_all_systems_are_as_described(kind: str) -> None:
    sizes = '[[request]]\nname = "item"\nget = "/{zipf(n=100, s=1)}"\nsize = "exp(10kB)"'
    asked = tt.Workload(f'name = "w"\n{WORKLOADS["open"]}\n{sizes}\n')
    made = tt.simulate(asked, system(kind), requests=400, replications=2)
    assert complaints(made.summary) == []


def test_summaries_of_runs_are_as_described(tmp_path: Path) -> None:
    with tt.serve(system("station"), server_timing=True) as server:
        made = tt.run(workload("retries"), server.url, duration=1, output=tmp_path / "r")
    assert made.summary["generator"]
    assert complaints(made.summary) == []
    assert tt.Result.load(tmp_path / "r").summary == made.summary


def test_a_link_is_noted_as_described_and_read_back(tmp_path: Path) -> None:
    made = tt.simulate(workload("open"), system("station"), requests=400, output=tmp_path / "r")
    ways = [{"passed": 7, "lost": 1}, {"passed": 6}]
    for record in (
        LinkRecord(parse_link("delay = 5ms"), 1, ways=ways, relay={"refused": 0}),
        LinkRecord(parse_link("delay = 5ms"), 1, lost=["it ended"]),
    ):
        record.note(made.summary)
        assert complaints(made.summary) == []
        (tmp_path / "r/summary.json").write_text(json.dumps(made.summary))
        assert tt.Result.load(tmp_path / "r").summary == made.summary
    assert made.untrusted is not None


def test_the_schema_refuses_what_no_summary_has() -> None:
    made = tt.simulate(workload("open"), system("station"), requests=400).summary
    times = made["response_time_s"]
    for wrong, said in (
        (made | {"surprise": 1}, "surprise"),
        (made | {"response_time_s": times | {"p98": 1.0}}, "p98"),
        ({key: one for key, one in made.items() if key != "seed"}, "seed"),
        (made | {"requests": "many"}, "many"),
    ):
        (found,) = complaints(wrong)
        assert said in found


def test_tables_have_all_keys() -> None:
    """Those that a file leaves out have the default that its schema gives, or are None or empty."""
    (people, loops) = (one.table for one in workload("populations").populations)
    assert people["arrivals"]["process"] == "poisson"
    assert people["request"] == []
    assert loops["request"][0]["timeout"] is None
    assert workload("open").tables["population"] == [
        people | {"name": "", "arrivals": people["arrivals"] | {"rate": "30/s"}}
    ]
    (station,) = system("station").tables["station"]
    assert (station["servers"], station["policy"], station["priority"]) == (1, "fcfs", {})
    for table, kind in ((people["arrivals"], "ArrivalsTable"), (people["session"], "SessionTable")):
        known = json.loads(tt.schema("workload"))["$defs"][kind]["properties"]
        assert table.keys() == known.keys()


def test_the_types_are_those_of_the_schemas() -> None:
    """If not, write them with `make types`."""
    assert core_types.FILE.read_text("utf-8") == core_types.text()
