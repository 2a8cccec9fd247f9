"""Requests as spans of OpenTelemetry's protocol: OTLP over HTTP, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thinktime._core import __version__
from thinktime.operations.run_progress import RequestSpan

_CLIENT = 3
_ERROR = 2


def traces(spans: Iterable[RequestSpan], workload: str) -> dict[str, Any]:
    """An ExportTraceServiceRequest; whole numbers of 64 bits are texts, as in its JSON."""
    scope = {"scope": {"name": "thinktime", "version": __version__}}
    resource = [_text("service.name", "thinktime"), _text("thinktime.workload", workload)]
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": resource},
                "scopeSpans": [scope | {"spans": [_span(one) for one in spans]}],
            }
        ]
    }


def _span(one: RequestSpan) -> dict[str, Any]:
    """From the request's scheduled time to its end, including all its attempts."""
    attributes = [
        _number("thinktime.session", one.session),
        _number("thinktime.request", one.request),
        _number("thinktime.attempt", one.attempt),
        _text("thinktime.chosen", "failed" if one.error else "slowest"),
        _number("thinktime.chosen_of", one.of),
    ]
    if one.status is not None:
        attributes.append(_number("http.response.status_code", one.status))
    if one.error is not None:
        attributes.append(_text("error.type", one.error))
    made: dict[str, Any] = {
        "traceId": one.trace,
        "spanId": one.span,
        "flags": 1,
        "name": one.name,
        "kind": _CLIENT,
        "startTimeUnixNano": str(one.scheduled_unix_ns),
        "endTimeUnixNano": str(one.done_unix_ns),
        "attributes": attributes,
        "events": [{"timeUnixNano": str(one.sent_unix_ns), "name": "sent"}],
    }
    return made if one.error is None else made | {"status": {"code": _ERROR}}


def _text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def _number(key: str, value: int) -> dict[str, Any]:
    return {"key": key, "value": {"intValue": str(value)}}
