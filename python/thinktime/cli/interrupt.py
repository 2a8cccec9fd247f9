"""Ctrl-C while a log is learned from: each one ends one step, and the results so far are shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from thinktime.cli import common, signals
from thinktime.learn.stop_signal import StopSignal

if TYPE_CHECKING:
    from thinktime.learn.logs.log import Log
    from thinktime.learn.logs.reader import Progress

WORDS = "interrupted: the part that was read is still learned; a second Ctrl-C ends the command"


class Interrupt:
    """A first Ctrl-C ends the reading or, after the reading, leaves out the fidelity."""

    def __init__(self) -> None:
        self.fidelity = StopSignal()
        """Whether the fidelity is still wanted."""
        self._all_read = False

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note a Ctrl-C within the block; if no step is left to end, it ends the command."""
        with signals.first_noted(self._note):
            yield

    def _note(self) -> bool:
        first = self.fidelity.wanted
        self.fidelity.stop()
        if first:
            common.remark(WORDS)
        return first

    def reading(self, progress: Progress | None) -> Progress:
        """The same progress; it ends the reading if that is enough."""

        def take(entries: int, share: float, unpacked: int) -> None:
            if progress is not None:
                progress(entries, share, unpacked)
            if not self.fidelity.wanted and not self._all_read:
                raise KeyboardInterrupt

        return take

    def read(self, log: Log) -> None:
        """The reading has ended: do the rest of what the Ctrl-C asked for."""
        self._all_read = True
        if log.stopped:
            self.fidelity.go_on()
