"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from thinktime import _core

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""The errors of a place that takes no more: a full or broken disk, a quota, a limit of the size of
files. The input is not wrong."""

_PAGE_START = b"<!doctype html"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside its place and move it there: the old file or the whole new one is there.

    A pipe or a device, which has no other place, is written to, and a link stays a link.

    Raises:
        OSError: It cannot be written; the message names the path.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data)
    except OSError as error:
        # The draft's name means nothing to anybody, and a full disk's error names no file.
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(place: Path, data: bytes) -> None:
    draft = place.with_name(f"{place.name}.new")
    try:
        draft.write_bytes(data)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


def check_page(path: Path) -> None:
    """Check that the file at a page's place, if there is one, is a page, too.

    Raises:
        InputError: It is another file, as a workload: a mistyped name replaces none.
    """
    if not path.is_file():
        return
    with suppress(OSError), path.open("rb") as file:
        start = file.read(len(_PAGE_START))
        if start and start.lower() != _PAGE_START:
            raise _core.InputError(f"{path}: is a file and no page: give the page another name")
