"""The law of service demands from elsewhere than the times that a model is judged by.

It may be given; or be that of the requests that found the server idle, in the server's own access
log, in a result at low load, or by what responses tell of the server's own time: these are served
at full speed until another one comes, whatever the policy is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thinktime._core import Distribution, InputError
from thinktime.explain.laws import law_of_demands, law_of_survival
from thinktime.explain.server_timing import UnusableTimesError, served_by_itself
from thinktime.explain.visits import network_s, visits_of
from thinktime.learn.server.idle import alone
from thinktime.learn.server.model import COARSE, FEW, MISSING_MAX
from thinktime.learn.server.survival import Survival
from thinktime.learn.server.visits import ServerVisits, server_visits
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.results.result import Result

_SEED = 19790102


@dataclass(frozen=True, eq=False)
class KnownDemands:
    """A law of demands, and where it is from."""

    law: str
    source: str
    """In words, as in `given`."""

    seen: Survival | None = None
    """What it was learned from; None of a law that was given, which has no chance in it."""

    def variants(self, many: int) -> list[str]:
        """Laws that might as well have been learned, of as many demands drawn from those seen."""
        if self.seen is None:
            return [self.law] * many
        random = np.random.default_rng(_SEED)
        values, shares = self.seen.values, self.seen.weights
        draws = [random.choice(values, self.seen.seen, p=shares) for _ in range(many)]
        return [law_of_demands(one) for one in draws]


def known_demands(
    result: Result,
    demand: str | None,
    log: str | Path | None,
    log_format: str | None,
    low_load: Result | None,
) -> KnownDemands | None:
    """What is known of the demands of a result; None where nothing was given.

    Raises:
        InputError: if several are given, the law is none, or a log or result does not tell it.
    """
    if sum(one is not None for one in (demand, log, low_load)) > 1:
        raise InputError("give one of a law, a log and a result at low load: each says it all")
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
    """By the durations in the server's own access log.

    Raises:
        InputError: if it cannot be read, has no durations, or does not tell who was alone.
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
                f"{file}: its {what} are in steps of {units.seconds(step_s)}, where a request "
                f"takes {units.seconds(usual_s)} on average: that tells no demands; log finer times"
            )
    return _alone(log, f"{file} that found the server idle", str(file))


def of_low_load(result: Result, low: Result) -> KnownDemands:
    """By the response times of the same workload at low load, without the link that it crossed.

    Raises:
        InputError: if its rows were not kept, are too few or of other requests, or many failed.
    """
    where = str(low.path or "the result at low load")
    names, others = (set(one.workload.request_names) for one in (result, low))
    if names != others:
        raise InputError(
            f"{where}: it has the requests {', '.join(sorted(others))}, and what is explained has "
            f"{', '.join(sorted(names))}: run the same workload at a low load"
        )
    network = network_s(low)
    log = visits_of(low).without(network).served()
    known = _alone(log, f"{where} that found the server idle", where)
    if not network:
        return known
    without = f"{known.source}, without {units.seconds(network)} of its link"
    return replace(known, source=without)


def of_server_timing(result: Result, requests_max: int) -> KnownDemands:
    """By what responses tell of the server's own time, in the header `Server-Timing`.

    Raises:
        UnusableTimesError: if they do not tell the demands: why, in words.
        InputError: if the rows were not kept.
    """
    log = served_by_itself(result, requests_max)
    law = alone(log, 1)[0]
    if few := _too_few(law, log):
        raise UnusableTimesError(few)
    return _known(law, "the result that found the server idle, by its `Server-Timing`")


def _alone(log: ServerVisits, those: str, where: str) -> KnownDemands:
    """The law of those that found the server idle."""
    law = alone(log, 1)[0]
    if few := _too_few(law, log):
        raise InputError(f"{where}: {few}: take a time of lower load")
    return _known(law, those)


def _too_few(law: Survival, log: ServerVisits) -> str:
    """Why the requests that were alone do not tell the law; nothing where they do."""
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
    """The law as it is known, from so many requests of these."""
    # Those that are longer than any that was seen to its end count as what they last on average.
    values, shares = law.values, law.weights
    if law.missing > 0:
        values = np.append(values, values[-1] + law.beyond_s)
        shares = np.append(shares, law.missing)
    whole = Survival(values, shares / shares.sum(), law.known_s, law.seen, 0.0)
    # A log whose durations were taken for another unit shows it by their mean.
    mean = units.seconds(whole.mean)
    source = f"those of {law.seen:,} requests of {those}, {mean} on average"
    return KnownDemands(law_of_survival(whole), source, whole)
