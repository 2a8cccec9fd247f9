"""Work beside the main thread, which Ctrl-C has to end although it does not reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


class WorkStopped(Exception):  # noqa: N818 - it is a wish, no error
    """The work is not wanted any more."""


class StopSignal:
    """Whether work is still wanted: who does it looks now and then, between its steps."""

    def __init__(self, *wholes: StopSignal) -> None:
        """Of work that is part of others, if there are any: it ends with each of them, too."""
        self._wholes = wholes
        self._wanted = Event()
        self._wanted.set()

    @property
    def wanted(self) -> bool:
        """Whether the work is still wanted."""
        return self._wanted.is_set() and all(one.wanted for one in self._wholes)

    def stop(self) -> None:
        """Want it no more."""
        self._wanted.clear()

    def go_on(self) -> None:
        """Want it again."""
        self._wanted.set()

    def look(self) -> None:
        """Raise `WorkStopped` where the work is not wanted any more."""
        if not self.wanted:
            raise WorkStopped

    @contextmanager
    def if_raised(self) -> Iterator[None]:
        """End the work beside what is done within, where that ends by Ctrl-C or an error."""
        try:
            yield
        except BaseException:
            self.stop()
            raise
