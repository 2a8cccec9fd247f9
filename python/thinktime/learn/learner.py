"""Learning from a log that was read: its parts, and the figures of its people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from thinktime._core import InputError
from thinktime.learn.advice.advice import advise
from thinktime.learn.fidelity import Fidelity
from thinktime.learn.logs.log import OWN, Log, log_of
from thinktime.learn.logs.reader import Progress, Read
from thinktime.learn.memory import give_back, many
from thinktime.learn.model.population_model import PopulationModel, learn_population
from thinktime.learn.model.workload_of_parts import kinds_of, stand_in
from thinktime.learn.outcome import Learned
from thinktime.learn.populations import Finding, Populations, tell_apart
from thinktime.learn.starts import Coverage, silences
from thinktime.learn.stop_signal import StopSignal
from thinktime.learn.traffic.arrivals import learn_arrivals
from thinktime.learn.traffic.sessions import learn_sessions, values_of
from thinktime.learn.traffic.timeout import USUAL_S, timeout_curve
from thinktime.learn.traffic.traffic import traffic_of
from thinktime.operations import seconds
from thinktime.present import units

HIDDEN = 0.001
"""From this share of the requests on, a note says that their paths are not named."""

RETRIES = 0.02
"""From this share of the requests on, a note says that retries are left out."""


def learn_from(
    done: Read,
    *,
    timeout: float | str | None,
    pages: bool,
    programs: bool,
    demand_cv2: float | None,
    load: float,
    least_users: int,
    fidelity: bool,
    progress: Progress | None,
    when_read: Callable[[Log], None] | None,
    stopping: StopSignal,
) -> Learned:
    """The result of `thinktime.learn.learn`, from logs that were read.

    Raises InputError if there is nothing to learn from.
    """
    log = log_of(done)
    _say_read(log, progress, when_read)
    give_back(log.requests)
    populations = tell_apart(log.requests, programs=programs)
    measured = stopping if fidelity else None
    give_back(log.requests)
    return _learned(log, populations, timeout, pages, (demand_cv2, load), least_users, measured)


def _say_read(log: Log, progress: Progress | None, when_read: Callable[[Log], None] | None) -> None:
    if when_read is not None:
        when_read(log)
    if progress is not None:
        progress(len(log.requests), 1.0, 0)


def _learned(
    log: Log,
    populations: Populations,
    timeout: float | str | None,
    pages: bool,
    demand: tuple[float | None, float],
    least_users: int,
    measured: StopSignal | None,
) -> Learned:
    auto = timeout == "auto"
    timeout_s = USUAL_S if auto else _seconds(timeout) or USUAL_S
    labels = populations.labels.astype(np.uint8)
    first = populations.populations[0]
    known = {"known": first.confidence, "verdict": first.model}
    stopping = StopSignal()
    with ThreadPoolExecutor(1) as beside, stopping.if_raised():
        asked = (log, populations, least_users, pages, measured, stopping)
        later = auto or many(log.requests)
        learning = None if later else beside.submit(_parts, timeout_s, *asked)
        traffic = traffic_of(log, timeout_s, labels, 0, pages)
        give_back(log.requests)
        curve = timeout_curve(traffic)
        if auto and curve.level_from_s is not None:
            traffic = traffic_of(log, curve.level_from_s, labels, 0, pages)
        arrivals, traffic = learn_arrivals(traffic), traffic.without_starts()
        learning = learning or beside.submit(_parts, traffic.timeout_s, *asked)
        sessions = learn_sessions(traffic)
        sizes, durations = values_of(traffic.sizes()), values_of(traffic.durations())
        advice = advise(traffic, arrivals, sessions, demand_cv2=demand[0], load=demand[1], **known)
        parts, found = learning.result()
    populations = replace(
        populations,
        populations=tuple(part.population for part in parts),
        findings=(*populations.findings, *_left_out(parts, log, least_users)),
    )
    return Learned(
        log=log, split=populations, parts=parts, traffic=traffic, curve=curve,
        timeout_from="curve" if auto else "given", arrivals=arrivals, sessions=sessions,
        sizes=sizes, durations=durations, advice=advice, fidelity=found,
    )  # fmt: skip


def _left_out(parts: list[PopulationModel], log: Log, least_users: int) -> Iterator[Finding]:
    """The parts of the log that the file leaves out, if they are large."""
    hidden = {part.population.name: part.journeys.kinds.hidden for part in parts}
    share = sum(hidden.values()) / len(log.requests)
    if share > HIDDEN:
        yield Finding(
            "unnamed paths",
            f"{units.counted(sum(hidden.values()) * log.one_in, 'request')}, {share:.1%}, of "
            f"{units.listed([name for name, many in hidden.items() if many])} have no path in the "
            f"workload file, as fewer than {least_users} users requested it or it may identify a "
            "person: runs send another path of the log with a made-up query. --least-users 1 names "
            "those of few users",
            share,
        )
    retries, one_in = sum(part.journeys.retries for part in parts), log.one_in
    share = retries / len(log.requests)
    if share > RETRIES:
        yield Finding(
            "retries",
            f"{units.counted(retries * one_in, 'request')}, {share:.1%}, asked again for what had "
            "failed: the workload file leaves them out, and is compared with the rest; `retry` and "
            "`timeout` of its requests say when clients do so",
            share,
        )


def _parts(
    timeout_s: float,
    log: Log,
    populations: Populations,
    least_users: int,
    pages: bool,
    measured: StopSignal | None,
    stopping: StopSignal,
) -> tuple[list[PopulationModel], Fidelity | None]:
    """The workload file's content for each population, and the fidelity of all together.

    The fidelity is computed for as long as it is wanted; with None it is not.
    """
    times = log.requests.rows["time_ns"].to_numpy()
    begin_ns, span_s = int(times[0]), log.requests.span_s
    covered = Coverage(span_s, silences((times - begin_ns) * 1e-9, span_s))
    least = 1 if log.formats == [OWN] else least_users
    parts = []
    for one in populations.populations:
        stopping.look()
        requests = log.requests.only(populations.of(one.name))
        parts.append(learn_population(one, requests, covered, begin_ns, timeout_s, least, pages))
        give_back(log.requests)
    if measured is None or not measured.wanted:
        return parts, None
    kinds = kinds_of(log, populations.labels, parts)
    found = stand_in(log, kinds, parts, StopSignal(measured, stopping))
    stopping.look()
    return found


def _seconds(timeout: float | str | None) -> float | None:
    if timeout is None:
        return None
    value = seconds(timeout)
    if not 0 < value < float("inf"):
        raise InputError(f"the session timeout must be more than 0; it is {timeout}")
    return value
