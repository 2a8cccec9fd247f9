"""What the process does with memory that is free again."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MMAP_THRESHOLD = -3
"""The parameter of mallopt(3), from glibc's malloc.h."""

LARGE = 1 << 20
"""Bytes from which on an array is given back at once when it is freed."""


def give_back_large() -> None:
    """Give large arrays back to the operating system when they are freed.

    The allocator otherwise keeps them once some have come and gone, up to 32 MB each, and what lies
    between them keeps whole regions: a third of the memory that a log of a million users takes to
    learn. It is the process's setting, so only the command calls this. Elsewhere than in glibc
    nothing is done.
    """
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None:
        option(_MMAP_THRESHOLD, LARGE)


@contextmanager
def kept() -> Iterator[None]:
    """Keep all that is made meanwhile, such as modules, without looking for what is garbage of it.

    What is there for good need not be looked through again and again afterwards either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
