"""The handling of the process's freed memory."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3), from glibc's malloc.h."""

LARGE = 3_000_000
"""Arrays of at least this many bytes are returned at once when they are freed. Smaller is a flag
for each of 2,000,000 requests; many such arrays come and go."""

FREE = 1 << 24
"""The most free bytes that are kept at the heap's end."""

REUSED, REUSED_FREE = 1 << 25, 1 << 26
"""The values in place of `LARGE` and `FREE` if a log has few enough users that there is room."""


POLARS = "_RJEM_MALLOC_CONF"
"""The environment variable from which the allocator of polars, jemalloc, takes its parameters."""

AT_ONCE = "narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0"
"""One heap for all threads, whose free pages are returned at once. Otherwise the memory that
columns of some threads free is kept for others that never need it: a fifth of all."""


BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""Threads of numpy's linear algebra: the work is small, and its threads wait by spinning."""


def give_back_large() -> None:
    """Return large arrays to the operating system when they are freed.

    Otherwise the allocators keep them once some have come and gone, up to 32 MB each, and the
    arrays between them keep whole regions: half of the memory for learning a log of a million
    users. Smaller arrays lie in one heap for all threads, and are used again: fresh memory costs
    the kernel's time. The setting is the process's, so only the command calls this, and before it
    imports polars, which reads its own setting once. Without glibc the other half is not done.
    """
    os.environ.setdefault(POLARS, AT_ONCE)
    os.environ.setdefault(BLAS_THREADS, "1")
    _set({_MMAP_THRESHOLD: LARGE, _TRIM_THRESHOLD: FREE, _ARENA_MAX: 1})


def use_again(users: int) -> None:
    """Keep large arrays for the next ones, if a log has few enough users that there is room.

    Fresh memory is a tenth of the time that learning a log takes.
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
    """Keep all objects that are made meanwhile, such as modules, without a garbage collection.

    Later collections need not search these permanent objects either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
