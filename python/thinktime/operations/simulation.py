"""`simulate`: a workload on a modelled system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import _core
from thinktime.inputs import arrivals
from thinktime.inputs.arguments import checked
from thinktime.inputs.arrivals import ByPopulation
from thinktime.inputs.files import GivenSystem, GivenWorkload, system_of
from thinktime.inputs.options import options_json
from thinktime.operations.arrivals_end import arrivals_notes
from thinktime.operations.fitted_system import fitted
from thinktime.operations.outcome import Progress, Time, with_seed, written_result
from thinktime.operations.overload import overload_words
from thinktime.results.result import Result
from thinktime.results.run_notes import Notes

if TYPE_CHECKING:
    from thinktime import distributed

PROGRESS_LIMITS: tuple[int, int] | None = None
"""Events and attempts in the system after which a simulation without progress is given up; None for
the usual ones. Tests make them small."""


@checked
def simulate(
    workload: GivenWorkload,
    system: GivenSystem,
    *,
    load: float | None = None,
    scale: float | None = None,
    rate: float | str | ByPopulation | None = None,
    clients: int | str | ByPopulation | None = None,
    think: Time | ByPopulation | None = None,
    seed: int | None = None,
    requests: int | None = None,
    duration: Time | None = None,
    warmup: Time | None = None,
    replications: int = 1,
    precision: float | str | None = None,
    on: str | None = None,
    rows: str | None = None,
    output: str | Path | None = None,
    label: str | None = None,
    progress: Progress | None = None,
) -> Result:
    """Simulate a workload on a system model.

    Args:
        workload: A workload, the path of its file, or its keys as a dict.
        system: A system, the path of its file, or its keys as a dict.
        load: Hold this load (0 to 1): sets the rate, or solves for the think time. It is that of
            the busiest station.
        scale: As in `run`.
        rate: As in `run`.
        clients: As in `run`.
        think: As in `run`.
        seed: As in `run`.
        requests: Number of requests that begin after the warm-up; 1000000 if nothing else ends the
            simulation; a mix ends with the arrivals of its largest population if only closed or
            smaller ones continue.
        duration: Virtual time at which no more requests begin, as in 10min.
        warmup: Requests scheduled before this time do not count; auto finds how long the start
            makes a difference, and is the default unless a duration is given or a log or a trace of
            arrivals is replayed. It does so by pilot runs and the rule MSER-5. The time is virtual.
        replications: Independent replications, on all cores. The interval is then that of their
            means.
        precision: Simulate until the half-width of the mean's 95 % interval is this share of the
            mean, as in 1%.
        on: Run the replications on a Ray cluster: ray for one on this machine, ray://HOST:PORT or
            auto for a running one. The result is the same.
        rows: Rows of requests.parquet: all, none, or 1/N of the sessions; by default all, or a
            share that keeps about a million.
        output: As in `run`.
        label: As in `run`.
        progress: Called about twenty times a second.

    Raises:
        InputError: if the input is wrong; the message says where, and what would be right.
        Overloaded: an InputError, if more comes than the system can do, and nothing ends that.
        Unwritten: if `output` cannot be written to; with the result.
        Interrupted: on Ctrl-C, with the result so far.
    """
    given = dict(locals())
    options = options_json("simulate", given)
    workload, modelled, unused = _changed(with_seed(workload, seed), system_of(system), given)
    told = [*unused, *arrivals_notes("simulate", workload, options)]
    notes = Notes.of(workload, modelled, given, told)

    def do(elsewhere: distributed.Replications | None = None) -> _core.ResultData:
        with _overloads_told(workload, modelled, given):
            return _core.simulate(
                workload, modelled, options, output=None if output is None else Path(output),
                progress=notes.progress, elsewhere=elsewhere, progress_limits=PROGRESS_LIMITS,
            )  # fmt: skip

    if on is None:
        return written_result(do(), notes)
    from thinktime.distributed import replications_on_cluster

    done = replications_on_cluster(workload, modelled, options, on, replications, do)
    return written_result(done, notes)


class Overloaded(_core.InputError):
    """More comes than a modelled system can do, and nothing ends the simulation."""


@contextmanager
def _overloads_told(
    workload: _core.Workload, system: _core.System, given: Mapping[str, Any]
) -> Iterator[None]:
    """Raises an overload as `Overloaded`, with what the system bears."""
    try:
        yield
    except _core.InputError as error:
        words = overload_words(str(error), workload, system, given)
        if words is None:
            raise
        raise Overloaded(words) from None


def _changed(
    workload: _core.Workload, system: _core.System, given: Mapping[str, Any]
) -> tuple[_core.Workload, _core.System, list[str]]:
    """The workload with the arrivals that the options ask for, the system for it, and notes of it.

    Raises:
        InputError: They contradict each other, or do not go with the workload.
    """
    changed, load = arrivals.with_arrivals(workload, given), given["load"]
    system, unused = fitted(system, changed)
    if load is None:
        return changed, system, unused
    if given["rate"] is not None and len(changed.populations) == 1:
        raise _core.InputError("load: sets the rate itself: give it or `rate`, and not both")
    return changed.at_load(system, load), system, unused
