"""Signals that end a command, and the exit status after each."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_came: list[int] = []

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stop_on_signals() -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does; what the caller ignores stays ignored."""
    for number in STOPPING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def count_hangups() -> list[int]:
    """From now on SIGHUP ends nothing, and is only added to this list."""
    came: list[int] = []
    signal.signal(signal.SIGHUP, lambda number, _frame: came.append(number))
    return came


def status() -> int:
    """The status of a command that a signal ended before it had a result to show."""
    return 128 + (_came[-1] if _came else signal.SIGINT)


@contextmanager
def first_noted(note: Callable[[], bool]) -> Iterator[None]:
    """If a signal would end the command, first call `note`: it may be content with less.

    The command ends as usual if `note` returns False.
    """

    def come(number: int, frame: FrameType | None) -> None:
        if note():
            _came.append(number)
        else:
            _stop(number, frame)

    ours = [one for one in STOPPING if signal.getsignal(one) is _stop]
    for number in ours:
        signal.signal(number, come)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, _stop)


@contextmanager
def waiting() -> Iterator[list[int]]:
    """Let the first signal wait while a command shows and writes what it found.

    A second one ends the command as usual.

    Yields:
        The signal that came, once one has.
    """
    first: list[int] = []

    def note() -> bool:
        first.append(len(first))
        return len(first) == 1

    with first_noted(note):
        yield first


def _stop(number: int, _frame: FrameType | None) -> None:
    _came.append(number)
    raise KeyboardInterrupt
