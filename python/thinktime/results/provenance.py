"""What a result was made by: the command that was given, and the files that it named, by hash.

It is `made.json` in the directory of a result. `run.toml` says what was done; this says by which
words, and whether a file has changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.results.files import write_whole

if TYPE_CHECKING:
    from thinktime._core import System, Workload

FILE = "made.json"

_OF_OPTIONS = ("ca_file", "certificate")
"""Options that name files; nothing of a private key is kept, not even its hash."""

_USER = re.compile(r"(//)?[^/\s@]*:[^/\s@]*@|//[^/\s@]+@")
"""A user with a password before a host, and any such part of a url."""

_VALUE = r"""(?P<value>"[^"]*"|'[^']*'|[^\s"']+)"""

_WITHIN = (
    re.compile(rf"""(?P<before>(?:^|[\s"'])-{{0,2}}(?P<name>[A-Za-z_][\w.-]{{0,80}})=){_VALUE}"""),
    re.compile(rf"""(?P<before>(?:^|[\s"'])--?(?P<name>[A-Za-z][\w.-]{{0,80}})\s+)(?!-){_VALUE}"""),
    re.compile(r"""(?P<before>\b(?P<name>[A-Za-z][\w-]{0,80}):\s+)(?P<value>[^"']+)"""),
    re.compile(r"""(?P<before>(?:^|\s)-(?:u|-user)[\s=]+[^\s:"'=]+:)(?P<value>[^\s"']+)"""),
)
"""Secrets in a word that is itself a command, as in `--restart`: `--name=value` and `NAME=value`,
`--name value`, a header field, and the word after `-u`, as for curl."""

_ELSEWHERE = ("env:", "file:", "$", "{")
"""Beginnings of values that only name the place of a secret."""


@dataclass(frozen=True)
class UsedFile:
    """A file in its state at the command's beginning."""

    use: str
    """`workload`, `system`, `named by the workload`, `named by the system`, or an option."""

    name: str
    """Its name as given."""

    bytes: int
    """Its length."""

    sha256: str
    """The SHA-256 of its contents, in hexadecimal digits."""


@dataclass(frozen=True)
class Provenance:
    """The provenance of a result."""

    command: tuple[str, ...] | None
    """The words of the command, without passwords; None without a command."""

    files: tuple[UsedFile, ...] = ()
    host: Mapping[str, Any] = field(default_factory=dict)
    """`kernel`, `architecture` and `cores` of the machine."""

    @property
    def command_line(self) -> str | None:
        """The command in the syntax of a shell."""
        import shlex

        return None if self.command is None else shlex.join(self.command)


@dataclass
class _RunningCommand:
    """A running command, and the files that it was given by name."""

    words: tuple[str, ...]
    files: dict[str, Path] = field(default_factory=dict)


_given: ContextVar[_RunningCommand | None] = ContextVar("given", default=None)


@contextmanager
def command_words(words: Sequence[str]) -> Iterator[None]:
    """The block runs for these words of a command line."""
    before = _given.set(_RunningCommand(("thinktime", *map(str, words))))
    try:
        yield
    finally:
        _given.reset(before)


def note_file(use: str, path: Path) -> None:
    """Note the file of a command's workload or system."""
    now = _given.get()
    if now is not None:
        now.files[use] = path


def is_command() -> bool:
    """Whether a command is running."""
    return _given.get() is not None


def provenance_of(
    workload: Workload, system: System | None, given: Mapping[str, Any]
) -> Provenance:
    """The provenance of a result that is about to be made.

    `given` are the inputs by name: the workload and the system, whose paths are named, and options.
    """
    now = _given.get()
    known = {} if now is None else dict(now.files)
    inputs = {"workload": given.get("workload"), "system": given.get("system")}
    inputs["system"] = inputs["system"] or given.get("demands")
    known |= {use: Path(one) for use, one in inputs.items() if isinstance(one, str | Path)}
    found = [*_used(known.items())]
    found += _used(_named(workload, system))
    found += _used((name, Path(str(given[name]))) for name in _OF_OPTIONS if given.get(name))
    words = None if now is None else tuple(without_secrets(one) for one in now.words)
    return Provenance(words, tuple(found), host())


def _named(workload: Workload, system: System | None) -> Iterator[tuple[str, Path, str]]:
    """Scripts, data files and logs: the naming file, its folder, and their names."""
    for use, one in (("workload", workload), ("system", system)):
        for name, path in ({} if one is None else one.files).items():
            yield f"named by the {use}", Path(path), name


def _used(files: Iterable[tuple[str, Path] | tuple[str, Path, str]]) -> Iterator[UsedFile]:
    """The readable ones: the reader of a file reports an unreadable one."""
    for use, path, *name in files:
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                continue  # a pipe can be read only once
            digest = _digest(str(path.absolute()), about.st_mtime_ns, about.st_size)
        except OSError:
            continue
        yield UsedFile(use, name[0] if name else str(path), about.st_size, digest)


@lru_cache(maxsize=64)
def _digest(path: str, _modified_ns: int, _bytes: int) -> str:
    """Each version of a file is read once, even if many points of a sweep use it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def host() -> dict[str, Any]:
    """The machine, as in the `run.toml` of a run."""
    about = os.uname()
    cores = len(os.sched_getaffinity(0))
    return {"kernel": about.release, "architecture": about.machine, "cores": cores}


def without_secrets(word: str) -> str:
    """A word of a command line without passwords, and without values named like secrets."""
    kept = _USER.sub(lambda found: f"{'//' if '//' in found[0] else ''}REMOVED@", word)
    for one in _WITHIN:
        kept = one.sub(_without_value, kept)
    return _core.without_secrets(kept)


def _without_value(found: re.Match[str]) -> str:
    name, value = found.groupdict().get("name"), found["value"]
    secret = name is None or name in ("Cookie", "cookie") or _core.is_secret(name)
    kept = not secret or value.lstrip("\"'").startswith(_ELSEWHERE)
    return found[0] if kept else f"{found['before']}REMOVED"


def write(made: Provenance, directory: Path) -> None:
    """Write it into a result directory."""
    write_whole(directory / FILE, json.dumps(asdict(made), indent=2, ensure_ascii=False) + "\n")


def read(directory: Path) -> Provenance | None:
    """The provenance of a result directory; None if it was not noted, or cannot be read."""
    try:
        found = json.loads((directory / FILE).read_text("utf-8"))
        files = tuple(
            UsedFile(str(one["use"]), str(one["name"]), int(one["bytes"]), str(one["sha256"]))
            for one in found["files"]
        )
        words = found["command"]
        command = None if words is None else tuple(str(one) for one in words)
        return Provenance(command, files, dict(found["host"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
