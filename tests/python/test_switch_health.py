"""Health checks of a switch: an unhealthy server gets no requests until it is healthy again."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest
from nginx_server import free_port
from switch_servers import Backend, backends, echo, get, says, switching, system
from test_switch_metrics import Metrics, told

import thinktime as tt
from thinktime.operations.content_switch import SwitchTotals

GIVEN = {
    "health": "/health?who=switch", "health_every": "20ms", "failures": 2, "closed": "1ms",
    "metrics": "127.0.0.1:0",
}  # fmt: skip


class Patient:
    """A server whose answers to health checks, and to requests, can be changed."""

    def __init__(self) -> None:
        self.status = 200
        self.fails = False

    def __call__(self, server: Backend, connection: socket.socket, target: str) -> bool:
        if target.startswith("/health"):
            return says(b"HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n" % self.status)(
                server, connection, target
            )
        if self.fails:
            return False
        return echo(server, connection, target)


def when_open(proxy: tt.switch, *wanted: bool) -> Metrics:
    """The metrics once the servers are open, or closed, as given."""
    while True:
        if (metrics := told(proxy)).by_server("server_open") == list(wanted):
            return metrics
        time.sleep(0.01)


def asked(server: Backend) -> list[str]:
    """The requests to a server other than its health checks."""
    return [target for target in server.targets if not target.startswith("/health")]


def test_who_is_not_well_gets_no_requests_until_he_is() -> None:
    sick, other = Patient(), Patient()
    with backends(sick, other) as servers, switching("round-robin", servers, **GIVEN) as proxy:
        for number in range(4):
            assert get(proxy.url, f"/{number}") == (200, f"/{number}")
        sick.status = 503
        when_open(proxy, False, True)
        for number in range(4):
            assert get(proxy.url, f"/closed{number}")[0] == 200
        # Time alone does not open it.
        time.sleep(0.1)
        assert told(proxy).by_server("server_open") == [0, 1]
        sick.status = 204
        when_open(proxy, True, True)
        for number in range(4):
            assert get(proxy.url, f"/open{number}")[0] == 200
        done = proxy.stop()
    assert [target for target in asked(servers[0]) if "closed" in target] == []
    assert sum("open" in target for target in asked(servers[0])) == 2
    # Checks are not requests, and their findings are not failures of requests.
    assert done == SwitchTotals(12, 0, [4, 8], [0, 0])


@pytest.mark.parametrize(("status", "well"), [(200, 1), (399, 1), (400, 0), (503, 0), (101, 0)])
def test_well_is_who_answers_with_200_to_399(status: int, well: int) -> None:
    patient = Patient()
    patient.status = status
    with backends(patient) as servers, switching("jsq", servers, **GIVEN) as proxy:
        while told(proxy).get("health_checks_total") < 3:
            time.sleep(0.01)
        assert told(proxy).get("server_open") == well


def test_one_bad_answer_does_not_close() -> None:
    """Every other check is bad: never two in a row, as many as close it."""
    asked: list[int] = []

    def turns(server: Backend, connection: socket.socket, target: str) -> bool:
        asked.append(503 if len(asked) % 2 else 200)
        return says(b"HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n" % asked[-1])(
            server, connection, target
        )

    with backends(turns) as servers, switching("jsq", servers, **GIVEN) as proxy:
        while (metrics := told(proxy)).get("health_check_failures_total") < 4:
            assert metrics.get("server_open") == 1
        assert metrics.get("server_open") == 1


def test_who_was_closed_for_failures_is_closed_again_by_one_more() -> None:
    """A check has opened it, and no request has succeeded since."""
    fails = Patient()
    given: dict[str, Any] = {**GIVEN, "health_every": "300ms", "failures": 3, "retries": 0}
    with backends(fails) as servers, switching("jsq", servers, **given) as proxy:
        fails.fails = True
        while told(proxy).get("server_open") == 1:
            get(proxy.url, "/")
        while told(proxy).get("server_open") == 0:
            time.sleep(0.01)
        assert get(proxy.url, "/")[0] == 502
        assert told(proxy).get("server_open") == 0


def test_time_alone_opens_nobody_who_is_asked_how_he_is() -> None:
    """It was checked once, at the start, and found healthy; `closed` has no meaning."""
    fails = Patient()
    given: dict[str, Any] = {**GIVEN, "health_every": "1h", "retries": 0}
    with backends(fails) as servers, switching("jsq", servers, **given) as proxy:
        while told(proxy).get("health_checks_total") < 1:
            time.sleep(0.01)
        fails.fails = True
        while told(proxy).get("server_open") == 1:
            get(proxy.url, "/")
        time.sleep(0.1)
        assert told(proxy).get("server_open") == 0


def test_failures_close_only_one_after_another() -> None:
    def sometimes(server: Backend, connection: socket.socket, target: str) -> bool:
        return target == "/good" and echo(server, connection, target)

    with (
        backends(sometimes) as servers,
        switching("jsq", servers, failures=2, closed="24h", retries=0) as proxy,
    ):
        for _ in range(3):
            assert get(proxy.url, "/bad")[0] == 502
            assert get(proxy.url, "/good")[0] == 200


def test_a_check_is_a_request_to_the_server_itself() -> None:
    with backends(Patient(), Patient()) as servers, switching("jsq", servers, **GIVEN) as proxy:
        while min(told(proxy).by_server("health_checks_total")) < 3:
            time.sleep(0.01)
        metrics = told(proxy)
        assert metrics.by_server("health_check_failures_total") == [0, 0]
        assert metrics.by_server("requests_total") == [0, 0]
        assert metrics.by_server("requests_in_progress") == [0, 0]
    head = servers[0].heads[0].lower()
    assert head.startswith("get /health?who=switch http/1.1\r\n")
    assert f"\r\nhost: {servers[0].url.removeprefix('http://')}\r\n" in head


@pytest.mark.parametrize("what", ["refuses", "hangs", "garbage"])
def test_no_good_answer_is_a_bad_one(what: str) -> None:
    """A check that hangs is given up, and does not count as in progress for the policy."""

    def bad(server: Backend, connection: socket.socket, target: str) -> bool:
        if what == "hangs":
            connection.recv(1)
        connection.sendall(b"HTTP/1.1 999999 what\r\n\r\n")
        return False

    # Long enough for the other one, however busy the machine.
    given = {**GIVEN, "health_within": "1s"}
    with backends(bad, Patient()) as servers:
        first = f"http://127.0.0.1:{free_port()}" if what == "refuses" else servers[0]
        with switching("round-robin", [first, servers[1]], **given) as proxy:
            metrics = when_open(proxy, False, True)
            assert metrics.by_server("requests_in_progress") == [0, 0]
            assert metrics.by_server("failures_total") == [0, 0]
            assert metrics.get("health_check_failures_total", server="0") >= 2
            for number in range(4):
                assert get(proxy.url, f"/{number}") == (200, f"/{number}")


def test_requests_that_succeed_do_not_make_a_server_well() -> None:
    """A server that wants no more requests says so to checks, and serves those that it gets."""
    leaving = Patient()
    over = threading.Event()

    def ask(url: str) -> None:
        while not over.is_set():
            get(url, "/page")

    with (
        backends(leaving, Patient()) as servers,
        switching("jsq(2)", servers, **GIVEN) as proxy,
    ):
        client = threading.Thread(target=ask, args=(proxy.url,))
        client.start()
        leaving.status = 503
        when_open(proxy, False, True)
        over.set()
        client.join()


def test_who_fails_requests_is_opened_by_a_good_check() -> None:
    """Checks find it well all the time: failures close it, the next check opens it."""
    fails = Patient()
    given: dict[str, Any] = {**GIVEN, "health_every": "300ms", "closed": "24h"}
    with (
        backends(fails, Patient()) as servers,
        switching("round-robin", servers, **given) as proxy,
    ):
        fails.fails = True
        while told(proxy).get("server_open", server="0") == 1:
            assert get(proxy.url, "/")[0] == 200
        fails.fails = False
        when_open(proxy, True, True)
        assert [get(proxy.url, f"/{number}")[0] for number in range(4)] == [200] * 4


def test_without_checks_nobody_is_asked() -> None:
    with backends(Patient()) as servers, switching("jsq", servers, metrics="127.0.0.1:0") as proxy:
        assert get(proxy.url, "/page") == (200, "/page")
        assert not any("health" in name for name in told(proxy).kinds)
    assert servers[0].targets == ["/page"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"health": "health"}, "`health` is no path of a server, as in /health"),
        ({"health": "/a b"}, "`/a b` is no path"),
        ({"health": "http://a/health"}, "is no path"),
        ({"health": "/health", "health_every": "often"}, "health_every = often"),
        ({"health": "/health", "health_within": "0s"}, "health_within is a time from 1ms"),
        ({"health_every": "1s"}, "health_every is a time of health checks: `health` says which"),
        ({"health_within": "1s"}, "health_within is a time of health checks: `health` says which"),
    ],
)
def test_what_is_no_check_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(tt.InputError, match=why):
        tt.switch(system(1, "jsq"), ["http://127.0.0.1:1"], **wrong)
