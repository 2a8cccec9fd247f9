"""Processor sharing beside a machine's result; labels, theory and sweeps of machines."""

from __future__ import annotations

import re

import pytest
from machine_results import SYSTEM, WORKLOAD, machine, open_, simulated

import thinktime as tt
from thinktime.machine import processor_sharing
from thinktime.report.case import cases
from thinktime.report.sharing import note, sentence


@pytest.fixture(scope="module")
def linux():
    return simulated()


@pytest.fixture(scope="module")
def windows():
    return simulated("windows-server-2003")


# ---- processor sharing beside


def eevdf(**more):
    """Turns of 0.1 ms, beside demands of 8 and 16 ms."""
    demands = "{a = 'exp(8ms)', b = 'exp(16ms)'}"
    slices = "{slice = '100us', tick = '100us'}"
    return machine("linux-eevdf", demands, **{"scheduler.time_sharing": slices}, **more)


def test_short_turns_are_as_good_as_processor_sharing():
    result = tt.simulate(open_(60, "ab"), eevdf(), requests=20_000, warmup=1)
    found = processor_sharing.compare(result)
    assert found.good_enough
    assert not found.shortened
    assert [pair.request for pair in found.pairs] == ["a", "b"]
    assert "would have been good enough in place of linux-eevdf" in sentence(found)
    for pair in found.pairs:
        assert abs(pair.difference("mean")) < 0.05


def test_the_case_study_needs_its_scheduler(windows):
    found = processor_sharing.compare(windows)
    assert found.good_enough is False
    assert found.judged[0].pair.request == "page"
    assert found.judged[0].difference > 1  # boosts let short requests through at once
    words = sentence(found)
    assert words.startswith("Processor sharing would not have been good enough in place of windows")
    assert re.search(r"page a p95 of [^;]* times as long", words)


def test_the_same_requests_are_simulated(linux):
    found = processor_sharing.compare(linux)
    pairs = {pair.request: pair for pair in found.pairs}
    for name, figures in linux.summary["by_request"].items():
        assert pairs[name].requests == figures["requests"]
        assert pairs[name].scheduled_s["p95"] == figures["response_time_s"]["p95"]
    shared = tt.simulate(
        linux.workload,
        processor_sharing.processor_sharing_of(linux.system),
        duration="20min",
        warmup=1,
    )
    assert shared.summary["requests"] == linux.summary["requests"]
    for name, figures in shared.summary["by_request"].items():
        assert pairs[name].shared_s["p50"] == figures["response_time_s"]["p50"]


@pytest.mark.parametrize("replications", [1, 3])
def test_long_results_are_compared_by_fewer_requests(replications):
    system = machine("linux-cfs")
    result = tt.simulate(open_(60), system, requests=6000, warmup=1, replications=replications)
    found = processor_sharing.compare(result, requests_max=3000)
    assert found.shortened
    assert found.requests == 3000
    assert "3,000 requests" in note(found)


def test_what_belongs_to_a_scheduler_is_left_out():
    system = tt.System(
        """
name = 'a "b" é'
[[machine]]
name = "m"
cores = 2
os = "linux-2.6.22"
priority = 3
context_switch = "5us"
threads = 8
scheduler.time_sharing.slice.length = "50ms"
[[service]]
name = "db"
machine = "m"
cores = [1]
priority = "high"
queue_limit = 7
[[pool]]
name = "connections"
size = 4
[[behaviour]]
steps = [
  {acquire = "connections"},
  {use = "m", demand = "1ms"},
  {fork = [[{use = "db", demand = "2ms"}], [{delay = "1.5ms", disk = true}]]},
  {release = "connections"},
]
"""
    )
    shared = processor_sharing.processor_sharing_of(system)
    assert [processor_sharing.shares(one) for one in shared.machines] == [True]
    assert shared.name == system.name
    text = shared.to_toml()
    for word in ("priority", "context_switch", "scheduler", "cores = ["):
        assert word not in text
    for kept in ("threads = 8", "queue_limit = 7", "disk = true", "[[pool]]"):
        assert kept in text


def test_systems_that_cannot_share_say_why(tmp_path):
    station = tt.System("name='s'\n[[station]]\nname='m'\ndemand='exp(5ms)'\n")
    with pytest.raises(processor_sharing.NotShared, match="no machines"):
        processor_sharing.processor_sharing_of(station)
    (tmp_path / "times.csv").write_text("10ms\n20ms\n")
    (tmp_path / "s.toml").write_text(
        "name='s'\n[[machine]]\nname='m'\nos='linux-cfs'\ndemand='empirical(times.csv)'\n"
    )
    system = tt.System.load(tmp_path / "s.toml")
    with pytest.raises(processor_sharing.NotShared, match="does not go with processor sharing"):
        processor_sharing.processor_sharing_of(system)
    assert (
        processor_sharing.processor_sharing_of(system, tmp_path).machines[0].os
        == "processor-sharing"
    )
    result = tt.simulate(open_(10), system, requests=300, warmup=1)
    assert processor_sharing.compare(result).good_enough is not None


