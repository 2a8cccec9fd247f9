"""Signals that end a command."""

from __future__ import annotations

import signal


def stop_on_signals() -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does; what the caller ignores stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
