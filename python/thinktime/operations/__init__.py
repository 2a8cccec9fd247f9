"""The operations: simulate, run, serve and switch, each in a file of its own."""

from thinktime.operations.dispatcher import switch
from thinktime.operations.moment import Moment
from thinktime.operations.outcome import Interrupted, Progress, Time, Unwritten, seconds
from thinktime.operations.real_run import run
from thinktime.operations.server import BurnTotals, CpuStat, TokenTotals, serve
from thinktime.operations.simulation import simulate

__all__ = [
    "BurnTotals", "CpuStat", "Interrupted", "Moment", "Progress", "Time", "TokenTotals",
    "Unwritten", "run", "seconds", "serve", "simulate", "switch",
]  # fmt: skip
