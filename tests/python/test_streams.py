"""Responses that are streams of events, against a server with a known schedule."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import cases
import jsonschema
import polars as pl
import pytest
from answer_server import Answer, answer_server
from event_server import Part, event_server, events
from real_runs import skip_if_late
from switch_servers import switching

import thinktime as tt
from thinktime.report.results import rows as table_rows
from thinktime.report.results import table

CLOSED = 'model = "closed"\nclients = {}\n[session]\nthink = "const(1ms)"\n'
SSE = '[[request]]\nname = "chat"\nget = "/chat"\nstream = "sse"\n'


def workload(more: str = "", clients: int = 3, sessions: str = "") -> tt.Workload:
    return cases.workload(sessions or CLOSED.format(clients), requests=SSE + more)


def rows_of(result: tt.Result) -> pl.DataFrame:
    return pl.DataFrame(result.requests)


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2"])
def test_times_of_events_are_those_of_the_schedule(version: str) -> None:
    """A late machine makes all of them later, and none earlier."""
    gaps = (0.02, 0.01, 0.03, 0.01)
    with event_server(lambda *_: events(*gaps)) as url:
        if version == "HTTP/1.1":
            result = tt.run(workload(), url, requests=30)
        else:
            with switching("jsq", [url]) as switch:
                target = switch.url.replace("http:", "h2c:")
                result = tt.run(workload(), target, requests=30)
    summary, rows = result.summary, rows_of(result)
    assert (summary["requests"], summary["errors"]) == (30, 0)
    assert summary["events"] == 30 * len(gaps)
    assert rows["events"].to_list() == [len(gaps)] * 30
    response_s = (rows["done_ns"] - rows["scheduled_ns"]) * 1e-9
    assert (rows["first_event_s"] >= gaps[0]).all()
    assert (response_s >= sum(gaps)).all()
    # The first event and the gaps after it are the whole response, but for its end.
    known = rows["first_event_s"] + rows["event_gap_s"] * (len(gaps) - 1)
    assert (known <= response_s + 1e-9).all()
    first, gap = summary["first_event_s"], summary["event_gap_s"]
    assert first["min"] == pytest.approx(rows["first_event_s"].min())
    assert first["mean"] == pytest.approx(rows["first_event_s"].mean())
    assert gap["mean"] == pytest.approx(rows["event_gap_s"].mean(), rel=1e-6)
    of_name = summary["by_request"]["chat"]
    assert of_name["events"] == summary["events"]
    assert of_name["first_event_s"] == first
    assert of_name["event_gap_s"] == gap


@pytest.mark.parametrize(
    ("stream", "body", "number"),
    [
        ("sse", [b"data: a\r\n\r\nda", b"ta: b\r\r", b": still here\n\n", b"data: [DONE]\n\n"], 2),
        ("sse", ["data: é".encode()[:-1], "é\n\n".encode()[1:], b"event: end\ndata\n\n"], 2),
        ("lines", [b'{"a": 1}\n{"a"', b": 2}\n\n\n", b'{"done": true}'], 3),
    ],
)
def test_what_counts_as_an_event(stream: str, body: list[bytes], number: int) -> None:
    parts: list[Part] = [(0.002, part) for part in body]
    run = cases.workload(CLOSED.format(1), requests=SSE.replace("sse", stream))
    with event_server(lambda *_: parts) as url:
        result = tt.run(run, url, requests=5)
    assert rows_of(result)["events"].to_list() == [number] * 5
    assert result.summary["errors"] == 0


def test_chunks_are_what_arrives_together() -> None:
    """Two pieces may still arrive together, if the machine is late; one is never two."""
    parts: list[Part] = [(0.01, b"one"), (0.01, b"two"), (0.01, b"three")]
    run = cases.workload(CLOSED.format(1), requests=SSE.replace("sse", "chunks"))
    with event_server(lambda *_: parts) as url:
        result = tt.run(run, url, requests=5)
    found = rows_of(result)["events"]
    assert found.is_between(1, 3).all()
    if found.max() != 3:
        skip_if_late([result], "pieces that came apart were taken for one")


@pytest.mark.parametrize(
    ("parts", "word", "number"),
    [
        ([(0.0, b"data: a\n\n"), (0.0, None)], "stream_cut", 1),
        ([(0.0, b": nothing yet\n\n"), (0.0, None)], "reset", 0),
        ([(0.0, b"data: a\n\n"), (0.0, b'data: {"error": {"code": 503}}\n\n')], "stream_error", 2),
        ([(0.0, b"data: a\n\n"), (0.0, b"event: error\ndata: full\n\n")], "stream_error", 2),
        ([(0.0, b'{"answer": "no stream"}')], "no_events", 0),
        ([(0.0, b"data: a\n\ndata: " + b"x" * (1 << 20)), (60, b"x")], "event_too_large", 1),
        ([(0.0, b"data: a\n\n"), (60, b"")], "silence", 1),
        ([(0.0, b""), (60, b"")], "silence", 0),
    ],
)
def test_streams_that_fail_have_outcomes_of_their_own(
    parts: list[Part], word: str, number: int
) -> None:
    silence_s = 1 if word == "silence" else 30
    with event_server(lambda *_: parts) as url:
        result = tt.run(workload(f'silence = "{silence_s}s"\n', clients=2), url, requests=4)
    rows = rows_of(result)
    found = set(rows["error"].cast(str))
    # A broken connection is seen as closed or as reset.
    assert found <= ({word} if word != "reset" else {"reset", "closed"}), found
    assert result.summary["errors"] == 4
    if word == "silence":
        assert ((rows["done_ns"] - rows["sent_ns"]) * 1e-9 >= silence_s).all()
        # Where the machine stands still that long, an event comes too late.
        assert rows["events"].max() == number
    else:
        assert rows["events"].to_list() == [number] * 4


def test_a_timeout_gives_a_stream_up_with_its_events() -> None:
    with event_server(lambda *_: events(0.0, 0.0, 60.0)) as url:
        result = tt.run(workload('timeout = "200ms"\n', clients=1), url, requests=2)
    rows = rows_of(result)
    assert set(rows["error"].cast(str)) == {"timeout"}
    assert (rows["events"] <= 2).all()
    begun = rows.filter(pl.col("events") > 0)
    response_s = (begun["done_ns"] - begun["scheduled_ns"]) * 1e-9
    between_s = begun["event_gap_s"].fill_null(0.0) * (begun["events"] - 1)
    still_s = response_s - begun["first_event_s"] - between_s
    # The time until they were given up is a gap.
    assert result.summary["event_gap_s"]["max"] >= still_s.max() - 1e-6


def test_many_events_at_once_are_counted() -> None:
    body = b"data: x\n\n" * 100_000
    with event_server(lambda *_: [(0.0, body)]) as url:
        summary = tt.run(workload(clients=1), url, requests=3).summary
    assert (summary["events"], summary["errors"]) == (300_000, 0)
    assert summary["event_gap_s"]["p50"] == 0.0


@pytest.mark.parametrize(
    "sessions",
    ['model = "open"\nrate = "100/s"\nprocess = "even"\n', CLOSED.format(12)],
    ids=["open", "closed"],
)
def test_a_freeze_of_the_server_shows_at_the_first_event(sessions: str) -> None:
    """The server stands still for 0.6 s at its 50th request. Those that are due meanwhile wait for
    the rest of it: of an open model 3 of 200 for 0.57 s at least; of a closed one its 12 clients,
    which have thought for 1 ms: no answer is between its event and its end, which come together."""

    def schedule(_: str, number: int) -> list[Part]:
        if number == 50:
            time.sleep(0.6)
        return [(0.0, b"data: x\n\ndata: [DONE]\n\n")]

    with event_server(schedule) as url:
        summary = tt.run(workload(sessions=sessions), url, requests=200, drain=60).summary
    assert summary["errors"] == 0
    assert summary["first_event_s"]["p99"] >= 0.5
    assert summary["first_event_s"]["p50"] < summary["first_event_s"]["p99"]


def test_objectives_are_judged_by_events(tmp_path: Path) -> None:
    slo = (
        '[slo]\nfirst_event_p50 = "1ns"\nevent_gap_p50 = "50s"\ngoodput = "90%"\np99 = "50s"\n'
        "chat = { first_event_mean = '50s', first_event_p90 = '1us' }\n"
    )
    # Times that differ by chance, not by what else the machine does: few others would be enough to
    # make successive ones alike.
    draw = random.Random(5)
    with event_server(lambda *_: events(draw.uniform(0.001, 0.03), 0.004, 0.004)) as url:
        result = tt.run(workload(slo, clients=8), url, requests=600, output=tmp_path / "it")
    found = {(one.of, one.name): one for one in result.objectives}
    verdicts = {key: one.verdict for key, one in found.items()}
    assert verdicts[None, "first_event_p50"] == "not met"
    assert verdicts[None, "event_gap_p50"] == "met"
    assert verdicts["chat", "first_event_mean"] == "met"
    # No first event comes within a microsecond.
    assert verdicts[None, "goodput"] == "not met"
    assert found[None, "goodput"].value == 0.0
    assert found[None, "goodput"].words.startswith("0 % of requests met all limits")
    assert result.summary["goodput"] == {"requests": 0, "share": 0.0, "rate": 0.0}
    saved = json.loads((tmp_path / "it" / "summary.json").read_text())
    assert saved["goodput"] == result.summary["goodput"]
    jsonschema.validate(saved, json.loads(tt.schema("result")))


def test_goodput_counts_requests_within_the_largest_limit_of_each_kind() -> None:
    """Every fourth request has its first event after 300 ms, another fourth fails."""

    def schedule(_: str, number: int) -> list[Part]:
        if number % 4 == 1:
            return [(0.0, None)]
        return events(0.3 if number % 4 == 0 else 0.0)

    slo = '[slo]\nfirst_event_p50 = "1ms"\nfirst_event_p90 = "250ms"\n'
    with event_server(schedule) as url:
        result = tt.run(workload(slo, clients=1), url, requests=40)
    rows, goodput = rows_of(result), result.summary["goodput"]
    good = (rows["first_event_s"] <= 0.25) & rows["error"].is_null()
    assert goodput["requests"] == good.sum() <= 20
    assert goodput["share"] == pytest.approx(goodput["requests"] / 40)
    succeeded = result.summary["requests"] - result.summary["errors"]
    part = goodput["requests"] / succeeded
    assert goodput["rate"] == pytest.approx(part * result.summary["throughput"])


TOKENS = """
name = "s"
[[token_server]]
name = "gpu"
step_time = "2ms"
request_time = "100us"
prompt_token_time = "20us"
max_batch = 8
"""

ASKED = """
name = "w"
[arrivals]
model = "open"
rate = "3/s"
[[request]]
name = "chat"
post = "/v1/chat/completions"
stream = "sse"
tokens = { prompt = "uniform(50, 400)", output = "uniform(20, 200)" }
[slo]
first_event_p90 = "8ms"
"""


@pytest.mark.parametrize("replications", [1, 3])
def test_goodput_is_the_part_of_the_throughput_that_rows_give(replications: int) -> None:
    """Each replication lasts 300 s; a response that comes later is no part of the throughput."""
    result = tt.simulate(
        tt.Workload(ASKED), tt.System(TOKENS),
        duration=300, warmup=0, replications=replications, rows="all",
    )  # fmt: skip
    rows, goodput = rows_of(result), result.summary["goodput"]
    succeeded = rows.filter(pl.col("error").is_null())
    good = (succeeded["first_event_s"] <= 0.008).sum()
    assert goodput["requests"] == good
    assert 0.2 * len(rows) < good < 0.9 * len(rows)
    completed = (succeeded["done_ns"] <= 300 * 10**9).sum()
    rate = completed / (300 * replications) * good / len(succeeded)
    assert goodput["rate"] == pytest.approx(rate, rel=1e-9)


def test_several_loops_and_a_warm_up_count_the_same_events() -> None:
    with event_server(lambda *_: events(0.0, 0.002, 0.002)) as url:
        result = tt.run(workload(clients=6), url, duration=1.0, warmup=0.3, loops=2)
    rows = rows_of(result).filter(pl.col("scheduled_ns") >= 0.3e9)
    assert result.summary["events"] == rows["events"].sum() > 0
    gaps_s = (rows["event_gap_s"] * (rows["events"] - 1)).sum()
    of_gaps = result.summary["event_gap_s"]
    assert of_gaps["mean"] == pytest.approx(gaps_s / (rows["events"] - 1).sum(), rel=1e-6)


def test_the_table_has_lines_of_events() -> None:
    slo = '[slo]\nfirst_event_p99 = "30s"\n'
    with event_server(lambda *_: events(0.0, 0.001)) as url:
        result = tt.run(workload(slo), url, requests=400)
    from thinktime.report.case import cases as sorted_into

    lines = {line.name: line for line in table(table_rows(sorted_into([result]))).groups[0].lines}
    assert lines["first event"].below == "400 streams"
    assert lines["between events"].below == "800 events"
    assert all(lines[name].cells[2].text for name in ("first event", "between events"))
    assert lines["goodput"].below == "400 requests within all limits"


def test_results_without_streams_have_nothing_of_them(tmp_path: Path) -> None:
    with event_server(lambda *_: events(0.0)) as url:
        plain = cases.closed_model(1, "const(1ms)")
        result = tt.run(plain, url, requests=5, output=tmp_path / "it")
    assert not {"first_event_s", "event_gap_s", "events"} & set(rows_of(result).columns)
    assert not {"first_event_s", "event_gap_s", "events", "goodput"} & set(result.summary)


def test_a_simulation_says_that_it_has_no_events() -> None:
    slo = '[slo]\nfirst_event_p99 = "1s"\np99 = "9s"\n'
    system = cases.system(("fcfs", "exp(1ms)"))
    whole = "a simulation models a streamed response as one whole"
    for more, said in (("", whole), (slo, "left out of the SLO: first_event_p99")):
        result = tt.simulate(workload(more), system, requests=500)
        notes = [note for note in result.summary["notes"] if note.startswith(whole)]
        assert len(notes) == 1
        assert said in notes[0]
        assert {one.name for one in result.objectives} <= {"p99"}


@pytest.mark.parametrize(
    ("request_lines", "said"),
    [
        ('get = "/"\nstream = "json"', "expected one of `sse`"),
        ('head = "/"\nstream = "sse"', "whose response has a body"),
        ('send = "PING"\nstream = "sse"', "whose response has a body"),
        ('get = "/"\nsilence = "1s"', "goes with `stream`"),
        ('get = "/"\nstream = "sse"\nsilence = "0s"', "must be more than 0s"),
        ('get = "/"\n[slo]\nfirst_event_p99 = "1s"', "no request has `stream` here"),
        ('get = "/"\n[slo]\ngoodput = "90%"', "no request has `stream` here"),
        (
            'get = "/"\nstream = "sse"\n[slo]\nevent_gap_p99 = { limit = "1s", abort = true }',
            "leave `abort` out",
        ),
        ('get = "/"\nstream = "sse"\n[slo]\ngoodput = "20ms"', "slo.goodput"),
    ],
)
def test_mistakes_are_refused_with_what_would_be_right(request_lines: str, said: str) -> None:
    with pytest.raises(tt.InputError) as refused:
        cases.workload(CLOSED.format(1), requests=f'[[request]]\nname = "a"\n{request_lines}\n')
    assert said in str(refused.value)


def test_prompts_have_the_words_of_their_keys(tmp_path: Path) -> None:
    """Two users, whose second question begins with their first; instructions are shared."""
    (tmp_path / "users.csv").write_text("user\nann\nbob\n")
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 2\n'
        '[session]\nthink = "const(1ms)"\ndata = ["users.csv"]\n'
        '[[request]]\nname = "first"\npost = "/first"\nnext = { second = 1 }\n'
        'json = { user = "{user}", system = "{words(40, of=const(7))}", '
        'prompt = "{words(20, of=user)}", other = "{words(uniform(5, 9))}" }\n'
        '[[request]]\nname = "second"\npost = "/second"\nnext = { end = 1 }\n'
        'json = { user = "{user}", prompt = "{words(50, of=user)}" }\n'
    )
    with answer_server(lambda _: Answer()) as (url, received):
        result = tt.run(tmp_path / "w.toml", url, requests=24)
    assert result.summary["errors"] == 0
    bodies = [json.loads(one.body) for one in received]
    first = [one for one in bodies if "system" in one]
    assert len({one["system"] for one in first}) == 1
    assert len(first[0]["system"].split()) == 40
    assert all(5 <= len(one["other"].split()) <= 9 for one in first)
    assert len({one["other"] for one in first}) == len(first)
    for user in ("ann", "bob"):
        prompts = {one["prompt"] for one in bodies if one["user"] == user}
        short, long = sorted(prompts, key=len)
        assert (len(short.split()), len(long.split())) == (20, 50)
        assert long.startswith(f"{short} ")
