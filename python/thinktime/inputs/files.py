"""Workloads and systems as given: as objects, as files, or as a file's content in a dict."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from thinktime import _core
from thinktime.inputs.arguments import checked
from thinktime.inputs.dicts import by_key, lines_of, text_of
from thinktime.inputs.overlay import overlaid
from thinktime.inputs.whole_tables import as_in_file
from thinktime.workload import load

GivenWorkload = _core.Workload | Mapping[str, Any] | str | Path
GivenSystem = _core.System | Mapping[str, Any] | str | Path

LEARNED = ".system.toml"
"""How the name of a system file ends that `thinktime learn` writes beside the workload."""

_NOT_LEARNED = (
    "`thinktime learn` writes it if the log has durations, or if --demand gives them, as in "
    "--demand 'exp(5ms)'"
)

STDIN = "-"
"""The path that stands for standard input; files that its text names are beside the current folder,
and it is the name of the text in messages."""

Read = TypeVar("Read", _core.Workload, _core.System)

_of_stdin: list[tuple[object, str]] = []
"""The stream that was standard input, and its text, as a stream can be read once."""


def workload_of(given: GivenWorkload) -> _core.Workload:
    """The workload.

    Raises InputError if the file does not exist, or its content or the dict's is wrong.
    """
    return _read(_core.Workload, given)


def system_of(given: GivenSystem) -> _core.System:
    """The system.

    Raises InputError if the file does not exist, or its content or the dict's is wrong.
    """
    return _read(_core.System, given)


def named_workload(path: Path) -> _core.Workload:
    """The workload of a file, of standard input, or the preset of this name.

    Raises InputError as `workload_of`.
    """
    with not_swapped(_core.Workload, path):
        found = _loaded(_core.Workload, path) if str(path) == STDIN else load(path)
        return overlaid(found, str(path))


@checked
def schema(kind: str) -> str:
    """The JSON Schema of workload files, of system files, or of the summary of results.

    Args:
        kind: `workload`, `system` or `result`.

    Raises:
        InputError: if the kind is another one.
    """
    return _core.schema(kind)


def _read(kind: type[Read], given: Read | Mapping[str, Any] | str | Path) -> Read:
    if isinstance(given, kind):
        return given
    name = kind.__name__.lower()
    if isinstance(given, Mapping):
        return _read_dict(kind, given, f"the dict of the {name}")
    if isinstance(given, (str, Path)):
        with not_swapped(kind, Path(given)):
            return overlaid(_loaded(kind, Path(given)), str(given))
    raise _core.InputError(
        f"a {name} is a {kind.__name__}, the path of a file, or a dict, not {type(given).__name__}"
    )


@contextmanager
def not_swapped(kind: type[Read], path: Path) -> Iterator[None]:
    """Say of a file that cannot be read as its kind that it is one of the other kind, if it is.

    Raises:
        InputError: as what is done within, or the file is one of the other kind; of a system file
            that was to be learned, and is not there, why it may not be.
    """
    try:
        yield
    except _core.InputError as error:
        if path.name.endswith(LEARNED) and not path.exists():
            raise _core.InputError(f"{error}: {_NOT_LEARNED}") from None
        wanted, found = "workload", "system"
        if kind is _core.System:
            wanted, found = found, wanted
        if not (
            _is_one(_core.System, path) if found == "system" else _is_one(_core.Workload, path)
        ):
            raise
        raise _core.InputError(
            f"{path}: is a {found} file, and here belongs a {wanted} file: the workload comes "
            "first, then the system"
        ) from None


def _loaded(kind: type[Read], path: Path) -> Read:
    """The workload or system of a file, or of standard input.

    Raises InputError if it cannot be read, or its content is wrong.
    """
    return kind(_stdin_text(), STDIN) if str(path) == STDIN else kind.load(path)


def _stdin_text() -> str:
    """The text of standard input.

    Raises InputError if it cannot be read, is no text, or is too large.
    """
    from thinktime.importing import parsers

    if not _of_stdin or _of_stdin[0][0] is not sys.stdin:
        _of_stdin[:] = [(sys.stdin, parsers.text(parsers.data(STDIN), STDIN))]
    return _of_stdin[0][1]


def _is_one(kind: type[Read], path: Path) -> bool:
    """Whether a file is one of a kind."""
    try:
        _loaded(kind, path)
    except _core.InputError:
        return False
    return True


def _read_dict(kind: type[Read], given: Mapping[str, Any], source: str) -> Read:
    lines = lines_of(as_in_file(kind.__name__.lower(), given))
    text = text_of(lines)
    with suppress(_core.InputError):
        # Without a name: a run's messages then quote no lines of an invisible text.
        return kind(text)
    try:
        return kind(text, source)
    except _core.InputError as error:
        raise _core.InputError(by_key(str(error), source, lines)) from None
