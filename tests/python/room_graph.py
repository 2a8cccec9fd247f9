"""Which files and rooms of a Python package import which, late imports included.

A *room* is a package, or a loose file, directly under the package. Imports inside functions count,
those under `if TYPE_CHECKING` do not. A name that the face (`__init__.py`) re-exports stands for
the module that it comes from. The face imports late by name, so there the imports under
`if TYPE_CHECKING`, which list these names, count; and so do texts such as `package.page:html`.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GROUND = "_core"
"""The compiled half: all stand on it."""


@dataclass(frozen=True)
class Import:
    """One file that imports another one; both by their dotted names, the package's left out."""

    importer: str
    imported: str
    line: int


class Package:
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

    def file_graph(self) -> dict[str, set[str]]:
        """By file, the files that it imports; the face is no file like others, and left out."""
        graph: dict[str, set[str]] = {name: set() for name in self.files if name}
        for one in self.imports:
            if one.importer and one.imported and one.importer != one.imported:
                graph[one.importer].add(one.imported)
        return graph

    def room_graph(self) -> dict[str, set[str]]:
        """By room, the rooms that it imports; the face is a room of the package's name."""
        graph: dict[str, set[str]] = defaultdict(set)
        for name in self.files:
            graph[self.room(name)]
        for one in self.imports:
            if self.room(one.importer) != self.room(one.imported):
                graph[self.room(one.importer)].add(self.room(one.imported))
        return dict(graph)

    def room(self, file: str) -> str:
        """The room of a file."""
        return file.partition(".")[0] or self.name

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
        for node in ast.walk(tree):
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


def types_only(tree: ast.Module) -> set[int]:
    """Nodes under `if TYPE_CHECKING`, by identity."""
    return {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for statement in branch.body
        for node in ast.walk(statement)
    }


def _dotted(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
