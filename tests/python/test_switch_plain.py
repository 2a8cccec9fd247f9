"""Requests that pass without hyper, and all events in their midst that make hyper take over."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from switch_servers import Backend, backends, body_of, connected, echo, switching
from test_switch_metrics import until

import thinktime as tt

PIECE = b"x" * 3000


class Talk(NamedTuple):
    """A client's connection to a switch before one server."""

    server: Backend
    proxy: tt.switch
    client: socket.socket
    reader: Any
    """The answer to the client."""

    def ask(self, target: str, more: str = "") -> None:
        ask(self.client, target, more)

    def told(self) -> bytes:
        """The body of the next answer."""
        return body_of(self.reader)

    def begin(self, requests: int = 1) -> None:
        """Send a plain request, after which a connection to the server is kept."""
        for number in range(requests):
            self.ask(f"/{number}")
            assert self.told() == f"/{number}".encode()


@contextmanager
def talking(behave: Callable[[Backend, socket.socket, str], bool], **given: Any) -> Iterator[Talk]:
    """A client that is connected, and has asked for nothing."""
    with (
        backends(behave) as servers,
        switching("jsq", servers, **given) as proxy,
        connected(proxy.url) as client,
        client.makefile("rb") as reader,
    ):
        yield Talk(servers[0], proxy, client, reader)


def ask(client: socket.socket, target: str, more: str = "") -> None:
    """Send a request on a connection that stays."""
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n{more}\r\n".encode())


def head_of(reader: Any) -> list[bytes]:
    """The lines of the next head."""
    lines: list[bytes] = []
    while line := reader.readline().strip():
        lines.append(line)
    return lines


def odd(server: Backend, connection: socket.socket, target: str) -> bool:
    """Answers with the target, in the way that it names."""
    text = target.encode()
    length = b"Content-Length: %d\r\n" % len(text)
    whole = b"HTTP/1.1 200 OK\r\n" + length + b"\r\n" + text
    match target.split("/")[1]:
        case "chunks":
            head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            connection.sendall(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(text), text))
        case "interim":
            connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + whole)
        case "pieces":
            for at in range(0, len(whole), 7):
                connection.sendall(whole[at : at + 7])
                time.sleep(0.001)
        case "large":
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
            connection.sendall(head % (len(text) + len(PIECE) * 10) + text + PIECE * 10)
        case "closes":
            connection.sendall(whole.replace(length, length + b"Connection: close\r\n"))
            return False
        case "until":
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + text)
            return False
        case "leaves":
            # The connection was good, and is no more: the request has to go over another one.
            return len(server.targets) % 2 == 1 and echo(server, connection, target)
        case _:
            return echo(server, connection, target)
    return True


def answer_of(reader: Any) -> bytes:
    """The body of the next answer, with any kind of end."""
    head = head_of(reader)
    assert head[0] == b"HTTP/1.1 200 OK", head
    fields = dict(line.lower().split(b": ", 1) for line in head[1:])
    assert fields[b"via"] == b"1.1 thinktime"
    assert b"date" in fields
    assert b"connection" not in fields
    if fields.get(b"transfer-encoding") != b"chunked":
        return bytes(reader.read(int(fields[b"content-length"])))
    body = b""
    while size := int(reader.readline(), 16):
        body += reader.read(size)
        reader.readline()
    reader.readline()
    return body


WAYS = ["plain", "chunks", "interim", "pieces", "large", "closes", "until", "leaves"]


def test_each_answer_is_that_of_its_request_in_whatever_way_it_comes() -> None:
    """After a rest a request begins without hyper again, so that each way is met in its midst."""
    with talking(odd, failures=1000) as talk:
        for number, way in enumerate(WAYS * 3):
            for target in (f"/before/{number}", f"/{way}/{number}", f"/after/{number}"):
                talk.ask(target)
                assert answer_of(talk.reader).removesuffix(PIECE * 10) == target.encode()
            time.sleep(0.15)
        done = talk.proxy.stop()
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (3 * len(WAYS) * 3, 0, [0])


def test_connections_to_servers_are_kept_whoever_leads_them() -> None:
    ways = ["plain", "chunks", "interim", "pieces", "large"]
    with backends(odd) as servers, switching("jsq", servers) as proxy:
        for number, way in enumerate(ways * 4):
            with connected(proxy.url) as client, client.makefile("rb") as reader:
                for target in (f"/{way}/{number}", f"/plain/{number}", f"/{way}/again/{number}"):
                    ask(client, target)
                    assert answer_of(reader).removesuffix(PIECE * 10) == target.encode()
    assert servers[0].connections == 1


