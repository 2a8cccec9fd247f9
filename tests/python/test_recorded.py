"""Twenty recorded simulations are unchanged, to the last bit."""

from __future__ import annotations

import pytest
import recorded
from recorded_pairs import PAIRS

HOW = (
    "results changed. If that is meant: .venv/bin/python tests/python/recorded.py --write "
    '"why they change", and say so in the commit'
)


@pytest.mark.parametrize("name", PAIRS)
def test_results_are_those_recorded(name: str) -> None:
    before = recorded.recorded()[name]
    now = recorded.record(PAIRS[name])
    assert recorded.same(now, before), f"{HOW}\nbefore: {before}\nnow: {now}"


def test_every_record_says_why_it_is_as_it_is() -> None:
    records = recorded.recorded()
    assert list(records) == list(PAIRS)
    assert all(len(one["why"].split()) > 2 for one in records.values())


def test_another_seed_is_another_result() -> None:
    name = "open, FCFS"
    pair = PAIRS[name]
    now = recorded.record(recorded.Pair(pair.workload, pair.system, pair.options | {"seed": 8}))
    before = recorded.recorded()[name]
    assert now["rows"] != before["rows"]
    assert now["summary"] != before["summary"]
