"""The places where files may be written; `write_whole` writes one there."""

from __future__ import annotations

from pathlib import Path

from thinktime import _core
from thinktime.present.whole_file import write_whole


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


__all__ = ["check_folder", "check_place", "write_whole"]
