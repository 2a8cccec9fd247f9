"""Generators that cross a link, each its own: what one does on its node, without a cluster."""

from __future__ import annotations

import time

import pytest
from run_links import nothing_left

import thinktime as tt
from thinktime import _core
from thinktime.distributed.generator import Assignment, Generator
from thinktime.distributed.parcel import Parcel
from thinktime.inputs.files import workload_of
from thinktime.lab.link_option import parse_link
from thinktime.lab.link_record import LinkRecord
from thinktime.lab.run_over_link import crossing_of
from thinktime.operations.run_options import run_options_json

pytestmark = pytest.mark.usefixtures("no_other_labs")
"""What is on the machine is compared."""

LINK = "delay = 30ms"
WORKLOAD = {
    "name": "w",
    "arrivals": {"model": "open", "rate": "30/s"},
    "request": [{"name": "a", "get": "/a"}],
}


def heard(generators: list[Generator], gathering: _core.Gathering) -> None:
    """Begin together, and take all reports."""
    at = time.monotonic_ns() + 200_000_000
    for number, one in enumerate(generators):
        one.begin(number, at)
    going = dict(enumerate(generators))
    while going:
        for number, one in list(going.items()):
            content, ended, _ = one.take(number, 0.1)
            gathering.take(content)
            if ended:
                del going[number]
    gathering.end()


def test_each_generator_has_a_link_of_its_own() -> None:
    options = {"duration": "1.5s", "link": LINK}
    workload = workload_of(WORKLOAD)
    with (
        nothing_left(),
        tt.serve({"name": "s", "station": [{"name": "a", "demand": "const(0s)"}]}) as server,
    ):
        crossing = crossing_of(LINK, workload, server.url, options)
        given = run_options_json(options)
        gathering = _core.Gathering(workload, given, 2)
        parcel = Parcel.of(workload)
        assignment = Assignment(parcel, server.url, given, gathering.shares, crossing=crossing)
        generators = [Generator(), Generator()]
        try:
            for number, one in enumerate(generators):
                one.prepare(number, assignment, [number], 0.0, 0)
            heard(generators, gathering)
            done = _core.run(workload, server.url, given, gathering=gathering)
            records = [one.crossed() for one in generators]
        finally:
            for one in generators:
                one.close()
    summary = done.summary
    assert summary is not None
    assert summary["errors"] == 0
    assert summary["response_time_s"]["min"] >= 0.06
    assert [one.seed for one in records] == [workload.seed, workload.seed + 1]
    passed = [one.ways[0]["passed"] for one in records]
    assert min(passed) > 0
    together = crossing.together(records)
    assert together.ways[0]["passed"] == sum(passed)
    together.note(summary)
    assert summary["link"]["to_target"]["passed"] == sum(passed)
    assert any("each of 2 generators crossed a link of its own" in one for one in summary["notes"])
    assert "spoilt" not in summary["link"]


def record(**counts: int) -> LinkRecord:
    relay = {"accepted": 3, "refused": 0, "reset": 0, "why": ""} | counts
    ways = [{"came": 5, "passed": 4}, {"came": 2, "passed": 2}]
    return LinkRecord(parse_link(LINK), 1, ways, [], relay)


def test_a_generator_without_a_record_spoils_the_link() -> None:
    crossing = crossing_of(LINK, workload_of(WORKLOAD), "http://127.0.0.1:9", {})
    for records, spoilt in (
        ([record(), record()], False),
        ([record(), None], True),
        ([None, None], True),
    ):
        found = crossing.together(records)
        assert bool(list(found._spoilt())) == spoilt
    assert crossing.together([record(refused=1), record(refused=2)]).relay["refused"] == 3
