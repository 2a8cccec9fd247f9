"""Which files and rooms of a Rust crate import which.

Every path in code counts: of `use`, re-exports too, and in expressions, types, macros and
attributes. It leads to the file that holds what it names, re-exports and imported modules followed
on the way. Tests, comments and other texts are no code. A folder is the file that declares its
modules: what it names of its own parts is no import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from room_graph import Graph, Import, Rooms
from test_tidy import is_test, without_tests, without_words

USE = re.compile(r"\buse\s+([^;]+);")
GROUP = re.compile(r"([\w:]*)\{([^{}]*)\}")
PATH = re.compile(r"(?<!\w)(?<!::)\w+(?:::\w+)+")
ATTRIBUTE = re.compile(rf'= "({PATH.pattern})"')
VISIBILITY = re.compile(r"\bpub\(in [\w:]+\)")

Parts = tuple[str, ...]
"""The parts of a path: `client::start` is ("client", "start"); the root of a crate has none."""


class Crate(Rooms):
    """The files of a crate, or of a folder of it, and what they import of one another."""

    mark = "::"

    def __init__(self, source: Path, folder: str = "") -> None:
        self.name = folder or "crate"
        self._paths: dict[Parts, set[Parts]] = {}
        self._names: dict[Parts, dict[str, Parts]] = {}
        for path in sorted(source.rglob("*.rs")):
            relative = path.relative_to(source)
            if not is_test(relative.as_posix()):
                parts = relative.with_suffix("").parts
                file = tuple(part for part in parts if part not in {"mod", "lib"})
                self._read(file, path.read_text(encoding="utf-8"))
        top = tuple(folder.split("/")) if folder else ()
        inside = [file for file in self._paths if file[: len(top)] == top]
        name = {file: "::".join(file[len(top) :]) for file in inside}
        self.files = name.values()
        self.imports = [
            Import(name[file], name[other])
            for file in inside
            for other in sorted({self._home(file, path) for path in self._paths[file]})
            if other in name and other[: len(file)] != file
        ]

    def folder_graph(self) -> Graph:
        """By folder, the folders beside it that it imports."""
        folders = {folder for file in self.files for folder in steps_to(file)[:-1]}
        graph: Graph = {folder: set() for folder in folders}
        for one in self.imports:
            beside = zip(steps_to(one.importer), steps_to(one.imported), strict=False)
            above, below = next((pair for pair in beside if pair[0] != pair[1]), ("", ""))
            if {above, below} <= folders:
                graph[above].add(below)
        return graph

    def _read(self, file: Parts, text: str) -> None:
        """Notes the paths in a file, and the names that its imports give to some of them."""
        code = VISIBILITY.sub("pub", without_tests(without_words(text)))
        given = [leaf for tree in USE.findall(code) for leaf in leaves(tree)]
        plain = PATH.findall(USE.sub("", code)) + ATTRIBUTE.findall(text)
        self._paths[file] = {path for _, path in given} | {tuple(one.split("::")) for one in plain}
        self._names[file] = {name: path for name, path in given if name != path[0]}

    def _home(self, file: Parts, path: Parts) -> Parts:
        """The file that holds what a path in a file names; the file itself, if it is elsewhere."""
        for _ in self._paths:  # no chain of re-exports is longer
            while path:
                steps = {"crate": (), "self": file, "super": file[:-1]}
                step = steps.get(path[0], (*file, path[0]))
                if step not in self._paths:
                    break
                file, path = step, path[1:]
            if not path or path[0] not in self._names[file]:
                break
            path = self._names[file][path[0]] + path[1:]
        return file


def steps_to(file: str) -> list[str]:
    """The folders that a file is in, the outermost first, and the file."""
    return list(accumulate(file.split("::"), "{}::{}".format))


def leaves(tree: str) -> Iterator[tuple[str, Parts]]:
    """The names that a `use` gives, with their paths: `a::{b, c::{d as e}}` has `b` and `e`."""

    def spread(group: re.Match[str]) -> str:
        return ",".join(group[1] + part.strip() for part in group[2].split(",") if part.strip())

    while (flat := GROUP.sub(spread, tree)) != tree:
        tree = flat
    for leaf in tree.split(","):
        path, *name = re.split(r"\s+as\s+", leaf.strip())
        parts = tuple(path.removesuffix("::self").split("::"))
        yield (name or parts)[-1], parts
