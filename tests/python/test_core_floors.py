"""The rooms of core stand on floors: what a room takes from another comes from a floor below.

A room is a file or a folder of `crates/core/src`. The order is written here, from the ground up;
a new room needs a place in it.
"""

from __future__ import annotations

import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_tidy import is_test, without_tests, without_words

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "crates/core/src"

FLOORS = """
error failure heap lru random ring words
calendar column data queue schema units
change file files notation time
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
"""
"""Each line is a floor, the lowest first; rooms of one floor take nothing from one another."""

Module = tuple[str, ...]
"""The path of a module from the root of its crate: `client::start` is ("client", "start")."""

USE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]*);", re.M)
INLINE = re.compile(r"(?<![\w:])(?:crate|super|self)(?:::\w+)+")


# ---- the graph of imports


def modules(folder: Path) -> dict[Module, str]:
    """The code of each module of a crate, without tests, comments and texts."""
    found = {}
    for path in sorted(folder.rglob("*.rs")):
        relative = path.relative_to(folder)
        if not is_test(f"src/{relative.as_posix()}"):
            parts = relative.with_suffix("").parts
            name = tuple(part for part in parts if part not in {"mod", "lib"})
            found[name] = without_tests(without_words(path.read_text(encoding="utf-8")))
    return found


def leaves(tree: str) -> Iterator[Module]:
    """The paths of a `use`: `a::{b, c::{d, e as f}}` has `a::b`, `a::c::d` and `a::c::e`."""
    group = re.fullmatch(r"\s*([^{]*)\{(.*)\}\s*", tree, re.S)
    if group is None:
        path = re.sub(r"\s+as\s+\w+\s*$", "", tree).strip()
        if path:
            yield tuple(part.strip() for part in path.split("::"))
        return
    for part in split(group[2]):
        yield from leaves(group[1].strip() + part.strip())


def split(list_: str) -> list[str]:
    """The parts of a list at its commas, but for those within braces."""
    parts, depth = [""], 0
    for sign in list_:
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def absolute(module: Module, path: Module, known: dict[Module, str]) -> Module | None:
    """A path as seen from the root of the crate; nothing for one that leads out of it."""
    if path[0] == "crate":
        return path[1:]
    if path[0] not in {"super", "self"}:
        return module + path if (*module, path[0]) in known else None
    while path and path[0] in {"super", "self"}:
        module = module[:-1] if path[0] == "super" else module
        path = path[1:]
    return module + path


def imports(folder: Path) -> dict[Module, set[Module]]:
    """Which module takes something from which, re-exports followed to their room."""
    known = modules(folder)
    graph: dict[Module, set[Module]] = {}
    for module, code in known.items():
        paths = [path for tree in USE.findall(code) for path in leaves(tree)]
        paths += [tuple(found.split("::")) for found in INLINE.findall(USE.sub("", code))]
        taken = (absolute(module, path, known) for path in paths)
        graph[module] = {owner(path, known) for path in taken if path is not None} - {module}
    return graph


def owner(path: Module, known: dict[Module, str]) -> Module:
    """The module in which a path ends: the longest beginning that is one."""
    lengths = range(len(path), 0, -1)
    return next((path[:length] for length in lengths if path[:length] in known), ())


# ---- checks


def floors(text: str) -> dict[str, int]:
    """The floor of each room."""
    lines = text.strip().splitlines()
    return {room: floor for floor, line in enumerate(lines) for room in line.split()}


def faults(graph: dict[Module, set[Module]], order: dict[str, int]) -> Iterator[str]:
    """Rooms without a place, and what is taken from the same floor or one above."""
    for room in sorted({module[0] for module in graph if module} - set(order)):
        yield f"`{room}` has no place among the floors"
    for room in sorted(set(order) - {module[0] for module in graph if module}):
        yield f"`{room}` has a place among the floors and is no room"
    for module, others in sorted(graph.items()):
        for other in sorted(others):
            if not module or not other or module[0] == other[0]:
                continue
            if order.get(other[0], -1) >= order.get(module[0], len(order)):
                yield f"{'::'.join(module)} takes from {'::'.join(other)}, which stands above"


