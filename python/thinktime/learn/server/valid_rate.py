"""The rate of requests up to which all models of a server that explain a log agree.

Each model is simulated at growing multiples of the learned workload's rates. At the log's own rate
its p99 is compared with the log's. Beyond that there are two further sorts of models: with the laws
of demands of a quarter of the log, and with as much more work as chance may have kept from the log.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from thinktime._core import InputError, System, Workload
from thinktime.candidates.candidate import in_a_row
from thinktime.candidates.candidate_simulation import FULL, each, play
from thinktime.candidates.policies import Policy, Timeline
from thinktime.candidates.visits import Mask, Numbers, Visits
from thinktime.learn.logs.requests import Requests
from thinktime.learn.server.agreement import disagreement
from thinktime.learn.server.choice import Choice
from thinktime.learn.server.estimate import ALL
from thinktime.learn.server.laws import empirical
from thinktime.learn.server.lost_requests import patience_s, turned_away
from thinktime.learn.server.model import Server, demands_under
from thinktime.learn.server.rivals import rivals
from thinktime.learn.server.text import laws_of
from thinktime.learn.server.visits import server_visits
from thinktime.learn.server.work_error import user_error, work_error

WITHIN = 0.25
"""Values of p99 agree if they differ by no more than this part."""

MULTIPLES = (1.0, 2.0, 4.0)
STEPS = 3
"""After a quarter of the way from the last multiple to the next one, it is halved so often."""

REQUESTS = 50_000
"""The least length of a simulation. If rates change it is as long as the log, up to a bound."""

REQUESTS_MAX = 1_000_000
VISITS_MAX = 400_000
"""Demands are computed anew of no more requests than this."""

DEVIATIONS = 2.75
"""Student's quantile for 99 %, of the 30 parts of a log whose work is compared."""

MOST = 0.8
"""Users who are there for more than this part of the log stay."""

QUARTERS = 4
SEED = 45

DOUBT = "No model has the log's p99 within 25 %, or those that explain it differ by more."

GIVEN_UP = "Clients give up before p99 of the best server: what they leave is not known."

MANY = 8
"""If workers were never all busy, a server with this many times as many explains a log as well."""


def with_reach(
    server: Server, requests: Requests, kind: Numbers, names: Sequence[str], workload: Workload
) -> Server:
    """The server with `up_to`: the highest rate up to which all models agree on p99.

    Args:
        server: A server that was learned.
        requests: The requests that it was learned from.
        kind: The kind of each, a place in `names`, or -1.
        names: The names of the kinds.
        workload: The workload that was learned from the same log.
    """
    log = server_visits(requests, kind)
    if not len(log):
        return server
    if not log.over.any():
        return replace(server, estimate=server.estimate.doubted(DOUBT))
    queue = log.part(~np.isin(log.kind, [names.index(one.name) for one in server.beside]))
    choice = server.estimate.choice
    if choice is not None and choice.explains and (why := disagreement(queue, choice.policy)):
        refuted = replace(
            server.estimate.doubted(why), guesses=ALL, choice=replace(choice, alike=())
        )
        server = replace(server, estimate=refuted)
    more = 1.0 + DEVIATIONS * _error(server, queue, requests, kind)
    reach = _Reach(server, log, queue, names, workload, more)
    limit = turned_away(requests, log)
    multiple = reach.multiple(MULTIPLES[:1] if limit else MULTIPLES)
    for rival in rivals(queue, len(names)) if multiple > 1 else ():
        system = rival.system(names, reach.delays)
        if multiple and reach.differs(system, multiple) and rival.alike:
            multiple = reach.before(system, multiple)
            server = replace(server, estimate=server.estimate.beside(rival.words))
    doubt = limit if multiple else GIVEN_UP if reach.given_up else DOUBT
    server = replace(server, up_to=multiple * reach.rate if multiple else None)
    return replace(server, estimate=server.estimate.doubted(doubt)) if doubt else server


