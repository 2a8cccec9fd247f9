"""Other work on the measured cores."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
IDLE = {3, 4}
STOLEN = 7
"""The columns of /proc/stat: idle, waiting for a disk, and taken by the host."""


@dataclass(frozen=True)
class Use:
    """The time that cores were busy, and that the host of a virtual machine took, in seconds."""

    busy_s: float
    stolen_s: float

    @classmethod
    def now(cls, cores: Sequence[int]) -> Use:
        """Since the machine was started, of these cores together."""
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
        wanted = {f"cpu{core}" for core in cores}
        ticks = [list(map(int, line[1:9])) for line in lines if line[0] in wanted]
        busy = sum(sum(t for at, t in enumerate(core) if at not in IDLE) for core in ticks)
        stolen = sum(core[STOLEN] for core in ticks)
        return cls((busy - stolen) / TICKS_PER_S, stolen / TICKS_PER_S)

    def __sub__(self, other: Use) -> Use:
        """From then until now."""
        return Use(self.busy_s - other.busy_s, self.stolen_s - other.stolen_s)


def server_s(said: Sequence[str]) -> float:
    """The CPU time of the server, from its report at its end."""
    used = re.search(r"used (\S+) s of CPU time", "\n".join(said))
    return float(used[1]) if used else 0.0
