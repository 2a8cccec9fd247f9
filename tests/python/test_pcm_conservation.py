"""Import of PCM models: no demand is lost, in any form of service.

A service of random branches, loops, forks and calls is imported, and the mean demand of its
requests is compared with the mean that follows from the service itself: branches by their
probabilities, loops by their mean counts. The check is that of linearity alone, and knows nothing
of variants.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pcm_models as pcm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from volume import oracle, volume

import thinktime as tt
from thinktime.pcm import Imported, import_model

Made = tuple[pcm.Action, float]
"""An action and its mean demand in seconds."""


def sequence(parts: list[Made]) -> tuple[list[pcm.Action], float]:
    return [one for one, _ in parts], sum(mean for _, mean in parts)


def demands() -> st.SearchStrategy[Made]:
    laws = st.sampled_from(
        [
            ("0", 0.0),
            ("2.5", 2.5),
            ("Exp(0.25)", 4.0),
            ("UniDouble(1, 5) * 2", 6.0),
            ("IntPMF[(1;0.25)(5;0.75)]", 4.0),
            ("DoublePDF[(2.0;0.5)(4.0;0.5)]", 2.0),
            ("x.VALUE * 3", 4.5),  # x is 1 or 2, both alike
        ]
    )
    return st.tuples(laws, st.sampled_from([pcm.CPU, pcm.HDD, pcm.DELAY])).map(
        lambda found: (pcm.internal((found[1], found[0][0])), found[0][1])
    )


def branches(inner: st.SearchStrategy[list[Made]]) -> st.SearchStrategy[Made]:
    def made(found: tuple[int, list[Made], list[Made]]) -> Made:
        p = found[0] / 10
        (first, mean), (second, other) = sequence(found[1]), sequence(found[2])
        return pcm.branch((p, first), (1 - p, second)), p * mean + (1 - p) * other

    return st.tuples(st.integers(1, 9), inner, inner).map(made)


def loops(inner: st.SearchStrategy[list[Made]]) -> st.SearchStrategy[Made]:
    counts = st.sampled_from(
        [("0", 0.0), ("3", 3.0), ("IntPMF[(0;0.5)(4;0.5)]", 2.0), ("150", 150.0)]
    )

    def made(found: tuple[tuple[str, float], list[Made]]) -> Made:
        actions, mean = sequence(found[1])
        return pcm.loop(found[0][0], *actions), found[0][1] * mean

    return st.tuples(counts, inner).map(made)


def forks(inner: st.SearchStrategy[list[Made]]) -> st.SearchStrategy[Made]:
    def made(found: tuple[list[list[Made]], list[Made]]) -> Made:
        parts = [sequence(part) for part in found[0]]
        free, mean = sequence(found[1])
        return (
            pcm.fork([actions for actions, _ in parts], [free]),
            mean + sum(mean for _, mean in parts),
        )

    return st.tuples(st.lists(inner, min_size=1, max_size=2), inner).map(made)


def actions() -> st.SearchStrategy[list[Made]]:
    one = st.recursive(
        demands(),
        lambda inner: st.one_of(
            branches(st.lists(inner, max_size=3)),
            loops(st.lists(inner, max_size=2)),
            forks(st.lists(inner, max_size=2)),
        ),
        max_leaves=12,
    )
    return st.lists(one, min_size=1, max_size=5)


def means(steps: list[dict[str, Any]]) -> Iterator[float]:
    for step in steps:
        if "fork" in step:
            for part in step["fork"]:
                yield from means(part)
        elif "use" in step or "delay" in step:
            yield tt.Distribution(step.get("demand", step.get("delay"))).mean


def total(found: Imported) -> float:
    weights = {
        one["name"]: one["weight"] for one in tomllib.loads(found.files["workload.toml"])["request"]
    }
    assert sum(weights.values()) == pytest.approx(1)
    tt.Workload(found.files["workload.toml"])
    tt.System(pcm.on_stations(found.files["system.toml"]))
    behaviours = tomllib.loads(found.files["system.toml"])["behaviour"]
    assert len(behaviours) == len(weights) <= 64
    return sum(weights[one["request"]] * sum(means(one["steps"])) for one in behaviours)


RESOURCES = pcm.ONE + pcm.resource(pcm.HDD, "FCFS") + pcm.resource(pcm.DELAY, "Delay")


def imported(front: list[pcm.Action], back: list[pcm.Action]) -> Imported:
    x = {"x.VALUE": "DoublePMF[(1.0;0.5)(2.0;0.5)]"}
    calls = [pcm.call({"x.VALUE": "x.VALUE"})]
    usage = pcm.users(pcm.walk([pcm.enter(x)]), pcm.opened("Exp(1)"))
    with tempfile.TemporaryDirectory() as folder:
        model = pcm.write(
            Path(folder),
            [],
            repository=pcm.repository([*front, *calls], back),
            resourceenvironment=pcm.environment(RESOURCES),
            usagemodel=pcm.usagemodel(usage),
        )
        return import_model(model)


@oracle
@given(actions(), actions())
@settings(max_examples=volume(20, 50))
def test_no_demand_is_lost(front: list[Made], back: list[Made]) -> None:
    (first, mean), (second, other) = sequence(front), sequence(back)
    assert total(imported(first, second)) == pytest.approx(mean + other, rel=1e-6)


def test_the_check_can_fail() -> None:
    found = imported([pcm.cpu("1")], [pcm.cpu("2")])
    assert total(found) == pytest.approx(3)
    assert total(found) != pytest.approx(3.01)
