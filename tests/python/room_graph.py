"""Which files and rooms of a Python package import which, late imports included; and what holds of
rooms in any language.

A *room* is a folder, or a loose file, directly under the package. Imports inside functions count,
those under `if TYPE_CHECKING` do not. A name that the face (`__init__.py`) re-exports stands for
the module that it comes from. The face imports late by name, so there the imports under
`if TYPE_CHECKING`, which list these names, count; and so do texts such as `package.page:html`.
"""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

GROUND = "_core"
"""The compiled half: all stand on it."""


Graph = dict[str, set[str]]
"""By name, the names of what it imports."""


@dataclass(frozen=True)
class Import:
    """One file that imports another one; both by their dotted names, the package's left out."""

    importer: str
    imported: str
    line: int | None = None


class Rooms:
    """Files, and what they import of one another; the face is the file without a name."""

    mark = "."
    """What stands between the parts of a file's name."""
    name: str
    files: Collection[str]
    imports: list[Import]

    def file_graph(self) -> Graph:
        """By file, the files that it imports; the face is no file like others, and left out."""
        graph: Graph = {name: set() for name in self.files if name}
        for one in self.imports:
            if one.importer and one.imported and one.importer != one.imported:
                graph[one.importer].add(one.imported)
        return graph

    def room_graph(self) -> Graph:
        """By room, the rooms that it imports; the face is a room of the package's name."""
        graph: Graph = {self.room(name): set() for name in self.files}
        for one in self.imports:
            if self.room(one.importer) != self.room(one.imported):
                graph[self.room(one.importer)].add(self.room(one.imported))
        return graph

    def room(self, file: str) -> str:
        """The room of a file."""
        return file.partition(self.mark)[0] or self.name


def upward_imports(rooms: Rooms, floors: str) -> Iterator[str]:
    """Imports of rooms that are not on a lower floor, and rooms without a floor. Each line is a
    floor, the lowest first."""
    lines = floors.strip().splitlines()
    floor = {room: number for number, line in enumerate(lines) for room in line.split()}
    known = rooms.room_graph().keys()
    yield from (f"{room} has no floor: add it to FLOORS" for room in sorted(known - floor.keys()))
    yield from (f"there is no room {room}" for room in sorted(floor.keys() - known))
    for one in rooms.imports:
        above, below = rooms.room(one.importer), rooms.room(one.imported)
        if above != below and floor.get(above, 0) <= floor.get(below, 0):
            line = "" if one.line is None else f", line {one.line}"
            place = one.importer or rooms.name
            yield f"{place}{line}: {above} must not import {below} ({one.imported})"


def circle(graph: Graph) -> list[str]:
    """Files or rooms that import one another in a circle; none if there is no such circle."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


class Package(Rooms):
    """The files of a package, and what they import of one another."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.files = {_dotted(path, folder): path for path in sorted(folder.rglob("*.py"))}
        self.face = self._face()
        self.imports = [
            Import(name, *one)
            for name, path in self.files.items()
            for one in self._imports_of(name, ast.parse(path.read_text(encoding="utf-8")))
        ]

    def _face(self) -> dict[str, str]:
        """By name, the module that the face has it from."""
        tree = ast.parse(self.files[""].read_text(encoding="utf-8"))
        return {
            alias.asname or alias.name: (node.module or "").partition(".")[2]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(self.name)
            for alias in node.names
        }

    def _imports_of(self, file: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
        left_out = set() if file == "" else types_only(tree)
        for node in ast.walk(tree) if file == "" else statements(tree):
            if id(node) in left_out:
                continue
            for target in self._targets(file, node):
                while target not in self.files:  # a name of the module before it
                    target = target.rpartition(".")[0]
                yield target, node.lineno

    def _targets(self, file: str, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == self.name:
                    yield alias.name.partition(".")[2]
        elif isinstance(node, ast.ImportFrom):
            module = self._module(file, node)
            for alias in node.names if module is not None else ():
                yield from self._target(module or "", alias.name)
        elif file == "" and isinstance(node, ast.Constant):
            yield from re.findall(rf"^{self.name}\.([\w.]+):\w+$", str(node.value))

    def _module(self, file: str, node: ast.ImportFrom) -> str | None:
        """The module that names are imported from; None if it is none of the package."""
        if not node.level:
            first, _, rest = (node.module or "").partition(".")
            return rest if first == self.name else None
        is_package = self.files[file].name == "__init__.py"
        parts = file.split(".") if file else []
        above = parts[: len(parts) - node.level + is_package]
        return ".".join([*above, *filter(None, [node.module])])

    def _target(self, module: str, name: str) -> Iterator[str]:
        if GROUND in (module, name):
            return
        full = f"{module}.{name}" if module else name
        if full in self.files and not (module == "" and name in self.face):
            yield full
        elif module:
            yield module
        elif self.face.get(name, "") != GROUND:
            yield self.face.get(name, "")


def statements(within: ast.AST) -> Iterator[ast.AST]:
    """All statements within one, at any depth, and the parts of statements that have some."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        found = getattr(within, name, None)
        for one in found if isinstance(found, list) else []:
            yield one
            yield from statements(one)


def types_only(tree: ast.Module) -> set[int]:
    """Statements under `if TYPE_CHECKING`, by identity."""
    return {
        id(node)
        for branch in statements(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for statement in branch.body
        for node in (statement, *statements(statement))
    }


def _dotted(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
