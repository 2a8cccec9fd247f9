"""The folders of the load generator stand on one another in a written order, and no files of a
crate import one another in a circle, but for those that are named here."""

from __future__ import annotations

from pathlib import Path

import pytest
from room_graph import circle, upward_imports
from rust_graph import Crate

ROOT = Path(__file__).resolve().parents[2]

FLOORS = """
plan
record
transport
protocols
target
credentials
requests
shared
connect
engine
run
generator
"""
"""The folders of `crates/net/src/generator` from the ground up, and its face, `mod.rs`: each uses
those before it alone."""

PAIRS = {"switch": ("ticket", "dispatcher")}
"""By crate, a file that may know another one that knows it: a dropped ticket tells its
dispatcher."""


def test_the_folders_of_the_generator_stand_in_their_order() -> None:
    generator = Crate(ROOT / "crates/net/src", "generator")
    assert len(generator.files) > 50
    assert "protocols::exchange" in generator.file_graph()["connect::connection"]
    assert list(upward_imports(generator, FLOORS)) == []


@pytest.mark.parametrize("crate", ["net", "switch", "log", "data", "script", "sim", "file", "py"])
def test_no_files_import_one_another_in_a_circle(crate: str) -> None:
    graph = Crate(ROOT / f"crates/{crate}/src").file_graph()
    assert len(graph) > 10
    if crate in PAIRS:
        one, other = PAIRS[crate]
        graph[one].remove(other)
    assert circle(graph) == []
