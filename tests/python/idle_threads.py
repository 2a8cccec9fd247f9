"""Threads of a test that never end, and compute: all tests after it in the same process are slow.

A server of the tests that read from a client that had left, again and again, once took an eighth of
the time of all tests.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback

SAMPLE_S = 0.1
"""Long enough for a thread that computes to get its turn on a machine with more work than cores."""
SHARE = 0.1
"""Of a core: threads that wait take nothing, and one that computes takes what it gets."""


def share() -> float:
    """The share of a core that this process takes while the calling thread sleeps."""
    cpu_s, wall_s = time.process_time(), time.monotonic()
    time.sleep(SAMPLE_S)
    return (time.process_time() - cpu_s) / (time.monotonic() - wall_s)


def still_busy(within_s: float) -> str | None:
    """The places of all other threads if some compute all this time; None as soon as all rest."""
    end = time.monotonic() + within_s
    while share() > SHARE:
        if time.monotonic() > end:
            return "\n".join(
                "".join(traceback.format_stack(frame))
                for thread, frame in sys._current_frames().items()
                if thread != threading.get_ident()
            )
    return None
