"""Too little memory: what a command says of it.

Libraries fail in ways of their own if there is no more address space: some cannot be loaded, some
lack names afterwards, some start no threads, and some end the process without a word of ours.
"""

from __future__ import annotations

import errno
import resource

FOR_LIBRARIES = 500_000_000
"""Within this address space the libraries for figures cannot be loaded, and OpenBLAS ends the
process by itself; in bytes."""

LEAST = 2 << 30
"""Within this address space any failure may be one of memory; in bytes. Threads and libraries
reserve much more of it than they use."""


def warning() -> str | None:
    """A sentence for before the work, if there is so little address space that it may fail."""
    limit = _limit()
    if limit is None or limit >= LEAST:
        return None
    words = f"{_limited(limit)}: with less than {_in_gb(LEAST)} commands may fail"
    if limit < FOR_LIBRARIES:
        words += f", and with less than {_in_gb(FOR_LIBRARIES)} those with figures do"
    return words


def sentence(error: BaseException) -> str | None:
    """Why a command failed, if it may have been for want of memory."""
    limit = _limit()
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, MemoryError) or number == errno.ENOMEM:
        where = "take a smaller part, or a larger machine" if limit is None else _limited(limit)
        return f"there is not enough memory: {where}"
    other = isinstance(error, KeyboardInterrupt) or number in (errno.EPIPE, errno.ENOSPC)
    if limit is None or limit >= LEAST or other:
        return None
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"{what}; there may not be enough memory: {_limited(limit)}"


def _limit() -> int | None:
    """The most address space of the process, in bytes."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def _limited(limit: int) -> str:
    return f"`ulimit -v` allows {_in_gb(limit)} of address space"


def _in_gb(size: int) -> str:
    return f"{size / 1e9:.2g} GB"
