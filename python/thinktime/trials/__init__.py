"""Trials: simulations and runs as values, done on all cores, each kept as soon as it is done."""

from thinktime.trials.store import Row, Store
from thinktime.trials.trial import Trial, again
from thinktime.trials.workers import all_done, here

__all__ = ["Row", "Store", "Trial", "again", "all_done", "here"]
