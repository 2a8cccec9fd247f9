"""The switch: it chooses as the simulated one does, and everybody gets his own answer."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
from switch_servers import (
    Backend,
    after,
    backends,
    body_of,
    connected,
    echo,
    get,
    says,
    sent,
    switching,
    system,
)

import thinktime as tt
from thinktime.learn import learn
from thinktime.operations.content_switch import SwitchTotals

CLASSES = 'classes = { heavy = ["search"], light = ["page", "image"] }'


def where(servers: list[Backend]) -> dict[str, int]:
    """By target, the server that received it."""
    return {target: at for at, one in enumerate(servers) for target in one.targets}


def test_turns_go_round() -> None:
    with backends(echo, echo, echo) as servers, switching("round-robin", servers) as proxy:
        for number in range(9):
            assert get(proxy.url, f"/{number}") == (200, f"/{number}")
    assert where(servers) == {f"/{number}": number % 3 for number in range(9)}
    assert proxy.stop() is None


def test_each_class_has_turns_of_its_own() -> None:
    """CAP's pointers by hand: the first class begins with server 0, the second with server 1."""
    asked = ["/search?1", "/page/1", "/image/1", "/search?2", "/page/2", "/search?3", "/image/2"]
    wanted = [0, 1, 0, 1, 1, 0, 0]
    with backends(echo, echo) as servers, switching("cap", servers, CLASSES) as proxy:
        for target in asked:
            get(proxy.url, target)
        done = proxy.stop()
    assert where(servers) == dict(zip(asked, wanted, strict=True))
    assert done == SwitchTotals(passed=7, refused=0, requests=[4, 3], failures=[0, 0])


def test_a_target_stays_where_it_was() -> None:
    """LARD with hardly any load: each target has one server, whatever comes between."""
    with backends(echo, echo, echo) as servers, switching("lard", servers) as proxy:
        for _ in range(4):
            for number in range(12):
                get(proxy.url, f"/{number}")
    for server in servers:
        assert all(server.targets.count(target) == 4 for target in server.targets)
    assert sum(len(server.targets) for server in servers) == 48


def test_who_has_the_fewest_is_chosen() -> None:
    """While one server holds a request, the other gets the rest."""
    go_on = threading.Event()

    def hold(server: Backend, connection: socket.socket, target: str) -> bool:
        if target == "/held":
            assert go_on.wait(300)
        return echo(server, connection, target)

    with backends(hold, hold) as servers, switching("jsq", servers) as proxy:
        holder = threading.Thread(target=get, args=(proxy.url, "/held"))
        holder.start()
        while not any(server.heads for server in servers):
            time.sleep(0.001)
        for number in range(5):
            get(proxy.url, f"/{number}")
        go_on.set()
        holder.join()
    found = where(servers)
    assert {found[f"/{number}"] for number in range(5)} == {1 - found["/held"]}


WORKLOAD = """
name = "w"
seed = 7
[arrivals]
model = "open"
rate = "40/s"
process = "even"
[[request]]
name = "search"
get = "/search/{uniform(1, 9)}"
[[request]]
name = "page"
get = "/page/{uniform(1, 9)}"
weight = 2
"""
RESPONSE_S = 0.06
"""Requests come every 25 ms: those in progress were sent 25 or 50 ms ago, so that ends and arrivals
are 10 ms apart at least."""


def in_time(real: tt.Result) -> int:
    """The number of requests before the first that was sent, or answered, 9 ms late or more.

    Up to there the requests in progress at an arrival are those of the simulation.
    """
    rows = polars.DataFrame(real.requests).sort("scheduled_ns")
    sent_late = rows["sent_ns"] - rows["scheduled_ns"]
    done_late = rows["done_ns"] - rows["scheduled_ns"] - round(RESPONSE_S * 1e9)
    late = (sent_late > 9_000_000) | (done_late > 9_000_000)
    return late.arg_max() if late.any() else len(rows)


