"""The modules that a k6 script imports, and the names that it exports.

Modules are read that lie in the folder of the script, in one that the user names instead, or in
folders below it; all others are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thinktime import InputError
from thinktime.importing import parsers
from thinktime.importing.javascript.reader import Reader
from thinktime.importing.javascript.syntax import (
    FUNCTIONS,
    Node,
    inside,
    line_of,
    parse,
    part,
    parts,
    text_of,
)
from thinktime.importing.javascript.values import Function, Member, Scope, Unknown
from thinktime.importing.notes import Notes

MODULES_MAX = 100
CHARACTERS_MAX = 8_000_000
_ENDINGS = ("", ".js", ".ts", "/index.js", "/index.ts")

_ELSEWHERE = {
    "browser": "a page is a request with `objects`",
    "k6/x/": "extensions are not known",
    "httpx": "only those of `k6/http` are read",
    "experimental/redis": "only those of `k6/http` are read",
}
"""The substitute of a module, by a part of its name."""

_QUIET = ("k6-utils", "k6-summary", "papaparse", "/url/", "formdata", "k6chaijs", "/ajv/")
"""Parts of the names of libraries that send nothing by themselves."""

_OUTSIDE = "it lies outside of {}; `--folder DIR` names the folder that holds both"
_NOT_OF_LOAD = ("setup", "teardown", "handleSummary")


class Modules:
    """Reads a script with the modules of its folder, each once.

    ``folder`` is the one that the user names; by default that of the script.
    """

    def __init__(self, file: str, reader: Reader, notes: Notes, folder: Path | None = None) -> None:
        self.reader, self.notes = reader, notes
        script = Path(file)
        self.script = script.resolve() if file != "-" and script.is_file() else None
        self.named = folder is not None
        self.folder = folder.resolve() if folder else self.script and self.script.parent
        if folder and not (self.script and self.script.is_relative_to(self.folder or "")):
            raise InputError(f"--folder {folder}: the script {file} does not lie in it")
        self.read: dict[Path, dict[str, Any]] = {}

    def take(self, root: Node, file: str = "") -> tuple[Scope, dict[str, Any]]:
        """The scope of a file's own names, and what it exports by its names."""
        place = self.folder / file if self.folder and file else self.script
        found: dict[str, Any] = {}
        for one in parts(root):
            module = _module(one)
            if one.type == "import_statement" and module:
                held = self._held(one, module, place)
                for clause in parts(one):
                    found |= {own: _of(held, name, module) for own, name in _imported(clause)}
        for node, module in _required(root):
            self._held(node, module, None)
        known = Scope({}, Scope(found, file=file))
        self.reader.module(root, known)
        exported = self._exported(root, known)
        for one in parts(root):
            module = _module(one)
            if one.type == "export_statement" and module:
                exported |= _passed_on(one, self._held(one, module, place), module)
        return known, exported

    def _held(self, node: Node, module: str, place: Path | None) -> dict[str, Any]:
        """What a module exports, if it is one that is read; else a note if it may send requests."""
        why = _other(module)
        if not why and module.startswith("."):
            path = self._path(module, place)
            if isinstance(path, Path):
                return self._read(path)
            why = f"`{module[:80]}` is not read: {path}"
        elif not why and not module.startswith("k6") and not is_quiet(module):
            why = f"`{module[:80]}` is not read: it is no file beside the script"
        if why:
            self.notes.add(self.reader.place(node), why)
        return {}

    def _path(self, module: str, place: Path | None) -> Path | str:
        """The file of a module, or the reason why it is not read."""
        if self.folder is None or place is None:
            return "the folder of the script is not known"
        if len(self.read) >= MODULES_MAX:
            return f"the script has more than {MODULES_MAX} modules"
        for ending in _ENDINGS:
            try:
                path = (place.parent / f"{module}{ending}").resolve()
                if path.is_file():
                    around = "that of `--folder`" if self.named else "the folder of the script"
                    below = path.is_relative_to(self.folder)
                    return path if below else _OUTSIDE.format(around)
            except (OSError, ValueError):
                continue
        return "there is no such file"

    def _read(self, path: Path) -> dict[str, Any]:
        """What the module of a file exports."""
        if path not in self.read and self.folder is not None:
            found = self.read[path] = {}  # first: two modules may import one another
            file = path.relative_to(self.folder).as_posix()
            try:
                text = parsers.text(parsers.data(str(path)), file)
                if len(text) > CHARACTERS_MAX:
                    raise InputError(f"{file}: is too large")
            except InputError as error:
                self.notes.add(file, f"is not read: {error}")
            else:
                before, self.reader.file = self.reader.file, file
                known, exported = self.take(parse(text), file)
                found |= known.names | exported
                self.reader.file = before
        return self.read[path]

    def _exported(self, root: Node, known: Scope) -> dict[str, Any]:
        """The values that a file exports, by the names that scenarios have."""
        found: dict[str, Any] = {}
        for one in parts(root):
            if one.type != "export_statement" or _module(one):
                continue
            value = part(one, "value") or part(one, "declaration")
            if any(child.type == "default" for child in one.children) and value is not None:
                name = text_of(part(value, "name")) or text_of(value)
                is_function = value.type in FUNCTIONS
                held = Function(value, known) if is_function else known.names.get(name)
                found["default"] = self.reader.value(value, known) if held is None else held
            for each in inside(one, kinds=("export_specifier",)):
                name = text_of(part(each, "name"))
                found[text_of(part(each, "alias")) or name] = known.names.get(name)
        return found


