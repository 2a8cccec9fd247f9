"""Work beside the main thread: Ctrl-C must end it although it does not reach it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


class WorkStopped(Exception):  # noqa: N818 - it is a wish, no error
    """The work is no longer wanted."""


class StopSignal:
    """Whether work is still wanted: the worker checks it now and then, between its steps."""

    def __init__(self, *wholes: StopSignal) -> None:
        """The signals of the enclosing work, if any: the work ends with each of them, too."""
        self._wholes = wholes
        self._wanted = Event()
        self._wanted.set()

    @property
    def wanted(self) -> bool:
        """Whether the work is still wanted."""
        return self._wanted.is_set() and all(one.wanted for one in self._wholes)

    def stop(self) -> None:
        """Mark the work as no longer wanted."""
        self._wanted.clear()

    def go_on(self) -> None:
        """Mark the work as wanted again."""
        self._wanted.set()

    def look(self) -> None:
        """Raise `WorkStopped` if the work is no longer wanted."""
        if not self.wanted:
            raise WorkStopped

    @contextmanager
    def if_raised(self) -> Iterator[None]:
        """End the parallel work if the block ends by Ctrl-C or an error."""
        try:
            yield
        except BaseException:
            self.stop()
            raise
