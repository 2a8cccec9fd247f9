"""`serve` of servers of tokens: OpenAI's interface, at the pace of the model.

Times are compared with lower bounds alone, which hold on a busy machine too; numbers, texts and
statuses exactly.
"""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest
from live_commands import COMMAND
from token_clients import (
    CHAT,
    QUICK,
    TEXT,
    answer,
    chat,
    connected,
    stream,
    system,
    whole,
    workload,
)

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# ---- the interface


def test_a_stream_has_an_event_for_each_token() -> None:
    with tt.serve(system()) as server, connected(server) as client:
        found = stream(client, CHAT, chat("one two three", stream=True, max_tokens=5))
        assert len({one["id"] for one in found}) == 1
        assert {one["object"] for one in found} == {"chat.completion.chunk"}
        assert {one["model"] for one in found} == {"m"}
        (choices,) = zip(*(one["choices"] for one in found), strict=True)
        assert {one["index"] for one in choices} == {0}
        assert [one["finish_reason"] for one in choices] == [None] * 4 + ["length"]
        deltas = [one["delta"] for one in choices]
        assert [one.get("role") for one in deltas] == ["assistant", *[None] * 4]
        text = "".join(one["content"] for one in deltas)
        assert len(text.split(" ")) == 5
        assert "usage" not in found[0]
        # The connection stays, and a text is streamed alike.
        body = {"model": "m", "prompt": "x", "stream": True, "max_tokens": 4}
        found = stream(client, TEXT, body)
        assert {one["object"] for one in found} == {"text_completion"}
        text = "".join(one["choices"][0]["text"] for one in found)
        assert (len(found), len(text.split(" "))) == (4, 4)
        assert server.stop() == (2, 0)


def test_a_stream_ends_with_the_usage_if_wanted() -> None:
    body = chat("a b", "c", stream=True, max_tokens=3, stream_options={"include_usage": True})
    with tt.serve(system()) as server, connected(server) as client:
        *tokens, last = stream(client, CHAT, body)
    assert [one["usage"] for one in tokens] == [None] * 3
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}


def test_a_whole_answer_has_all_tokens_and_the_usage() -> None:
    with tt.serve(system()) as server, connected(server) as client:
        found = whole(client, CHAT, chat("a b c", max_completion_tokens=7))
        assert found["object"] == "chat.completion"
        (choice,) = found["choices"]
        assert choice["message"]["role"] == "assistant"
        assert len(choice["message"]["content"].split(" ")) == 7
        assert (choice["index"], choice["finish_reason"]) == (0, "length")
        assert found["usage"] == {"prompt_tokens": 3, "completion_tokens": 7, "total_tokens": 10}
        found = whole(client, TEXT, {"model": 'é"\\', "prompt": [5, 6, 7, 8]})
        assert (found["object"], found["model"]) == ("text_completion", 'é"\\')
        assert found["choices"][0]["finish_reason"] == "stop"
        assert len(found["choices"][0]["text"].split(" ")) == 128
        assert found["usage"]["prompt_tokens"] == 4
        assert found["created"] > 1_700_000_000  # in seconds since 1970


def test_the_same_text_is_streamed_and_whole() -> None:
    """The first request of a server has the text of its number."""
    texts = []
    for streamed in (True, False):
        with tt.serve(system()) as server, connected(server) as client:
            body = chat("x", stream=streamed, max_tokens=40)
            if streamed:
                found = stream(client, CHAT, body)
                texts.append("".join(one["choices"][0]["delta"]["content"] for one in found))
            else:
                texts.append(whole(client, CHAT, body)["choices"][0]["message"]["content"])
    assert texts[0] == texts[1]
    assert len(set(texts[0].split())) > 10


def test_the_models_are_the_servers_of_tokens() -> None:
    with tt.serve(system()) as server, connected(server) as client:
        client.request("GET", "/v1/models")
        found = json.loads(client.getresponse().read())
    assert found["object"] == "list"
    assert [(one["id"], one["object"]) for one in found["data"]] == [("gpu", "model")]


def test_laws_of_a_workload_give_the_tokens_and_a_request_limits_them() -> None:
    laws = workload("prompt = 30, output = 9")
    with tt.serve(system(), workload=laws) as server, connected(server) as client:
        found = whole(client, CHAT, chat("a"))
        assert found["usage"] == {"prompt_tokens": 30, "completion_tokens": 9, "total_tokens": 39}
        assert found["choices"][0]["finish_reason"] == "stop"
        for limit, end in ((9, "stop"), (4, "length")):
            found = whole(client, CHAT, chat("a", max_tokens=limit))
            assert found["usage"]["completion_tokens"] == limit
            assert found["choices"][0]["finish_reason"] == end
        # What a request carries comes first, and requests of no kind of the workload are counted.
        found = whole(client, CHAT, chat("a", max_tokens=11), Thinktime_Tokens="7, 11")
        assert found["choices"][0]["finish_reason"] == "stop"
        assert found["usage"] == {"prompt_tokens": 7, "completion_tokens": 11, "total_tokens": 18}
        found = whole(client, TEXT, {"model": "m", "prompt": "a b", "max_tokens": 3})
        assert found["usage"] == {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}


