"""The system model of a site's traffic, and how far the others would mislead.

Two answers are given. One is the published rule of thumb. The better one tests its reason: the
learned workload is simulated beside the purely open and the purely closed one, at the same load. If
a simple one shows the same response times, it suffices. If the two answers disagree, the simulation
is followed, and both are reported.

Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
section 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from thinktime._core import Distribution
from thinktime.learn.advice.models import Model, simulate_models
from thinktime.learn.advice.rule_of_thumb import rule_of_thumb, stay
from thinktime.learn.traffic.arrivals import Arrivals
from thinktime.learn.traffic.sessions import SessionLaws
from thinktime.learn.traffic.traffic import Traffic

LOAD = 0.8
USUAL_CV2 = 4.0
ALIKE = 0.01
"""Sizes or durations that hardly differ say nothing of demands."""

CV2_MOST = 49.0
"""The largest that the paper considers; beyond it simulations would have to be very long."""

USUAL_DEMAND_S = 0.01
CLIENTS_MAX = 5000
THINKING_MAX = 5_000_000
"""Users without think time, in a simulation."""


MISLEADS = 0.1
"""A model misleads if its mean or p99 differs by more than this share."""

CLOSE = 0.04
"""Simulations are no more exact than this."""


@dataclass(frozen=True)
class Advice:
    """The verdict, and its reasons."""

    model: str
    """open, closed or partly-open: the simplest one that does not mislead."""

    rule: str
    """The model by the rule of thumb."""

    reason: str
    confidence: str
    """sure, likely or unsure, and why."""

    load: float
    cv2: float
    cv2_from: str
    """The source of the demands' variability."""

    partly_open: Model | None
    open: Model | None
    closed: Model | None
    clients: int
    """The clients of the closed model: the mean number of sessions in progress in the learned
    one."""

    demand_s: float
    """The mean service demand."""

    stays: bool
    """Whether users stay: then the closed model is the learned one, unless `model` is open."""

    @property
    def misleading_if(self) -> dict[str, dict[str, float]]:
        """The error of the other models: their figures as multiples of the learned ones.

        Models that did not reach the load are not compared.
        """
        learned = self.closed if self.stays else self.partly_open
        others = {"open": self.open} | ({} if self.stays else {"closed": self.closed})
        if self.stays and self.model == "open":
            learned, others = self.open, {"closed": self.closed}
        return {
            name: {
                "mean_ratio": other.mean_s / learned.mean_s,
                "p99_ratio": other.p99_s / learned.p99_s,
                "gain_ratio": other.gain / learned.gain,
            }
            for name, other in others.items()
            if other is not None and learned is not None
            if other.at(self.load) and learned.at(self.load)
        }


def advise(
    traffic: Traffic,
    arrivals: Arrivals,
    sessions: SessionLaws,
    *,
    demand_cv2: float | None = None,
    load: float = LOAD,
    known: str = "sure",
    verdict: str = "partly-open",
) -> Advice:
    """Find the model that fits; ``demand_cv2`` is the demands' C², by default learned.

    ``verdict`` is the model that the traffic was taken for, and ``known`` how certain that is. If
    it is open, users who stay do not wait for answers.
    """
    cv2, cv2_from = _variability(traffic, demand_cv2)
    demand_s = _demand(traffic, sessions, load)
    # Little's law, at the rate that gives the load.
    session_s = traffic.session_seconds / max(traffic.count("requests"), 1)
    stays = stay(traffic)
    clients = round(traffic.active_mean) if stays else round(load / demand_s * session_s)
    clients = min(max(clients, 1), CLIENTS_MAX)
    models = simulate_models(traffic, sessions, (demand_s, cv2), clients, load, stays)
    rule, reason = rule_of_thumb(traffic)
    off = None if stays else _off(models, load)
    found = _simplest(off) if off is not None else rule
    if stays and verdict == "open":
        found = verdict
    return Advice(
        model=found,
        rule=rule,
        reason=_in_words(reason, models, load, (found, rule)),
        confidence=_confidence(traffic, arrivals, off, stays, known),
        load=load,
        cv2=cv2,
        cv2_from=cv2_from,
        partly_open=None if stays else models["partly-open"],
        open=models.get("open"),
        closed=models.get("closed"),
        clients=clients,
        demand_s=demand_s,
        stays=stays,
    )


