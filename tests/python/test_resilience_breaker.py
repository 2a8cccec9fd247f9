"""Circuit breakers of clients: schedules by hand, a second implementation, and a real server."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import polars
import pytest
from test_networks import scenario, station, table

import thinktime as tt

OPEN = "breaker_open"


def test_failures_in_a_row_open_it_and_each_trial_opens_it_again() -> None:
    # Session 0 comes at 1 s and stays; all others are refused. The second refusal is at 3 s: open
    # until 13 s, when one tries and is refused: open until 23 s.
    breaker = '[clients]\nbreaker = { failures = 2, open = "10s" }\n'
    times, summary = scenario(24, station(demand="90s", queue_limit=0), more=breaker)
    refused = {sent for sent, _, error in times.values() if error == "refused"}
    assert refused == {2, 3, 13, 23}
    turned_away = {sent for sent, end, error in times.values() if (error, end) == (OPEN, sent)}
    assert turned_away == {*range(4, 13), *range(14, 23), 24}
    assert summary["errors_by_kind"] == {"refused": 4, OPEN: 19}
    assert summary["errors"] == 23


def test_attempts_that_wait_for_a_place_are_asked_when_they_get_it() -> None:
    # Served for 3 s, given up after 1 s, one in flight. Session 0 is sent at 1 s. Session 1 waits
    # from 2 s, when the first one times out and opens the breaker: it fails then. The breaker is
    # open until 4.5 s: 2 and 3 fail at 3 s and 4 s. 4 tries at 5 s, and times out at 6 s, when 5
    # comes, which is no trial. Until 8.5 s all fail, and at 9 s session 8 tries.
    breaker = '[clients]\nconcurrency = 1\nbreaker = { failures = 1, open = "2.5s" }\n'
    request = table("request", name="r", timeout="1s")
    times, _ = scenario(9, station(demand="3s"), request, more=breaker)
    assert [times[session, 1][1:] for session in range(9)] == [
        (2, "timeout"),
        *((at, OPEN) for at in (2, 3, 4)),
        (6, "timeout"),
        *((at, OPEN) for at in (6, 7, 8)),
        (10, "timeout"),
    ]


def test_a_retry_may_come_when_it_is_closed_again() -> None:
    # Session 0 is served from 1 s to 5 s. Session 1 is refused at 2 s, which opens the breaker
    # until 4.5 s; its attempts at 3 s, 4 s fail unsent, the one at 5 s tries and is served.
    breaker = '[clients]\nbreaker = { failures = 1, open = "2.5s" }\n'
    request = table("request", name="r", retry='{ attempts = 9, backoff = "1s" }')
    times, summary = scenario(2, station(demand="4s", queue_limit=0), request, more=breaker)
    assert [times[1, number][2] for number in (1, 2, 3, 4)] == ["refused", OPEN, OPEN, None]
    assert times[1, 4][:2] == (5, 9)
    assert (summary["errors"], summary["retries"]) == (0, 3)


class Breaker:
    """A second implementation, of a breaker by the share of failures in a window."""

    def __init__(self, share: float, window: int, least: int, wait: int, trials: int) -> None:
        self.share, self.window, self.least = share, window, least
        self.wait, self.trials = wait, trials
        self.ends: list[tuple[int, int, bool]] = []
        self.reopens = 0
        self.begun = 0
        self.trying: set[int] | None = None
        self.good = 0

    def lets(self, now: int) -> bool:
        if now < self.reopens:
            return False
        if self.reopens and self.trying is None:
            self.trying, self.good = set(), 0
        if self.trying is None:
            return True
        if len(self.trying) == self.trials:
            return False
        self.trying.add(now)
        return True

    def end(self, now: int, sent: int, failed: bool) -> None:
        if self.trying is not None:
            if sent not in self.trying:
                return
            self.good += not failed
            if failed:
                self.trying, self.reopens = None, now + self.wait
            elif self.good == self.trials:
                self.trying, self.reopens, self.begun, self.ends = None, 0, now, []
        elif not self.reopens and sent >= self.begun:
            self.ends.append((now, sent, failed))
            recent = [bad for at, _, bad in self.ends if now - at < self.window]
            if len(recent) >= self.least and sum(recent) >= self.share * len(recent):
                self.reopens = now + self.wait


@pytest.mark.parametrize("trials", [1, 3])
def test_a_second_implementation_lets_the_same_attempts_through(trials: int) -> None:
    workload = tt.Workload(
        'name = "w"\nseed = 5\n[arrivals]\nmodel = "open"\nrate = "100/s"\n[clients.breaker]\n'
        f'share = "45%"\nwindow = "200ms"\nleast = 6\nopen = "150ms"\ntrials = {trials}\n'
    )
    text = station(demand="exp(20ms)", servers=2, queue_limit=0)
    system = tt.System(f'name = "s"\n{text}')
    result = tt.simulate(workload, system, requests=5000, warmup=0, rows="all")
    rows = polars.DataFrame(result.requests).sort("scheduled_ns")
    breaker = Breaker(0.45, 200_000_000, 6, 150_000_000, trials)
    served: list[tuple[int, int]] = []
    expected: list[str | None] = []
    for sent, done in rows.select("scheduled_ns", "done_ns").iter_rows():
        while served and served[0][0] <= sent:
            breaker.end(*served.pop(0), failed=False)
        if not breaker.lets(sent):
            expected.append(OPEN)
        elif len(served) == 2:
            breaker.end(sent, sent, failed=True)
            expected.append("refused")
        else:
            served = sorted([*served, (done, sent)])
            expected.append(None)
    assert rows["error"].cast(polars.String).to_list() == expected
    # Each case occurs often: the breaker opened at least a hundred times.
    opened = [n for n, error in enumerate(expected) if error == OPEN and expected[n - 1] != OPEN]
    assert len(opened) > 100


@pytest.mark.parametrize(
    ("breaker", "words"),
    [
        ('{ open = "1s" }', "needs `failures`"),
        ('{ failures = 1, share = "1%", open = "1s" }', "one of `failures` and `share`"),
        ('{ failures = 0, open = "1s" }', "`failures` must be at least 1"),
        ('{ failures = 1, window = "1s", open = "1s" }', "go with `share`"),
        ('{ share = "10%", open = "1s" }', "`share` needs a `window`"),
        ('{ share = "0%", window = "1s", open = "1s" }', "`share` must be more than 0"),
        ('{ failures = 1, open = "0s" }', "`open` must be more than 0s"),
        ('{ failures = 1, open = "1s", trials = 0 }', "`trials` must be at least 1"),
        ('{ failures = 1, open = "1s", on = ["503"] }', "`on`: `503` is no failure"),
    ],
)
def test_mistakes_are_named(breaker: str, words: str) -> None:
    text = f'name = "w"\n[arrivals]\nmodel = "open"\nrate = 1\n[clients]\nbreaker = {breaker}\n'
    with pytest.raises(tt.InputError, match=r"clients\.breaker") as caught:
        tt.Workload(text)
    assert words in str(caught.value)


def test_endless_attempts_need_a_wait() -> None:
    text = (
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = 1\n'
        '[clients]\nbreaker = { failures = 1, open = "1s" }\n'
        '[[request]]\nname = "r"\nretry = { attempts = "unlimited"%s }\n'
    )
    with pytest.raises(tt.InputError, match="backoff"):
        tt.Workload(text % "")
    with pytest.raises(tt.InputError, match="backoff"):
        tt.Workload(text % ', backoff = "0s"')
    tt.Workload(text % ', backoff = "1s"')


def test_closed_clients_need_a_think_time() -> None:
    """Without one no time would pass while the breaker is open."""
    text = (
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 2\n'
        '[clients]\nbreaker = { failures = 1, open = "1s" }\n'
        '[session]\nthink = "%s"\n[[request]]\nname = "r"\n'
    )
    with pytest.raises(tt.InputError, match="never think"):
        tt.Workload(text % "0s")
    tt.Workload(text % "exp(1ms)")


# ---- real servers


@contextmanager
def failing(times: int) -> Iterator[str]:
    """A server that answers this many requests with status 503, and later ones with 200."""
    statuses = iter([503] * times)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with lock:
                status = next(statuses, 200)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_open_breaker_sends_nothing() -> None:
    """One at a time, so that the third failure is known before a fourth is sent."""
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "1000/s"\n'
        '[clients]\nconcurrency = 1\nbreaker = { failures = 3, open = "1h" }\n'
    )
    with failing(10**6) as url:
        summary = tt.run(workload, url, requests=200).summary
    assert summary["errors_by_kind"] == {"status": 3, OPEN: 197}
    assert (summary["errors"], summary["requests"]) == (200, 200)


def test_a_trial_closes_it() -> None:
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 1\n[session]\nthink = "20ms"\n'
        '[clients]\nbreaker = { failures = 3, open = "600ms", on = ["status 503"] }\n'
    )
    with failing(3) as url:
        result = tt.run(workload, url, requests=100, rows="all")
    rows = polars.DataFrame(result.requests).sort("scheduled_ns")
    letters = {None: "n", "status": "s", OPEN: "o"}
    seen = "".join(letters[error] for error in rows["error"].cast(polars.String))
    assert re.fullmatch("s{3}o*n+", seen), seen
    tried = rows.row(seen.index("n"), named=True)
    assert tried["sent_ns"] - rows["done_ns"][2] >= 600_000_000
