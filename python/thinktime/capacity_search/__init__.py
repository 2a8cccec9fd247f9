"""The capacity of a server: the largest load within its objectives, with an interval.

import thinktime as tt

found = tt.capacity("shop.toml", "server.toml")
print(found.value, found.low, found.high, found.words)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.capacity_search.answer import SCALE, Capacity, What
from thinktime.capacity_search.busiest import Busiest, at_busiest
from thinktime.capacity_search.generator import generator_capacity
from thinktime.capacity_search.probe import Probe, probe_of, with_checks
from thinktime.capacity_search.probe_length import SHORTEST_S, Length, slo_of
from thinktime.capacity_search.search import PROBES_MAX, Search
from thinktime.capacity_search.search_store import CapacityStopped, search_kept, share
from thinktime.inputs import arrivals
from thinktime.inputs.arguments import checked
from thinktime.inputs.arrivals import ByPopulation
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of, workload_of
from thinktime.operations import Time
from thinktime.operations.fitted_system import fitted
from thinktime.results import origin_line
from thinktime.results.early_end import ended_early
from thinktime.results.objective_words import words_of
from thinktime.trials import Store, Trial

__all__ = ["Busiest", "Capacity", "CapacityStopped", "Probe", "capacity", "generator_capacity"]

_ERRORS_MAX = "1%"
"""The share of requests that may fail if the workload sets no limit."""

_NOTHING_TO_DO = (
    "on: simulated probes come one after another, so that a cluster would have nothing to do: "
    "`thinktime sweep` uses all of it"
)

_REQUESTS = 200_000
"""Requests of a simulated probe by default, unless the arrivals of a mix end it."""


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
    scale: float | None = None,
    rate: float | str | ByPopulation | None = None,
    clients: int | str | ByPopulation | None = None,
    think: Time | ByPopulation | None = None,
    precision: float | str = "5%",
    probes_max: int = PROBES_MAX,
    on: str | None = None,
    output: str | Path | None = None,
    progress: Callable[[Probe], None] | None = None,
) -> Capacity:
    """Find the largest rate, number of clients or scale at which the objectives are met.

    Args:
        workload: A workload, the path of its file, or its content as a dict. The search begins at
            its own rate or number of clients; rates that change over time are held at those of the
            busiest part of their profile. Without a table `[slo]` the capacity is the load that a
            model keeps up with; a real server and closed workloads need objectives.
        system: A system, the path of its file, or its content as a dict; None with a target.
        target: As in `run`.
        what: rate, clients or scale; by default what fits the workload: with several populations
            the scale. The rate is for open and partly-open models, clients for closed ones; the
            scale multiplies the rates and clients of all populations.
        duration: The length of each probe; against a target by default as long as the objectives
            need at the workload's own rate, and 10s at least.
        requests: The requests of each probe; 200,000 with a system unless a duration is given.
        warmup: The warm-up of each probe; against a target a tenth of the duration, otherwise
            found.
        scale: As in `run`, like the next three: the workload with which the search begins.
        rate: As in `run`.
        clients: As in `run`.
        think: As in `run`.
        precision: End at this half-width of the interval. It is the 95 % interval, and the share is
            of the value.
        probes_max: Give up after this many probes.
        on: Work on a Ray cluster: ray for one on this machine, ray://HOST:PORT or auto for a
            running one. It makes the load against a target.
        output: The result directory to write. It gets probes.parquet, capacity.json and
            capacity.html. Until the end it lies beside its place, and its first two files are
            rewritten after each probe. The same search continues one that Ctrl-C ended there.
        progress: Called with each probe.

    Raises:
        InputError: if the input is wrong.
        RunError: if the target cannot be reached.
        CapacityStopped: on Ctrl-C, with the answer so far.
        Unwritten: if the answer cannot be written; with the answer.
    """
    given = {"scale": scale, "rate": rate, "clients": clients, "think": think}
    workload, named, busiest = begin_of(workload_of(workload), given, what)
    system = None if system is None else fitted(system_of(system), workload)[0]
    if (system is None) == (target is None):
        raise _core.InputError("a capacity needs a system file or a target, and not both")
    if on is not None and target is None:
        raise _core.InputError(_NOTHING_TO_DO)
    workload = _with_error_limit(workload, needed=target is not None)
    options = _options(workload, target, on, duration, requests, warmup)
    prober = _Prober(Trial(workload, system, target, options), named[0])
    search = Search(
        start=_start(workload, named[0]), precision=share(precision),
        ceiling=_ceiling(workload, system, named[0]), whole=named[0] == "clients",
        probes_max=probes_max,
    )  # fmt: skip
    with _cluster(on):
        known = _origin(workload, system, target) | {"busiest": busiest}
        return search_kept(search, prober, named, output, progress, known)


def begin_of(
    workload: _core.Workload, given: Mapping[str, Any], what: str | None
) -> tuple[_core.Workload, tuple[What, str], Busiest | None]:
    """The workload with which a search begins, what is varied and its unit, and what is held.

    `given` are options that change arrivals.

    Raises:
        InputError: as `with_arrivals`, `what_of` and `at_busiest`.
    """
    workload = arrivals.with_arrivals(workload, given)
    named = what_of(workload, what)
    held, busiest = at_busiest(workload, named[0])
    return held, named, busiest


def _origin(
    workload: _core.Workload, system: _core.System | None, target: str | None
) -> dict[str, Any]:
    """The subject of a search and its place, and the moment of a measured one."""
    return {
        "objectives": words_of(workload),
        "workload": workload.name,
        "place": origin_line.against(target, system),
        "moment": "" if target is None else origin_line.now(),
    }


def _cluster(on: str | None) -> AbstractContextManager[object]:
    """Connects all probes to one cluster."""
    if on is None:
        return nullcontext()
    from thinktime import distributed

    return distributed.connected(on)


@dataclass
class _Prober:
    """Makes the probes; each has a seed of its own, so that their errors are independent."""

    trial: Trial
    what: What
    made: int = 0

    def __call__(self, value: float, store: Store) -> Probe:
        """Run or simulate at a value, unless the store has its probe."""
        text = f"{value:.0f}" if self.what == "clients" else f"{value!r}"
        workload = arrivals.with_arrivals(self.trial.workload, {self.what: text})
        workload = workload.with_seed((workload.seed + self.made) % 2**64)
        self.made += 1
        trial = replace(self.trial, workload=workload)
        if (row := store.read(trial)) is not None:
            return Probe.of(row)
        done = trial.do()
        stopped = ended_early(done.summary)
        probe = with_checks(probe_of(value, done, stopped), done)
        store.offer(trial, asdict(probe))
        return probe


def _options(
    workload: _core.Workload,
    target: str | None,
    on: str | None,
    duration: Time | None,
    requests: int | None,
    warmup: Time | None,
) -> dict[str, Any]:
    if target is None:
        if requests is None and duration is None and workload.mix_end_s is None:
            requests = _REQUESTS
        return {"rows": "none", "requests": requests, "duration": duration, "warmup": warmup}
    length = Length.of(workload, SHORTEST_S if duration is None and requests else duration)
    if duration is None and requests is None:
        duration = length.duration_s
    return {
        "rows": "none",
        "stop_on_slo": True,
        "requests": requests,
        "duration": duration,
        "warmup": length.warmup_s if warmup is None else warmup,
        "drain": length.drain_s,
        **({} if on is None else {"on": on}),
    }


def _with_error_limit(workload: _core.Workload, *, needed: bool) -> _core.Workload:
    """The workload, whose requests may not fail at any rate even if its objectives do not say so.

    Raises:
        InputError: as `slo_of`.
    """
    known = "errors" in slo_of(workload, needed=needed)
    return workload if known else workload.with_value("slo.errors", _ERRORS_MAX)


def what_of(workload: _core.Workload, what: str | None = None) -> tuple[What, str]:
    """What is varied, and its unit: `what`, or else what fits the workload.

    Raises:
        InputError: `what` does not fit the workload.
    """
    several, closed = len(workload.populations) > 1, workload.model == "closed"
    if several or what == "scale":
        fits: tuple[What, str] = ("scale", SCALE)
    elif closed:
        fits = ("clients", "clients")
    else:
        fits = ("rate", "/s" if workload.model == "open" else "sessions/s")
    if what not in (None, fits[0]):
        why = "has several populations" if several else f"is {workload.model}"
        raise _core.InputError(f"what = {what}: the workload {why}, so it is {fits[0]}")
    return fits


def _start(workload: _core.Workload, what: What) -> float:
    if what == "scale":
        return 1.0
    one = workload.populations[0]
    given = one.clients if what == "clients" else one.session_rate
    assert given is not None
    return float(given)


def _ceiling(workload: _core.Workload, system: _core.System | None, what: What) -> float:
    """The value at which a modelled system has a load of 1, without a steady state from there on.

    Clients that wait for responses load a system less, so that no number of them has one.
    """
    rates = [one.session_rate for one in workload.populations]
    if system is None or None in rates:
        return math.inf
    half = workload.at_load(system, 0.5).populations[0].session_rate
    if half is None or not rates[0]:
        return math.inf
    return 2 * half / (rates[0] if what == "scale" else 1.0)
