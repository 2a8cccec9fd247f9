"""The traces of requests: at servers, in rows, and at a collector."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, cast

import polars as pl
import pytest
from answer_server import Answer, Received, answer_server
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from real_runs import TcpServer

import thinktime as tt
from thinktime.monitor import otlp
from thinktime.monitor.spans import traces as spans_message
from thinktime.operations.run_progress import RequestSpan

THINKTIME = [sys.executable, "-c", "from thinktime.cli import main; main()"]
FIELD = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-01")
WORKLOAD = """
name = "traced"
seed = 7
[arrivals]
model = "closed"
clients = 2
[session]
think = "5ms"
[clients]
traceparent = true
[[request]]
name = "item"
retry = { attempts = 3, on = ["status 503"] }
"""


def workload(text: str = WORKLOAD) -> tt.Workload:
    return tt.Workload(text, "w.toml")


def rows(result: tt.Result) -> pl.DataFrame:
    assert result.requests is not None
    return pl.DataFrame(result.requests)


def test_servers_are_told_what_rows_say() -> None:
    def answer(asked: Received) -> Answer:
        """A failure for a fifth of the attempts."""
        fails = asked.headers["traceparent"].endswith(("0-01", "1-01", "2-01"))
        return Answer("", 503) if fails else Answer("ok")

    with answer_server(answer) as (target, asked):
        result = tt.run(workload(), target, requests=200)
        again = tt.run(workload(), target, requests=200)
        other = tt.run(workload().with_seed(8), target, requests=20)
    found = rows(result)
    told = [one.headers["traceparent"] for one in asked]
    places = found.select("session", "request", "attempt").iter_rows()
    expected = [tt.traceparent(7, *place) for place in places]
    assert len(set(expected)) == len(expected) > 200, "some were sent again"
    assert set(expected) <= set(told)
    repeated = {tt.traceparent(7, *place) for place in
                rows(again).select("session", "request", "attempt").iter_rows()}  # fmt: skip
    assert len(repeated & set(expected)) > 100, "a run that is done again has the same ids"
    others = {tt.traceparent(8, *place) for place in
              rows(other).select("session", "request", "attempt").iter_rows()}  # fmt: skip
    assert others <= set(told)
    assert not others & set(expected)
    # All attempts at a request are of one trace.
    by_request: dict[tuple[int, int], set[str]] = {}
    for session, request, attempt in found.select("session", "request", "attempt").iter_rows():
        match = FIELD.fullmatch(tt.traceparent(7, session, request, attempt))
        assert match is not None
        by_request.setdefault((session, request), set()).add(match[1])
        assert match[1] == tt.trace_id(7, session, request)
    assert {len(ids) for ids in by_request.values()} == {1}


class Plain(TcpServer):
    """Keeps the received bytes, and answers each head of a request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), None)  # type: ignore[arg-type]
        self.came: list[bytes] = []

    def finish_request(self, request: Any, _: Any) -> None:
        buffer = b""
        while piece := request.recv(65536):
            buffer += piece
            while b"\r\n\r\n" in buffer:
                head, buffer = buffer.split(b"\r\n\r\n", 1)
                self.came.append(head)
                request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


@contextmanager
def plain() -> Iterator[Plain]:
    with Plain() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_requests_are_the_same_without_it_byte_by_byte() -> None:
    one = WORKLOAD.replace("clients = 2", "clients = 1")
    sent = []
    with plain() as server:
        for text in (
            one,
            one.replace("traceparent = true", "traceparent = false"),
            one.replace("[clients]\ntraceparent = true", ""),
        ):
            url = f"http://127.0.0.1:{server.server_address[1]}"
            result = tt.run(workload(text), url, requests=20)
            assert result.summary["errors"] == 0
            sent.append(server.came[:20])
            server.came = []
    traced, off, without = sent
    assert off == without
    places = [tt.traceparent(7, 0, request).encode() for request in range(20)]
    assert [
        head.replace(b"\r\ntraceparent: " + place, b"")
        for head, place in zip(traced, places, strict=True)
    ] == without
    assert all(b"traceparent" not in head for head in without)


