"""Why a program cannot listen at an address, and what would be right.

`crates/py/src/errors.rs` says the same of the servers there; a test compares the two.
"""

from __future__ import annotations

import errno
import os

_REMEDIES = {
    errno.EADDRINUSE: "name another port, or 0 for a free one",
    errno.EADDRNOTAVAIL: "name an address of this machine, as in 127.0.0.1:0",
    errno.EACCES: "name a port from 1024 on",
}


def listening_words(error: OSError) -> str:
    """The system's reason, and what would be right if that is known."""
    if error.errno is None or error.errno < 0:
        return error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno)
    return os.strerror(error.errno) + (f": {remedy}" if remedy else "")
