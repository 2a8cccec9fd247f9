"""The operations: simulate, run, serve and switch, each in a file of its own."""

from thinktime.operations.content_switch import switch
from thinktime.operations.outcome import Interrupted, Progress, Time, Unwritten, seconds
from thinktime.operations.real_run import run
from thinktime.operations.run_progress import Moment
from thinktime.operations.server import BurnTotals, CpuStat, TokenTotals, serve
from thinktime.operations.simulation import simulate

__all__ = [
    "BurnTotals", "CpuStat", "Interrupted", "Moment", "Progress", "Time", "TokenTotals",
    "Unwritten", "run", "seconds", "serve", "simulate", "switch",
]  # fmt: skip