def is_quiet(module: str) -> bool:
    """Whether a library sends nothing by itself."""
    return any(one in module for one in _QUIET)


def _module(node: Node) -> str:
    return text_of(part(node, "source")).strip("'\"")


def _other(module: str) -> str:
    """What to write instead of a module whose calls ask a server in another way."""
    found = next((words for name, words in _ELSEWHERE.items() if name in module), "")
    return f"the calls of `{module[:60]}` are left out: {found}" if found else ""


def _of(held: dict[str, Any], name: str, module: str) -> Any:
    """What a module exports by a name; `*` is the module itself."""
    if name == "*":
        return held or Member(module)
    return held.get(name, Member(module, "" if name in ("http", "default") else name))


def _passed_on(node: Node, held: dict[str, Any], module: str) -> dict[str, Any]:
    """What `export { a as b } from` and `export * from` pass on."""
    named = list(inside(node, kinds=("export_specifier",)))
    found = {}
    for one in named:
        name = text_of(part(one, "name"))
        found[text_of(part(one, "alias")) or name] = _of(held, name, module)
    return found if named else {name: one for name, one in held.items() if name != "default"}


def _imported(clause: Node) -> Iterator[tuple[str, str]]:
    """The names that a clause of `import` gives to what a module exports, with its own names."""
    for one in parts(clause) if clause.type == "import_clause" else []:
        if one.type == "identifier":
            yield text_of(one), "default"
        elif one.type == "namespace_import" and parts(one):
            yield text_of(parts(one)[0]), "*"
        for each in parts(one) if one.type == "named_imports" else []:
            name = text_of(part(each, "name"))
            yield text_of(part(each, "alias")) or name, name


def _required(root: Node) -> Iterator[tuple[Node, str]]:
    for one in inside(root, kinds=("variable_declarator",)):
        given = part(one, "value")
        if given is not None and text_of(part(given, "function")) == "require":
            names = parts(part(given, "arguments"))
            if names:
                yield one, text_of(names[0]).strip("'\"")


def unread(root: Node, known: Scope, seen: set[tuple[str, int]], notes: Notes) -> None:
    """Notes the calls that stand in no function that is run, and functions around the load."""
    around: list[tuple[int, int]] = []
    for name in _NOT_OF_LOAD:
        held = known.names.get(name)
        if isinstance(held, Function):
            around.append((held.node.start_byte, held.node.end_byte))
            text = f"`{name}` left out: it is not of the load"
            notes.add(f"line {line_of(held.node)}", text)
    for one in inside(root, kinds=("call_expression",)):
        kind = _kind_of(part(one, "function"), known)
        is_around = any(begin <= one.start_byte < end for begin, end in around)
        if kind and ("", one.start_byte) not in seen and not is_around:
            text = f"the {kind} is left out: it is in no function that is followed"
            notes.add(f"line {line_of(one)}", text)


def _kind_of(function: Node | None, known: Scope) -> str:
    """What a call is, by the name of a module in it; empty for others."""
    name, _, inner = text_of(function).partition(".")
    holder = known.holder(name)
    held = holder.names[name] if holder is not None else Unknown(name)
    if not isinstance(held, Member):
        return ""
    if held.module == "k6/http" and (inner or held.name) in _REQUESTS:
        return "request"
    return {"check": "check", "sleep": "sleep"}.get(held.name or inner, "")


_REQUESTS = ("get", "head", "post", "put", "patch", "del", "options", "request", "batch",
             "asyncRequest")  # fmt: skip
