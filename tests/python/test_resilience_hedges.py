"""Hedged requests: schedules by hand, order statistics, and a real server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import polars
import pytest
from test_networks import scenario, station, table

import thinktime as tt

LOST = "cancelled"
"""The error of an attempt that was given up because another one was answered."""


def hedged(hedge: str = '{ after = "1s" }', **values: str) -> str:
    return table("request", name="r", hedge=hedge, **values)


def test_the_first_answer_counts_and_the_copy_is_given_up() -> None:
    # Served from 1 s to 4 s; a copy is sent at 2 s, and the server works on it from 4 s to 7 s. The
    # next request comes at 11 s.
    times, summary = scenario(2, station(demand="3s"), hedged(), gap=10)
    assert times == {
        (0, 1): (10, 13, None),
        (0, 2): (11, 13, LOST),
        (1, 1): (20, 23, None),
        (1, 2): (21, 23, LOST),
    }
    assert (summary["requests"], summary["errors"], summary["retries"]) == (2, 0, 2)
    assert summary["errors_by_kind"] == {LOST: 2}
    assert summary["response_time_s"]["mean"] == pytest.approx(3)
    assert summary["stations"]["x"]["load"] * summary["duration_s"] == pytest.approx(12)


def test_a_copy_is_taken_back_as_cancel_says() -> None:
    _, summary = scenario(2, station(demand="3s"), hedged(cancel="always"), gap=10)
    assert summary["stations"]["x"]["load"] * summary["duration_s"] == pytest.approx(6)


def test_an_answer_before_its_time_needs_no_copy() -> None:
    times, summary = scenario(2, station(demand="0.9s"), hedged(), gap=10)
    assert set(times) == {(0, 1), (1, 1)}
    assert summary["retries"] == 0


def test_copies_follow_one_another_up_to_their_number() -> None:
    hedge = '{ after = "1s", most = 3 }'
    times, _ = scenario(1, station(demand="9s", servers=9), hedged(hedge))
    assert times == {
        (0, 1): (1, 10, None),
        **{(0, number): (number, 10, LOST) for number in (2, 3, 4)},
    }


def test_an_attempt_has_failed_when_its_copies_have_and_is_tried_again() -> None:
    # The server works from 1 s to 4 s on the first attempt, then on its copy of 2 s, and so on.
    # Each is given up 2.5 s after it was sent. The second attempt is made when the copy has failed,
    # too, at 4.5 s: it is the third by number, and waits for the server until 7 s.
    request = hedged(timeout="2.5s", retry="{ attempts = 2 }")
    times, summary = scenario(1, station(demand="3s"), request)
    assert times == {
        (0, 1): (1, 3.5, "timeout"),
        (0, 2): (2, 4.5, "timeout"),
        (0, 3): (4.5, 7, "timeout"),
        (0, 4): (5.5, 8, "timeout"),
    }
    assert (summary["errors"], summary["retries"], summary["timeouts"]) == (1, 3, 4)


def test_a_copy_answers_for_an_attempt_that_failed() -> None:
    # Who came last is served first. Session 0 is served from 0.5 s to 2.5 s, and its copy of 1.5 s
    # is then taken back. The copy of session 1, sent at 2 s, is served before the attempt of 1 s,
    # which is given up at 4 s.
    request = hedged(timeout="3s", cancel="queued")
    times, summary = scenario(2, station(demand="2s", policy="lcfs"), request, gap=0.5)
    assert times == {
        (0, 1): (0.5, 2.5, None),
        (0, 2): (1.5, 2.5, LOST),
        (1, 1): (1, 4, "timeout"),
        (1, 2): (2, 4.5, None),
    }
    assert (summary["errors"], summary["timeouts"]) == (0, 1)
    assert summary["response_time_s"]["max"] == pytest.approx(3.5)


def test_copies_need_a_place_and_a_token_of_the_budget() -> None:
    # At most two in flight: while sessions 0 and 1 are, there is no place for a copy of either.
    limit = "[clients]\nconcurrency = 2\n"
    times, _ = scenario(2, station(demand="9s", servers=9), hedged(), more=limit)
    # That of session 0 is due at 2 s, when session 1 has come just before.
    assert set(times) == {(0, 1), (1, 1)}
    budget = '[clients]\nretry_budget = { share = "0%", burst = 1 }\n'
    times, _ = scenario(3, station(demand="9s", servers=9), hedged(), more=budget)
    assert {key for key in times if key[1] == 2} == {(0, 2)}


def survival(time: np.ndarray, after: float, most: int) -> np.ndarray:
    """P(T > t) of a request whose attempts do not wait and have exponential service of mean 1: they
    are independent, and each has had the time since it was sent."""
    sent = after * np.arange(most + 1)
    return np.exp(-np.clip(time[:, None] - sent, 0, None).sum(axis=1))


@pytest.mark.parametrize("most", [1, 3])
def test_response_times_are_those_of_order_statistics(most: int) -> None:
    """Kolmogorov's test and the mean: each errs with probability 1e-6, on a fixed seed."""
    workload = tt.Workload(
        'name = "w"\nseed = 3\n[arrivals]\nmodel = "open"\nrate = "10/s"\n'
        + hedged(f'{{ after = "500ms", most = {most} }}')
    )
    system = tt.System(f'name = "s"\n{station(demand="exp(1s)", servers=100_000)}')
    many = 20_000
    result = tt.simulate(workload, system, requests=many, warmup=0, rows="all")
    times = np.sort(result.response_times())
    assert len(times) == many
    tail = survival(times, 0.5, most)
    ranks = np.arange(many + 1) / many
    distance = max(np.max(ranks[1:] - (1 - tail)), np.max((1 - tail) - ranks[:-1]))
    assert distance < np.sqrt(-np.log(0.5e-6) / 2 / many)
    if most == 1:
        share = np.exp(-0.5)  # of requests that get a copy
        mean = 1 - share + share / 2
        # E[T^2] = 2 int t P(T > t) dt, split at 0.5 s.
        square = 2 * (1 - 1.5 * share) + 2 * share * (0.5 / 2 + 1 / 4)
        spread = np.sqrt((square - mean**2) / many)
        assert abs(result.summary["response_time_s"]["mean"] - mean) < 4.9 * spread
        copies = result.summary["retries"]
        assert abs(copies - many * share) < 4.9 * np.sqrt(many * share * (1 - share))