def test_own_fields_go_before(tmp_path: Path) -> None:
    own = WORKLOAD + 'headers = { Traceparent = "mine" }\n'
    with answer_server(lambda _: Answer("ok")) as (target, asked):
        tt.run(workload(own), target, requests=3)
        assert {one.headers["Traceparent"] for one in asked} == {"mine"}
        asked.clear()
        (tmp_path / "s.luau").write_text(
            "return function(client) client:get('/a', { headers = { traceparent = 'x' } })\n"
            "client:get('/b') client:think(0.02) end\n"
        )
        scripted = WORKLOAD.replace('think = "5ms"', 'script = "s.luau"')
        tt.run(tt.Workload(scripted, str(tmp_path / "w.toml")), target, requests=6)
        told = {one.target: one.headers["traceparent"] for one in asked}
    assert told["/a"] == "x"
    assert FIELD.fullmatch(told["/b"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("traceparent = true", 'traceparent = true\nheaders = { Traceparent = "x" }'), "headers"),
        (("traceparent = true", 'traceparent = "yes"'), "traceparent"),
    ],
)
def test_what_does_not_go_together_is_named(change: tuple[str, str], said: str) -> None:
    with pytest.raises(tt.InputError, match=said):
        workload(WORKLOAD.replace(*change))


def test_only_servers_of_http_are_told() -> None:
    text = WORKLOAD.replace('name = "item"\n', 'name = "item"\nsend = "x"\n')
    with pytest.raises(tt.InputError, match="`traceparent` goes to HTTP servers only"):
        tt.run(workload(text), "tcp://127.0.0.1:9", requests=1)


def test_traces_of_slow_and_failed_requests_are_named(tmp_path: Path) -> None:
    text = WORKLOAD.replace('retry = { attempts = 3, on = ["status 503"] }', "")
    fails = iter([False, True] * 1000)
    with answer_server(lambda _: Answer("", 503 if next(fails) else 200)) as (target, _):
        result = tt.run(workload(text), target, requests=100, output=tmp_path / "out")
    found = tt.traces(result, slowest=5, failed=3)
    measured = pl.col("scheduled_ns") >= result.summary["warmup_s"] * 1e9
    fine = rows(result).filter(pl.col("error").is_null() & measured)
    longest = (fine["done_ns"] - fine["scheduled_ns"]).sort(descending=True).head(5) * 1e-9
    assert found["response_time_s"].head(5).to_list() == pytest.approx(longest.to_list())
    assert found["status"].to_list() == [200] * 5 + [503] * 3
    for one in found.iter_rows(named=True):
        assert one["trace_id"] == tt.trace_id(7, one["session"], one["request"])
    told = command(tmp_path, "traces", "out", "--slowest", "5", "--failed", "3", "--json")
    assert json.loads(told)["traces"] == found.to_dicts()
    lines = command(tmp_path, "traces", "out", "--slowest", "2", "--failed", "0").splitlines()
    assert [line.split()[0] for line in lines] == found["trace_id"].head(2).to_list()


