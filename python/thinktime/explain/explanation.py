"""The explanation of a result: the model that fits, how well, and its answers for other systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thinktime.candidates.ranking import Score
from thinktime.candidates.visits import Visits
from thinktime.explain.choice import Choice, choose
from thinktime.explain.closed_test import closed_test
from thinktime.explain.demands import KnownDemands, of_server_timing
from thinktime.explain.patience import patience_of
from thinktime.explain.questions import CLIENTS, Answer, Measurement, answers, load_of
from thinktime.explain.refusals import contradicted_by, overfull_by, rounded_up, unfitting
from thinktime.explain.server_timing import UnusableTimesError, has_times
from thinktime.explain.visits import MOST, network_s, visits_of
from thinktime.present import units
from thinktime.validity import DOUBTFUL

if TYPE_CHECKING:
    from thinktime.results.result import Result

LEARNED = "learned from the times"
"""The source of demands that were not given."""

_HANGS_ON = ("generator", "punctuality", "warm-up", "steady state", "counts")


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A model of the measured server. Times are in seconds."""

    model: str | None = None
    """The model in words; None if nothing fits."""

    kind: str | None = None
    """`fcfs`, `ps`, `las`, `srpt`, `psjf`, `sjf`, `lcfs`, `plcfs`, `pool` or `row`."""

    system: str | None = None
    """The model as a system file."""

    load: float | None = None
    apart: float | None = None
    """The distance of the model from the held-out part, 0 to 1 and more."""

    allowed: float | None = None
    """The largest distance at which a model fits."""

    alike: tuple[str, ...] = ()
    """Other models that explain the times as well, in words."""

    refused: str = ""
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

    models: tuple[Score, ...] = ()
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
        found = asdict(self) | {"models": [one.to_dict() for one in self.models]}
        return found | {"closed_test": self.closed_test, "log_likelihood": self.log_likelihood}


def explained(
    result: Result,
    known: KnownDemands | None,
    requests_max: int | None,
    scale: float | None,
    *,
    server_timing: bool,
) -> Explanation:
    """The model of the server that a result is of, and its answers, as `explain_result` says."""
    requests_max = MOST if requests_max is None else requests_max
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
    choice = Choice() if untrusted else choose(seen, result.workload, known)
    length_s = float(seen.arrival_s[-1])
    rate, took_s = len(seen) / length_s, whole.duration_s
    found = Explanation(
        mean_s=float(took_s.mean()),
        p99_s=float(np.quantile(took_s, 0.99)),
        throughput=rate,
        requests=len(seen),
        models=tuple(sorted(choice.tried, key=lambda one: one is not choice.best)),
        doubts=_doubts(result),
        demands=LEARNED if known is None else known.source,
        workload_model=result.workload.model,
        requests_needed=_needed(choice, len(seen)),
    )
    if untrusted:
        return replace(found, refused=f"the result is not to be trusted: {untrusted}")
    if choice.best is None or not choice.best.fits:
        return replace(found, refused=unfitting(choice, seen))
    patience = patience_of(result, found.p99_s)
    measurement = Measurement(result.workload, rate, length_s, patience, network, scale)
    return _asked(found, choice, measurement)


def _asked(found: Explanation, choice: Choice, measurement: Measurement) -> Explanation:
    """The explanation with the model that fits and its answers, unless these contradict it."""
    variants, *ties = choice.asked
    one, best = variants[0], choice.best
    if (overfull := overfull_by(one, found.throughput)) is not None:
        return replace(found, refused=overfull)
    given = answers(variants, measurement, tuple(ties))
    own = next(given)
    if own.excludes(found.mean_s):
        return replace(found, refused=contradicted_by(one, own, found.mean_s))
    return replace(
        found,
        model=one.words,
        kind=one.kind,
        system=one.system().to_toml(),
        load=load_of(one.system(), found.throughput),
        apart=None if best is None else best.apart,
        allowed=None if best is None else best.allowed,
        alike=tuple(dict.fromkeys(other.words for other in choice.alike)),
        answers=(own, *given),
        network_s=measurement.network_s,
    )


def _needed(choice: Choice, requests: int) -> int | None:
    """Roughly how many requests would suffice, if these are too few."""
    if choice.best is None or not choice.too_short:
        return None
    return rounded_up(choice.best.needed(requests))


def _doubts(result: Result) -> tuple[str, ...]:
    found = result.validity
    return tuple(one.name for one in found if one.verdict == DOUBTFUL and one.name in _HANGS_ON)
