"""Learn a workload, run it against a real server, simulate it on a model of that server.

The heart is `Workload` (which sessions arrive, and what they do) and `System` (stations with
servers and a scheduling policy). `simulate` joins a workload with a modelled system, `run` joins
it with a real one, and `serve` makes a modelled system a real one. All give a `Result` of the
same form.

    import thinktime as tt

    workload = tt.Workload.load("shop.toml")
    system = tt.System.load("server.toml")
    result = tt.simulate(workload, system, load=0.8, requests=1_000_000)
    print(result.p99)
"""

# ruff: noqa: E402 - Ctrl-C is answered quietly from here on, while the rest is imported.
from thinktime.start_up import quietly

quietly()

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from thinktime._core import (
    Distribution,
    InputError,
    RunError,
    Station,
    System,
    UnreachableError,
    Workload,
    __version__,
)
from thinktime.inputs import arguments
from thinktime.report import report
from thinktime.results import views

if TYPE_CHECKING:
    from thinktime.capacity_search import Capacity, CapacityStopped, capacity
    from thinktime.comparison.mean_difference import Difference, difference
    from thinktime.distributed.collection import collect
    from thinktime.inputs.files import schema
    from thinktime.operations import Interrupted, Unwritten, run, serve, simulate, switch
    from thinktime.operations.run_progress import Moment
    from thinktime.results.recovery import Recovered, recover
    from thinktime.results.result import Result
    from thinktime.results.table import Table
    from thinktime.results.traces import trace_id, traceparent, traces
    from thinktime.results.verdict import Objective, Verdict
    from thinktime.sweeps import Stopped, sweep
    from thinktime.trials import again

arguments.look_names_up_in(sys.modules[__name__])
views.fill(
    theory="thinktime.theory.match:theory_of",
    validity="thinktime.validity:validity_of",
    chart="thinktime.report.notebook:picture",
    html="thinktime.report.notebook:html",
)

for _error in (InputError, RunError, UnreachableError):
    _error.__module__ = __name__  # where users find it, and tracebacks show it

__all__ = [
    "Capacity",
    "CapacityStopped",
    "Difference",
    "Distribution",
    "InputError",
    "Interrupted",
    "Moment",
    "Objective",
    "Recovered",
    "Result",
    "RunError",
    "Station",
    "Stopped",
    "System",
    "Table",
    "UnreachableError",
    "Unwritten",
    "Verdict",
    "Workload",
    "__version__",
    "again",
    "capacity",
    "collect",
    "difference",
    "recover",
    "report",
    "run",
    "schema",
    "serve",
    "simulate",
    "sweep",
    "switch",
    "trace_id",
    "traceparent",
    "traces",
]

_LATER = {
    "thinktime.capacity_search": ("Capacity", "CapacityStopped", "capacity"),
    "thinktime.comparison.mean_difference": ("Difference", "difference"),
    "thinktime.distributed.collection": ("collect",),
    "thinktime.inputs.files": ("schema",),
    "thinktime.operations.run_progress": ("Moment",),
    "thinktime.operations": ("Interrupted", "Unwritten", "run", "serve", "simulate", "switch"),
    "thinktime.results.recovery": ("Recovered", "recover"),
    "thinktime.results.result": ("Result",),
    "thinktime.results.table": ("Table",),
    "thinktime.results.traces": ("trace_id", "traceparent", "traces"),
    "thinktime.results.verdict": ("Objective", "Verdict"),
    "thinktime.sweeps": ("Stopped", "sweep"),
    "thinktime.trials": ("again",),
}
"""Names that are imported on first use, so that a command waits only for the libraries it needs.

`report` is not among them: the module of the same name would take its place.
"""


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    for module, names in _LATER.items():
        if name in names:
            found = getattr(import_module(module), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All public names, imported or not."""
    return sorted({*globals(), *__all__})
