"""The law of service demands from another source than the times that a model is judged by.

The law may be given. Or it is the law of requests that found the server idle: in the server's own
access log, in a result at low load, or by the server's own times in its responses. Such requests
are served at full speed until another one comes, whatever the policy is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thinktime._core import Distribution, InputError
from thinktime.candidates.idle import alone
from thinktime.candidates.survival import Survival
from thinktime.candidates.visits import Floats, Visits
from thinktime.explain.laws import law_of_demands, law_of_survival
from thinktime.explain.server_timing import UnusableTimesError, served_by_itself
from thinktime.explain.visits import network_s, visits_of
from thinktime.learn.server.estimate import COARSE
from thinktime.learn.server.model import FEW, MISSING_MAX
from thinktime.learn.server.visits import server_visits
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.results.result import Result

_SEEDS = 19790101, 19790102
"""Of draws from demands that follow from times, and from those of another source."""


@dataclass(frozen=True, eq=False)
class KnownDemands:
    """A law of demands and its source."""

    law: str
    source: str
    """The source in words."""

    seen: Survival | None = None
    """The requests from which the law was learned; None for a given law, which has no chance in
    it."""

    def variants(self, many: int) -> list[str]:
        """Laws that might as well have been learned, each from as many draws of the demands."""
        if self.seen is None:
            return [self.law] * many
        shares = self.seen.weights
        return variants_of(self.seen.values, many, self.seen.seen, shares)


def variants_of(
    values: Floats, many: int, seen: int | None = None, shares: Floats | None = None
) -> list[str]:
    """Laws of as many demands, drawn with replacement (bootstrap) from values of these shares."""
    random = np.random.default_rng(_SEEDS[shares is not None])
    draws = (random.choice(values, seen or len(values), p=shares) for _ in range(many))
    return [law_of_demands(one) for one in draws]


def known_demands(
    result: Result,
    demand: str | None,
    log: str | Path | None,
    log_format: str | None,
    low_load: Result | None,
) -> KnownDemands | None:
    """The known demands of a result; None if nothing was given.

    Raises:
        InputError: if several are given, the law is invalid, or a log or result does not show it.
    """
    if sum(one is not None for one in (demand, log, low_load)) > 1:
        raise InputError("give only one: a law, a log, or a result at low load")
    if log_format is not None and log is None:
        raise InputError("a format goes with a log")
    if demand is not None:
        try:
            Distribution(demand)
        except InputError as error:
            raise InputError(f"demand: {error}") from None
        return KnownDemands(demand, "given")
    if log is not None:
        return of_log(log, log_format)
    return None if low_load is None else of_low_load(result, low_load)


def of_log(file: str | Path, log_format: str | None = None) -> KnownDemands:
    """Demands by the durations in the server's own access log.

    Raises:
        InputError: if it cannot be read, has no durations, or does not show which requests were
            alone.
    """
    from thinktime.learn.logs.log import read

    requests = read([file], format=log_format).requests
    if not requests.timed:
        raise InputError(
            f"{file}: it has no durations: let the server log them, as nginx does with "
            "`$request_time`"
        )
    log = server_visits(requests, np.zeros(len(requests), dtype=np.int64))
    if not len(log):
        raise InputError(f"{file}: no request in it was served")
    usual_s = float(log.duration_s.mean())
    steps_s = {"stamps": log.stamp_s, "durations": log.step_s}
    for what, step_s in steps_s.items():
        if step_s > COARSE * usual_s:
            raise InputError(
                f"{file}: its {what} are in steps of {units.seconds(step_s)}, but a request takes "
                f"{units.seconds(usual_s)} on average: demands are not visible; log finer times"
            )
    return _alone(log, f"{file} that found the server idle", str(file))


def of_low_load(result: Result, low: Result) -> KnownDemands:
    """Demands by response times of the same workload at low load, less the link that it crossed.

    Raises:
        InputError: if its rows were not kept, are too few or of other requests, or many failed.
    """
    where = str(low.path or "the result at low load")
    names, others = (set(one.workload.request_names) for one in (result, low))
    if names != others:
        raise InputError(
            f"{where}: it has the requests {', '.join(sorted(others))}, and the explained result "
            f"has {', '.join(sorted(names))}: run the same workload at a low load"
        )
    network = network_s(low)
    log = visits_of(low).without(network)
    known = _alone(log, f"{where} that found the server idle", where)
    if not network:
        return known
    without = f"{known.source}, without {units.seconds(network)} of its link"
    return replace(known, source=without)


def of_server_timing(result: Result, requests_max: int) -> KnownDemands:
    """Demands by the server's own time in the responses' header `Server-Timing`.

    Raises:
        UnusableTimesError: if they do not show the demands; it says why.
        InputError: if the rows were not kept.
    """
    log = served_by_itself(result, requests_max)
    law = alone(log, 1)[0]
    if few := _too_few(law, log):
        raise UnusableTimesError(few)
    return _known(law, "the result that found the server idle, by its `Server-Timing`")


def _alone(log: Visits, those: str, where: str) -> KnownDemands:
    """The law of the requests that found the server idle."""
    law = alone(log, 1)[0]
    if few := _too_few(law, log):
        raise InputError(f"{where}: {few}: take a time of lower load")
    return _known(law, those)


def _too_few(law: Survival, log: Visits) -> str:
    """Why the requests that were alone do not show the law; empty if they do."""
    if law.seen >= FEW and law.missing <= MISSING_MAX:
        return ""
    return (
        f"of {len(log):,} requests, which take "
        f"{units.seconds(float(log.duration_s.mean()))} on average, {law.seen:,} found the "
        f"server idle and were alone to their end, and {units.percent(law.missing)} of the "
        f"demands are longer than any of these: at least {FEW} are needed, and no more than "
        f"{units.percent(MISSING_MAX)}"
    )


def _known(law: Survival, those: str) -> KnownDemands:
    """The law as it is known from this many such requests."""
    # Requests that outlast every one seen to its end count with their mean duration.
    values, shares = law.values, law.weights
    if law.missing > 0:
        values = np.append(values, values[-1] + law.beyond_s)
        shares = np.append(shares, law.missing)
    whole = Survival(values, shares / shares.sum(), law.known_s, law.seen, 0.0)
    # If a log's durations were read in the wrong unit, their mean shows it.
    mean = units.seconds(whole.mean)
    source = f"those of {law.seen:,} requests of {those}, {mean} on average"
    return KnownDemands(law_of_survival(whole), source, whole)
