"""The first module that Python runs for the command `thinktime`."""

from __future__ import annotations

import os
import signal
import sys


def quietly() -> None:
    """Let Ctrl-C end the command without a traceback during its imports.

    `cli.signals` takes over Ctrl-C when the command begins. A program that imports the package
    keeps its own way, and a signal that the caller ignores stays ignored.
    """
    is_command = os.path.basename(sys.argv[0] if sys.argv else "") == "thinktime"
    if is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