def test_the_log_has_a_line_for_each(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    given = {"log": str(log), "failures": 1000}
    with backends(odd) as servers, switching("jsq", servers, **given) as proxy:
        for way in WAYS:
            with connected(proxy.url) as client, client.makefile("rb") as reader:
                ask(client, "/plain")
                assert answer_of(reader) == b"/plain"
                ask(client, f"/{way}/x", "User-Agent: me\r\nReferer: there\r\n")
                answer_of(reader)
    lines = log.read_text().splitlines()
    assert len(lines) == 2 * len(WAYS)
    for way, line in zip(WAYS, lines[1::2], strict=True):
        size = len(f"/{way}/x") + (len(PIECE) * 10 if way == "large" else 0)
        assert f'"GET /{way}/x HTTP/1.1" 200 {size} "there" "me" rt=0.' in line
        assert line.endswith(" server=0")


def held_back(opened: threading.Event) -> Any:
    """Answers targets of `/held` only when it may."""

    def behave(server: Backend, connection: socket.socket, target: str) -> bool:
        if target.startswith("/held"):
            opened.wait(300)
        return echo(server, connection, target)

    return behave


def test_who_says_more_while_the_server_thinks_gets_both_answers() -> None:
    opened = threading.Event()
    with talking(held_back(opened)) as talk:
        talk.begin(3)
        talk.ask("/held")
        time.sleep(0.05)
        talk.ask("/more")
        time.sleep(0.05)
        opened.set()
        assert [talk.told() for _ in range(2)] == [b"/held", b"/more"]
    assert talk.server.targets == ["/0", "/1", "/2", "/held", "/more"]


def test_who_leaves_while_the_server_thinks_has_no_place_any_more() -> None:
    opened = threading.Event()
    with talking(held_back(opened), metrics="127.0.0.1:0") as talk:
        with connected(talk.proxy.url) as client, client.makefile("rb") as reader:
            ask(client, "/first")
            assert body_of(reader) == b"/first"
            ask(client, "/held")
            until(talk.proxy, "requests_in_progress", 1)
        until(talk.proxy, "requests_in_progress", 0)
        until(talk.proxy, "client_connections", 1)
        opened.set()
        talk.begin()


def test_a_server_that_falls_silent_is_too_late_once() -> None:
    opened = threading.Event()
    with talking(held_back(opened), first_byte="200ms", retries=0, failures=1000) as talk:
        for number in range(3):
            talk.begin()
            talk.ask(f"/held{number}")
            assert talk.told() == b"504: the server takes too long\n"
            # So that the next request begins without hyper.
            time.sleep(0.15)
        opened.set()
        done = talk.proxy.stop()
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (3, 3, [3])


def test_what_is_in_progress_at_the_end_is_answered_and_the_client_told() -> None:
    opened = threading.Event()
    with talking(held_back(opened)) as talk:
        talk.begin()
        talk.ask("/held")
        while len(talk.server.targets) < 2:
            time.sleep(0.01)
        stopping = threading.Thread(target=talk.proxy.stop)
        stopping.start()
        time.sleep(0.2)
        opened.set()
        head = head_of(talk.reader)
        assert b"connection: close" in head
        assert talk.reader.read() == b"/held"
        stopping.join()


def test_a_large_answer_reaches_who_reads_it_late() -> None:
    """Of the largest plain answers, a large number at once exceeds the sockets' room."""
    body = b"y" * 7000

    def sized(_: Backend, connection: socket.socket, __: str) -> bool:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        return True

    with backends(sized) as servers, switching("jsq", servers) as proxy, socket.socket() as client:
        # A small one, so that the switch's own does not grow either.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.settimeout(300)
        host, port = proxy.url.removeprefix("http://").split(":")
        client.connect((host, int(port)))
        with client.makefile("rb") as reader:
            for _ in range(3):
                ask(client, "/")
                time.sleep(0.1)
                assert body_of(reader) == body


def test_what_a_server_says_beside_its_answer_is_nobodys_answer() -> None:
    """Together with the answer, or after the last request."""
    said = threading.Event()
    other = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    def behave(server: Backend, connection: socket.socket, target: str) -> bool:
        text = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(target) + target.encode()
        if target == "/along":
            connection.sendall(text + other)
        else:
            connection.sendall(text)
        if target == "/later":
            time.sleep(0.05)
            connection.sendall(other)
            said.set()
        return True

    with talking(behave, metrics="127.0.0.1:0") as talk:
        for target in ("/along", "/later") * 3:
            talk.begin()
            talk.ask(target)
            assert talk.told() == target.encode()
            if target == "/later":
                assert said.wait(300)
                said.clear()
            with connected(talk.proxy.url) as client, client.makefile("rb") as reader:
                ask(client, "/next")
                assert body_of(reader) == b"/next"
        until(talk.proxy, "requests_in_progress", 0)
        done = talk.proxy.stop()
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (18, 0, [0])
    assert talk.server.connections == 7


def test_a_message_may_come_in_two_pieces_cut_anywhere() -> None:
    request = b"GET /cut HTTP/1.1\r\nHost: shop.example\r\nX: y\r\n\r\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello"
    cut = [0]

    def behave(server: Backend, connection: socket.socket, target: str) -> bool:
        if target != "/cut":
            return echo(server, connection, target)
        in_pieces(connection, answer, cut[0])
        return True

    with talking(behave) as talk:
        for at in range(1, len(request)):
            talk.begin()
            in_pieces(talk.client, request, at)
            assert talk.told() == b"hello"
        for at in range(1, len(answer)):
            cut[0] = at
            talk.begin()
            talk.client.sendall(request)
            assert talk.told() == b"hello"
        done = talk.proxy.stop()
    whole = [head for head in talk.server.heads if head.startswith("GET /cut ")]
    assert len(whole) == len(request) + len(answer) - 2
    assert len({frozenset(head.splitlines()) for head in whole}) == 1
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (2 * len(whole), 0, [0])
    assert talk.server.connections == 1


def in_pieces(connection: socket.socket, message: bytes, at: int) -> None:
    """Send it in two pieces, the second when the first has been processed; or in one."""
    if at > 0:
        connection.sendall(message[:at])
        time.sleep(0.002)
    connection.sendall(message[at:])
