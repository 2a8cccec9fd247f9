"""A `thinktime serve --burn` in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from listening import Listening, listening


@contextmanager
def burning(system: Path, cores: Sequence[int]) -> Iterator[Listening]:
    """Serve until the end of the block."""
    options = ["--cores", ",".join(map(str, cores))]
    with listening(["serve", str(system), "--burn", *options]) as (server,):
        yield server