def test_mistakes_are_named() -> None:
    head = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = 1\n'
    for hedge, words in [
        ('{ after = "0s" }', "`after`: must be more than 0s"),
        ('{ after = "1s", most = 0 }', "`most` must be from 1 to 100"),
        ("{ most = 1 }", "missing key `after`"),
    ]:
        with pytest.raises(tt.InputError) as caught:
            tt.Workload(head + hedged(hedge))
        assert words in str(caught.value)


# ---- real servers


@contextmanager
def stalling() -> Iterator[str]:
    """A server that answers each second request, and lets the others wait until it ends."""
    ended, lock, numbers = threading.Event(), threading.Lock(), iter(range(10**9))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with lock:
                number = next(numbers)
            if number % 2 == 0:
                ended.wait(300)
            with suppress(OSError):  # its client may have left
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_real_server_is_asked_again_while_it_does_not_answer() -> None:
    """One client: of an attempt and its copy the server answers one, and the other one never."""
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 1\n[session]\nthink = "0s"\n'
        + hedged('{ after = "30ms" }')
    )
    with stalling() as url:
        result = tt.run(workload, url, requests=20, rows="all")
    rows = polars.DataFrame(result.requests).with_columns(polars.col("error").cast(polars.String))
    of_request = rows.group_by("request").agg(
        answered=polars.col("error").is_null().sum(),
        lost=(polars.col("error") == LOST).sum(),
        most=polars.col("attempt").max(),
    )
    assert of_request.height == 20
    assert of_request["answered"].to_list() == [1] * 20
    assert (of_request["lost"] == of_request["most"] - 1).all()
    assert result.summary["errors"] == 0
    # The first request is the server's first one, which it does not answer.
    assert result.summary["retries"] == result.summary["errors_by_kind"][LOST] >= 1
