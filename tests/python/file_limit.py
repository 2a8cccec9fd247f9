"""A limit of the size of files, which is a disk that is full for this process alone."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

MESSAGE = "File too large"
"""What the operating system says then."""


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """Files that are written in the block get this many bytes at most."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
