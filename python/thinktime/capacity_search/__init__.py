"""The capacity of a server: the largest load within its objectives, with an interval.

import thinktime as tt

found = tt.capacity("shop.toml", "server.toml")
print(found.value, found.low, found.high, found.words)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.capacity_search.answer import Capacity, What
from thinktime.capacity_search.generator import generator_capacity
from thinktime.capacity_search.kept_search import CapacityStopped, search_kept, share
from thinktime.capacity_search.probe import Probe, Slo, probe_of, with_checks
from thinktime.capacity_search.search import Search
from thinktime.inputs.arguments import checked
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of
from thinktime.operations import Time, run, seconds, simulate
from thinktime.results.early_end import ended_early
from thinktime.results.result import Result

__all__ = ["Capacity", "CapacityStopped", "Probe", "capacity", "generator_capacity"]

_REQUESTS = 200_000
"""Requests of a simulated probe by default."""
_DURATION_S = 10.0
"""The length of a real probe by default."""
_WARM_UP = 0.1
"""The share of a real probe that is its warm-up by default."""


@checked
def capacity(
    workload: GivenWorkload,
    system: GivenSystem | None = None,
    *,
    target: str | None = None,
    what: What | None = None,
    duration: Time | None = None,
    requests: int | None = None,
    warmup: Time | None = None,
    precision: float | str = 0.05,
    probes_max: int = 30,
    on: str | None = None,
    output: str | Path | None = None,
    progress: Callable[[Probe], None] | None = None,
) -> Capacity:
    """Find the largest rate, or number of clients, at which the workload's objectives are met.

    Args:
        workload: A workload, the path of its file, or its content as a dict; it needs a table
            `[slo]`. The search begins at its own rate or number of clients.
        system: A system, the path of its file, or its content as a dict; None with a target.
        target: The url of a real server.
        what: "rate" (open and partly open) or "clients" (closed); by default the one that fits.
        duration: The length of each probe; 10 s against a target.
        requests: The requests of each probe; 200,000 with a system unless a duration is given.
        warmup: The warm-up of each probe; against a target a tenth of the duration, otherwise
            found.
        precision: Stop when the half-width of the 95 % interval is this share of the value.
        probes_max: Give up after this many probes.
        on: Make the load against a target from a Ray cluster, as in `run`.
        output: A directory for probes.parquet, capacity.json and capacity.html. Until the end it
            lies beside its place, and its first two files are rewritten after each probe.
        progress: Called with each probe.

    Raises:
        InputError: if the input is wrong.
        RunError: if the target cannot be reached.
        CapacityStopped: on Ctrl-C, with the answer so far.
    """
    workload = workload_of(workload)
    system = None if system is None else system_of(system)
    if (system is None) == (target is None):
        raise _core.InputError("a capacity needs a system file or a target, and not both")
    if on is not None and target is None:
        raise _core.InputError(
            "on: simulated probes come one after another, so that a cluster would have nothing to "
            "do: `thinktime sweep` uses all of it"
        )
    key = _key(workload, what)
    options = _options(target, duration, requests, warmup)
    prober = _Prober(workload, system, target, key, Slo.of(workload), options)
    search = Search(
        start=_start(workload),
        precision=share(precision),
        ceiling=_ceiling(workload, system),
        whole=key == "arrivals.clients",
        probes_max=probes_max,
    )
    with _cluster(on):
        prober.options |= {} if on is None else {"on": on}
        return search_kept(search, prober, what_of(workload), output, progress)


def _cluster(on: str | None) -> AbstractContextManager[object]:
    """Connects all probes to one cluster."""
    if on is None:
        return nullcontext()
    from thinktime import distributed

    return distributed.connected(on)


@dataclass
class _Prober:
    """Makes the probes; each has a seed of its own, so that their errors are independent."""

    workload: _core.Workload
    system: _core.System | None
    target: str | None
    key: str
    slo: Slo
    options: dict[str, Any]
    made: int = 0

    def __call__(self, value: float) -> Probe:
        """Run or simulate at a value."""
        text = f"{value:.0f}" if self.key == "arrivals.clients" else f"{value!r}/s"
        workload = self.workload.with_value(self.key, text)
        workload = workload.with_seed((self.workload.seed + self.made) % 2**64)
        self.made += 1
        done = self._result(workload)
        stopped = ended_early(done.summary)
        return with_checks(probe_of(value, done, self.slo, stopped), done)

    def _result(self, workload: _core.Workload) -> Result:
        if self.target is not None:
            return run(workload, self.target, rows="none", stop_on_slo=True, **self.options)
        assert self.system is not None
        return simulate(workload, self.system, rows="none", **self.options)


def _options(
    target: str | None, duration: Time | None, requests: int | None, warmup: Time | None
) -> dict[str, Any]:
    if target is None:
        if requests is None and duration is None:
            requests = _REQUESTS
        return {"requests": requests, "duration": duration, "warmup": warmup}
    if duration is None and requests is None:
        duration = _DURATION_S
    length_s = _DURATION_S if duration is None else seconds(duration)
    return {
        "requests": requests,
        "duration": duration,
        "warmup": _WARM_UP * length_s if warmup is None else warmup,
        # At twice its capacity a server is busy for long after the end.
        "drain": max(length_s, _DURATION_S),
    }


def what_of(workload: _core.Workload) -> tuple[What, str]:
    """The key that is varied, and its unit."""
    if workload.model == "closed":
        return "clients", "clients"
    return "rate", "/s" if workload.model == "open" else "sessions/s"


def _key(workload: _core.Workload, what: str | None) -> str:
    if len(workload.populations) > 1:
        one = workload.populations[0]
        values = "clients=10,20,40" if one.model == "closed" else "rate=10/s,20/s,40/s"
        raise _core.InputError(
            "a workload of several populations has no one rate to search for: vary that of one of "
            f"them by `thinktime sweep`, as in --vary population.{one.name}.{values}"
        )
    fits, _ = what_of(workload)
    if what not in (None, fits):
        raise _core.InputError(
            f"`{what}` cannot be varied: the workload is {workload.model}, so it is `{fits}`"
        )
    name = workload.populations[0].name
    return f"population.{name}.arrivals.{fits}" if name else f"arrivals.{fits}"


def _start(workload: _core.Workload) -> float:
    given = workload.clients if workload.model == "closed" else workload.session_rate
    assert given is not None
    return float(given)


def _ceiling(workload: _core.Workload, system: _core.System | None) -> float:
    """The rate at which a modelled system has a load of 1, without a steady state from there on."""
    if system is None or workload.model == "closed":
        return math.inf
    half = workload.at_load(system, 0.5).session_rate
    return math.inf if half is None else 2 * half
