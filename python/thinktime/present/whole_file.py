"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from thinktime import _core

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""The errors of a place that takes no more: a full or broken disk, a quota, a limit of the size of
files. The input is not wrong."""

UNWRITTEN = (*FULL, errno.EBADF)
"""The errors of an output that takes nothing more, or was closed from the start (`>&-`)."""

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
    with _own(draft) as file:
        try:
            file.truncate(0)
            file.write(data)
            file.flush()
            draft.replace(place)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _own(draft: Path) -> BinaryIO:
    """The draft, for this writer alone: one that writes the same file at this time is waited for.

    The lock ends with its process, so that the draft of a killed one is free.
    """
    while True:
        file = draft.open("ab")
        with suppress(OSError):  # as on a network's folder that knows no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), draft.stat()):
                return file
        file.close()  # meanwhile the other one has moved it to its place


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
