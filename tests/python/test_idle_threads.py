"""Threads that compute after their test are found, and those that wait are no fault."""

from __future__ import annotations

import threading
import time

from idle_threads import still_busy


def test_a_thread_that_computes_is_found_until_it_ends() -> None:
    ended = threading.Event()

    def never_ending_work() -> None:
        while not ended.is_set():
            sum(range(1000))

    thread = threading.Thread(target=never_ending_work, daemon=True)
    thread.start()
    try:
        found = still_busy(0.2)
    finally:
        ended.set()
        thread.join()
    assert found is not None
    assert "never_ending_work" in found
    assert still_busy(5.0) is None


def test_a_thread_that_waits_is_no_fault() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, daemon=True)
    thread.start()
    begun_s = time.monotonic()
    assert still_busy(5.0) is None
    assert time.monotonic() - begun_s < 5.0
    ended.set()
    thread.join()
