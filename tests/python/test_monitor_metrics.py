"""The metrics for Prometheus and OpenTelemetry: by foreign parsers, with hostile names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client.parser import text_string_to_metric_families

from thinktime import InputError
from thinktime.monitor import metrics, otlp, protobuf
from thinktime.monitor.frames import WatchedRun
from thinktime.monitor.live_page import Subject
from thinktime.operations.run_progress import (
    Moment,
    ObjectiveMoment,
    PopulationMoment,
    StreamMoment,
)
from thinktime.present import page as pages
from thinktime.validity import DOUBTFUL, UNSEEN, Finding

EVIL = 'a"b\\c\nthinktime_requests_total 7 #{x="y"} \x1b[31m</script><img src=x onerror="alert(1)">'
POPULATION = EVIL + "2"
KIND = EVIL + "3"
TIMES = np.random.default_rng(7).lognormal(-5, 1.5, 20_000)
"""Response times in seconds."""


def buckets() -> tuple[tuple[int, int], ...]:
    places, counts = np.unique(np.ceil(np.log2(TIMES) * 16).astype(int), return_counts=True)
    return tuple(zip(places.tolist(), counts.tolist(), strict=True))


@pytest.fixture(scope="module")
def subject() -> Subject:
    made = Subject(WatchedRun("run", f"Running {EVIL}", EVIL, None, 60.0))
    for time_s in (10.0, 20.0):
        moment = Moment(
            time_s, 5, 20_010, 20_000, 0.006, 0.2, 1e-5, {KIND: 10},
            {POPULATION: PopulationMoment(20_010, 20_000, 0.006, 0.2)},
            (ObjectiveMoment("p99", POPULATION, 0.1, 0.2),), float(TIMES.sum()), buckets(),
            StreamMoment(20_010, 20_000, 60_000, 0.006, 0.2, float(TIMES.sum()), buckets()),
        )  # fmt: skip
        made.take(("moment", (moment, 9)))
    made.validity = [Finding("steady state", DOUBTFUL, EVIL), Finding("counts", UNSEEN, EVIL)]
    return made


def by_hand(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """The text format of Prometheus, read as its specification says and no more than that."""
    label = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
    found = {}
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith(("# HELP ", "# TYPE ")):
            continue
        whole = re.fullmatch(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)", line)
        assert whole is not None, line
        inner, place = whole[2] or "", 0
        labels = []
        while place < len(inner):
            one = label.match(inner, place)
            assert one is not None, line
            unescaped = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], one[2])
            labels.append((one[1], unescaped))
            place = one.end()
        key = (whole[1], frozenset(labels))
        assert key not in found, line
        found[key] = float(whole[3])
    return found


def test_two_parsers_read_what_was_meant(subject: Subject) -> None:
    text = metrics.text_of(subject).decode()
    families = list(text_string_to_metric_families(text))
    read = {
        (one.name, frozenset(one.labels.items())): one.value
        for family in families
        for one in family.samples
    }
    assert read == by_hand(text)
    names = {"workload": EVIL, "population": POPULATION}
    for outcome, count in (("succeeded", 20_000), ("failed", 10)):
        labels = frozenset((names | {"outcome": outcome}).items())
        assert read["thinktime_requests_total", labels] == count
    kind = frozenset({"workload": EVIL, "kind": KIND}.items())
    assert read["thinktime_failed_attempts_total", kind] == 10
    checks = {k: v for k, v in read.items() if k[0] == "thinktime_check"}
    assert checks == {
        ("thinktime_check", frozenset({("workload", EVIL), ("check", "steady state")})): 1
    }


def test_buckets_hold_the_times_that_they_say(subject: Subject) -> None:
    text = metrics.text_of(subject).decode()
    (family,) = (
        one for one in text_string_to_metric_families(text)
        if one.name == "thinktime_response_time_seconds"
    )  # fmt: skip
    assert family.type == "histogram"
    told = {
        float(one.labels["le"]): one.value
        for one in family.samples if one.name.endswith("_bucket")
    }  # fmt: skip
    assert len(told) > 20
    assert told == {bound: np.count_nonzero(bound >= TIMES) for bound in told}
    rest = {one.name[31:]: one.value for one in family.samples if "le" not in one.labels}
    assert rest == {"_count": 20_000, "_sum": pytest.approx(TIMES.sum())}


def test_a_run_that_has_told_nothing_has_no_metrics() -> None:
    assert metrics.text_of(Subject(WatchedRun("run", "x", "x"))) == b""


def parsed(subject: Subject) -> dict[str, Any]:
    """The metrics by name, as OpenTelemetry's own classes have them."""
    assert subject.moment is not None
    made = otlp.message(subject.moment, EVIL, 1_000, 2_000)
    request = Parse(json.dumps(made), ExportMetricsServiceRequest())  # unknown fields are errors
    (resource,) = request.resource_metrics
    attributes = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert attributes == {"service.name": "thinktime", "thinktime.workload": EVIL}
    (scope,) = resource.scope_metrics
    return {one.name: one for one in scope.metrics}