def _policy(server: Server) -> Policy:
    """The policy that the demands follow."""
    choice = server.estimate.choice
    return Policy("idle", 0) if choice is None else choice.policy


def _error(server: Server, queue: Visits, requests: Requests, kind: Numbers) -> float:
    """The relative standard error of the work a second."""
    means_s = [one.mean_s if one in server.served else 0.0 for one in server.demands]
    demands_s = np.array([*means_s, 0.0])[kind]  # the last one is that of -1
    users_s = np.bincount(requests.rows["user"].to_numpy(), weights=demands_s).astype(np.float64)
    parts_s = Timeline.of(queue).demands(_policy(server))
    return max(work_error(queue.arrival_s, parts_s), user_error(users_s, _stays(requests)))


def _stays(requests: Requests) -> Mask:
    """Whether each user is there for most of the log."""
    user, time_ns = (requests.rows[name].to_numpy() for name in ("user", "time_ns"))
    those, first = np.unique(user, return_index=True)
    last = len(user) - 1 - np.unique(user[::-1], return_index=True)[1]
    found = np.zeros(int(user.max()) + 1, np.bool_)
    found[those] = (time_ns[last] - time_ns[first]) * 1e-9 > MOST * requests.span_s
    return found


class _Reach:
    """The models, ready to be simulated; the work may be ``more`` times what the log shows."""

    given_up = False
    """Whether p99 is beyond the patience of clients at a rate that was tried."""

    def __init__(
        self,
        server: Server,
        log: Visits,
        queue: Visits,
        names: Sequence[str],
        workload: Workload,
        more: float,
    ) -> None:
        self._workload = workload
        self._changes = workload.replays or any(
            one.table["arrivals"]["profile"] != "constant" for one in workload.populations
        )
        self._requests = len(log)
        self._loads: dict[float, float] = {}
        self._warmup_s: float | None = None
        self._known: dict[tuple[System, float], float] = {}
        self._choice = server.estimate.choice
        self._p99_s = float(np.quantile(log.duration_s[log.over], 0.99))
        self._more = more
        policy = _policy(server)
        self._patience_s = patience_s(queue)
        self.rate = workload.request_rate or 0.0
        """The learned workload's own rate of requests a second; of clients it is simulated."""

        delays = self.delays = {one.name: one.law.notation for one in server.beside}
        laws, part = laws_of(server), queue.part(slice(0, VISITS_MAX))
        own = [(server.policy, server.workers)]
        self._own = in_a_row(own, laws.get("", laws), delays)
        means_s = [law.mean for law in demands_under(part, policy, len(names))]
        self._quarters = [
            in_a_row(own, laws | _laws(one, policy, names, means_s), delays)
            for one in _quarters(part)
        ]
        self._rivals = [
            in_a_row([(name, workers)], laws | _laws(part, policy, names), delays)
            for name, workers, policy in _others(self._choice, server.workers)
        ]

    def multiple(self, tried: Sequence[float]) -> float:
        """The largest multiple of the rates up to which all agree; 0 without any."""
        # If no policy is known, other rates than the log's own are not either.
        known = self._choice is not None and self._choice.explains
        last = 0.0
        for multiple in tried if known else tried[:1]:
            if not self._agree(multiple):
                return _between(last, multiple, self._agree) if last else 0.0
            last = multiple
        return last

    def differs(self, rival: System, multiple: float) -> bool:
        """Whether a rival has another p99 at this multiple of the rates."""
        both = each(partial(self._played, multiple=multiple), [self._own, rival])
        return _apart(*both) > math.log1p(WITHIN)

    def before(self, rival: System, multiple: float) -> float:
        """The largest multiple up to this one at which a rival has the same p99; 0 without any."""

        def agrees(multiple: float) -> bool:
            return not self.differs(rival, multiple)

        return _between(1.0, multiple, agrees) if agrees(1.0) else 0.0

    def _agree(self, multiple: float) -> bool:
        """Whether all models agree at this multiple of the rates."""
        played = partial(self._played, multiple=multiple)
        own = played(self._own)
        rivals = each(played, self._rivals)
        if own > self._patience_s:
            self.given_up = True
            return False
        apart = max((_apart(own, one) for one in rivals), default=0.0)
        if multiple == 1:  # the log itself shows the truth
            return max(apart, _apart(own, self._p99_s)) <= math.log1p(WITHIN)
        if apart > math.log1p(WITHIN) or math.isinf(own):
            return False
        load = min(self._loads[multiple] * self._more, 1.0)
        # Times go with 1 / (1 - load), which a short simulation of a busy server may not show.
        grows = math.log((1 - self._loads[multiple]) / (1 - load)) if load < 1 else math.inf
        if apart + grows > math.log1p(WITHIN):
            return False
        busier = max(_apart(own, self._played(self._own, multiple * self._more)), grows)
        if apart + busier > math.log1p(WITHIN):
            return False
        law = max(_apart(own, one) for one in each(played, self._quarters))
        return apart + math.hypot(law, busier) <= math.log1p(WITHIN)

    def _played(self, system: System, multiple: float) -> float:
        """The simulated 99th percentile in seconds; infinite if the server is overloaded."""
        if (system, multiple) not in self._known:
            self._known[system, multiple] = self._simulated(system, multiple)
        return self._known[system, multiple]

    def _simulated(self, system: System, multiple: float) -> float:
        most = min(round(self._requests * multiple), REQUESTS_MAX) if self._changes else 0
        workload = self._workload.scaled(multiple)
        # A mix ends with its arrivals: later requests would be those of clients that continue.
        requests = None if workload.mix_end_s else max(most, REQUESTS)
        try:
            found = play(workload, system, seed=SEED, requests=requests, warmup=self._warmup_s)
        except InputError:
            return math.inf
        if system is self._own:
            self._warmup_s = found.warmup_s  # to look for it takes as long as the simulation
            self.rate = self.rate or found.offered_rate / multiple
            self._loads[multiple] = found.load
        return math.inf if found.load > FULL or math.isnan(found.p99_s) else found.p99_s


