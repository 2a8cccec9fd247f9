"""Which studies are run in small: those that were changed since all of them last passed.

A study is changed if one of its programs, its model files, the modules that these import directly
or its test is not as it was when `make nightly` last passed, which records their hashes. What the
product computes has tests of its own, and `make nightly` runs all studies whatever has changed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies"
VERIFIED = STUDIES / "verified.json"
"""The hash of each study at the time of the last nightly check that passed."""

ALL = "THINKTIME_NIGHTLY"
"""The variable that has all studies run."""

_SOURCES = (".py", ".toml", ".luau", ".conf", ".sql", ".sh")


def names() -> list[str]:
    """The studies: the folders of `studies`."""
    return sorted(path.parent.name for path in STUDIES.glob("*/README.md"))


def changed(name: str) -> bool:
    """Whether a study is to be run in small."""
    known = json.loads(VERIFIED.read_text("utf-8")) if VERIFIED.exists() else {}
    return bool(os.environ.get(ALL)) or known.get(name) != digest(name)


def digest(name: str) -> str:
    """The hash of all that a study is made of."""
    found = hashlib.sha256()
    for file in sorted(set(_files(name))):
        found.update(f"{file.relative_to(ROOT)}\0".encode())
        found.update(file.read_bytes())
    return found.hexdigest()


def _files(name: str) -> Iterator[Path]:
    """The files of a study that are no results, those they import, and those that test it."""
    own = [
        file
        for file in (STUDIES / name).rglob("*")
        if file.suffix in _SOURCES and "figures" not in file.parts
    ]
    yield from own
    test = ROOT / "tests/python" / f"test_study_{name.replace('-', '_')}.py"
    assert test.is_file(), f"the study {name} has no test {test.name}"
    yield test
    for file in own:
        if file.suffix == ".py":
            yield from _imported(file)


def _imported(file: Path) -> Iterator[Path]:
    """The files of this project that a program imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        modules = []
        if isinstance(node, ast.Import):
            modules = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        for module in modules:
            places = [STUDIES, ROOT / "python"]
            path = next((p for place in places if (p := _file(place, module))), None)
            if path is not None:
                yield path


def _file(place: Path, module: str) -> Path | None:
    """The file of a module below a folder."""
    path = place.joinpath(*module.split("."))
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in found if one.is_file()), None)


def main() -> None:
    """Record the hashes of all studies."""
    text = json.dumps({name: digest(name) for name in names()}, indent=2)
    VERIFIED.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
