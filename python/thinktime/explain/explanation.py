"""What a result comes to: the model that fits, how well, and what it says of other systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.explain.asking import Answer, Asked, answers, load_of
from thinktime.explain.candidates import Candidate
from thinktime.explain.choosing import CROWDED, Choice, choose, crowded
from thinktime.explain.demands import Known, known_demands, of_server_timing
from thinktime.explain.patience import patience_of
from thinktime.explain.server_timing import UnusableTimesError, has_times
from thinktime.explain.visits import MOST, Visits, network_s, visits_of
from thinktime.report import units
from thinktime.validity import DOUBTFUL

if TYPE_CHECKING:
    from thinktime.result import Result

LEARNED = "learned from the times"
"""Where demands are from that nobody gave."""

LOAD_MAX = 1.02
"""No server works for longer than all of the time, but for what chance does to a law."""

_HANGS_ON = ("generator", "punctuality", "warm-up", "steady state", "counts")


@dataclass(frozen=True)
class Explanation:
    """A model of what was measured. Times are in seconds."""

    model: str | None
    """In words; None where nothing fits."""

    kind: str | None
    """`fcfs`, `ps`, `las`, `srpt`, `psjf`, `sjf`, `lcfs`, `plcfs`, `pool` or `row`."""

    system: str | None
    """The model as a system file."""

    load: float | None
    apart: float | None
    """How far the model is from the part that was held out, 0 to 1 and more."""

    allowed: float | None
    """How far it may be."""

    alike: tuple[str, ...]
    """Other models that explain the times as well, in words."""

    refused: str
    """Why there is no model, where there is none."""

    mean_s: float
    p99_s: float
    throughput: float
    requests: int
    """What was measured; the mean of all response times from sending to the answer."""

    answers: tuple[Answer, ...] = ()
    doubts: tuple[str, ...] = ()
    """The checks of validity that doubt the measurement, by name, as far as a model hangs on it."""

    demands: str = LEARNED
    """Where the service demands are from, in words."""

    left_aside: str = ""
    """Why demands are not those that the server tells in its responses, where it does."""

    network_s: float = 0.0
    """What of each response time the network takes, as far as it is known; it is in all times."""

    @property
    def sentence(self) -> str:
        """What was found, in one sentence."""
        if self.refused:
            return f"no model is shown: {self.refused}{self._demands_words}"
        doubts = f"; in doubt is {units.listed(list(self.doubts))}" if self.doubts else ""
        doubts = f"{self._demands_words}{doubts}"
        if self.network_s:
            doubts = f"; its link takes {units.seconds(self.network_s)} of each time{doubts}"
        return (
            f"{self.model} at a load of {self.load:.2f} does what was measured: on the part that "
            f"was held out it is {self.apart:.3f} off, and {self.allowed:.3f} may be chance{doubts}"
        )

    @property
    def _demands_words(self) -> str:
        """Where the demands are from, as the end of a sentence."""
        words = "" if self.demands == LEARNED else f"; demands are {self.demands}"
        if self.left_aside:
            words += f"; what `Server-Timing` tells is left aside: {self.left_aside}"
        return words

    def as_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return asdict(self)


def explain_result(
    result: Result,
    demand: str | None = None,
    requests_max: int = MOST,
    *,
    log: str | Path | None = None,
    log_format: str | None = None,
    low_load: Result | None = None,
    server_timing: bool = True,
) -> Explanation:
    """Find the model of the server that a result is of, and ask it.

    Service demands are known by one of `demand`, `log` and `low_load`; else by what the server
    tells of its own time in its responses, where it does; else they are learned from the times of
    the result itself.

    Args:
        result: A run, or a simulation, with all its rows.
        demand: The law of demands, as in "exp(5ms)", where it is known.
        requests_max: Of more requests the first ones are looked at.
        log: The server's own access log, with durations, of the same requests at any time: demands
            are those of the requests that found the server idle.
        log_format: The log's format, as `thinktime learn --format` takes it; found from its first
            lines by default.
        low_load: A result of the same workload at low load: demands are the response times of the
            requests that found the server idle.
        server_timing: Whether what responses tell of the server's own time is looked at.

    Raises:
        InputError: if its rows were not kept, are too few, or many of its requests failed; the law
            is none; or the log or the result at low load does not tell demands.
    """
    known = known_demands(result, demand, log, log_format, low_load)
    whole = visits_of(result, requests_max)
    if known is not None or not server_timing or not has_times(result):
        return _explained(result, whole, known)
    return _explained_as_told(result, whole, requests_max)


def _explained_as_told(result: Result, whole: Visits, requests_max: int) -> Explanation:
    """With the demands that the server tells, as far as they are any and a model fits them.

    Nobody asked for these: they must not take a model away that the times alone show.
    """
    try:
        told = of_server_timing(result, requests_max)
    except UnusableTimesError as error:
        return replace(_explained(result, whole, None), left_aside=str(error))
    found = _explained(result, whole, told)
    if found.model is not None or result.untrusted:
        return found
    learned = _explained(result, whole, None)
    if learned.model is None:
        return found
    return replace(learned, left_aside=f"with demands that are {told.source}, no model fits")


def _explained(result: Result, whole: Visits, known: Known | None) -> Explanation:
    """The model that fits these visits, with demands that are known or not."""
    # Clients that come again do so by what the network takes, too: it is not taken off there.
    network = network_s(result) if result.workload.model == "open" else 0.0
    seen = whole.without(network)
    untrusted = result.untrusted
    choice = Choice(None, ()) if untrusted else choose(seen, result.workload, known)
    length_s = float(seen.begin_s[-1])
    rate = len(seen) / length_s
    took = whole.took_s
    measured = (float(took.mean()), float(np.quantile(took, 0.99)), rate, len(seen))
    best = choice.best
    if best is None or not best.fits:
        why = f"the result is not to be trusted: {untrusted}" if untrusted else _why(choice, seen)
        return _refused(why, measured, known)
    if (overfull := overfull_by(best.candidate, rate)) is not None:
        return _refused(overfull, measured, known)
    asked = Asked(result.workload, rate, length_s, patience_of(result, measured[1]), network)
    found = answers(best.variants, asked)
    own = next(found)
    if own.excludes(measured[0]):
        return _refused(_contradicted(best.candidate, own, measured[0]), measured, known)
    return _shown(choice, best.candidate, measured, (own, *found), _about(result, known, network))


def _shown(
    choice: Choice,
    one: Candidate,
    measured: tuple[float, float, float, int],
    found: tuple[Answer, ...],
    about: dict[str, Any],
) -> Explanation:
    """What fits, and what it says."""
    best = choice.best
    assert best is not None
    return Explanation(
        one.words,
        one.kind,
        one.system().to_toml(),
        load_of(one.system(), measured[2]),
        best.apart,
        best.allowed,
        tuple(dict.fromkeys(other.candidate.words for other in choice.alike)),
        "",
        *measured,
        answers=found,
        **about,
    )


def _about(result: Result, known: Known | None, network_s: float) -> dict[str, Any]:
    """What beside its answers belongs to a model."""
    return {
        "doubts": _doubts(result),
        "demands": _source(known),
        "network_s": network_s,
    }


def _refused(
    why: str, measured: tuple[float, float, float, int], known: Known | None
) -> Explanation:
    """What was measured, of which no model is shown."""
    return Explanation(
        None, None, None, None, None, None, (), why, *measured, demands=_source(known)
    )  # fmt: skip


def _source(known: Known | None) -> str:
    return LEARNED if known is None else known.source


def overfull_by(one: Candidate, rate: float) -> str | None:
    """Why a model that could not have answered so many requests is none; None where it could."""
    load = load_of(one.system(), rate)
    if load <= LOAD_MAX:
        return None
    return (
        f"the nearest one, {one.words}, would have a load of {load:.2f}: it could not have "
        "answered as many requests a second as were measured"
    )


def _contradicted(one: Candidate, own: Answer, mean_s: float) -> str:
    """Why a model that fits the times at which requests were sent is none of the measurement."""
    low_s, high_s = own.mean_limits_s or (0.0, 0.0)
    return (
        f"the nearest one, {one.words}, does not give what was measured when it is asked for the "
        f"measured workload: its mean is {units.seconds(own.mean_s)}, in 999 of 1,000 such "
        f"measurements from {units.times_between(low_s, high_s)}, and {units.seconds(mean_s)} was "
        "measured; requests did not come as the workload says, as where the machine stalled, or "
        "the server stalled for all of them at once"
    )


def _doubts(result: Result) -> tuple[str, ...]:
    found = result.validity
    return tuple(one.name for one in found if one.verdict == DOUBTFUL and one.name in _HANGS_ON)


def _why(choice: Choice, seen: Visits) -> str:
    if choice.best is not None:
        near = choice.best
        if near.apart <= near.allowed:
            return (
                f"the nearest one, {near.candidate.words}, has another mean response time: "
                f"{abs(near.mean_off):.1f} standard errors away"
            )
        return (
            f"the nearest one, {near.candidate.words}, is {near.apart:.2f} off on the part that "
            f"was held out, where {near.allowed:.2f} may be chance"
        )
    if crowded(seen) < CROWDED:
        return (
            f"{units.percent(1 - crowded(seen))} of the requests found nobody, so they say nothing "
            "of who is served first, or by how many: run it at a higher load"
        )
    return (
        "under none of the policies that are known here demands hang on nothing; the server does "
        "other things beside, waits for something that is not seen, or its speed changes"
    )