def _off(models: dict[str, Model], load: float) -> dict[str, float] | None:
    """By how much the simple models mislead, mean or p99; None if the load was not reached."""
    learned = models["partly-open"]
    if not all(model.at(load) for model in models.values()):
        return None
    return {
        name: max(
            abs(models[name].mean_s / learned.mean_s - 1),
            abs(models[name].p99_s / learned.p99_s - 1),
        )
        for name in ("open", "closed")
    }


def _simplest(off: dict[str, float]) -> str:
    """The simplest model that does not mislead."""
    return next((name for name in ("open", "closed") if off[name] < MISLEADS), "partly-open")


def _in_words(
    reason: str, models: dict[str, Model], load: float, found_and_rule: tuple[str, str]
) -> str:
    own = "closed" if reason.startswith("users stay") else "partly-open"
    if (own, found_and_rule[0]) == ("closed", "open"):
        own = "open"
    learned = models[own]
    others = [name for name in ("open", "closed") if name in models and name != own]
    missed = [name for name in (own, *others) if not models[name].at(load)]
    if missed:
        reached = ", ".join(f"{models[name].loads[0]:.2f} ({name})" for name in missed)
        return f"{reason}. Models are not compared: of load {load:g} simulations reached {reached}."
    parts = []
    for name in others:
        ratio = models[name].mean_s / learned.mean_s
        gain = models[name].gain / learned.gain
        parts.append(
            f"a purely {name} model would give {_times(ratio)} mean response time and "
            f"{_times(gain)} gain from better scheduling"
        )
    found, rule = found_and_rule
    text = f"{reason}. Simulated at load {load:g}, {'; '.join(parts)}."
    if own == "open":
        text += (
            " The rule of thumb says closed; but these requests do not wait for earlier answers, "
            "and so the verdict is followed."
        )
    elif found != rule:
        text += f" The rule of thumb says {rule}; the simulation is followed."
    return text


def _times(ratio: float) -> str:
    return "about the same" if abs(ratio - 1) < MISLEADS else f"{ratio:.3g} times the"


def _confidence(
    traffic: Traffic,
    arrivals: Arrivals,
    off: dict[str, float] | None,
    stays: bool,
    known: str,
) -> str:
    sessions = traffic.count("sessions")
    # At any moment this many are in progress, and so also at the log's beginning and at its end.
    cut = 2 * traffic.active_mean
    if sessions < 100 and not stays:
        return f"unsure: there are {sessions} sessions only"
    if cut > 0.5 * sessions and not stays:
        return "unsure: most sessions may have been cut off by the log's begin or end"
    if known != "sure":
        return f"{known}: no surer than the verdict on these requests"
    if stays:
        return "sure"
    if off is None:
        return "unsure: the simulations did not reach the load, so the rule of thumb is followed"
    near = min(abs(difference - MISLEADS) for difference in off.values())
    if near < CLOSE:
        return "likely: a model is about as far off as a misleading one"
    if arrivals.poisson.verdict == "no":
        return "likely: it was simulated as if sessions arrived as a Poisson process"
    return "sure"


def _variability(traffic: Traffic, given: float | None) -> tuple[float, str]:
    if given is not None:
        return given, "given"
    for tally, words in (
        (traffic.durations(), "the durations in the log"),
        (traffic.sizes(), "the sizes of responses, as if demands were proportional to them"),
    ):
        if tally.total >= 100 and tally.mean > 0:
            square = float(tally.middle**2 @ tally.count / tally.count.sum())
            cv2 = square / tally.mean**2 - 1
            if cv2 > ALIKE:
                return min(cv2, CV2_MOST), words
    return USUAL_CV2, "nothing in the log: a usual value"


def _demand(traffic: Traffic, sessions: SessionLaws, load: float) -> float:
    """The mean demand: the median duration, because long ones include waiting; or a usual one.

    It is limited from below, so that a load of such demands needs no more users than can be
    simulated.
    """
    durations, think = traffic.durations(), sessions.think_law
    median = max(durations.quantile(0.5), 1e-6) if durations.total else USUAL_DEMAND_S
    mean_think = Distribution(think).mean if think is not None else 0.0
    return max(median, load * mean_think / THINKING_MAX) if isfinite(mean_think) else median
