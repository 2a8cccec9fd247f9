"""Ctrl-C while a log is learned from: once for what there is by then, twice for the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from thinktime.cli import signals
from thinktime.learn.stopping import Stopping

if TYPE_CHECKING:
    from thinktime.learn.log import Log
    from thinktime.learn.reading import Progress


class Enough:
    """A first Ctrl-C ends the reading; or, when all is read, leaves out the fidelity."""

    def __init__(self) -> None:
        self.fidelity = Stopping()
        """Whether the fidelity is still wanted."""
        self._all_read = False

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note the first Ctrl-C within; a second one ends the command as ever."""
        with signals.first_noted(self._note):
            yield

    def _note(self) -> bool:
        first = self.fidelity.wanted
        self.fidelity.stop()
        return first

    def reading(self, progress: Progress | None) -> Progress:
        """The same progress; it ends the reading where that is enough."""

        def take(entries: int, share: float, unpacked: int) -> None:
            if progress is not None:
                progress(entries, share, unpacked)
            if not self.fidelity.wanted and not self._all_read:
                raise KeyboardInterrupt

        return take

    def read(self, log: Log) -> None:
        """The reading has ended: what a Ctrl-C that ended it has asked for is done."""
        self._all_read = True
        if log.stopped:
            self.fidelity.go_on()
