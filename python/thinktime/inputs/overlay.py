"""Overlays: files whose keys replace those of a workload or a system where it is read.

Keys of tables replace, one by one. In a list of tables, each table is laid over the one that has
its name: over all of them if the name is `*`. A list that the file lacks comes whole, and so does
any other value. Files that an overlay names are beside the file below it. In a workload with
populations the tables of a population (`arrivals`, `session`, `clients`, `request`) are laid over
those of each population.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from thinktime import _core
from thinktime.inputs.dicts import Lines, lines_of, text_of
from thinktime.inputs.key_lines import line_of

Read = TypeVar("Read", _core.Workload, _core.System)

_KINDS: tuple[type[_core.Workload | _core.System], ...] = (_core.Workload, _core.System)
_OF_POPULATIONS = ("arrivals", "session", "clients", "request")
_ALL = "*"
_NAMES = {"behaviour": "request"}
"""By list, the key that names its tables, if it is not `name`."""


@dataclass(frozen=True)
class Overlay:
    """An overlay as it was read."""

    path: Path
    text: str
    tables: Mapping[str, Any]
    kind: type[_core.Workload | _core.System]
    """What it is laid over."""

    def error(self, key: Sequence[str | int], message: str) -> _core.InputError:
        """An error about one of its keys; an empty key stands for the whole file."""
        line = line_of(self.text, key)
        where = f"{self.path}:{line}" if line else f"{self.path}"
        return _core.InputError(": ".join(filter(None, (where, _readable(key), message))))


_laid: list[Overlay] = []
"""The overlays of what is read now."""


@contextmanager
def laid(
    paths: Sequence[Path], kinds: Sequence[type[_core.Workload | _core.System]]
) -> Iterator[None]:
    """Lay files over all workloads and systems of these kinds that are read in the block.

    Raises:
        InputError: One cannot be read, has unknown keys, or is for a kind that is not read.
    """
    found = [_read(Path(path)) for path in paths]
    for one in found:
        if one.kind not in kinds:
            raise one.error(
                (), f"is laid over a {_word(one.kind)} file, and the command was given none"
            )
    before, _laid[:] = [*_laid], found
    try:
        yield
    finally:
        _laid[:] = before


def overlaid(loaded: Read, file: str) -> Read:
    """A workload or a system of this file with all that lies over it.

    Raises:
        InputError: An overlay does not fit; the message names its key.
    """
    for one in _laid:
        if isinstance(loaded, one.kind):
            loaded = _OverlayStep(one, file).over(loaded)
    return loaded


def _read(path: Path) -> Overlay:
    try:
        text = path.read_text("utf-8")
        tables = tomllib.loads(text)
    except OSError as error:
        raise _core.InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _core.InputError(f"{path}: is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        found = re.search(r" \(at line (\d+), .*\)", str(error))
        line = f":{found[1]}" if found else ""
        raise _core.InputError(f"{path}{line}: {str(error).split(' (at ')[0]}") from None
    return _of_a_kind(Overlay(path, text, tables, _core.Workload))


def _of_a_kind(read: Overlay) -> Overlay:
    """The overlay with its kind: the first one that has all of its keys."""
    if not read.tables:
        raise read.error((), "is empty: an overlay has keys of a workload or of a system file")
    for kind in _KINDS:
        unknown = [key for key in read.tables if key not in _keys(kind)]
        if not unknown:
            return Overlay(read.path, read.text, read.tables, kind)
    known = [key for kind in _KINDS for key in _keys(kind)]
    for key in read.tables:
        if key not in known:
            raise read.error((key,), f"unknown key{_near(key, known)}")
    (first, second) = (next(k for k in read.tables if k not in _keys(kind)) for kind in _KINDS)
    raise read.error(
        (first,), f"`{first}` is a key of system files and `{second}` one of workload files: an "
        "overlay is laid over one of them: make two files"
    )  # fmt: skip


def _keys(kind: type[_core.Workload | _core.System]) -> list[str]:
    return _keys_of(_word(kind))


@cache
def _keys_of(word: str) -> list[str]:
    return list(json.loads(_core.schema(word))["properties"])


def _word(kind: type[_core.Workload | _core.System]) -> str:
    return kind.__name__.lower()


def _readable(key: Sequence[str | int]) -> str:
    """`request[1].retry`, whose tables count from 1."""
    parts = (f"[{one + 1}]" if isinstance(one, int) else f".{one}" for one in key)
    return "".join(parts).removeprefix(".")


def _near(wrong: str, known: Sequence[str]) -> str:
    near = get_close_matches(wrong, known, 1)
    return (
        f": did you mean `{near[0]}`?" if near else f": there are {', '.join(sorted(set(known)))}"
    )


Key = tuple[str | int, ...]
"""The path of a key; tables of a list count from 0."""


@dataclass
class _OverlayStep:
    """One overlay on its way over one file."""

    overlay: Overlay
    file: str
    origins: dict[Key, Key] = field(default_factory=dict)
    """By the key in the file, the key of the overlay that was laid over it."""

    unmatched: dict[Key, list[str]] = field(default_factory=dict)
    """By the key of a table of the overlay, the names among which its own is not."""

    matched: set[Key] = field(default_factory=set)
    """The keys of its tables that were laid over one."""

    def over(self, loaded: Read) -> Read:
        tables = tomllib.loads(loaded.to_toml())
        laid = dict(self.overlay.tables)
        for at, population in enumerate(tables.get("population", ())):
            its = {key: laid[key] for key in _OF_POPULATIONS if key in laid}
            self._lay(population, its, ("population", at), ())
        if tables.get("population"):
            laid = {key: value for key, value in laid.items() if key not in _OF_POPULATIONS}
        self._lay(tables, laid, (), ())
        self._check_names()
        lines = lines_of(tables)
        # The files that either names are beside the file.
        name = f"{self.file} with {self.overlay.path.name}"
        try:
            return type(loaded)(text_of(lines), name, loaded.files)
        except _core.InputError as error:
            raise self._told(str(error), name, lines) from None

    def _lay(self, under: dict[str, Any], over: Mapping[str, Any], at: Key, own: Key) -> None:
        for key, value in over.items():
            here, there = (*at, key), (*own, key)
            old = under.get(key)
            self.origins[here] = there
            if isinstance(old, dict) and isinstance(value, dict):
                self._lay(old, value, here, there)
            elif _names(key, value) and (_names(key, old) or _ALL in _names(key, value)):
                self._lay_list(old or [], value, here, there)
            else:
                under[key] = value

    def _lay_list(
        self, under: list[dict[str, Any]], over: Sequence[Mapping[str, Any]], at: Key, own: Key
    ) -> None:
        """Tables by their names."""
        by = _NAMES.get(str(at[-1]), "name")
        for place, one in enumerate(over):
            there = (*own, place)
            rest = {key: value for key, value in one.items() if key != by}
            for number, old in enumerate(under):
                if one[by] in (_ALL, old.get(by)):
                    self.origins[*at, number] = there
                    self._lay(old, rest, (*at, number), there)
                    self.matched.add(there)
            self.unmatched.setdefault(there, []).extend(str(old.get(by)) for old in under)

    def _check_names(self) -> None:
        for there, names in self.unmatched.items():
            if there in self.matched:
                continue
            by = _NAMES.get(str(there[-2]), "name")
            where: Any = self.overlay.tables
            for part in there:
                where = where[part]
            what = f"{self.file} has no {there[-2]} `{where[by]}`"
            if where[by] == _ALL:
                what = f"`{_ALL}` is each {there[-2]} of the file, and {self.file} names none"
                raise self.overlay.error((*there, by), what)
            raise self.overlay.error((*there, by), what + _near(where[by], names))

    def _told(self, message: str, name: str, lines: Lines) -> _core.InputError:
        """An error of the laid file, as one about the key of the overlay."""
        found = re.match(rf"{re.escape(name)}:(\d+): (.*)", message, re.S)
        if found is None:
            said = message.removeprefix(f"{name}: ")
            return self.overlay.error((), f"laid over {self.file}: {said}")
        number, said = int(found[1]), found[2]
        key = lines[number - 1][1] if 0 < number <= len(lines) else ""
        precise = re.match(r"([\w-]+[\w.\[\]-]*): ", said)
        if precise is not None and precise[1].split(".")[0] == key.split(".")[0]:
            key = precise[1]
        said = said[precise.end() :] if precise is not None and key.endswith(precise[1]) else said
        path = _path(key)
        for end in range(len(path), 0, -1):
            if path[:end] in self.origins:
                own = (*self.origins[path[:end]], *path[end:])
                return self.overlay.error(own, said)
        return self.overlay.error((), f"laid over {self.file}: {key}: {said}")


def _names(key: str, value: Any) -> list[str]:
    """The names of the tables of a list; none if it is no list of tables with names."""
    by = _NAMES.get(key, "name")
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return []
    names = [one.get(by) for one in value]
    return names if all(isinstance(one, str) for one in names) else []


def _path(key: str) -> Key:
    """`request[1].retry` as a path, whose tables count from 0."""
    parts = re.findall(r"\[(\d+)\]|([^.\[\]]+)", key)
    return tuple(int(number) - 1 if number else word for number, word in parts)
