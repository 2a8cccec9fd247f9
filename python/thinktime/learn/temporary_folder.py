"""The folder of files that `learn` needs for a moment."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thinktime import _core
from thinktime.present.whole_file import FULL


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is there within the block.

    Raises:
        RunError: It cannot be made, or a file does not fit into it. Its own name means nothing to
            anybody, so that the message names the place of temporary files.
    """
    try:
        place = tempfile.gettempdir()
    except FileNotFoundError:
        raise _unwritten("no folder takes them") from None
    try:
        with tempfile.TemporaryDirectory(prefix="thinktime-") as folder:
            yield Path(folder)
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise _unwritten(f"{place}: {error.strerror}") from None


def _unwritten(why: str) -> _core.RunError:
    right = "make room, or name another folder in the environment variable TMPDIR"
    return _core.RunError(f"temporary files cannot be written: {why}: {right}")