def test_nothing_is_compared_where_there_is_no_scheduler():
    shared = tt.simulate(open_(10), machine("processor-sharing"), requests=300)
    station = tt.System("name='s'\n[[station]]\nname='m'\ndemand='exp(5ms)'\n")
    assert processor_sharing.compare(shared) is None
    assert processor_sharing.compare(tt.simulate(open_(10), station, requests=300)) is None
    few = tt.simulate(open_(10), machine("linux-cfs"), requests=50, warmup=0)
    assert processor_sharing.compare(few).good_enough is None
    assert "no request name has 100 responses" in sentence(processor_sharing.compare(few))


# ---- labels, theory, sweeps


def test_labels_say_what_differs():
    def labels(*systems):
        results = [tt.simulate(open_(10), system, requests=200, warmup=0) for system in systems]
        return [case.label for case in cases(results)]

    cfs = machine("linux-cfs")
    assert labels(cfs) == ["open"]
    assert labels(cfs, cfs.with_value("machine.m.cores", "2")) == [
        "open, linux-cfs on 1 core", "open, linux-cfs on 2 cores",
    ]  # fmt: skip
    changed = cfs.with_value("machine.m.scheduler.balancing.dynamic.transfer.difference", "4")
    assert labels(cfs, changed) == ["open", "open, balancing.dynamic.transfer.difference = 4"]


def test_the_load_is_that_of_the_busiest_of_stations_and_machines():
    system = tt.System(
        "name='s'\n[[station]]\nname='net'\npolicy='ps'\ndemand='1ms'\n"
        "[[machine]]\nname='m'\nos='linux-cfs'\ndemand='exp(8ms)'\n"
    )
    result = tt.simulate(open_(50), system, requests=20_000, warmup=1)
    assert result.theory is None
    assert cases([result])[0].load == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize("cores", [1, 2])
def test_a_machine_under_processor_sharing_is_a_ps_station(cores):
    demands = "{a = 'h2(15ms, cv2=4)', b = '5ms'}"
    shared = machine("processor-sharing", demands, cores=cores)
    station = tt.System(
        f"name='s'\n[[station]]\nname='m'\npolicy='ps'\nservers={cores}\ndemand={demands}\n"
    )
    found, expected = (
        tt.simulate(open_(50, "ab"), system, requests=30_000, warmup=5)
        for system in (shared, station)
    )
    assert found.theory == expected.theory
    mean = found.summary["response_time_s"]["mean"]
    assert mean == pytest.approx(expected.summary["response_time_s"]["mean"], rel=1e-6)
    if cores == 1:
        assert found.theory.mean_s == pytest.approx(0.01 / (1 - 50 * 0.01))


@pytest.mark.parametrize(
    "more",
    [
        {"threads": 3}, {"threads": "'event-loop'"}, {"queue_limit": 3},
        {"demand": "'5ms'", "os": "linux-cfs"},
    ],
)  # fmt: skip
def test_other_machines_have_no_theory(more):
    given = {"os": "processor-sharing", "demand": "'exp(5ms)'"} | more
    system = machine(given.pop("os"), given.pop("demand"), **given)
    assert tt.simulate(open_(50), system, requests=200, warmup=0).theory is None


def test_services_beside_a_machine_have_no_theory():
    text = machine("processor-sharing").to_toml()
    text += "[[service]]\nname='db'\nmachine='m'\ndemand='1ms'\n"
    assert tt.simulate(open_(5), tt.System(text), requests=200, warmup=0).theory is None


def test_machines_can_be_swept(tmp_path):
    table = tt.sweep(
        tt.Workload(WORKLOAD),
        tt.System(SYSTEM),
        ["machine.server.cores=2,4", "machine.server.os=linux-2.6.22,windows-server-2003"],
        duration="5min",
        output=tmp_path,
    )
    assert table.height == 4
    assert table["machine.server.cores"].to_list() == [2, 2, 4, 4]
    two, _, four, _ = table["load"].to_list()
    assert two > four > 0
    assert all(count > 0 for count in table["preemptions"].to_list())
    assert "machine.server.os" in (tmp_path / "sweep.html").read_text()
