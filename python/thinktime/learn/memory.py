"""Memory that is free between two steps of learning, given back to the operating system."""

from __future__ import annotations

import ctypes

from thinktime.learn.logs.requests import Requests

USERS = 500_000
"""A log of no more users takes no more than 500 MB, whatever is kept of it."""


def many(requests: Requests) -> bool:
    """Whether these are so many, of so many users, that memory counts for more than time.

    Then what takes much of it is done one after another.
    """
    return min(len(requests), len(requests.users)) > USERS


def give_back(requests: Requests) -> None:
    """Give back what is free after a step, where there are very many requests and users.

    What the allocator keeps of small arrays for the next ones lies between what is used: after some
    steps that is a sixth of all memory. Of a log of fewer users it is kept, since fresh memory
    takes time. Elsewhere than in glibc nothing is done.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None and many(requests):
        trim(0)