def _between(good: float, bad: float, agree: Callable[[float], bool]) -> float:
    """The largest of the multiples between two that are tried at which all agree."""
    middle = (3 * good + bad) / 4  # that of a busy server is near the log's own rate
    for _ in range(1 + STEPS):
        good, bad = (middle, bad) if agree(middle) else (good, middle)
        middle = (good + bad) / 2
    return good


def _apart(one: float, other: float) -> float:
    """The logarithm of the ratio of two values; infinite if one is."""
    if math.isinf(one) or math.isinf(other) or one <= 0 or other <= 0:
        return math.inf
    return abs(math.log(one / other))


def _others(choice: Choice | None, workers: int) -> Iterator[tuple[str, int, Policy]]:
    """The other models: a policy of the file, its workers, and the policy that demands follow."""
    if choice is None:
        return
    for name in ("fcfs", "ps"):
        alike = [one for one in choice.alike if one.name == name]
        for policy in {pick(alike, key=lambda one: one.workers) for pick in (min, max) if alike}:
            if policy != choice.policy:
                yield name, policy.workers, policy
    if any(one.name == "idle" for one in choice.alike):
        yield "ps", MANY * workers, Policy("idle", 0)


def _quarters(log: Visits) -> Iterator[Visits]:
    for n in range(QUARTERS):
        yield log.part(slice(n * len(log) // QUARTERS, (n + 1) * len(log) // QUARTERS))


def _laws(
    log: Visits, policy: Policy, names: Sequence[str], means_s: Sequence[float] | None = None
) -> dict[str, str]:
    """The laws of the demands under a policy that were seen, perhaps with other means."""
    found = demands_under(log, policy, len(names))
    means_s = means_s or [law.mean for law in found]
    return {
        name: empirical(law, mean_s)
        for name, law, mean_s in zip(names, found, means_s, strict=True)
        if law.seen and law.mean > 0
    }