WRONG: list[tuple[str, str, object, int, str | None]] = [
    ("POST", CHAT, "{", 400, None),
    ("POST", CHAT, "", 400, None),
    ("POST", CHAT, b"\xff\xfe", 400, None),
    ("POST", CHAT, "[" * 200_000, 400, None),
    ("POST", CHAT, {"messages": [{"role": "user", "content": "a"}]}, 400, "model"),
    ("POST", CHAT, {"model": "m"}, 400, "messages"),
    ("POST", CHAT, chat(), 400, "messages"),
    ("POST", CHAT, chat("a", max_tokens=-1), 400, "max_tokens"),
    ("POST", CHAT, chat("a", max_tokens=10**9), 400, "max_tokens"),
    ("POST", CHAT, chat("a", n=2), 400, "n"),
    ("POST", CHAT, chat("a", stream=1), 400, "stream"),
    ("POST", CHAT, {**chat("a"), "model": "m" * 300}, 400, "model"),
    ("POST", TEXT, {"model": "m"}, 400, "prompt"),
    ("POST", TEXT, {"model": "m", "prompt": ["a", "b"]}, 400, "prompt"),
    ("POST", TEXT, {"model": "m", "prompt": "x" * (1 << 20)}, 413, None),
    ("POST", "/v1/embeddings", {"model": "m", "input": "a"}, 404, None),
    ("GET", "/", b"", 404, None),
    ("GET", CHAT, b"", 405, None),
    ("POST", "/v1/models", b"{}", 405, None),
]


def test_wrong_requests_get_an_error_object_and_the_connection_stays() -> None:
    with tt.serve(system()) as server, connected(server) as client:
        for method, path, body, status, key in WRONG:
            sent = body if isinstance(body, bytes | str) else json.dumps(body)
            client.request(method, path, sent)
            response = client.getresponse()
            error = json.loads(response.read())["error"]
            assert (response.status, error["param"]) == (status, key), (method, path, error)
            # RFC 9110, 15.5.6: an answer with 405 names the methods of its path.
            allowed = {CHAT: "POST", "/v1/models": "GET, HEAD"}[path] if status == 405 else None
            assert response.headers["Allow"] == allowed
            assert error["type"] == "invalid_request_error"
            assert key is None or f"`{key}`" in error["message"]
        status, _, body = answer(client, CHAT, chat("a"), Thinktime_Tokens="many")
        assert status == 400
        assert "as in 250,40" in json.loads(body)["error"]["message"]
        assert len(whole(client, CHAT, chat("a", max_tokens=2))["choices"]) == 1
        assert server.stop() == (1, len(WRONG) + 1)


def test_a_request_that_would_never_fit_is_refused() -> None:
    with tt.serve(system(f"{QUICK}\nmemory = 20")) as server, connected(server) as client:
        for streamed in (True, False):
            status, _, body = answer(client, CHAT, chat("a b", stream=streamed, max_tokens=20))
            error = json.loads(body)["error"]
            assert (status, error["type"]) == (503, "server_error")
            assert "prompt of 2 tokens and a response of 20" in error["message"]
        assert len(stream(client, CHAT, chat("a b", stream=True, max_tokens=19))) == 19
        assert server.stop() == (1, 2)


# ---- the pace


def test_tokens_come_no_earlier_than_in_the_model() -> None:
    """Each read has the time of its arrival; a step takes 5 ms, and a prompt's token 1 ms."""
    keys = 'step_time = "5ms"\nprompt_token_time = "1ms"\nmax_batch = 4\nprefill_chunk = 8'
    with tt.serve(system(keys)) as server, connected(server) as client:
        begin = time.monotonic()
        body = json.dumps(chat(" ".join(["word"] * 20), stream=True, max_tokens=10))
        client.request("POST", CHAT, body)
        response, times = client.getresponse(), []
        while line := response.readline():
            if line.startswith(b"data: {"):
                times.append(time.monotonic() - begin)
    # Three steps read 8, 8 and 4 tokens, and each later one takes 5 ms.
    assert len(times) == 10
    assert all(at >= 3 * 5e-3 + 20e-3 + place * 5e-3 for place, at in enumerate(times))


def test_a_batch_slows_each_and_shares_its_steps() -> None:
    """Two at once take 10 ms a step, of which each gets a token; one alone takes 6 ms."""
    keys = 'step_time = "2ms"\nrequest_time = "4ms"\nmax_batch = 2'
    arrivals = 'model = "closed"\nclients = 2\n[session]\nthink = "const(1ms)"'
    laws = workload("prompt = 1, output = 5", arrivals)
    with tt.serve(system(keys), workload=laws) as server:
        result = tt.run(laws, server.url, requests=20)
        server.stop()
        done = server.tokens
    assert done is not None
    assert result.summary["errors"] == 0
    # At the end of the run a response may be cut off.
    assert result.summary["events"] >= 100
    figures = done.servers["gpu"]
    assert figures["running_max"] == 2
    # The clients come 1 ms after their responses, and share most steps.
    assert figures["steps"] <= 0.8 * result.summary["events"]
    rows = pl.DataFrame(result.requests)
    assert (rows["first_event_s"] >= 6e-3).all()
    assert (rows["events"] == 5).all()
    response_s = (rows["done_ns"] - rows["scheduled_ns"]) * 1e-9
    assert (response_s >= 5 * 6e-3).all()
    assert response_s.max() >= 4 * 10e-3


