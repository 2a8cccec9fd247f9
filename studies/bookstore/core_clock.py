"""The load of a core."""

from __future__ import annotations

from pathlib import Path


class CoreClock:
    """The share of its time that a core is busy with any work, including the kernel's."""

    def __init__(self, core: int) -> None:
        """It runs from now on."""
        self.core = core
        self.mark()

    def mark(self) -> None:
        """Count from now on."""
        self.since = self._now()

    def busy(self) -> float:
        """The share since the mark."""
        idle, whole = (now - then for now, then in zip(self._now(), self.since, strict=True))
        return 1 - idle / max(whole, 1)

    def _now(self) -> tuple[int, int]:
        """Ticks without work, and all ticks."""
        for line in Path("/proc/stat").read_text("ascii").splitlines():
            name, *ticks = line.split()
            if name == f"cpu{self.core}":
                counts = [int(one) for one in ticks[:8]]  # guests' time is included in the others
                return counts[3] + counts[4], sum(counts)
        raise SystemExit(f"/proc/stat does not know core {self.core}")
