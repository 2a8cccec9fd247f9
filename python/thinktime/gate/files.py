"""The files of a gate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import _core
from thinktime.results.files import why_unwritten, write_whole

if TYPE_CHECKING:
    from thinktime.present.report import Report

_SIGNS = {
    "--junit": (b"<testsuite", 1000, "JUnit file"),
    "--markdown": (b"## ", 3, "summary of Thinktime"),
}
"""By option, the mark of such a file, the bytes at its beginning that have it, and its name."""


@dataclass(frozen=True)
class Files:
    """The files that are wanted; None for a file that is not."""

    junit: Path | None = None
    markdown: Path | None = None

    def write(self, reports: Sequence[Report]) -> None:
        """Write the wanted files of what a command reports.

        A file that is there is replaced; the file of `GITHUB_STEP_SUMMARY` is added to, because
        all commands of a step share it.

        Raises:
            OSError: if a file cannot be written.
        """
        from thinktime.gate import junit
        from thinktime.gate import markdown as summary

        if self.junit is not None:
            write_whole(self.junit, junit.document(reports))
        if self.markdown is not None:
            text = summary.document(reports)
            mode = "a" if _is_step_summary(self.markdown) else "w"
            try:
                with self.markdown.open(mode, encoding="utf-8", errors="replace") as file:
                    file.write(f"{text}\n" if mode == "a" else text)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self.markdown)) from None

    def unwritten(self, reports: Callable[[], Sequence[Report]]) -> str:
        """Write what is reported, if a file is wanted.

        Returns:
            Why a file could not be written; empty if all could.
        """
        return "" if self == Files() else why_unwritten(lambda: self.write(reports()))

    @contextmanager
    def failure_written(self, name: str) -> Iterator[None]:
        """If a run fails before it has a result, the files report it under this name."""
        try:
            yield
        except _core.RunError as error:
            from thinktime.present.report import failure

            self.write([failure(name, str(error))])
            raise


def files(junit: str | Path | None = None, markdown: str | Path | None = None) -> Files:
    """The files, checked before the run: a fault found later costs a whole run.

    A JUnit file that is there is removed: if this run fails, it could be taken for this run's.

    Raises:
        InputError: if a folder does not exist, a path is a folder, a file cannot be written, or a
            file of another kind is there: a mistyped name replaces no workload.
    """
    paths = [None if one is None else Path(one) for one in (junit, markdown)]
    for option, path in zip(("--junit", "--markdown"), paths, strict=True):
        if path is None:
            continue
        if path.is_dir():
            raise _core.InputError(f"{option} {path}: it is a folder: name a file in it")
        if not path.parent.is_dir():
            raise _core.InputError(f"{option} {path}: there is no folder {path.parent}: make it")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise _core.InputError(f"{option} {path}: nothing can be written there")
        _check_kind(option, path)
    if paths[0] is not None and paths[0].is_file():
        paths[0].unlink()
    return Files(*paths)


def _check_kind(option: str, path: Path) -> None:
    """Check that the file at the place, if there is one, is of the kind that belongs there."""
    if not path.is_file() or (option == "--markdown" and _is_step_summary(path)):
        return
    sign, within, kind = _SIGNS[option]
    with suppress(OSError), path.open("rb") as file:
        start = file.read(within)
        if start and sign not in start:
            raise _core.InputError(f"{option} {path}: is a file and no {kind}: give another name")


def _is_step_summary(path: Path) -> bool:
    shared = os.environ.get("GITHUB_STEP_SUMMARY")
    return bool(shared) and path.absolute() == Path(str(shared)).absolute()