def test_opentelemetry_reads_what_was_meant(subject: Subject) -> None:
    found = parsed(subject)
    requests = found["thinktime.requests"].sum
    assert (requests.is_monotonic, requests.aggregation_temporality) == (True, 2)
    told = {
        frozenset((a.key, a.value.string_value) for a in point.attributes): point.as_int
        for point in requests.data_points
    }
    population = ("population", POPULATION)
    assert told == {
        frozenset({population, ("outcome", "succeeded")}): 20_000,
        frozenset({population, ("outcome", "failed")}): 10,
    }
    (point,) = found["thinktime.response_time"].exponential_histogram.data_points
    assert (point.start_time_unix_nano, point.time_unix_nano) == (1_000, 2_000)
    assert (point.count, point.sum) == (20_000, pytest.approx(TIMES.sum()))
    base = 2.0**2.0**-point.scale
    for place, count in enumerate(point.positive.bucket_counts, point.positive.offset):
        assert count == np.count_nonzero((base**place < TIMES) & (base ** (place + 1) >= TIMES))
    assert found["thinktime.response_time"].unit == "s"


def test_names_are_only_ever_text_on_the_live_page(subject: Subject) -> None:
    innocent = Subject(WatchedRun("run", "Running x", "x", None, 60.0))
    innocent.history, innocent.moment = subject.history, subject.moment
    innocent.validity = subject.validity
    made = pages.render_live(subject.page(), 0.5, False)
    assert EVIL not in made
    assert "<img" not in made
    assert made.count("<script") == pages.render_live(innocent.page(), 0.5, False).count("<script")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("http://h:4318", "http://h:4318/v1/metrics"),
        ("http://h:4318/", "http://h:4318/v1/metrics"),
        ("https://h/api/v1/otlp/v1/metrics", "https://h/api/v1/otlp/v1/metrics"),
    ],
)
def test_where_metrics_go(given: str, wanted: str) -> None:
    assert otlp.metrics_url(given) == wanted


@pytest.mark.parametrize("url", ["h:4318", "ftp://h", "http://", "http://u:secret@h:4318"])
def test_what_is_no_collector_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(InputError, match="--otlp") as refused:
        otlp.checked(url)
    assert "secret" not in str(refused.value)


# ---- the dashboard


DASHBOARD = Path(__file__).resolve().parents[2] / "examples" / "grafana-dashboard.json"


def test_the_dashboard_is_one_by_the_schema_of_grafana() -> None:
    """Fields unknown to Grafana's classes are lost on the way through them."""
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    register_default_plugins()
    given = json.loads(DASHBOARD.read_text("utf-8"))

    def through(board: dict[str, Any]) -> Any:
        return json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(board)))

    assert list(lost(given, through(given))) == []
    spoilt = json.loads(DASHBOARD.read_text("utf-8"))
    spoilt["panels"][0]["options"]["nothing"] = 1
    assert list(lost(spoilt, through(spoilt))) == [".panels[0].options.nothing"]


def lost(given: Any, kept: Any, place: str = "") -> list[str]:
    """The differences of the two, by their places."""
    if isinstance(given, dict):
        known = kept if isinstance(kept, dict) else {}
        return [
            path
            for key, value in given.items()
            for path in (
                lost(value, known[key], f"{place}.{key}") if key in known else [f"{place}.{key}"]
            )
        ]
    if isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        pairs = enumerate(zip(given, kept, strict=True))
        return [path for n, (a, b) in pairs for path in lost(a, b, f"{place}[{n}]")]
    return [] if given == kept else [place]


def test_the_dashboard_asks_for_metrics_and_labels_that_there_are(subject: Subject) -> None:
    told: dict[str, set[str]] = {}
    for name, labels in by_hand(metrics.text_of(subject).decode()):
        told.setdefault(name, set()).update(key for key, _ in labels)
    board = json.loads(DASHBOARD.read_text("utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked.append(board["templating"]["list"][1]["query"])
    used = set()
    for expression in asked:
        names = set(re.findall(r"thinktime_\w+", expression))
        assert names
        assert names <= told.keys(), expression
        used |= names
        labels = set(re.findall(r"(\w+)=~", expression))
        for group in re.findall(r"(?:by|on) \(([^)]*)\)", expression):
            labels |= {one.strip() for one in group.split(",")}
        assert all(labels <= told[name] for name in names), expression
    parts = ("_count", "_sum")
    unused = {one for one in told if not one.endswith(parts)} - used
    assert unused == set()


# ---- the protobuf format

FAMILY = "io.prometheus.client.MetricFamily"
PROTO = f"application/vnd.google.protobuf;proto={FAMILY};encoding=delimited"


@pytest.mark.parametrize(
    ("accept", "taken"),
    [
        (PROTO, True),
        (f"{PROTO};q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1", True),
        (PROTO.replace(FAMILY, f'"{FAMILY}"'), True),
        (f"{PROTO};q=0", False),
        (f"{PROTO};q=0.1, text/plain;q=0.9", False),
        (PROTO.replace("delimited", "text"), False),
        (f"{PROTO};q=much", False),
        ("*/*", False),
        ("", False),
    ],
)  # fmt: skip
def test_who_takes_the_protobuf_format(accept: str, taken: bool) -> None:
    assert protobuf.accepted(accept) == taken
