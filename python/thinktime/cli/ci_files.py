"""The files in which a command reports its outcome to a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import RunError

if TYPE_CHECKING:
    from thinktime.gate import Files
    from thinktime.present.report import Report


def files(junit: Path | None, markdown: Path | None) -> Files | None:
    """The requested files for a pipeline, if any; checked before anything runs.

    Raises:
        InputError: One of them cannot be written there.
    """
    if junit is None and markdown is None:
        return None
    from thinktime import gate  # with its libraries only if it is requested

    return gate.files(junit, markdown)


def write(files: Files | None, reports: Sequence[Report]) -> str:
    """Write the requested files; return why one could not be written, empty if all could."""
    if files is not None:
        try:
            files.write(reports)
        except OSError as error:
            return f"{error.filename}: {error.strerror}"
    return ""


@contextmanager
def failure_written(files: Files | None, name: str) -> Iterator[None]:
    """If a run fails before it has a result, the files report it under this name."""
    try:
        yield
    except RunError as error:
        if files is not None:
            from thinktime.present.report import failure

            files.write([failure(name, str(error))])
        raise
