"""A switch that gets another system while it is at work."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from ports import free_port
from switch_servers import (
    Backend,
    after,
    backends,
    body_of,
    connected,
    echo,
    get,
    switching,
    system,
)
from test_switch_metrics import told, until

import thinktime as tt

CLASSES = 'classes = { heavy = ["search"], light = ["page", "image"] }'
METRICS = {"metrics": "127.0.0.1:0"}


class Held:
    """A server that answers `/held` only when it may."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def __call__(self, server: Backend, connection: socket.socket, target: str) -> bool:
        if target == "/held":
            assert self.go_on.wait(300)
        return echo(server, connection, target)


def holding(proxy: tt.switch, server: Backend) -> threading.Thread:
    """A client with `/held` at this server, which must be the chosen one."""
    client = threading.Thread(target=get, args=(proxy.url, "/held"))
    client.start()
    while "/held" not in server.targets:
        time.sleep(0.001)
    return client


def test_no_request_is_lost_by_twenty_reloads() -> None:
    """Policies, classes and numbers of servers change under load; everybody gets his own answer."""
    wrong: list[tuple[str, bytes]] = []
    asked: list[int] = []
    over = threading.Event()

    def ask(url: str, client: int) -> None:
        number = 0
        with connected(url) as connection, connection.makefile("rb") as reader:
            while not over.is_set():
                tag = f"/{'search' if number % 2 else 'page'}/{client}-{number}"
                connection.sendall(f"GET {tag} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                if (body := body_of(reader)) != tag.encode():
                    wrong.append((tag, body))
                number += 1
        asked.append(number)

    policies = ["cap", "jsq", "lard-r(low=1, high=2)", "round-robin", "peak-ewma"]
    with (
        backends(*[after(0.002)] * 3) as servers,
        switching("jsq(2)", servers, threads=2, **METRICS) as proxy,
    ):
        clients = [threading.Thread(target=ask, args=(proxy.url, n)) for n in range(8)]
        for client in clients:
            client.start()
        for number in range(20):
            policy = policies[number % len(policies)]
            turned = servers[number % 3 :] + servers[: number % 3]
            more = CLASSES if policy == "cap" else ""
            proxy.reload(system(3, policy, more), [server.url for server in turned])
            time.sleep(0.02)
        over.set()
        for client in clients:
            client.join()
        metrics = told(proxy)
        done = proxy.stop()
    assert not wrong
    assert done is not None
    assert (done.passed, done.refused, sum(done.requests)) == (sum(asked), 0, sum(asked))
    assert sum(len(server.heads) for server in servers) == sum(asked) > 200
    assert metrics.by_server("requests_in_progress") == [0, 0]


def test_a_new_policy_counts_what_is_in_progress() -> None:
    """JSQ sends nothing to the server that still has a request from before the reload."""
    held = Held()
    with backends(held, held) as servers, switching("round-robin", servers, **METRICS) as proxy:
        client = holding(proxy, servers[0])
        proxy.reload(system(2, "jsq"))
        assert told(proxy).by_server("requests_in_progress") == [1, 0]
        for number in range(6):
            get(proxy.url, f"/{number}")
        assert len(servers[0].heads) == 1
        held.go_on.set()
        client.join()
        until(proxy, "requests_in_progress", 0, server="0", policy="jsq")
        for number in range(20):
            get(proxy.url, f"/again{number}")
    assert len(servers[0].heads) > 1


def test_a_server_is_known_by_its_url() -> None:
    """Requests in progress move to the server's new number; a removed server has none."""
    held = Held()
    with (
        backends(held, echo, echo) as servers,
        switching("round-robin", servers[:2], **METRICS) as proxy,
    ):
        client = holding(proxy, servers[0])
        proxy.reload(system(2, "jsq"), [servers[1].url, servers[0].url])
        metrics = told(proxy)
        assert metrics.get("requests_in_progress", url=servers[0].url, server="1") == 1
        assert metrics.get("requests_in_progress", url=servers[1].url, server="0") == 0
        proxy.reload(system(2, "jsq"), [servers[1].url, servers[2].url])
        assert told(proxy).by_server("requests_in_progress") == [0, 0]
        held.go_on.set()
        client.join()
        for number in range(20):
            assert get(proxy.url, f"/{number}") == (200, f"/{number}")
        metrics = told(proxy)
        assert metrics.by_server("requests_in_progress") == [0, 0]
    assert servers[0].targets == ["/held"]
    # Requests sent by the old policy count as its own.
    assert metrics.get("requests_total", policy="round-robin", url=servers[0].url) == 1


def test_a_closed_server_stays_closed() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    given = {"failures": 1, "closed": "24h", **METRICS}
    with backends(echo) as servers, switching("round-robin", [nobody, servers[0]], **given) as one:
        assert get(one.url, "/1") == (200, "/1")
        assert told(one).by_server("server_open") == [0, 1]
        one.reload(system(2, "jsq"))
        assert told(one).by_server("server_open") == [0, 1]
        one.reload(system(2, "jsq"), [servers[0].url, nobody.replace("127.0.0.1", "127.0.0.2")])
        assert told(one).by_server("server_open") == [1, 1]


def test_failures_before_a_reload_count_after_it() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with switching("round-robin", [nobody], failures=2, closed="24h", **METRICS) as one:
        assert get(one.url)[0] == 502
        one.reload(system(1, "jsq"))
        assert told(one).get("server_open") == 1
        assert get(one.url)[0] == 502
        assert told(one).get("server_open") == 0


def test_those_who_wait_are_placed_by_the_new_policy() -> None:
    """LARD/R keeps a third request for two servers waiting; JSQ does not."""
    held = Held()
    with backends(held, held) as servers:
        given = {"wait": "5min", **METRICS}
        with switching("lard-r(low=1, high=2)", servers, **given) as proxy:
            answers: list[tuple[int, str]] = []
            clients = [threading.Thread(target=get, args=(proxy.url, "/held")) for _ in range(2)]
            clients.append(
                threading.Thread(target=lambda: answers.append(get(proxy.url, "/waits")))
            )
            for client in clients[:2]:
                client.start()
            while sum(told(proxy).by_server("requests_in_progress")) < 2:
                time.sleep(0.01)
            clients[2].start()
            until(proxy, "requests_waiting", 1)
            proxy.reload(system(2, "jsq"))
            clients[2].join()
            assert answers == [(200, "/waits")]
            held.go_on.set()
            for client in clients[:2]:
                client.join()


def test_those_who_wait_are_of_the_class_that_the_new_file_says() -> None:
    """Each class has turns of its own under CAP: the second one begins with server 1."""
    held = Held()
    with backends(held, held) as servers:
        given = {"wait": "5min", **METRICS}
        with switching("lard-r(low=1, high=2)", servers, **given) as proxy:
            clients = [threading.Thread(target=get, args=(proxy.url, "/held")) for _ in range(2)]
            for client in clients:
                client.start()
            while sum(told(proxy).by_server("requests_in_progress")) < 2:
                time.sleep(0.01)
            clients.append(threading.Thread(target=get, args=(proxy.url, "/page/1")))
            clients[2].start()
            until(proxy, "requests_waiting", 1)
            proxy.reload(system(2, "cap", CLASSES))
            clients[2].join()
            held.go_on.set()
            for client in clients:
                client.join()
    assert "/page/1" in servers[1].targets


def test_a_wrong_reload_changes_nothing() -> None:
    with backends(echo, echo) as servers, switching("round-robin", servers, **METRICS) as proxy:
        urls = [server.url for server in servers]
        for wrong, given, why in [
            (system(3, "jsq"), None, "has 3 servers, and 2 are given"),
            (system(2, "jsq"), urls[:1], "has 2 servers, and 1 are given"),
            (system(2, "prequal"), None, "--probe"),
            (system(2, "jsq"), ["nowhere", urls[1]], "is not of the form http://HOST:PORT"),
        ]:
            with pytest.raises(tt.InputError, match=why):
                proxy.reload(wrong, given)
        for number in range(4):
            get(proxy.url, f"/{number}")
        assert told(proxy).get("requests_total", server="0", policy="round-robin") == 2
        assert told(proxy).get("requests_total", server="1", policy="round-robin") == 2


def test_the_command_reads_its_files_again(tmp_path: Path) -> None:
    """A wrong file is reported, and the former policy stays."""
    file = tmp_path / "c.toml"
    file.write_text(system(2, "round-robin").to_toml())
    command = [str(Path(sys.executable).with_name("thinktime")), "switch", "c.toml"]
    with backends(echo, echo) as servers:
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
             "--server", servers[0].url, "--server", servers[1].url],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            url = process.stdout.readline().split()[2].rstrip(";")
            metrics = process.stdout.readline().removeprefix("metrics at ").strip()
            assert get(url, "/1") == (200, "/1")
            file.write_text(system(3, "jsq").to_toml())
            process.send_signal(signal.SIGHUP)
            said = process.stderr.readline()
            assert "not reloaded: " in said
            assert "has 3 servers, and 2 are given" in said
            assert get(url, "/2") == (200, "/2")
            file.write_text(system(2, "jsq").to_toml())
            process.send_signal(signal.SIGHUP)
            assert process.stdout.readline() == "reloaded c.toml\n"
            assert get(url, "/3") == (200, "/3")
            text = get(metrics.removesuffix("/metrics"), "/metrics")[1]
            process.send_signal(signal.SIGTERM)
            rest, _ = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 0
    assert "forwarded 3 requests, refused 0" in rest
    assert 'policy="jsq"' in text
    assert 'policy="round-robin"' in text