def command(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [*THINKTIME, *words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def test_results_without_traces_say_why(tmp_path: Path) -> None:
    system = tt.System('name = "s"\n[[station]]\nname = "a"\ndemand = "1ms"\n')
    with pytest.raises(tt.InputError, match="a simulation sends nothing"):
        tt.traces(tt.simulate(workload(), system, requests=10))
    with answer_server(lambda _: Answer("ok")) as (target, _):
        untraced = workload(WORKLOAD.replace("traceparent = true", ""))
        with pytest.raises(tt.InputError, match="traceparent = true"):
            tt.traces(tt.run(untraced, target, requests=3))


def parsed(body: str) -> ExportTraceServiceRequest:
    """The spans as OpenTelemetry's own classes read them: their JSON has ids in Base64, OTLP's in
    digits."""
    content = json.loads(body)
    for resource in content["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId"):
                    span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    # Unknown fields are errors.
    made = Parse(json.dumps(content), ExportTraceServiceRequest())
    return cast("ExportTraceServiceRequest", made)


def spans_of(pushed: list[Received]) -> list[Any]:
    """All spans that a collector received."""
    bodies = [parsed(one.body) for one in pushed if one.path == "/v1/traces"]
    return [
        span
        for body in bodies
        for resource in body.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_a_collector_hears_of_slow_and_failed_requests(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(
        WORKLOAD.replace('retry = { attempts = 3, on = ["status 503"] }', "")
        .replace("clients = 2", "clients = 5").replace("5ms", "20ms")
    )  # fmt: skip
    fails = iter([False, False, False, True] * 100_000)
    with (
        answer_server(lambda _: Answer("", 503 if next(fails) else 200)) as (target, asked),
        answer_server(lambda _: Answer({})) as (collector, pushed),
    ):
        words = ["run", "w.toml", "--target", target, "--duration", "3s", "-o", "out"]
        command(tmp_path, *words, "--otlp", collector)
        told = {one.headers["traceparent"] for one in asked}
    spans = spans_of(pushed)
    result = tt.Result.load(tmp_path / "out")
    ended = rows(result).with_columns(s=pl.col("done_ns") - pl.col("scheduled_ns"))
    by_place = {one["session"] << 32 | one["request"]: one for one in ended.to_dicts()}
    # Not more than ten of each in a second, and a last part of one.
    assert 30 <= len(spans) <= 2 * 10 * 5
    assert len({span.span_id for span in spans}) == len(spans)
    for span in spans:
        attributes = {one.key: one.value for one in span.attributes}
        session = attributes["thinktime.session"].int_value
        row = by_place[session << 32 | attributes["thinktime.request"].int_value]
        field = tt.traceparent(7, session, row["request"], row["attempt"])
        assert field == f"00-{span.trace_id.hex()}-{span.span_id.hex()}-01"
        assert field in told
        assert span.end_time_unix_nano - span.start_time_unix_nano == row["s"]
        assert span.start_time_unix_nano <= span.events[0].time_unix_nano
        assert (span.name, span.kind) == ("item", 3)
        assert attributes["http.response.status_code"].int_value == row["status"]
        failed = row["error"] is not None
        assert span.status.code == (2 if failed else 0)
        wanted = "failed" if failed else "slowest"
        assert attributes["thinktime.chosen"].string_value == wanted
        assert attributes["thinktime.chosen_of"].int_value >= 1
    # The slowest of all is among those of its second.
    slowest = ended.filter(pl.col("error").is_null()).sort("s", descending=True).row(0, named=True)
    ids = {span.trace_id.hex() for span in spans}
    assert tt.trace_id(7, slowest["session"], slowest["request"]) in ids


def test_without_the_key_no_traces_are_exported(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WORKLOAD.replace("traceparent = true", ""))
    with (
        answer_server(lambda _: Answer("ok")) as (target, _),
        answer_server(lambda _: Answer({})) as (collector, pushed),
    ):
        words = ["run", "w.toml", "--target", target, "--duration", "2s"]
        command(tmp_path, *words, "--otlp", collector)
    assert {one.path for one in pushed} == {"/v1/metrics"}


EVIL = '</script>\x1b[31m"\\'


def test_names_are_only_ever_text() -> None:
    one = RequestSpan("ab" * 16, "cd" * 8, EVIL, 1, 2, 3, 10, 20, 30, None, EVIL, 5)
    request = parsed(json.dumps(spans_message([one], EVIL)))
    (span,) = request.resource_spans[0].scope_spans[0].spans
    attributes = {one.key: one.value for one in span.attributes}
    assert (span.name, attributes["error.type"].string_value) == (EVIL, EVIL)
    assert "http.response.status_code" not in attributes
    assert (span.start_time_unix_nano, span.end_time_unix_nano) == (10, 30)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("http://h:4318/v1/metrics", "http://h:4318/v1/traces"),
        ("https://h/api/v1/otlp/v1/metrics", "https://h/api/v1/otlp/v1/traces"),
        ("https://h/other", None),
    ],
)
def test_where_traces_go(given: str, wanted: str | None) -> None:
    assert otlp.traces_url(given) == wanted