@pytest.mark.serial
@pytest.mark.parametrize("dispatch", ["round-robin", "cap", "jsq", "lard", "jsq(2)"])
def test_real_requests_go_where_simulated_ones_go(dispatch: str) -> None:
    """The same sample path: each request goes to the same server in both."""
    station = f'[[cluster.station]]\nname = "cpu"\nservers = 99\ndemand = "{RESPONSE_S}s"\n'
    workload = tt.Workload(WORKLOAD)
    model = system(4, dispatch, CLASSES.replace(', "image"', ""), station)
    simulated = tt.simulate(workload, model, requests=120, warmup=0, rows="all", seed=7)
    rows = polars.DataFrame(simulated.requests).sort("scheduled_ns")
    wanted = [int(str(station).split("/")[1]) for station in rows["station"]]
    came: list[int] = []

    def numbered(number: int) -> Callable[[Backend, socket.socket, str], bool]:
        answer = after(RESPONSE_S)

        def behave(server: Backend, connection: socket.socket, target: str) -> bool:
            came.append(number)
            return answer(server, connection, target)

        return behave

    with backends(*map(numbered, range(4))) as servers:
        urls = [one.url for one in servers]
        with tt.switch(model, urls, workload=workload, seed=7) as proxy:
            real = tt.run(workload, proxy.url, requests=120)
    assert real.summary["errors"] == 0
    assert len(set(wanted)) == 4
    number = in_time(real)
    assert came[:number] == wanted[:number]


