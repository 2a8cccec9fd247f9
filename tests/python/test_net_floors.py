"""The folders of the load generator stand on one another in a written order, and no files of the
crates for networks and logs import one another in a circle, but for those that are named here.

Every check is a function from what it reads to complaints, and is itself tested on bad input.
"""

from __future__ import annotations

import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_tidy import without_tests, without_words

ROOT = Path(__file__).resolve().parents[2]

FLOORS = [
    "plan",
    "record",
    "transport",
    "protocols",
    "target",
    "credentials",
    "requests",
    "shared",
    "connect",
    "engine",
    "run",
]
"""The folders of `crates/net/src/generator` from the ground up: each uses those before it alone."""

PAIRS = {"switch": {frozenset({"dispatcher", "ticket"})}}
"""By crate, the files that may know one another: a dropped ticket tells its dispatcher."""

Graph = dict[str, set[str]]


# ---- checks


def upward_arrows(graph: Graph, floors: list[str]) -> Iterator[str]:
    """Imports of files from a folder above their own, and folders without a place in the order."""
    height = {folder: number for number, folder in enumerate(floors)}
    for name, others in sorted(graph.items()):
        folder = name.split("::")[0]
        if name and folder not in height:
            yield f"{folder} has no place in the order: add it to FLOORS"
            continue
        for other in sorted(others):
            above = other.split("::")[0]
            if name and height.get(above, len(floors)) > height[folder]:
                yield f"{name} must not import {other or 'the generator'}"


def circles(graph: Graph, allowed: set[frozenset[str]]) -> Iterator[str]:
    """A circle of files, if there is one beside the pairs that may know one another."""
    free = {
        name: {other for other in others if frozenset({name, other}) not in allowed}
        for name, others in graph.items()
    }
    try:
        graphlib.TopologicalSorter(free).prepare()
    except graphlib.CycleError as error:
        yield " -> ".join(error.args[1])


def imports(source: Path, folder: str = "") -> Graph:
    """Which files of a crate import which, by the whole paths of `use` and of names in the code.

    A folder is the file that declares its modules; these declarations are no imports.
    """
    texts = {}
    for path in sorted((source / folder).rglob("*.rs")):
        parts = path.relative_to(source).with_suffix("").parts
        if "tests" not in parts:
            file = tuple(part for part in parts if part not in {"mod", "lib"})
            texts[file] = without_tests(without_words(path.read_text(encoding="utf-8")))
    top = len(Path(folder).parts)
    graph: Graph = {"::".join(file[top:]): set() for file in texts}
    for here, text in texts.items():
        for name in paths(text):
            found = module(absolute(here, name), texts)
            if found is not None and found != here:
                graph["::".join(here[top:])].add("::".join(found[top:]))
    return graph


def paths(text: str) -> Iterator[tuple[str, ...]]:
    """The paths from `crate` or `super` that code names, each with all of its parts."""
    text = re.sub(r"pub\(in [\w:]+\)", "pub", text)
    for tree in re.findall(r"\buse ((?:crate|super)\b[^;]*);", text):
        yield from leaves(re.sub(r"\s+", " ", tree))
    for path in re.findall(r"\b(?:crate|super)(?:::\w+)+", re.sub(r"\buse [^;]*;", "", text)):
        yield tuple(path.split("::"))


def leaves(tree: str) -> Iterator[tuple[str, ...]]:
    """The paths of a tree of imports: `a::{b, c::{d, e}}` has three."""
    head, brace, rest = tree.partition("{")
    base = tuple(part for part in head.strip().split("::") if part)
    if not brace:
        yield tuple(part.split(" as ")[0] for part in base)
        return
    depth, part = 0, ""
    for letter in rest.rstrip().removesuffix("}") + ",":
        if letter == "," and depth == 0:
            if part.strip():
                yield from (base + leaf for leaf in leaves(part))
            part = ""
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        part += letter


def absolute(here: tuple[str, ...], path: tuple[str, ...]) -> tuple[str, ...]:
    """A path from the root of its crate."""
    ups = len([part for part in path if part == "super"])
    return path[1:] if path[0] == "crate" else here[: len(here) - ups] + path[ups:]


def module(path: tuple[str, ...], files: dict[tuple[str, ...], str]) -> tuple[str, ...] | None:
    """The file in which a path ends, if it is one of these."""
    for length in range(len(path), -1, -1):
        if path[:length] in files:
            return path[:length]
    return None


# ---- the project against the checks


def test_the_folders_of_the_generator_stand_in_their_order() -> None:
    graph = imports(ROOT / "crates/net/src", "generator")
    assert len(graph) > 50
    assert "protocols::exchange" in graph["connect::connection"]
    assert list(upward_arrows(graph, FLOORS)) == []


@pytest.mark.parametrize("crate", ["net", "switch", "log", "data"])
def test_no_files_import_one_another_in_a_circle(crate: str) -> None:
    graph = imports(ROOT / f"crates/{crate}/src")
    assert len(graph) > 10
    assert list(circles(graph, PAIRS.get(crate, set()))) == []


# ---- the checks against bad input


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    files = {
        "lib.rs": "pub mod generator;",
        "generator/mod.rs": "mod plan;\nmod run;\npub use run::run;",
        "generator/plan/mod.rs": "pub(crate) struct Plan;",
        "generator/run/mod.rs": "pub(crate) mod loops;\nuse self::loops::Loops;",
        "generator/run/loops.rs": "use super::super::plan::{Plan, RunError};",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_what_is_imported_is_found(crate: Path) -> None:
    graph = imports(crate, "generator")
    assert graph == {"": set(), "plan": set(), "run": set(), "run::loops": {"plan"}}
    assert list(upward_arrows(graph, ["plan", "run"])) == []
    assert list(circles(graph, set())) == []


@pytest.mark.parametrize(
    "text",
    [
        "use crate::generator::run::loops::Loops;",
        "use super::run::Loops;",
        "use super::{\n    run::{loops::Loops, run},\n};",
        "fn of() { super::run::loops::of() }",
    ],
)
def test_an_arrow_upward_is_found(crate: Path, text: str) -> None:
    (crate / "generator/plan/mod.rs").write_text(text)
    found = list(upward_arrows(imports(crate, "generator"), ["plan", "run"]))
    assert found
    assert all(one.startswith("plan must not import run") for one in found)


def test_a_folder_without_a_place_is_found(crate: Path) -> None:
    found = list(upward_arrows(imports(crate, "generator"), ["plan"]))
    assert found == ["run has no place in the order: add it to FLOORS"] * 2


def test_a_circle_is_found_unless_it_is_a_pair_that_is_named(crate: Path) -> None:
    (crate / "generator/plan/mod.rs").write_text("use crate::generator::run::loops::Loops;")
    graph = imports(crate, "generator")
    assert len(list(circles(graph, set()))) == 1
    assert list(circles(graph, {frozenset({"plan", "run::loops"})})) == []


def test_declarations_and_tests_are_no_imports(crate: Path) -> None:
    text = "#[cfg(test)]\nmod tests {\n    use crate::generator::run::run;\n}\n"
    (crate / "generator/plan/mod.rs").write_text(text)
    assert imports(crate, "generator")["plan"] == set()
