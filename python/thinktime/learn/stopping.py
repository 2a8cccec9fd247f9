"""Work beside the main thread, which Ctrl-C has to end although it does not reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


class Stopped(Exception):  # noqa: N818 - it is a wish, no error
    """The work is not wanted any more."""


class Stopping:
    """Whether work is still wanted: who does it looks now and then, between its steps."""

    def __init__(self) -> None:
        self._wanted = Event()
        self._wanted.set()

    def look(self) -> None:
        """Raise `Stopped` where the work is not wanted any more."""
        if not self._wanted.is_set():
            raise Stopped

    @contextmanager
    def if_raised(self) -> Iterator[None]:
        """End the work beside what is done within, where that ends by Ctrl-C or an error."""
        try:
            yield
        except BaseException:
            self._wanted.clear()
            raise
