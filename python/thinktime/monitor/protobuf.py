"""Metrics in the protobuf format of Prometheus, the one way in which it scrapes native histograms.

The messages are those of `io.prometheus.client` in Prometheus's `metrics.proto`, each after its
length. Only a few of their fields are in use, so they are written here, without a compiler of
schemas and without another package to install.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prometheus_client.core import Metric

CONTENT_TYPE = (
    "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
)
_MESSAGE = "io.prometheus.client.metricfamily"
_TYPES = {"counter": 0, "gauge": 1, "histogram": 4}
_VALUES = {"counter": 3, "gauge": 2}
"""The field of a metric that holds the value of each type."""

Buckets = Sequence[tuple[int, int]]
"""Places of buckets of a native histogram, in order, and the count of each."""


def accepted(accept: str) -> bool:
    """Whether the sender of this `Accept` field takes the format: Prometheus, once told to."""
    wanted, text = 0.0, 0.0
    for one in accept.lower().replace(" ", "").replace('"', "").split(","):
        kind, *parameters = one.split(";")
        given = dict(part.split("=", 1) for part in parameters if "=" in part)
        share = _share(given.get("q", "1"))
        if kind != "application/vnd.google.protobuf":
            text = max(text, share)
        elif given.get("proto") == _MESSAGE and given.get("encoding") == "delimited":
            wanted = max(wanted, share)
    return wanted > 0 and wanted >= text


def _share(said: str) -> float:
    """The quality of it; 0 if the text is not a number."""
    try:
        return float(said)
    except ValueError:
        return 0.0


def encoded(metrics: Iterable[Metric], schema: int, native: Mapping[str, Buckets]) -> bytes:
    """All metrics; histograms of a name in `native` have these buckets besides their own.

    `schema` gives the buckets to a factor of two: 2 to the power of it.
    """
    found = bytearray()
    for metric in metrics:
        family = _family(metric, schema, native.get(metric.name))
        found += _varint(len(family)) + family
    return bytes(found)


def _family(metric: Metric, schema: int, native: Buckets | None) -> bytes:
    if metric.type == "histogram":
        inner = [_histogram(metric, schema, native or ())]
    else:
        inner = [
            _labels(one.labels) + _message(_VALUES[metric.type], _double(1, one.value))
            for one in metric.samples
        ]
    name = f"{metric.name}_total" if metric.type == "counter" else metric.name
    head = _text(1, name) + _text(2, metric.documentation) + _whole(3, _TYPES[metric.type])
    return head + b"".join(_message(4, one) for one in inner)


def _histogram(metric: Metric, schema: int, native: Buckets) -> bytes:
    """The one histogram of a family."""
    labels: dict[str, str] = {}
    count, total, buckets = 0.0, 0.0, b""
    for one in metric.samples:
        if one.name.endswith("_bucket"):
            bound = float(one.labels["le"])
            buckets += _message(3, _whole(1, int(one.value)) + _double(2, bound))
        elif one.name.endswith("_count"):
            count, labels = one.value, one.labels
        else:
            total = one.value
    made = _whole(1, int(count)) + _double(2, total) + buckets
    made += _signed(5, schema) + _double(6, 0.0) + _whole(7, 0) + _spans(native)
    return _labels(labels) + _message(7, made)


def _spans(native: Buckets) -> bytes:
    """Runs of buckets by offset and length, and the difference of each count to the one before."""
    if not native:
        # An empty span marks it as a native histogram, even without native buckets.
        return _message(12, _signed(1, 0) + _whole(2, 0))
    runs: list[list[int]] = []
    end, before, deltas = 0, 0, b""
    for place, count in native:
        if runs and place == end:
            runs[-1][1] += 1
        else:
            runs.append([place - end, 1])
        end = place + 1
        deltas += _signed(13, count - before)
        before = count
    return (
        b"".join(_message(12, _signed(1, gap) + _whole(2, length)) for gap, length in runs) + deltas
    )


def _labels(labels: dict[str, str]) -> bytes:
    return b"".join(_message(1, _text(1, key) + _text(2, labels[key])) for key in sorted(labels))


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _whole(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _signed(field: int, value: int) -> bytes:
    return _whole(field, value << 1 if value >= 0 else (-value << 1) - 1)


def _double(field: int, value: Any) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode("utf-8", "replace"))
