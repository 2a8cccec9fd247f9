"""The files in which a command tells a pipeline what it came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from thinktime import RunError

if TYPE_CHECKING:
    from thinktime.gate import Files, Summaries


def files(junit: Path | None, markdown: Path | None) -> Files | None:
    """The files that a pipeline wants, if it wants any; looked at before anything is run.

    Raises:
        InputError: if one of them cannot be written there.
    """
    if junit is None and markdown is None:
        return None
    from thinktime import gate  # with its libraries only where it is wanted

    return gate.files(junit, markdown)


def write(files: Files | None, summaries: Callable[[], Summaries]) -> str:
    """Write the files that are wanted; why one could not be written, empty where all could."""
    if files is not None:
        try:
            files.write(*summaries())
        except OSError as error:
            return f"{error.filename}: {error.strerror}"
    return ""


@contextmanager
def failure_written(files: Files | None, name: str) -> Iterator[None]:
    """Where a run fails before it has a result, the files say so under this name."""
    try:
        yield
    except RunError as error:
        if files is not None:
            from thinktime import gate

            files.write(*gate.of_failure(name, str(error)))
        raise
