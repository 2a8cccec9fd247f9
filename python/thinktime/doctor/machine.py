"""The sources of a machine's facts: kernel files, process limits, sleeps."""

from __future__ import annotations

import os
import platform
import resource
import time
from pathlib import Path

_SLEEPS = 200
_SLEEP_S = 0.0005


class Machine:
    """The machine that this process runs on."""

    def __init__(self, root: Path = Path("/")) -> None:
        """With the files of `/proc` and `/sys` below another root, for tests."""
        self._root = root

    def read(self, path: str) -> str | None:
        """The text of a file such as `proc/loadavg`, stripped; None if it cannot be read."""
        try:
            return (self._root / path).read_text("utf-8", errors="replace").strip()
        except OSError:
            return None

    def numbers(self, path: str) -> list[float]:
        """The numbers in a file, up to the first word that is not a number."""
        found: list[float] = []
        for word in (self.read(path) or "").split():
            try:
                found.append(float(word))
            except ValueError:
                break
        return found

    def numbers_of(self, path: str, name: str) -> list[float]:
        """The numbers after a word at the beginning of a line."""
        for line in (self.read(path) or "").splitlines():
            first, *rest = line.split()[:11] or [""]
            if first == name:
                return [float(word) for word in rest if word.isdigit()]
        return []

    def kernel(self) -> tuple[str, str]:
        """The name of the system and its release, as in ("Linux", "6.8.0")."""
        return platform.system(), platform.release()

    def descriptors(self) -> int:
        """The most files and sockets of a process: the generator raises its limit to it."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        return hard

    def threads(self) -> int:
        """The number of threads and processes that a user may have; -1 without a limit."""
        soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
        return soft

    def cores(self) -> int:
        """The number of cores that this process may use."""
        return len(os.sched_getaffinity(0))

    def lateness_s(self) -> list[float]:
        """The lateness of short sleeps, in seconds, rising; some 0.1 s of them."""
        late = []
        for _ in range(_SLEEPS):
            begun = time.monotonic()
            time.sleep(_SLEEP_S)
            late.append(time.monotonic() - begun - _SLEEP_S)
        return sorted(late)
