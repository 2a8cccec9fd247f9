"""Memory that is free between two steps of learning is returned to the operating system."""

from __future__ import annotations

import ctypes

from thinktime.learn.logs.requests import Requests

USERS = 500_000
"""A log of no more users takes no more than 500 MB in all."""


def many(requests: Requests) -> bool:
    """Whether there are enough requests and users that memory matters more than time.

    Then steps that take much memory run one after another.
    """
    return min(len(requests), len(requests.users)) > USERS


def give_back(requests: Requests) -> None:
    """Return free memory after a step, if there are very many requests and users.

    The allocator keeps memory of small arrays, which lies between used parts: after some steps that
    is a sixth of all memory. For a log of fewer users it is kept, since fresh memory takes time.
    Without glibc nothing is done.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None and many(requests):
        trim(0)
