"""What the process does with memory that is free again."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3), from glibc's malloc.h."""

LARGE = 3_000_000
"""Bytes from which on an array is given back at once when it is freed: more than a flag for each of
2,000,000 requests takes, of which many come and go."""

FREE = 1 << 24
"""So many free bytes at the heap's end are kept at most."""

REUSED, REUSED_FREE = 1 << 25, 1 << 26
"""What stands for `LARGE` and `FREE` where a log has so few users that there is room."""


POLARS = "_RJEM_MALLOC_CONF"
"""The environment variable from which the allocator of polars, jemalloc, takes its parameters."""

AT_ONCE = "narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0"
"""One heap for all threads, whose free pages are given back at once. Without it what columns of
some threads leave free is kept for others that never want it: a fifth of all."""


BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""Of numpy's linear algebra. What there is to do is small, and its threads wait by spinning."""


def give_back_large() -> None:
    """Give large arrays back to the operating system when they are freed.

    The allocators otherwise keep them once some have come and gone, up to 32 MB each, and what lies
    between them keeps whole regions: half of the memory that a log of a million users takes to
    learn. Smaller ones lie in one heap for all threads, and are used again: fresh memory costs the
    kernel's time. It is the process's setting, so only the command calls this, and before polars is
    imported, which reads its own once. Elsewhere than in glibc the other half is not done.
    """
    os.environ.setdefault(POLARS, AT_ONCE)
    os.environ.setdefault(BLAS_THREADS, "1")
    _set({_MMAP_THRESHOLD: LARGE, _TRIM_THRESHOLD: FREE, _ARENA_MAX: 1})


def use_again(users: int) -> None:
    """Keep large arrays for the next ones, where a log has so few users that there is room.

    Fresh memory is a tenth of the time that a log takes to learn.
    """
    from thinktime.learn.memory import USERS

    if users <= USERS:
        _set({_MMAP_THRESHOLD: REUSED, _TRIM_THRESHOLD: REUSED_FREE})


def _set(parameters: dict[int, int]) -> None:
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None:
        for name, value in parameters.items():
            option(name, value)


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep all that is made meanwhile, such as modules, without looking for what is garbage of it.

    What is there for good need not be looked through again and again afterwards either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
