"""The explanation of a result: the model that fits, how well, and its answers for other systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.explain.candidates import Candidate
from thinktime.explain.choice import Choice, choose
from thinktime.explain.closed_test import closed_test
from thinktime.explain.demands import KnownDemands, known_demands, of_server_timing
from thinktime.explain.patience import patience_of
from thinktime.explain.questions import CLIENTS, Answer, Measurement, answers, load_of
from thinktime.explain.refusals import contradicted_by, overfull_by, rounded_up, unfitting
from thinktime.explain.server_timing import UnusableTimesError, has_times
from thinktime.explain.visits import MOST, Visits, network_s, visits_of
from thinktime.present import units
from thinktime.validity import DOUBTFUL

if TYPE_CHECKING:
    from thinktime.results.result import Result

LEARNED = "learned from the times"
"""The source of demands that were not given."""

_HANGS_ON = ("generator", "punctuality", "warm-up", "steady state", "counts")


@dataclass(frozen=True)
class Model:
    """A simulated model and its distance from the held-out part."""

    words: str
    apart: float
    allowed: float
    log_likelihood: float
    """The log-likelihood a request of the response times: see `scores.log_likelihood`."""

    fits: bool


@dataclass(frozen=True)
class Explanation:
    """A model of the measured server. Times are in seconds."""

    model: str | None
    """The model in words; None if nothing fits."""

    kind: str | None
    """`fcfs`, `ps`, `las`, `srpt`, `psjf`, `sjf`, `lcfs`, `plcfs`, `pool` or `row`."""

    system: str | None
    """The model as a system file."""

    load: float | None
    apart: float | None
    """The distance of the model from the held-out part, 0 to 1 and more."""

    allowed: float | None
    """The largest distance at which a model fits."""

    alike: tuple[str, ...]
    """Other models that explain the times as well, in words."""

    refused: str
    """Why no model is shown, if none is."""

    mean_s: float
    p99_s: float
    throughput: float
    requests: int
    """The measurement; the mean of all response times from sending to the answer."""

    answers: tuple[Answer, ...] = ()
    doubts: tuple[str, ...] = ()
    """The names of the validity checks that doubt the measurement, of those that matter to a
    model."""

    demands: str = LEARNED
    """The source of the service demands, in words."""

    left_aside: str = ""
    """Why the server's own times in its responses are not used as demands, if it reports any."""

    network_s: float = 0.0
    """The network's part of each response time, as far as it is known; all times include it."""

    workload_model: str = "open"
    """The answer for the measured workload."""

    models: tuple[Model, ...] = ()
    """The simulated models, the shown one first; also if none fits."""

    requests_needed: int | None = None
    """Roughly how many requests would suffice, if a model is near and there are too few."""

    @property
    def log_likelihood(self) -> float | None:
        """The system of the model that is shown."""
        return None if self.model is None else self.models[0].log_likelihood

    @property
    def sentence(self) -> str:
        """The finding in one sentence."""
        doubts = f"; in doubt is {units.listed(list(self.doubts))}" if self.doubts else ""
        doubts = f"{self._demands_words}{doubts}"
        if self.refused:
            return f"no model is shown: {self.refused}{doubts}"
        if self.network_s:
            doubts = f"; its link takes {units.seconds(self.network_s)} of each time{doubts}"
        return (
            f"{self.model} at a load of {self.load:.2f} matches the measurement: on the part that "
            f"was held out it is {self.apart:.3f} off, and {self.allowed:.3f} may be chance{doubts}"
        )

    @property
    def closed_test(self) -> str:
        """The result of a closed test at the same throughput, or why it is not known."""
        measured = self.mean_s, self.p99_s, self.throughput
        is_closed = self.workload_model == "closed"
        return closed_test(self.answers, CLIENTS[0], measured, is_closed=is_closed)

    @property
    def _demands_words(self) -> str:
        """The source of the demands, as the end of a sentence."""
        words = "" if self.demands == LEARNED else f"; demands are {self.demands}"
        if self.left_aside:
            words += f"; the times of `Server-Timing` are left aside: {self.left_aside}"
        return words

    def as_dict(self) -> dict[str, Any]:
        """The explanation as `--json` prints it."""
        more = {"closed_test": self.closed_test, "log_likelihood": self.log_likelihood}
        return asdict(self) | more


