"""Work that Ctrl-C ends early, while the rest continues."""

from __future__ import annotations

from threading import Event


class WorkStopped(Exception):  # noqa: N818 - it is a wish, no error
    """The work is no longer wanted."""


class StopSignal:
    """Whether work is still wanted: the worker checks it now and then, between its steps."""

    def __init__(self) -> None:
        self._wanted = Event()
        self._wanted.set()

    @property
    def wanted(self) -> bool:
        """Whether the work is still wanted."""
        return self._wanted.is_set()

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
