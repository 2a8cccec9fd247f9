"""Metrics of a run in OpenTelemetry's protocol: OTLP over HTTP, as JSON.

The SDK of OpenTelemetry measures events in its own process. Here counts come from elsewhere,
already added up, and the SDK cannot take such a histogram. So the message, whose format is stable,
is written here. Response times are an exponential histogram, which Prometheus keeps as a native
one.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from thinktime._core import InputError, __version__
from thinktime.monitor.buckets import SCALE
from thinktime.monitor.spans import traces
from thinktime.operations.run_progress import Moment, RequestSpan

if TYPE_CHECKING:
    from thinktime.monitor.live_page import Subject

EVERY_S = 5.0
_PATIENCE_S = 2.0
_SPANS_MAX = 1000
_CUMULATIVE = 2


class Pusher:
    """Pushes the state of a run to a collector. Messages that do not arrive are not kept."""

    def __init__(self, url: str, headers: Sequence[tuple[str, str]], subject: Subject) -> None:
        """To the collector's url, to which `/v1/metrics` is added if it has no path."""
        self.url = metrics_url(url)
        self.traces_url = traces_url(self.url)
        self._spans: deque[RequestSpan] = deque(maxlen=_SPANS_MAX)
        self._headers = dict(headers) | {"Content-Type": "application/json"}
        self._subject = subject
        self._begun_ns = time.time_ns()

    async def run(self) -> None:
        """Push again and again, until it is cancelled."""
        while True:
            await asyncio.sleep(EVERY_S)
            await self.once()

    def take(self, spans: Iterable[RequestSpan]) -> None:
        """Take requests whose spans are pushed next."""
        self._spans.extend(spans)

    async def once(self) -> None:
        """Push once, if there is any data."""
        moment = self._subject.moment
        if moment is None:
            return
        name = self._subject.run.workload
        content = message(moment, name, self._begun_ns, time.time_ns())
        await asyncio.to_thread(self._send, self.url, json.dumps(content).encode())
        if self._spans and self.traces_url is not None:
            spans = traces(self._spans, name)
            self._spans.clear()
            await asyncio.to_thread(self._send, self.traces_url, json.dumps(spans).encode())

    def _send(self, url: str, content: bytes) -> None:
        request = urllib.request.Request(url, content, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
                answer.read()
        except (OSError, ValueError):
            return  # an unreachable collector does not concern the run


def checked(url: str) -> str:
    """The url of a collector, as it was given.

    Raises:
        InputError: It is not a url, or contains a user and a password.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("--otlp: give the url of a collector, as in http://127.0.0.1:4318")
    if parts.username is not None or parts.password is not None:
        raise InputError("--otlp: a url has no user and no password here")
    return url


def headers_of(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Header fields as in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, with commas between."""
    fields = environment.get("OTEL_EXPORTER_OTLP_HEADERS", "").split(",")
    pairs = (field.partition("=") for field in fields if "=" in field)
    return tuple((name.strip(), unquote(value.strip())) for name, _, value in pairs)


def metrics_url(url: str) -> str:
    """The destination of metrics: a collector's url alone is completed by OpenTelemetry's rule."""
    base = url.rstrip("/")
    return base if "/" in base.partition("://")[2] else f"{base}/v1/metrics"


def traces_url(metrics: str) -> str | None:
    """The destination of traces, beside metrics; None if it does not follow from that."""
    base = metrics.removesuffix("/v1/metrics")
    return None if base == metrics else f"{base}/v1/traces"


def message(moment: Moment, workload: str, begun_ns: int, now_ns: int) -> dict[str, Any]:
    """An ExportMetricsServiceRequest; whole numbers of 64 bits are texts, as in its JSON format."""
    times = {"startTimeUnixNano": str(begun_ns), "timeUnixNano": str(now_ns)}
    resource = {"service.name": "thinktime", "thinktime.workload": workload}
    metrics = [
        _sum("thinktime.requests", "{request}", _outcomes(moment), times),
        _sum("thinktime.failed_attempts", "{attempt}", _failures(moment), times),
        _gauge("thinktime.requests_in_flight", "{request}", moment.in_flight, times),
        _gauge("thinktime.lateness.p99", "s", moment.lateness_p99_s, times),
        _histogram(moment, times),
    ]
    scope = {"scope": {"name": "thinktime", "version": __version__}}
    found = [metric for metric in metrics if metric is not None]
    return {
        "resourceMetrics": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeMetrics": [scope | {"metrics": found}],
            }
        ]
    }


_Counts = list[tuple[dict[str, str], int]]


def _outcomes(moment: Moment) -> _Counts:
    parts: dict[str, Any] = dict(moment.populations) or {"": moment}
    return [
        ({"outcome": outcome} | ({"population": name} if name else {}), count)
        for name, one in parts.items()
        for outcome, count in (
            ("succeeded", one.succeeded), ("failed", one.requests - one.succeeded),
        )
    ]  # fmt: skip


def _failures(moment: Moment) -> _Counts:
    return [({"kind": kind}, count) for kind, count in moment.errors.items()]


def _sum(name: str, unit: str, counts: _Counts, times: dict[str, str]) -> dict[str, Any] | None:
    points = [
        times | {"attributes": _attributes(words), "asInt": str(count)} for words, count in counts
    ]
    if not points:
        return None
    kind = {"aggregationTemporality": _CUMULATIVE, "isMonotonic": True}
    return {"name": name, "unit": unit, "sum": kind | {"dataPoints": points}}


def _gauge(
    name: str, unit: str, value: float | None, times: dict[str, str]
) -> dict[str, Any] | None:
    if value is None:
        return None
    return {"name": name, "unit": unit, "gauge": {"dataPoints": [times | {"asDouble": value}]}}


def _histogram(moment: Moment, times: dict[str, str]) -> dict[str, Any] | None:
    counts = dict(moment.response_buckets)
    if not counts:
        return None
    first, last = min(counts), max(counts)
    positive = {
        "offset": first - 1,
        "bucketCounts": [str(counts.get(place, 0)) for place in range(first, last + 1)],
    }
    point: dict[str, Any] = times | {
        "count": str(sum(counts.values())), "sum": moment.response_sum_s, "scale": SCALE,
        "zeroCount": "0", "positive": positive,
    }  # fmt: skip
    kind = {"aggregationTemporality": _CUMULATIVE, "dataPoints": [point]}
    return {"name": "thinktime.response_time", "unit": "s", "exponentialHistogram": kind}


def _attributes(words: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": value}} for name, value in words.items()]