def explain_result(
    result: Result,
    demand: str | None = None,
    requests_max: int = MOST,
    *,
    log: str | Path | None = None,
    log_format: str | None = None,
    low_load: Result | None = None,
    server_timing: bool = True,
    scale: float | None = None,
) -> Explanation:
    """Find the model of the server that a result is of, and ask it.

    Service demands come from one of `demand`, `log` and `low_load`; otherwise from the server's own
    times in its responses, if there are any; otherwise from the times of the result itself.

    Args:
        result: A run, or a simulation, with all its rows.
        demand: The law of demands, as in "exp(5ms)", if it is known.
        requests_max: If there are more requests, the first ones are used.
        log: The server's own access log, with durations, of the same requests at any time: demands
            are those of the requests that found the server idle.
        log_format: The log's format, as `thinktime learn --format` takes it; found from its first
            lines by default.
        low_load: A result of the same workload at low load: demands are the response times of the
            requests that found the server idle.
        server_timing: Whether to use the server's own times in its responses.
        scale: A factor above 0: one more question is what the measured workload would show with
            this many times its rates and clients.

    Raises:
        InputError: if its rows were not kept, are too few, or many of its requests failed; the law
            or the factor is invalid; or the log or the result at low load does not show demands.
    """
    if scale is not None:
        result.workload.scaled(scale)  # before all that takes long, reports what is wrong with it
    known = known_demands(result, demand, log, log_format, low_load)
    whole = visits_of(result, requests_max)
    if known is not None or not server_timing or not has_times(result):
        return _explained(result, whole, known, scale)
    return _explained_as_told(result, whole, requests_max, scale)


def _explained_as_told(
    result: Result, whole: Visits, requests_max: int, scale: float | None
) -> Explanation:
    """The explanation with the server's own times as demands, if there are any and a model fits.

    The user did not ask for these demands: they must not hide a model that the times alone show.
    """
    try:
        reported = of_server_timing(result, requests_max)
    except UnusableTimesError as error:
        return replace(_explained(result, whole, None, scale), left_aside=str(error))
    found = _explained(result, whole, reported, scale)
    if found.model is not None or result.untrusted:
        return found
    learned = _explained(result, whole, None, scale)
    if learned.model is None:
        return found
    return replace(learned, left_aside=f"with demands that are {reported.source}, no model fits")


def _explained(
    result: Result, whole: Visits, known: KnownDemands | None, scale: float | None
) -> Explanation:
    """The model that fits these visits, with demands that are known or not."""
    # Clients come again after an answer crossed the network, so its time is not taken off there.
    network = network_s(result) if result.workload.model == "open" else 0.0
    seen = whole.without(network)
    untrusted = result.untrusted
    choice = Choice(None, ()) if untrusted else choose(seen, result.workload, known)
    length_s = float(seen.begin_s[-1])
    rate = len(seen) / length_s
    took = whole.took_s
    measured = (float(took.mean()), float(np.quantile(took, 0.99)), rate, len(seen))
    about = _about(result, known, network, choice, len(seen))
    best = choice.best
    if best is None or not best.fits:
        why = (
            f"the result is not to be trusted: {untrusted}"
            if untrusted
            else unfitting(choice, seen)
        )
        return _refused(why, measured, about)
    if (overfull := overfull_by(best.candidate, rate)) is not None:
        return _refused(overfull, measured, about)
    measurement = Measurement(
        result.workload, rate, length_s, patience_of(result, measured[1]), network, scale
    )
    found = answers(best.variants, measurement, choice.ties)
    own = next(found)
    if own.excludes(measured[0]):
        return _refused(contradicted_by(best.candidate, own, measured[0]), measured, about)
    return _fitted_explanation(choice, best.candidate, measured, (own, *found), about)


def _fitted_explanation(
    choice: Choice,
    one: Candidate,
    measured: tuple[float, float, float, int],
    found: tuple[Answer, ...],
    about: dict[str, Any],
) -> Explanation:
    """The model that fits, and its answers."""
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


def _about(
    result: Result, known: KnownDemands | None, network_s: float, choice: Choice, requests: int
) -> dict[str, Any]:
    """The fields of a model beside its answers."""
    tried = sorted(choice.tried, key=lambda one: one is not choice.named)
    return {
        "models": tuple(
            Model(one.candidate.words, one.apart, one.allowed, one.log_likelihood, one.fits)
            for one in tried
        ),
        "doubts": _doubts(result),
        "demands": LEARNED if known is None else known.source,
        "network_s": network_s,
        "workload_model": result.workload.model,
        "requests_needed": _needed(choice, requests),
    }


def _needed(choice: Choice, requests: int) -> int | None:
    """Roughly how many requests would suffice, if these are too few."""
    if choice.best is None or not choice.too_short:
        return None
    return rounded_up(choice.best.needed(requests))


def _refused(
    why: str, measured: tuple[float, float, float, int], about: dict[str, Any]
) -> Explanation:
    """The explanation of a measurement for which no model is shown."""
    names = ("demands", "workload_model", "models", "requests_needed", "doubts")
    kept = {name: about[name] for name in names}
    return Explanation(None, None, None, None, None, None, (), why, *measured, **kept)


def _doubts(result: Result) -> tuple[str, ...]:
    found = result.validity
    return tuple(one.name for one in found if one.verdict == DOUBTFUL and one.name in _HANGS_ON)