def test_a_run_with_the_demands_has_the_tokens_of_the_simulation(tmp_path: Path) -> None:
    keys = 'step_time = "2ms"\nrequest_time = "100us"\nprompt_token_time = "20us"\nmax_batch = 8'
    model = system(f"{keys}\nprefill_chunk = 64")
    asks = workload("prompt = 'geometric(80)', output = 'geometric(12)'")
    simulated = tt.simulate(
        asks, model, requests=150, warmup=0, rows="all", output=tmp_path / "simulated"
    )
    with tt.serve(model) as server:
        measured = tt.run(asks, server.url, requests=150, warmup=0, drain=300, demands=model)
        server.stop()
    summary = measured.summary
    assert (summary["requests"], summary["errors"]) == (150, 0)
    order = ["session", "request"]
    ours = pl.read_parquet(tmp_path / "simulated" / "requests.parquet").sort(order)
    theirs = pl.DataFrame(measured.requests).sort(order)
    assert theirs["events"].to_list() == ours["events"].to_list()
    # A late machine makes them longer: each token takes a step, of 2.1 ms at least.
    response_s = (theirs["done_ns"] - theirs["scheduled_ns"]) * 1e-9
    assert (response_s >= theirs["events"] * 2.1e-3).all()
    mean, exact = summary["response_time_s"]["mean"], simulated.summary["response_time_s"]["mean"]
    assert mean >= 0.8 * exact


def test_rows_and_summary_have_the_tokens_that_responses_report(tmp_path: Path) -> None:
    model = system()
    text = workload("prompt = 'geometric(30)', output = 'geometric(9)'").to_toml()
    asked = tt.Workload(
        text.replace("stream = true", "stream = true\nstream_options = { include_usage = true }")
    )
    assert "include_usage" in asked.to_toml()
    folder = tmp_path / "simulated"
    tt.simulate(asked, model, requests=40, warmup=0, rows="all", output=folder)
    with tt.serve(model) as server:
        measured = tt.run(asked, server.url, requests=40, warmup=0, drain=300, demands=model)
    order = ["session", "request"]
    ours = pl.read_parquet(folder / "requests.parquet").sort(order)
    theirs = pl.DataFrame(measured.requests).sort(order)
    for name in ("prompt_tokens", "output_tokens"):
        assert theirs[name].to_list() == ours[name].to_list()
        # The key of a typed dictionary is a variable here.
        assert measured.summary[name] == ours[name].sum()  # type: ignore[literal-required]
    # The report is an event of its own, and no token.
    assert theirs["events"].to_list() == [1 + tokens for tokens in ours["output_tokens"]]
    assert ours["events"].to_list() == ours["output_tokens"].to_list()


# ---- systems and commands


def test_requests_that_go_elsewhere_are_answered_as_ever() -> None:
    more = (
        '[[station]]\nname = "web"\ndemand.health = "1ms"\n'
        '[[behaviour]]\nrequest = "health"\nsteps = [{ use = "web" }]'
    )
    with tt.serve(system(QUICK, more)) as server, connected(server) as client:
        client.request("GET", "/health")
        response = client.getresponse()
        assert (response.status, response.read()) == (200, b"x" * 16)
        client.request("GET", "/health", headers={"Thinktime-Demand": "soon"})
        response = client.getresponse()
        assert response.status == 400
        assert "soon" in json.loads(response.read())["error"]["message"]
        assert len(stream(client, CHAT, chat("a", stream=True, max_tokens=3))) == 3


def test_a_request_goes_to_one_server_of_tokens() -> None:
    two = f'[[token_server]]\nname = "other"\n{QUICK}\n'
    with pytest.raises(tt.InputError, match=r"more than one server of tokens.*\[\[behaviour\]\]"):
        tt.serve(system(QUICK, two))
    with tt.serve(system(QUICK, f'{two}[[behaviour]]\nsteps = [{{ use = "other" }}]')) as server:
        with connected(server) as client:
            assert len(stream(client, CHAT, chat("a", stream=True, max_tokens=3))) == 3
        server.stop()
        done = server.tokens
    assert done is not None
    assert {name: one["steps"] for name, one in done.servers.items()} == {"gpu": 0, "other": 3}


def test_the_example_is_served_and_says_at_its_end_what_it_did() -> None:
    command = [*COMMAND, "serve", str(EXAMPLES / "token-server.toml"), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        address = first.split("http://")[1].split(";")[0]
        client = http.client.HTTPConnection(address, timeout=300)
        assert len(stream(client, CHAT, chat("a", stream=True, max_tokens=3))) == 3
        client.close()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert "answered 1 request, refused 0" in said
    assert "gpu: " in said
    assert "at most 1;" in said
    assert "tokens were late by " in said
