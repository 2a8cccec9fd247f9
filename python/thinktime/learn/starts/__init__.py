"""The starts of each population's sessions, as far as they matter to queues.

`learn_starts` learns one population. Its `models` are the possible descriptions in a workload file,
from a Poisson process to a trace of the starts themselves. `choose` takes the simplest one that
represents the log, by a function of the caller. `write_starts` writes the data of the chosen ones
into one file, and `arrival_keys` gives the lines of `[population.arrivals]` that read it.
"""

from thinktime.learn.starts.clock import clock
from thinktime.learn.starts.coverage import Coverage, silences
from thinktime.learn.starts.dispersion import WINDOWS_S
from thinktime.learn.starts.edge import rate_without_those_under_way
from thinktime.learn.starts.file import arrival_keys, columns, write_starts
from thinktime.learn.starts.models import Model, choose
from thinktime.learn.starts.poisson import Poisson
from thinktime.learn.starts.population import Starts, as_dispersed, learn_starts
from thinktime.learn.starts.spread import spread

__all__ = [
    "WINDOWS_S",
    "Coverage",
    "Model",
    "Poisson",
    "Starts",
    "arrival_keys",
    "as_dispersed",
    "choose",
    "clock",
    "columns",
    "learn_starts",
    "rate_without_those_under_way",
    "silences",
    "spread",
    "write_starts",
]
