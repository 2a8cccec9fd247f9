"""Metrics of a run as Prometheus reads them, made anew for each request.

Counts are those of the whole run, the warm-up included; response times are those that count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from thinktime.monitor import protobuf
from thinktime.monitor.buckets import PER_OCTAVE, SCALE
from thinktime.monitor.site import KnownHosts
from thinktime.operations.run_progress import Moment
from thinktime.validity import DOUBTFUL, FINE, SPOILT, Finding

if TYPE_CHECKING:
    from thinktime.monitor.live_page import Subject

_VERDICTS = {FINE: 0, DOUBTFUL: 1, SPOILT: 2}

BOUNDS = range(-14 * PER_OCTAVE, 6 * PER_OCTAVE + 1, PER_OCTAVE // 2)
"""Places of the buckets whose upper bounds are reported: from 61 us to 64 s, two to a factor of
two."""

RESPONSE_TIMES = "thinktime_response_time_seconds"


class Metrics(Collector):
    """A registry's collection of a run."""

    def __init__(self, subject: Subject) -> None:
        """Collects the state of a run so far."""
        self._subject = subject

    def collect(self) -> Iterator[Metric]:
        """All metrics with data."""
        moment = self._subject.moment
        if moment is not None:
            name = self._subject.run.workload
            yield from _counts(moment, name)
            yield _histogram(moment, name)
            yield from _gauges(moment, name)
            yield _checks(self._subject.validity, name)


def text_of(subject: Subject) -> bytes:
    """The text format; labels are escaped by the library."""
    registry = CollectorRegistry()
    registry.register(Metrics(subject))
    return generate_latest(registry)


def protobuf_of(subject: Subject) -> bytes:
    """The same as protobuf, with response times as a native histogram, too."""
    moment = subject.moment
    buckets = () if moment is None else sorted(moment.response_buckets)
    return protobuf.encoded(Metrics(subject).collect(), SCALE, {RESPONSE_TIMES: buckets})


def app(subject: Subject, hosts: Iterable[str]) -> ASGIApp:
    """The server of `/metrics`."""

    async def metrics(request: Request) -> Response:
        if protobuf.accepted(request.headers.get("accept", "")):
            return Response(protobuf_of(subject), media_type=protobuf.CONTENT_TYPE)
        return Response(text_of(subject), media_type=CONTENT_TYPE_LATEST)

    middleware = [Middleware(KnownHosts, hosts=hosts)]
    return Starlette(routes=[Route("/metrics", metrics)], middleware=middleware)


def _counts(moment: Moment, workload: str) -> Iterator[Metric]:
    over = CounterMetricFamily(
        "thinktime_requests", "Requests that are over.",
        labels=("workload", "population", "outcome"),
    )  # fmt: skip
    parts = {"": moment} if not moment.populations else moment.populations
    for population, part in parts.items():
        over.add_metric((workload, population, "succeeded"), part.succeeded)
        over.add_metric((workload, population, "failed"), part.requests - part.succeeded)
    yield over
    failed = CounterMetricFamily(
        "thinktime_failed_attempts", "Failed attempts, by cause.",
        labels=("workload", "kind"),
    )  # fmt: skip
    for kind, count in moment.errors.items():
        failed.add_metric((workload, kind), count)
    yield failed


def _histogram(moment: Moment, workload: str) -> Metric:
    counts = sorted(moment.response_buckets)
    below = [
        (f"{2.0 ** (bound / PER_OCTAVE):.6g}", sum(n for place, n in counts if place <= bound))
        for bound in BOUNDS
    ]
    buckets = [(bound, float(count)) for bound, count in below]
    whole = float(sum(count for _, count in counts))
    found = HistogramMetricFamily(
        RESPONSE_TIMES,
        "Response times of requests that succeeded after the warm-up, from their scheduled time.",
        labels=("workload",),
    )
    found.add_metric((workload,), [*buckets, ("+Inf", whole)], moment.response_sum_s)
    return found


def _gauges(moment: Moment, workload: str) -> Iterator[Metric]:
    for name, about, value in (
        ("thinktime_requests_in_flight", "Requests begun and not over.", moment.in_flight),
        ("thinktime_run_seconds", "Time since the start of the run.", moment.time_s),
        (
            "thinktime_lateness_p99_seconds",
            "99th percentile of sent minus scheduled: the delay that the generator itself adds.",
            moment.lateness_p99_s,
        ),
    ):
        if value is not None:
            gauge = GaugeMetricFamily(name, about, labels=("workload",))
            gauge.add_metric((workload,), value)
            yield gauge
    labels = ("workload", "objective", "of")
    found = GaugeMetricFamily("thinktime_objective", "The value so far.", labels=labels)
    limit = GaugeMetricFamily("thinktime_objective_limit", "The limit.", labels=labels)
    for one in moment.objectives:
        limit.add_metric((workload, one.name, one.of or ""), one.limit)
        if one.value is not None:
            found.add_metric((workload, one.name, one.of or ""), one.value)
    yield from (found, limit)


def _checks(validity: Iterable[Finding], workload: str) -> Metric:
    found = GaugeMetricFamily(
        "thinktime_check",
        "The verdict of a validity check so far: 0 fine, 1 doubtful, 2 not to be trusted.",
        labels=("workload", "check"),
    )
    for one in validity:
        if one.verdict in _VERDICTS:
            found.add_metric((workload, one.name), _VERDICTS[one.verdict])
    return found