def folder_circles(graph: dict[Module, set[Module]]) -> Iterator[str]:
    """Circles of folders that stand side by side; a folder may know its own parts."""
    folders = {module[:length] for module in graph for length in range(1, len(module))}
    beside: dict[Module, dict[Module, set[Module]]] = {}
    for module, others in graph.items():
        for other in others:
            pairs = zip(module, other, strict=False)
            shared = next((at for at, (one, two) in enumerate(pairs) if one != two), None)
            if shared is None:
                continue
            one, two = module[: shared + 1], other[: shared + 1]
            if one in folders and two in folders:
                beside.setdefault(module[:shared], {}).setdefault(one, set()).add(two)
    for arrows in beside.values():
        try:
            graphlib.TopologicalSorter(arrows).prepare()
        except graphlib.CycleError as error:
            yield " -> ".join("::".join(folder) for folder in error.args[1])


def test_core_takes_from_floors_below_alone() -> None:
    graph = imports(CORE)
    assert len(graph) > 200
    assert ("attempt",) in graph["client", "session"]
    found = list(faults(graph, floors(FLOORS)))
    assert not found, "\n".join(found)


def test_no_folders_of_core_stand_in_a_circle() -> None:
    assert list(folder_circles(imports(CORE))) == []


# ---- the checks against bad input


def crate(folder: Path, files: dict[str, str]) -> dict[Module, set[Module]]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return imports(folder)


LOW = {"lib.rs": "pub mod time;\npub mod client;", "time.rs": "pub struct Nanos;"}


@pytest.mark.parametrize(
    "code",
    [
        "use crate::client::Clients;",
        "use super::client::Clients;",
        "use std::fmt;\nuse crate::{\n    client::{Clients, session::Slot as S},\n};",
        "pub fn a() -> crate::client::session::Slot { loop {} }",
        "pub(crate) use crate::client::Clients;",
    ],
)
def test_an_arrow_upward_is_found(tmp_path: Path, code: str) -> None:
    client = {"client/mod.rs": "use crate::time::Nanos;", "client/session.rs": ""}
    graph = crate(tmp_path, {**LOW, **client, "time.rs": code})
    assert len({fault.split(",")[0] for fault in faults(graph, floors("time\nclient"))}) >= 1


def test_rooms_of_one_floor_take_nothing_from_one_another(tmp_path: Path) -> None:
    graph = crate(tmp_path, {**LOW, "client.rs": "use crate::time::Nanos;"})
    assert len(list(faults(graph, floors("time client")))) == 1


def test_a_room_without_a_place_is_found(tmp_path: Path) -> None:
    graph = crate(tmp_path, LOW)
    assert list(faults(graph, floors("client"))) == [
        "`time` has no place among the floors",
        "`client` has a place among the floors and is no room",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "use crate::time::Nanos;\nuse super::time;",
        "// use crate::record::Row;\nuse crate::time::Nanos;",
        "use std::client::record;\nuse serde::record;",
        "#[cfg(test)]\nmod tests {\n    use crate::record::Row;\n}\n",
        "use session::Slot;\nuse self::session::Other;",
    ],
)
def test_arrows_downward_and_inside_are_no_fault(tmp_path: Path, code: str) -> None:
    files = {"client/mod.rs": code, "client/session.rs": "use super::Clients;", "record.rs": ""}
    graph = crate(tmp_path, {**LOW, **files})
    assert list(faults(graph, floors("time\nclient\nrecord"))) == []


def test_a_circle_of_folders_is_found(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod system;",
        "system/mod.rs": "pub use cluster::node::Cluster;",
        "system/cluster/node.rs": "use super::super::{Job, station::ranks::Ranks};",
        "system/station/ranks.rs": "",
        "system/station/model.rs": "use super::ranks::Ranks;",
    }
    assert list(folder_circles(crate(tmp_path, files))) == []
    upward = {"system/station/ranks.rs": "use crate::system::cluster::node::Cluster;"}
    assert len(list(folder_circles(crate(tmp_path, upward)))) == 1
