"""The files of a gate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import _core
from thinktime.results.files import why_unwritten, write_whole

if TYPE_CHECKING:
    from thinktime.present.report import Report


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
        InputError: if a folder does not exist, a path is a folder, or a file cannot be written.
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
    if paths[0] is not None and paths[0].is_file():
        paths[0].unlink()
    return Files(*paths)


def _is_step_summary(path: Path) -> bool:
    shared = os.environ.get("GITHUB_STEP_SUMMARY")
    return bool(shared) and path.absolute() == Path(str(shared)).absolute()
