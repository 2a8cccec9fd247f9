"""Dependencies point down, and core touches nothing outside itself.

Every check is a function from what it reads to complaints, and is itself tested on bad input.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from room_graph import Package, circle, statements, types_only, upward_imports
from test_tidy import is_test, without_tests, without_words

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "thinktime-"

ARROWS = {
    "file": set(),
    "core": {"file"},
    "script": {"core"},
    "sim": {"core"},
    "net": {"core"},
    "data": {"core"},
    "log": {"core"},
    "switch": {"core", "net"},
    "py": {"core", "script", "sim", "net", "data", "log", "switch"},
    "rust-client": {"core", "sim", "net"},
    "fuzz": {"core", "script", "net", "log"},
}
"""Which of our crates each crate may depend on, for any purpose, tests included."""

FLOORS = """
_core_types doctor importing numerics pcm present start_up workload
diagrams inputs recording stats theory
results
distributed lab validity
operations
trials
candidates comparison machine
learn
explain history
report
capacity_search demo sweeps tour
assistants gate monitor
thinktime
cli
reference
"""
"""The rooms of the Python package from the ground to the roof: each imports from lower floors only,
also inside functions. `thinktime` is its face, `__init__.py`."""

OUTSIDE = {
    r"\bstd::time\b|\bInstant\b|\bSystemTime\b": "reads a clock",
    r"\bstd::net\b|\bTcp(?:Stream|Listener)\b|\bUdpSocket\b": "opens sockets",
    r"\bstd::(?:thread|sync::mpsc)\b|\bthread::(?:spawn|sleep|scope)\b": "starts threads or sleeps",
    r"\bstd::(?:fs|io|process|env|path)\b|\bFile::": "reaches files or the process",
    r"\brand::|\bthread_rng\b|\bOsRng\b|\bfrom_os_rng\b|\bfrom_entropy\b|\bgetrandom\b": (
        "draws from a global generator"
    ),
    r"\be?print(?:ln)?!|\bdbg!": "prints",
    r"\bRandomState\b|\bHashMap\b|\bHashSet\b": "iterates in an order that changes between runs",
}
"""What core and the files that it is described by may not name, by pattern."""


# ---- checks


def upward_arrows(metadata: dict[str, Any]) -> Iterator[str]:
    """Dependencies of our crates on one another that the layout does not allow."""
    for package in metadata["packages"]:
        name = package["name"].removeprefix(PREFIX)
        if name not in ARROWS:
            yield f"{package['name']} has no place in the layout: add it to ARROWS"
            continue
        for dependency in package["dependencies"]:
            if not dependency["name"].startswith(PREFIX):
                continue
            other = dependency["name"].removeprefix(PREFIX)
            if other not in ARROWS[name]:
                yield f"{name} must not depend on {other}"


def outside_of(rust: str) -> Iterator[str]:
    """What Rust code, its tests aside, names of the world outside."""
    code = expanded(without_tests(without_words(rust)))
    for pattern, what in OUTSIDE.items():
        for found in re.finditer(pattern, code):
            line = code.count("\n", 0, found.start()) + 1
            yield f"line {line} (without tests): `{found[0]}` {what}"


def expanded(code: str) -> str:
    """Code in which `use std::{fs, io::Read}` also reads `std::fs` and `std::io::Read`."""

    def paths(found: re.Match[str]) -> str:
        inner = "; ".join(f"std::{part.strip()}" for part in found[1].split(","))
        return found[0] + " " + inner.replace("\n", " ")

    return re.sub(r"\bstd::\{([^;]*)\}", paths, code)


THEORY = ("thinktime.theory.", "thinktime.numerics.")
"""What theory consists of, with the functions of scipy."""


def imports_of_compiled(python: str) -> Iterator[str]:
    """Imports of the compiled half, or of what stands on it, that take place at run time."""
    tree = ast.parse(python)
    left_out = types_only(tree)
    for node in statements(tree):
        if id(node) in left_out:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            ours = name.startswith((".", "thinktime"))
            if (ours and not name.startswith((*THEORY, "."))) or "_core" in name:
                yield f"line {node.lineno}: imports {name}"


# ---- the project against the checks


def cargo_metadata() -> dict[str, Any]:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def test_dependencies_point_down() -> None:
    metadata = cargo_metadata()
    assert {package["name"] for package in metadata["packages"]} >= {
        f"{PREFIX}{name}" for name in ("core", "file", "sim", "net", "data", "py")
    }
    assert list(upward_arrows(metadata)) == []


def test_core_has_no_clock_socket_thread_or_file() -> None:
    folders = ("crates/core/src", "crates/file/src")
    sources = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.rs"))]
    assert len(sources) > 40
    found = [
        f"{path.relative_to(ROOT)}: {complaint}"
        for path in sources
        if not is_test(path.relative_to(ROOT).as_posix())
        for complaint in outside_of(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_unsafe_code_has_one_place() -> None:
    sources = [path for path in (ROOT / "crates").rglob("*.rs") if "target" not in path.parts]
    allowing = [path for path in sources if re.search(r"\bunsafe_code\b", path.read_text())]
    assert [path.relative_to(ROOT).as_posix() for path in allowing] == ["crates/core/src/simd.rs"]
    assert re.search(r'^unsafe_code = "deny"$', (ROOT / "Cargo.toml").read_text(), re.M)
    manifests = [path.read_text() for path in (ROOT / "crates").glob("*/Cargo.toml")]
    assert len(manifests) > 8
    assert all("[lints]\nworkspace = true" in text for text in manifests)


@pytest.fixture(scope="module")
def package() -> Package:
    return Package(ROOT / "python/thinktime")


def test_rooms_of_python_import_from_lower_floors(package: Package) -> None:
    found = list(upward_imports(package, FLOORS))
    assert not found, "\n".join(found)
    graph = package.room_graph()
    assert graph["thinktime"] > {"operations", "results", "sweeps", "theory", "validity"}
    assert circle(graph) == []


def test_python_has_no_circle_of_files(package: Package) -> None:
    graph = package.file_graph()
    assert len(graph) > 500
    assert "operations.run_options" in graph["operations.real_run"]
    assert circle(graph) == []


def test_theory_stands_by_itself() -> None:
    """Theory is what the rest is checked against, so it takes nothing from it."""
    package = ROOT / "python/thinktime"
    sources = [
        path for room in ("theory", "numerics") for path in sorted((package / room).glob("*.py"))
    ]
    assert len(sources) > 5
    found = [
        f"{path.relative_to(ROOT)}: {complaint}"
        for path in sources
        for complaint in imports_of_compiled(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


# ---- the checks against bad input


@pytest.mark.parametrize(
    ("crate", "depends_on"),
    [
        ("core", "sim"),
        ("sim", "net"),
        ("net", "sim"),
        ("data", "net"),
        ("script", "sim"),
        ("data", "py"),
        ("core", "surprise"),
        ("surprise", "core"),
    ],
)
def test_an_upward_arrow_is_found(crate: str, depends_on: str) -> None:
    dependency = {"name": f"thinktime-{depends_on}", "kind": "dev"}
    package = {"name": f"thinktime-{crate}", "dependencies": [{"name": "serde"}, dependency]}
    assert len(list(upward_arrows({"packages": [package]}))) == 1


def test_downward_arrows_are_no_fault() -> None:
    dependencies = [{"name": f"thinktime-{name}"} for name in ("core", "sim", "net", "data")]
    package = {"name": "thinktime-py", "dependencies": dependencies}
    assert list(upward_arrows({"packages": [package]})) == []


@pytest.mark.parametrize(
    "code",
    [
        "use std::time::Instant;",
        "let now = SystemTime::now();",
        "use std::net::TcpStream;",
        "std::thread::spawn(work);",
        "let text = std::fs::read(path);",
        "use std::{fmt, fs};",
        "use std::{\n    collections::BTreeMap,\n    io::{self, Read},\n};",
        "let u = rand::rng().random();",
        "let u = thread_rng();",
        'println!("{}", 1);',
        'eprint!("x");',
        "use std::collections::HashMap;",
        "#[cfg(test)]\nmod tests { fn a() {} }\nfn b() { std::fs::read(path); }",
        "#[cfg(test)]\nmod tests;\nuse std::io;",
    ],
)
def test_what_is_outside_is_found(code: str) -> None:
    assert list(outside_of(code))


@pytest.mark.parametrize(
    "code",
    [
        "// It has no std::fs and no println!\nfn a() {}",
        'const A: &str = "std::net";',
        "#[cfg(test)]\nmod tests {\n    use std::fs;\n    fn a() { println!(); }\n}\n",
        "use std::{fmt, ops::Add};",
        "use rand_core::Rng;",
    ],
)
def test_what_is_inside_is_no_fault(code: str) -> None:
    assert list(outside_of(code)) == []


@pytest.mark.parametrize(
    "code",
    [
        "from thinktime import _core",
        "from thinktime._core import System",
        "import thinktime._core",
        "from thinktime import Workload",
        "from .._core import System",
        "def f():\n    import thinktime",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from thinktime import System",
    ],
)
def test_an_import_of_the_compiled_half_is_found(code: str) -> None:
    assert list(imports_of_compiled(code))


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nfrom scipy import special",
        "from thinktime.theory.law import Law",
        "if TYPE_CHECKING:\n    from thinktime import System",
    ],
)
def test_other_imports_are_no_fault(code: str) -> None:
    assert list(imports_of_compiled(code)) == []
