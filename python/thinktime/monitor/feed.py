"""A command's side: it sends its state to a process of its own, and never waits for it.

Messages that the pipe does not take at once are kept. If too many are kept the oldest is dropped:
each message is complete in itself. So neither a viewer that stalls nor a process that hangs affects
the command.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import IO, Any

from thinktime.monitor.frames import Setting, packed
from thinktime.operations.run_progress import Moment, RequestSpan
from thinktime.present.page import Page, render

EVERY_S = 1.0
"""The time between messages to watchers."""

_PIPE_BYTES = 1 << 20
_KEPT_MAX = 8
_SPANS_MAX = 1000
_ANSWER_S = 10.0
"""The time that it may take to answer on a busy machine, on which the watched command has
priority."""

_TAKEN_S = 15.0
"""The time that the end waits for viewers to take the last page."""


class Feed:
    """The messages to watchers, from the start of the process until `close`."""

    def __init__(self, setting: Setting, descriptors: Sequence[int]) -> None:
        """Start the process; it inherits the descriptors of its listeners."""
        self._kept: deque[bytes] = deque(maxlen=_KEPT_MAX)
        self._unsent = b""
        self._due = 0.0
        self._most = 0
        self._looks: list[int] = []
        self._untold: Moment | None = None
        self._spans: deque[RequestSpan] = deque(maxlen=_SPANS_MAX)
        self._stoppable = threading.Lock()
        self._running = True
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        # -P: no file in the user's folder replaces a library.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "thinktime.monitor"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=tuple(descriptors),
            process_group=0,  # Ctrl-C is for the command, which announces its end
            bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipe = self._process.stdin
        with contextlib.suppress(OSError):  # a limit of the machine
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        os.set_blocking(self._pipe.fileno(), False)
        self.tell("setting", setting)
        self._listener = threading.Thread(
            target=self._listen, args=(self._process.stdout,), name="watching", daemon=True
        )
        self._listener.start()

    def tell(self, kind: str, thing: Any) -> None:
        """Send a message, or keep it for later; it never waits."""
        self._kept.append(packed((kind, thing)))
        self._write()

    def moment(self, moment: Moment) -> None:
        """Send a moment of a run, once a second, with the most requests in flight since."""
        self._most = max(self._most, moment.in_flight)
        self._spans.extend(moment.spans)
        self._untold = moment
        if self._is_due():
            self._tell_moment(moment)

    def _tell_moment(self, moment: Moment) -> None:
        self.tell("moment", (replace(moment, spans=tuple(self._spans)), self._most))
        self._spans.clear()
        self._untold = None
        self._most = 0

    def progress(self, done: int, time_s: float, in_system: int) -> None:
        """Send the progress of a simulation, once a second, with the mean of all looks since."""
        self._looks.append(in_system)
        if self._is_due():
            mean = sum(self._looks) / len(self._looks)
            self.tell("progress", (done, time_s, in_system, max(self._looks), mean))
            self._looks.clear()

    def reading(self, entries: int, share: float, unpacked: int) -> None:
        """Send the progress of reading logs, once a second."""
        if self._is_due():
            self.tell("reading", (entries, share, unpacked))

    def over(self) -> None:
        """From now on viewers cannot stop the finished command."""
        if self._untold is not None and self._spans:
            self._tell_moment(self._untold)
        with self._stoppable:
            self._running = False

    def finish(self, page: Callable[[], Page]) -> None:
        """Send the last page to viewers, if any, and wait until they have it."""
        self.over()
        self.tell("over", None)
        if not self._flush(_ANSWER_S) or self._answer(_ANSWER_S) in (None, "viewers 0"):
            return
        self.tell("page", render(page()))
        if self._flush(_TAKEN_S):
            self._answer(_TAKEN_S)

    def close(self) -> None:
        """End the process."""
        self.over()
        with contextlib.suppress(OSError):
            self._pipe.close()
        try:
            self._process.wait(_ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(_ANSWER_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _is_due(self) -> bool:
        now = time.monotonic()
        if now < self._due:
            return False
        # Without drift, and without haste after a pause.
        self._due = max(self._due + EVERY_S, now + EVERY_S / 2)
        return True

    def _write(self) -> bool:
        """Write as much as the pipe takes; returns whether that is all."""
        try:
            while self._unsent or self._kept:
                rest = self._unsent or self._kept.popleft()
                self._unsent = rest
                self._unsent = rest[os.write(self._pipe.fileno(), rest) :]
        except BlockingIOError:
            return False
        except OSError:  # the process is gone
            self._unsent = b""
            self._kept.clear()
        return True

    def _flush(self, patience_s: float) -> bool:
        """Write all, within a time limit."""
        end = time.monotonic() + patience_s
        while not self._write():
            left = end - time.monotonic()
            if left <= 0 or not select.select([], [self._pipe], [], left)[1]:
                return False
        return True

    def _answer(self, patience_s: float) -> str | None:
        try:
            return self._answers.get(timeout=patience_s)
        except queue.Empty:
            return None

    def _listen(self, answers: IO[bytes]) -> None:
        for line in answers:
            said = line.decode().strip()
            if said == "stop":
                self._stop()
            else:
                self._answers.put(said)

    def _stop(self) -> None:
        """Do the same as Ctrl-C; a shell may have let this command ignore that one.

        Once: two viewers who stop it, or an impatient one, must not interrupt the saving of the
        result.
        """
        with self._stoppable:
            if self._running:
                self._running = False
                ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
                os.kill(os.getpid(), signal.SIGTERM if ignored else signal.SIGINT)
