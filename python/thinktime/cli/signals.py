"""Signals that end a command, and the status that it then ends with."""

from __future__ import annotations

import signal
from types import FrameType

_came: list[int] = []


def stop_on_signals() -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does; what the caller ignores stays ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def count_hangups() -> list[int]:
    """Let SIGHUP end nothing from now on, and only be added to this list."""
    came: list[int] = []
    signal.signal(signal.SIGHUP, lambda number, _frame: came.append(number))
    return came


def status() -> int:
    """The status of a command that a signal ended before it had anything to show."""
    return 128 + (_came[-1] if _came else signal.SIGINT)


def _stop(number: int, _frame: FrameType | None) -> None:
    _came.append(number)
    raise KeyboardInterrupt
