"""Which system model a site's traffic follows, and how far the others would mislead.

Two answers are given. The rules of thumb are those of Schroeder, Wierman, Harchol-Balter, 'Open
Versus Closed: A Cautionary Tale' (NSDI 2006), section 8: up to 5 requests a session a partly-open
system behaves as an open one, from 10 on as a closed one. The better one is their reason: the
learned workload is simulated beside the purely open and the purely closed one, at the same load.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from thinktime import _core
from thinktime.learn.arrivals import Arrivals
from thinktime.learn.session import SessionLaws
from thinktime.learn.traffic import Traffic
from thinktime.operations import simulate

OPEN_UP_TO = 5.0
CLOSED_FROM = 10.0
STAYS = 0.5
"""Where this share of all sessions' time is that of users who are there for half of the log or
more, users do not come and go: a closed system."""

LOAD = 0.8
USUAL_CV2 = 4.0
ALIKE = 0.01
"""Sizes or durations that hardly differ say nothing of demands."""

CV2_MOST = 49.0
"""The largest that the paper looks at; beyond it simulations would have to be very long."""

USUAL_DEMAND_S = 0.01
REQUESTS = 300_000
CLIENTS_MAX = 5000
TURNS = 3
POLICIES = ("fcfs", "srpt")
WARM_UP = 0.1
"""So long, in parts of a simulation, requests do not count."""
REACHED_WITHIN = 0.03
"""Models are compared where the loads that they reached differ from the wanted one by less."""
MISLEADS = 0.1
"""A model misleads where its mean differs by more than this share."""


@dataclass(frozen=True)
class Seen:
    """What one simulation showed."""

    mean_s: float
    p99_s: float
    load: float


@dataclass(frozen=True)
class Model:
    """What one system model says of a server at the same load."""

    mean_s: float
    p99_s: float
    gain: float
    """How many times shorter the mean becomes when the shortest remaining job is served first."""

    loads: tuple[float, float]
    """Those that the simulations reached: first come first served, and the shortest first."""

    def at(self, load: float) -> bool:
        """Whether this load was reached."""
        return all(abs(reached / load - 1) < REACHED_WITHIN for reached in self.loads)


@dataclass(frozen=True)
class Advice:
    """The verdict, and its reasons."""

    model: str
    """open, closed or partly-open."""

    reason: str
    confidence: str
    """sure, likely or unsure, and why."""

    load: float
    cv2: float
    cv2_from: str
    """Where the demands' variability comes from."""

    partly_open: Model | None
    open: Model | None
    closed: Model | None
    clients: int
    """The clients of the closed model: as many as sessions are under way in the learned one."""

    demand_s: float
    """The mean service demand."""

    stays: bool
    """Whether users stay: then the closed model is the learned one."""

    @property
    def misleading_if(self) -> dict[str, dict[str, float]]:
        """By how much the other models are off: their figures as multiples of the learned ones.

        Models that did not reach the load are not compared.
        """
        learned = self.closed if self.stays else self.partly_open
        others = {"open": self.open} | ({} if self.stays else {"closed": self.closed})
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
) -> Advice:
    """Say which model fits; ``demand_cv2`` is the demands' C², by default learned."""
    cv2, cv2_from = _variability(traffic, demand_cv2)
    demand_s = _demand(traffic)
    # Little's law, at the rate that gives the load.
    session_s = traffic.session_seconds / max(traffic.count("requests"), 1)
    stays = _stay(traffic)
    clients = round(traffic.active_mean) if stays else round(load / demand_s * session_s)
    clients = min(max(clients, 1), CLIENTS_MAX)
    models = _simulated(traffic, sessions, (demand_s, cv2), clients, load)
    found, reason = _ruled(traffic)
    return Advice(
        model=found,
        reason=_in_words(reason, models, load),
        confidence=_confidence(traffic, arrivals),
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


def _stay(traffic: Traffic) -> bool:
    """Whether most of those who are there at a time are there for most of the log."""
    sessions, requests = traffic.count("staying_sessions"), traffic.count("staying_requests")
    share = float(traffic.raw["staying_seconds"] / max(traffic.raw["session_seconds"], 1e-9))
    return share >= STAYS and requests >= CLOSED_FROM * max(sessions, 1)


def _ruled(traffic: Traffic) -> tuple[str, str]:
    mean = traffic.requests_per_session
    if _stay(traffic):
        return "closed", "users stay: most of the time is that of sessions as long as the log"
    text = f"a session makes {mean:.3g} requests on average"
    if mean <= OPEN_UP_TO:
        return "open", f"{text}: up to {OPEN_UP_TO:g} a partly-open system behaves as an open one"
    if mean >= CLOSED_FROM:
        return (
            "closed",
            f"{text}: from {CLOSED_FROM:g} a partly-open system behaves as a closed one",
        )
    return "partly-open", f"{text}: neither few enough for an open nor enough for a closed system"


def _in_words(reason: str, models: dict[str, Model], load: float) -> str:
    own = "closed" if reason.startswith("users stay") else "partly-open"
    learned = models[own]
    others = [name for name in ("open", "closed") if name != own]
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
    return f"{reason}. Simulated at load {load:g}, {'; '.join(parts)}."


def _times(ratio: float) -> str:
    return "about the same" if abs(ratio - 1) < MISLEADS else f"{ratio:.3g} times the"


def _confidence(traffic: Traffic, arrivals: Arrivals) -> str:
    sessions, mean = traffic.count("sessions"), traffic.requests_per_session
    cut = traffic.count("cut_at_start") + traffic.count("cut_at_end")
    if sessions < 100:
        return f"unsure: there are {sessions} sessions only"
    if cut > 0.5 * sessions:
        return "unsure: most sessions may have been cut off by the log's begin or end"
    near = min(abs(math.log(mean / edge)) for edge in (OPEN_UP_TO, CLOSED_FROM))
    if near < 0.15:
        return f"likely: {mean:.3g} requests a session is close to a limit of the rule"
    if arrivals.poisson.verdict == "no" and mean <= OPEN_UP_TO:
        return "likely: sessions do not arrive as a Poisson process"
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


def _demand(traffic: Traffic) -> float:
    """The mean demand: the median duration, because long ones hold waiting too; or a usual one."""
    durations = traffic.durations()
    return max(durations.quantile(0.5), 1e-6) if durations.total else USUAL_DEMAND_S


def _simulated(
    traffic: Traffic,
    sessions: SessionLaws,
    demand: tuple[float, float],
    clients: int,
    load: float,
) -> dict[str, Model]:
    """The three models on one server of this mean demand and C², at rates that load it so far."""
    mean, cv2 = demand
    rate = load / mean
    law = f"h2({mean!r}s, cv2={cv2!r})" if cv2 > 1.001 else f"exp({mean!r}s)"
    if cv2 < 0.95:
        law = f"gamma(shape={1 / max(cv2, 0.01)!r}, scale={mean * max(cv2, 0.01)!r}s)"
    think = sessions.think_law
    texts = {"open": f'model = "open"\nrate = "{rate!r}/s"\n'}
    if think is not None and traffic.requests_per_session > 1:
        partly = (
            f'model = "partly-open"\nrate = "{{!r}}/s"\n'
            f'[session]\nrequests = "{sessions.requests_law}"\nthink = "{think}"\n'
        )
        # The rate goes by the law's mean, which is not quite the log's.
        length = _workload(partly.format(1.0)).requests_per_session
        texts["partly-open"] = partly.format(rate / length)
    warmup_s = WARM_UP * REQUESTS / rate
    found = {
        name: _model(*(_seen(text, law, policy, warmup_s) for policy in POLICIES))
        for name, text in texts.items()
    }
    found.setdefault("partly-open", found["open"])
    closed = f'model = "closed"\nclients = {clients}\n[session]\nthink = "exp({{}}s)"\n'
    cycle_s = clients / rate
    found["closed"] = _model(
        *(_at_cycle(closed, law, policy, cycle_s, warmup_s) for policy in POLICIES)
    )
    return found


def _at_cycle(closed: str, law: str, policy: str, cycle_s: float, warmup_s: float) -> Seen:
    """A closed workload in which a client's requests follow one another by so many seconds.

    It thinks for as long as response times leave of them, so that the server is loaded as wanted.
    """
    think = cycle_s
    for _ in range(TURNS):
        seen = _seen(closed.format(repr(think)), law, policy, warmup_s)
        think = max(cycle_s - seen.mean_s, 1e-3 * cycle_s)
    return _seen(closed.format(repr(think)), law, policy, warmup_s)


def _model(first: Seen, best: Seen) -> Model:
    return Model(first.mean_s, first.p99_s, first.mean_s / best.mean_s, (first.load, best.load))


def _seen(text: str, law: str, policy: str, warmup_s: float) -> Seen:
    """A workload on one server, simulated."""
    head = 'name = "server"\n[[station]]\nname = "server"'
    system = _core.System(f'{head}\npolicy = "{policy}"\ndemand = "{law}"\n')
    result = simulate(_workload(text), system, requests=REQUESTS, warmup=warmup_s, rows="none")
    times = result.summary["response_time_s"]
    return Seen(times["mean"], times["p99"], result.summary["stations"]["server"]["load"])


def _workload(arrivals: str) -> _core.Workload:
    return _core.Workload(f'name = "learned"\n[arrivals]\n{arrivals}')
