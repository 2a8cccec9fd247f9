"""Probes of a switch: servers report their work, and `prequal` uses it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable

import pytest
from switch_servers import Backend, backends, echo, get, says, switching, system
from test_switch_metrics import told, until

import thinktime as tt

PATH = "/thinktime/probe"
GIVEN = {"probe": "/load?who=switch", "metrics": "127.0.0.1:0"}
ROUNDS = 40


class Loaded:
    """A server that reports the amount of its work."""

    def __init__(self, in_progress: int, response_s: float | None) -> None:
        self.says = {"in_progress": in_progress, "response_s": response_s}

    def __call__(self, server: Backend, connection: socket.socket, target: str) -> bool:
        if not target.startswith("/load"):
            return echo(server, connection, target)
        text = json.dumps(self.says).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))
        return True


def requests_of(server: Backend) -> int:
    """The number of its requests, without probes."""
    return sum(not target.startswith("/load") for target in server.targets)


def answered(proxy: tt.switch) -> list[float]:
    metrics = told(proxy)
    asked, failed = (metrics.by_server(f"probe{name}_total") for name in ("s", "_failures"))
    return [a - f for a, f in zip(asked, failed, strict=True)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Loaded(2, 0.2), Loaded(2, 0.01)),  # both are cold: the faster one
        (Loaded(90, 0.01), Loaded(2, 0.2)),  # one is hot, and the other is not
    ],
)
def test_requests_go_where_the_probes_say(one: Loaded, other: Loaded) -> None:
    with (
        backends(one, other) as servers,
        switching("prequal(quantile=0.5)", servers, **GIVEN) as proxy,
    ):
        for number in range(ROUNDS):
            before = answered(proxy)
            assert get(proxy.url, f"/{number}")[0] == 200
            # The next request comes when both have answered.
            while any(now <= then for now, then in zip(answered(proxy), before, strict=True)):
                time.sleep(0.001)
        done = proxy.stop()
    assert done is not None
    # The first comes before any answer, and goes anywhere.
    assert done.requests[1] >= ROUNDS - 1
    assert requests_of(servers[1]) == done.requests[1]
    probe = next(head for head in servers[0].heads if head.startswith("GET /load"))
    assert probe.startswith("GET /load?who=switch HTTP/1.1\r\n")
    assert f"host: {servers[0].url.removeprefix('http://')}" in probe.lower()


NO_ANSWERS: list[Callable[[Backend, socket.socket, str], bool]] = [
    says(b"HTTP/1.1 503 no\r\nContent-Length: 0\r\n\r\n"),
    says(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{} "),
    says(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + b" " * 9000),
    says(b"garbage\r\n\r\n"),
    says(b""),
]


def test_what_is_no_answer_does_no_harm() -> None:
    turn = [0]

    def behave(server: Backend, connection: socket.socket, target: str) -> bool:
        if not target.startswith("/load"):
            return echo(server, connection, target)
        turn[0] += 1
        return NO_ANSWERS[turn[0] % len(NO_ANSWERS)](server, connection, target)

    with backends(behave, behave) as servers, switching("prequal", servers, **GIVEN) as proxy:
        for number in range(ROUNDS):
            assert get(proxy.url, f"/{number}") == (200, f"/{number}")
        while min(told(proxy).by_server("probe_failures_total")) < len(NO_ANSWERS):
            time.sleep(0.01)
        assert answered(proxy) == [0, 0]
        done = proxy.stop()
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (ROUNDS, 0, [0, 0])
    assert min(done.requests) > 0, "without answers any server is chosen"


def test_a_server_that_does_not_answer_is_not_asked_on_and_on() -> None:
    hangs = threading.Event()

    def behave(server: Backend, connection: socket.socket, target: str) -> bool:
        if not target.startswith("/load"):
            return echo(server, connection, target)
        return hangs.wait(60)

    with backends(behave, behave) as servers, switching("prequal", servers, **GIVEN) as proxy:
        begun = time.monotonic()
        for number in range(200):
            assert get(proxy.url, f"/{number}")[0] == 200
        seconds = time.monotonic() - begun
        asked = [len(server.targets) - requests_of(server) for server in servers]
        hangs.set()
    # Eight at a time, each given up after a second.
    assert all(0 < number <= 8 * (seconds + 2) for number in asked), (asked, seconds)


def test_served_models_say_what_they_have_to_do() -> None:
    model = tt.System('name = "s"\n[[station]]\nname = "a"\npolicy = "ps"\ndemand = "40ms"\n')
    with tt.serve(model) as server:
        status, text = get(server.url, PATH)
        assert (status, json.loads(text)) == (200, {"in_progress": 0, "response_s": 0})
        threads = [threading.Thread(target=get, args=(server.url, "/")) for _ in range(3)]
        seen = []
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            seen.append(json.loads(get(server.url, PATH)[1])["in_progress"])
        last = json.loads(get(server.url, PATH)[1])
        done = server.stop()
    assert max(seen) >= 1
    assert last["in_progress"] == 0
    assert last["response_s"] >= 0.04
    assert done == (3, 0), "probes are no requests"


def test_prequal_spares_a_served_model_that_is_slow() -> None:
    fast, slow = (
        tt.System(f'name = "s"\n[[station]]\nname = "a"\ndemand = "{demand}"\n')
        for demand in ("2ms", "30ms")
    )
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "open"\nrate = "40/s"\n[[request]]\nname = "a"\n'
    )
    with (
        tt.serve(fast) as one,
        tt.serve(slow) as other,
        switching("prequal", [one.url, other.url], probe=PATH) as proxy,
    ):
        tt.run(workload, proxy.url, requests=300, rows="none")
        done = proxy.stop()
    assert done is not None
    # By chance alone the shares would be equal.
    assert done.requests[0] > 3 * done.requests[1]


def test_without_a_path_the_policy_is_refused() -> None:
    servers = ["http://127.0.0.1:9", "http://127.0.0.1:10"]
    with pytest.raises(tt.InputError, match=f"`prequal` needs the work .* --probe {PATH}"):
        tt.switch(system(2, "prequal"), servers)
    for path in ("load", "", "http://other/load", "/a#b"):
        with pytest.raises(tt.InputError, match="no path of a server, as in /health"):
            tt.switch(system(2, "prequal"), servers, probe=path)


def test_a_policy_that_asks_may_come_by_a_reload() -> None:
    with (
        backends(Loaded(0, 0.001), Loaded(0, 0.1)) as servers,
        switching("round-robin", servers, **GIVEN) as proxy,
    ):
        assert get(proxy.url, "/")[0] == 200
        assert told(proxy).by_server("probes_total") == [0, 0]
        proxy.reload(system(2, "prequal"))
        assert get(proxy.url, "/")[0] == 200
        until(proxy, "probes_total", 1, server="1", policy="prequal")
