"""What counts as an import in Rust, and the checks of the order of rooms against wrong orders."""

from __future__ import annotations

from pathlib import Path

import pytest
from room_graph import circle, upward_imports
from rust_graph import Crate

HOUSE = {
    "lib.rs": "pub mod time;\npub mod client;\nmod record;\npub use client::Clients;",
    "time.rs": "pub struct Nanos;",
    "client/mod.rs": "mod session;\nmod slots;\npub use self::session::{Session, Slot as Place};\n"
    "use slots::Slots;\nuse crate::time::Nanos;",
    "client/session.rs": "pub(in crate::client) struct Session;",
    "client/slots.rs": "use super::Nanos;",
    "record.rs": "",
}
"""A crate in order, by file; each of its rooms takes from those before it alone."""

IN_ORDER = "time\nclient\nrecord\ncrate"


def house(folder: Path, inside: str = "", **files: str) -> Crate:
    """A crate of these files in a folder; `files` are texts that some have instead."""
    for name, text in HOUSE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files.get(name.removesuffix(".rs").replace("/", "_"), text))
    return Crate(folder, inside)


def test_a_house_in_order_is_no_fault(tmp_path: Path) -> None:
    crate = house(tmp_path)
    assert crate.file_graph() == {
        "time": set(),
        "client": {"time"},
        "client::session": set(),
        "client::slots": {"time"},
        "record": set(),
    }
    assert crate.room_graph()["client"] == {"time"}
    assert list(upward_imports(crate, IN_ORDER)) == []
    assert circle(crate.file_graph()) == []


@pytest.mark.parametrize(
    "code",
    [
        "use crate::client::session::Session;",
        "use super::client::session::Session;",
        "use std::fmt;\nuse crate::{\n    time::{self},\n    client::{session::Other as S},\n};",
        "pub(crate) use crate::client::session::*;",
        "fn of() { use crate::client::session; }",
        "pub fn of() -> Vec<crate::client::session::Session> { loop {} }",
        "fn of() { super::client::session::of() }",
        "macro_rules! of { () => { $crate::client::session::of() } }",
        '#[serde(deserialize_with = "crate::client::session::of")]\nstruct A;',
        "use crate::client;\nfn of() { client::session::of() }",
        "use crate::client::Session;",
        "use crate::client::{Other, Place as Another};",
        "fn of() -> super::client::Session { loop {} }",
        "use crate::client as clients;\nuse clients::Session;",
    ],
)
def test_an_arrow_upward_is_found(tmp_path: Path, code: str) -> None:
    crate = house(tmp_path, time=code)
    assert "client::session" in crate.file_graph()["time"]
    found = list(upward_imports(crate, IN_ORDER))
    assert found
    assert all(one.startswith("time: time must not import client (client") for one in found)


@pytest.mark.parametrize(
    "code",
    [
        "// use crate::record::Row;\nuse crate::time::Nanos;",
        'const WORDS: &str = "use crate::record::Row;";',
        "use std::record::client;\nuse serde::record;\nuse ::record::Row;\nuse record::record;",
        "#[cfg(test)]\nmod tests {\n    use crate::record::Row;\n}\n",
        "mod session;\nuse session::Slot;\nuse self::session::Other;\nfn of() { session::of() }",
        "pub(in crate::record) fn of() {}\nfn of() -> impl Iterator + use<'a> { loop {} }",
    ],
)
def test_arrows_downward_and_inside_are_no_fault(tmp_path: Path, code: str) -> None:
    crate = house(tmp_path, client_mod=code)
    assert crate.file_graph()["client"] <= {"time"}
    assert list(upward_imports(crate, IN_ORDER)) == []


def test_what_files_of_tests_import_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "client/tests").mkdir(parents=True)
    (tmp_path / "client/tests.rs").write_text("use crate::record::Row;")
    (tmp_path / "client/tests/many.rs").write_text("use crate::record::Row;")
    assert list(upward_imports(house(tmp_path), IN_ORDER)) == []


def test_a_part_that_takes_from_its_folder_stands_above_it(tmp_path: Path) -> None:
    crate = house(tmp_path, client_session="use super::Clients;")
    assert crate.file_graph()["client::session"] == {"client"}


def test_what_the_root_declares_is_on_the_highest_floor(tmp_path: Path) -> None:
    (found,) = upward_imports(house(tmp_path, time="use crate::VERSION;"), IN_ORDER)
    assert found == "time: time must not import crate ()"


@pytest.mark.parametrize(
    ("floors", "faults"),
    [
        ("time client\nrecord\ncrate", ["client: client", "client::slots: client"]),
        ("client\nrecord\ncrate", ["time has no floor", "client: client", "client::slots: client"]),
        ("time\nclient\nattic\nrecord\ncrate", ["there is no room attic"]),
    ],
)
def test_wrong_floors_are_found(tmp_path: Path, floors: str, faults: list[str]) -> None:
    found = list(upward_imports(house(tmp_path), floors))
    assert len(found) == len(faults)
    assert all(one.startswith(fault) for one, fault in zip(found, faults, strict=True))


def test_a_folder_is_a_house_of_its_own(tmp_path: Path) -> None:
    upward = "use super::slots::Slots;\nuse crate::record::Row;"
    crate = house(tmp_path, "client", client_session=upward)
    assert crate.file_graph() == {"session": {"slots"}, "slots": set()}
    assert list(upward_imports(crate, "slots\nsession\nclient")) == []
    assert len(list(upward_imports(crate, "session\nslots\nclient"))) == 1


@pytest.mark.parametrize("code", ["use super::super::record;", "use super::Row;"])
def test_a_circle_of_files_is_found(tmp_path: Path, code: str) -> None:
    clients = "mod session;\npub use crate::record::Row;"
    files = {"client_mod": clients, "client_session": code, "record": "use crate::time::Nanos;"}
    assert circle(house(tmp_path, **files).file_graph()) == []
    files["time"] = "use crate::client::session::Session;"
    found = circle(house(tmp_path, **files).file_graph())
    assert set(found) == {"client::session", "record", "time"}


def test_a_circle_of_folders_is_found(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod system;",
        "system/mod.rs": "pub use cluster::node::Cluster;",
        "system/cluster/mod.rs": "",
        "system/cluster/node.rs": "use super::super::{Job, station::ranks::Ranks};",
        "system/station/mod.rs": "",
        "system/station/ranks.rs": "",
        "system/station/model.rs": "use super::{Station, ranks::Ranks};",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = Crate(tmp_path).folder_graph()
    assert graph["system::cluster"] == {"system::station"}
    assert graph["system"] == graph["system::station"] == set()
    assert circle(graph) == []
    upward = "use crate::system::cluster::node::Cluster;"
    (tmp_path / "system/station/model.rs").write_text(upward)
    assert circle(Crate(tmp_path).file_graph()) == []
    assert set(circle(Crate(tmp_path).folder_graph())) == {"system::cluster", "system::station"}