def test_everybody_gets_his_own_answer() -> None:
    """Many clients at once, over kept connections: each answer carries its request's tag."""
    wrong: list[tuple[str, bytes]] = []

    def ask(url: str, client: int) -> None:
        with connected(url) as connection, connection.makefile("rb") as reader:
            for number in range(50):
                tag = f"/{client}-{number}"
                connection.sendall(f"GET {tag} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                if (body := body_of(reader)) != tag.encode():
                    wrong.append((tag, body))

    with backends(echo, echo, echo) as servers, switching("jsq(2)", servers, threads=2) as proxy:
        clients = [threading.Thread(target=ask, args=(proxy.url, n)) for n in range(20)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        done = proxy.stop()
    assert not wrong
    assert done is not None
    assert (done.passed, done.refused, sum(done.requests)) == (1000, 0, 1000)
    # Connections are kept: there are not many more than clients at a time, for each thread.
    assert sum(server.connections for server in servers) <= 200


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_bodies_go_both_ways(method: str) -> None:
    """That of a GET as well, which has one if it asks for a search."""
    with backends(echo) as servers, switching("random", servers) as proxy:
        for frame, text in [
            ("Content-Length: 11", "hello world"),
            ("Transfer-Encoding: chunked", "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
        ]:
            with connected(proxy.url) as client:
                head = f"{method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{frame}\r\n\r\n"
                client.sendall((head + text).encode())
                assert client.makefile("rb").read().endswith(b"\r\n\r\n/x")
    assert servers[0].bodies == [b"hello world"] * 2


def test_what_is_too_large_is_refused() -> None:
    with backends(echo) as servers, switching("random", servers, body_bytes=10) as proxy:
        for frame, text in [
            ("Content-Length: 11", "hello world"),
            ("Transfer-Encoding: chunked", "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n"),
        ]:
            assert get(proxy.url, "/", f"{frame}\r\n\r\n{text}", "POST")[0] == 413, frame
    assert b"hello world" not in servers[0].bodies


def test_servers_are_told_who_asks() -> None:
    with backends(echo) as servers, switching("random", servers) as proxy:
        get(proxy.url, "/", "X-Forwarded-For: 10.9.9.9\r\nX-Hop: 1\r\nConnection: X-Hop\r\n")
    head = servers[0].heads[0].lower()
    assert "\r\nhost: shop.example\r\n" in head
    assert "\r\nx-forwarded-for: 127.0.0.1\r\n" in head
    assert '\r\nforwarded: for=127.0.0.1;host="shop.example";proto=http\r\n' in head
    assert "\r\nvia: 1.1 thinktime\r\n" in head
    assert "10.9.9.9" not in head
    assert "x-hop" not in head


def test_a_server_of_http_1_0_is_no_reason_to_speak_it() -> None:
    answer = b"HTTP/1.0 200 OK\r\n\r\nuntil the end"
    with backends(says(answer)) as servers, switching("random", servers) as proxy:
        came = sent(proxy.url, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert came.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"until the end" in came


def test_the_access_log_is_one_that_is_learned(tmp_path: Path) -> None:
    """Lines of servers, of the switch itself, and of a client that writes lines of its own."""
    log = tmp_path / "access.log"
    given = {"log": log, "body_bytes": 10}
    with backends(after(0.05)) as servers, switching("random", servers, **given) as proxy:
        for number in range(20):
            get(proxy.url, f"/page/{number % 3}", 'User-Agent: a\\b"c\r\n')
        assert get(proxy.url, "/page/1", "Content-Length: 11\r\n\r\n", "POST")[0] == 413
        done = proxy.stop()
    assert done is not None
    assert done.log_failure is None
    lines = log.read_text().splitlines()
    assert len(lines) == 21
    assert all(line.startswith("127.0.0.1 - - [") for line in lines)
    assert lines[0].split('"')[1] == "GET /page/0 HTTP/1.1"
    assert '" 200 7 "-" "a\\x5Cb\\x22c" rt=' in lines[0]
    assert float(lines[0].partition(" rt=")[2].split()[0]) >= 0.05
    assert lines[0].endswith(" server=0")
    assert '"POST /page/1 HTTP/1.1" 413 ' in lines[-1]
    assert lines[-1].endswith(" server=-")
    assert learn([log]).log.count == 21


@pytest.mark.parametrize("trusted", [False, True])
def test_the_log_names_the_client_before_a_trusted_proxy(tmp_path: Path, trusted: bool) -> None:
    log = tmp_path / "access.log"
    given = {"log": log, "behind_proxy": trusted}
    with backends(echo) as servers, switching("random", servers, **given) as proxy:
        for number in range(6):
            get(proxy.url, more=f"X-Forwarded-For: 203.0.113.{number % 3}, 10.0.0.7\r\n")
        proxy.stop()
    addresses = [line.split()[0] for line in log.read_text().splitlines()]
    expected = [f"203.0.113.{number % 3}" for number in range(6)] if trusted else ["127.0.0.1"] * 6
    assert addresses == expected
    assert learn([log]).log.requests.user_count == (3 if trusted else 1)


def test_a_full_disk_ends_the_log_and_not_the_switch() -> None:
    with backends(echo) as servers, switching("random", servers, log="/dev/full") as proxy:
        assert get(proxy.url, "/1") == (200, "/1")
        done = proxy.stop()
    assert done is not None
    assert done.passed == 1
    assert "No space left" in (done.log_failure or "")


def test_the_command_switches_and_ends_what_is_in_progress(tmp_path: Path) -> None:
    """SIGTERM ends it when the request in progress has its answer."""
    (tmp_path / "c.toml").write_text(system(1, "jsq").to_toml())
    begun = threading.Event()

    def slow(server: Backend, connection: socket.socket, target: str) -> bool:
        begun.set()
        time.sleep(0.5)
        return echo(server, connection, target)

    with backends(slow) as servers:
        command = [str(Path(sys.executable).with_name("thinktime")), "switch", "c.toml"]
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", "--server", servers[0].url],
            cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[2].rstrip(";")
            answers: list[tuple[int, str]] = []
            client = threading.Thread(target=lambda: answers.append(get(url, "/slow")))
            client.start()
            assert begun.wait(300)
            process.send_signal(signal.SIGTERM)
            rest, _ = process.communicate(timeout=300)
            client.join()
        finally:
            process.kill()
    assert answers == [(200, "/slow")]
    assert process.returncode == 0
    counts = "forwarded 1 request, refused 0\nserver 0: 1 request, 0 failures\n"
    assert re.search(f"{counts}used .*s of CPU time in .*s: .* % of a core\n", rest), rest


def test_what_cannot_be_switched_is_refused_in_words() -> None:
    two = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
    for dispatch, servers, why in [
        ("round-robin", ["http://127.0.0.1:1"] * 3, "has 2 servers, and 3 are given"),
        ("round-robin", ["http://127.0.0.1:1"] * 2, r"servers 0 \(.*\) and 1 \(.*\) are the same"),
        ("least-work-left", two, "the service demand of each request"),
        ("prequal", two, "--probe"),
        ("jsq", ["127.0.0.1:1"] * 2, "is not of the form http://HOST:PORT"),
        ("jsq", ["https://127.0.0.1:1"] * 2, "speaks no TLS with the servers behind it"),
    ]:
        with pytest.raises(tt.InputError, match=why):
            tt.switch(system(2, dispatch), servers)
    one = system(1, "jsq")
    with pytest.raises(tt.InputError, match="connect = soon"):
        tt.switch(one, ["http://127.0.0.1:1"], connect="soon")
    for wrong, why in [
        ({"threads": 0}, "threads is a whole number from 1 to"),
        ({"retries": -1}, "retries: must be a whole number, 0 or more"),
        ({"log": "/nowhere/access.log"}, "/nowhere/access.log: No such file"),
    ]:
        with pytest.raises(tt.InputError, match=why):
            tt.switch(one, ["http://127.0.0.1:1"], **wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        # The wrong keyword is the test.
        tt.switch(one, ["http://127.0.0.1:1"], colour="red")  # type: ignore[call-arg]
    with pytest.raises(tt.InputError, match="has no \\[\\[cluster\\]\\]"):
        tt.switch(tt.System('name = "s"\n[[station]]\nname = "x"\ndemand = "1ms"\n'), [])
