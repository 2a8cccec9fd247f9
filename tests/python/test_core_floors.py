"""The rooms of core stand on floors: what a room takes from another comes from a floor below.

A room is a file or a folder of `crates/core/src`, and `crate` is its `lib.rs`. The order is written
here, from the ground up; a new room needs a place in it. Inside rooms the files have no written
order, but they too stand on one another in no circle.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from room_graph import circle, upward_imports
from rust_graph import Crate

ROOT = Path(__file__).resolve().parents[2]

FLOORS = """
failure heap lru random ring simd words
calendar column data matrix queue
change files notation
attempt distribution limit share statistics times
journey policy trace
request
secrets
program
replay
arrival
workload
client options system
record
crate
"""
"""Each line is a floor, the lowest first; rooms of one floor take nothing from one another."""


@pytest.fixture(scope="module")
def core() -> Crate:
    return Crate(ROOT / "crates/core/src")


def test_core_takes_from_floors_below_alone(core: Crate) -> None:
    assert len(core.files) > 200
    assert "attempt" in core.file_graph()["client::session"]
    found = list(upward_imports(core, FLOORS))
    assert not found, "\n".join(found)


def test_no_folders_of_core_stand_in_a_circle(core: Crate) -> None:
    assert "system::station" in core.folder_graph()["system::cluster"]
    assert circle(core.folder_graph()) == []


def test_no_files_of_core_import_one_another_in_a_circle(core: Crate) -> None:
    graph = core.file_graph()
    assert "system::ids" in graph["system::node"]
    assert circle(graph) == []
