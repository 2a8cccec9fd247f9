"""The places where files may be written; `write_whole` writes one there."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.present.whole_file import write_whole

if TYPE_CHECKING:
    import polars as pl


def check_place(directory: Path, own: str, what: str) -> None:
    """Check whether a directory can be made or used, and has no foreign contents.

    Args:
        directory: The directory for the new files.
        own: The file that marks such a directory, as in `capacity.json`.
        what: The content of such a directory, for the message, as in `sweep`.

    Raises:
        InputError: a file is in its way, or it holds other things.
    """
    place = next(one for one in (directory, *directory.absolute().parents) if one.exists())
    if not place.is_dir():
        reason = "is a file, so there can be no directory: name another place"
        raise _core.InputError(f"{place}: {reason}")
    if place != directory or (directory / own).exists():
        return
    if any(directory.iterdir()):
        reason = f"is not empty and holds no {what}: name a new directory"
        raise _core.InputError(f"{directory}: {reason}")


def check_folder(path: Path) -> None:
    """Check that the folder of a file to be written exists.

    Raises:
        InputError: It does not exist: a mistyped name makes no folders.
    """
    if not path.absolute().parent.is_dir():
        raise _core.InputError(f"{path}: there is no folder {path.parent}: make it")


def write_table(path: Path, table: pl.DataFrame, **how: Any) -> None:
    """Write a table as Parquet, as `write_whole` does; `how` is for polars.

    Raises:
        OSError: It cannot be written; the message names the path.
    """
    content = io.BytesIO()
    table.write_parquet(content, **how)
    write_whole(path, content.getvalue())


def why_unwritten(write: Callable[[], object]) -> str:
    """Write; why that could not be done, by the file and the system's reason, or an empty text."""
    try:
        write()
    except OSError as error:
        return f"{error.filename}: {error.strerror}"
    except _core.RunError as error:  # a directory that cannot be put in its place
        return str(error)
    return ""


__all__ = ["check_folder", "check_place", "why_unwritten", "write_table", "write_whole"]
