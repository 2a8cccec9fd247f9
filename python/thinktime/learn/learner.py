"""Learning from a log that was read: its populations, tests of the main one, and the fidelity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from thinktime._core import InputError
from thinktime.learn.advice.advice import advise, main_part
from thinktime.learn.journeys.timeout import USUAL_S, timeout_curve
from thinktime.learn.kinds import objects_by_time
from thinktime.learn.kinds.objects_by_time import ObjectsByTime
from thinktime.learn.logs.log import OWN, Log, log_of
from thinktime.learn.logs.reader import Progress, Read
from thinktime.learn.memory import give_back
from thinktime.learn.model.figures import Figures
from thinktime.learn.model.population_model import PopulationModel, learn_population
from thinktime.learn.model.workload_of_parts import kinds_of, stand_in
from thinktime.learn.outcome import Learned
from thinktime.learn.populations import Finding, Populations, tell_apart
from thinktime.learn.starts import Coverage, silences
from thinktime.learn.stop_signal import StopSignal
from thinktime.learn.unlisted_paths import unnamed_paths, with_existing_paths
from thinktime.operations import seconds
from thinktime.present import units

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
    objects = objects_by_time.find(log.requests) if pages else ObjectsByTime(log.requests)
    log = replace(log, requests=objects.requests)
    _say_read(log, progress, when_read)
    give_back(log.requests)
    populations = tell_apart(log.requests, programs=programs)
    if objects.kinds:
        told = Finding("objects by time", objects_by_time.sentence(objects), objects.share)
        populations = replace(populations, findings=(*populations.findings, told))
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
    timeout_s = _timeout_s(log, populations, timeout)
    parts = _parts(log, populations, timeout_s, least_users, pages)
    main, work = main_part(parts)
    figures, found = Figures(main, log.one_in), None
    with ThreadPoolExecutor(1) as beside:
        advice = beside.submit(advise, figures, work, demand_cv2=demand[0], load=demand[1])
        if measured is not None and measured.wanted:
            kinds = kinds_of(log, populations.labels, parts)
            parts, found = stand_in(log, kinds, parts, measured)
    populations = replace(
        populations,
        populations=tuple(part.population for part in parts),
        findings=(
            *populations.findings,
            *unnamed_paths(parts, log, least_users),
            *_left_out(parts, len(log.requests), log.one_in),
        ),
    )
    return Learned(
        log=log, split=populations, parts=parts, figures=Figures(parts[0], log.one_in),
        timeout_from="curve" if timeout == "auto" else "given", advice=advice.result(),
        fidelity=found,
    )  # fmt: skip


def _timeout_s(log: Log, populations: Populations, timeout: float | str | None) -> float:
    """The session timeout; ``auto`` is that of the first population."""
    if timeout != "auto":
        return _seconds(timeout) or USUAL_S
    first = log.requests.only(populations.of(populations.populations[0].name))
    return timeout_curve(first).level_from_s or USUAL_S


def _left_out(parts: list[PopulationModel], requests: int, one_in: int) -> Iterator[Finding]:
    """The parts of the log that the file leaves out, if they are large."""
    retries = sum(part.journeys.retries for part in parts)
    share = retries / requests
    if share > RETRIES:
        yield Finding(
            "retries",
            f"{units.counted(retries * one_in, 'request')}, {units.percent(share)}, asked again "
            "for what had failed: the workload file leaves them out, and is compared with the "
            "rest; `retry` and `timeout` of its requests say when clients do so",
            share,
        )


def _parts(
    log: Log, populations: Populations, timeout_s: float, least_users: int, pages: bool
) -> list[PopulationModel]:
    """The workload file's content for each population."""
    times = log.requests.rows["time_ns"].to_numpy()
    begin_ns, span_s = int(times[0]), log.requests.span_s
    covered = Coverage(span_s, silences((times - begin_ns) * 1e-9, span_s))
    least = 1 if log.formats == [OWN] else least_users
    parts = []
    for one in populations.populations:
        requests = log.requests.only(populations.of(one.name))
        parts.append(learn_population(one, requests, covered, begin_ns, timeout_s, least, pages))
        give_back(log.requests)
    return with_existing_paths(parts)


def _seconds(timeout: float | str | None) -> float | None:
    if timeout is None:
        return None
    value = seconds(timeout)
    if not 0 < value < float("inf"):
        raise InputError(f"the session timeout must be more than 0; it is {timeout}")
    return value
