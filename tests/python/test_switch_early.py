"""Servers that answer before they have the whole request, and clients that continue to send."""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import suppress

import pytest
from ports import free_port
from switch_servers import Backend, connected, echo, switching

SIZE = 30_000_000
"""More than sockets hold."""


class Hasty(Backend):
    """A server that answers each head at once, and reads nothing of a body before it closes."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        super().__init__(echo)

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                if not (byte := connection.recv(1)):
                    return
                head += byte
            self.heads.append(head.decode())
            # So that the switch is in the middle of the body when it is refused.
            connection.recv(1)
            connection.sendall(self.answer)


def sends_on(client: socket.socket, head: bytes) -> None:
    """Send a large body for as long as the other side takes it."""
    with suppress(ConnectionError):
        client.sendall(head + b"Host: a\r\nContent-Length: %d\r\n\r\n" % SIZE)
        for _ in range(SIZE // 100_000):
            client.sendall(b"x" * 100_000)


def talk_on(client: socket.socket) -> None:
    """Send a little, again and again, until nobody takes it."""
    while True:
        client.sendall(b"y")
        time.sleep(0.02)


def answer_of(client: socket.socket) -> tuple[int, bytes]:
    """Status and body of the next answer."""
    answer = http.client.HTTPResponse(client)
    answer.begin()
    return answer.status, answer.read()


@pytest.mark.parametrize("connection", [b"close", b"keep-alive"])
def test_what_a_server_said_before_it_closed_reaches_the_client(connection: bytes) -> None:
    """Its answer is ready when the rest of the request is refused."""
    answer = b"HTTP/1.1 413 Too Large\r\nConnection: %b\r\nContent-Length: 2\r\n\r\nno" % connection
    server = Hasty(answer)
    with switching("jsq", [server], retries=0, failures=1000) as proxy:
        for number in range(10):
            with connected(proxy.url) as client:
                sends_on(client, b"POST /%d HTTP/1.1\r\n" % number)
                assert answer_of(client) == (413, b"no")
        done = proxy.stop()
    server.close()
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (10, 0, [0])


def test_a_client_that_sends_on_can_read_its_answer() -> None:
    """Its connection is not reset over unread bytes: it has sent all, and then reads."""
    nobody = f"http://127.0.0.1:{free_port()}"
    size = 1_500_000
    with switching("jsq", [nobody], failures=1000) as proxy:
        for number in range(10):
            with connected(proxy.url) as client:
                head = f"POST /{number} HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n"
                client.sendall(head.encode())
                for _ in range(10):
                    client.sendall(b"x" * (size // 10))
                    time.sleep(0.01)
                assert answer_of(client) == (502, b"502: the server takes no connection\n")
                assert client.recv(1) == b""


def test_who_sends_on_for_long_is_not_listened_to_for_ever() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with switching("jsq", [nobody], failures=1000) as proxy, connected(proxy.url) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % SIZE)
        with pytest.raises(ConnectionError):
            talk_on(client)


def test_a_server_that_closes_without_a_word_has_not_answered() -> None:
    """Although its refusal of the body is skipped until its end is read."""
    server = Hasty(b"")
    with (
        switching("jsq", [server], retries=0, failures=1000) as proxy,
        connected(proxy.url) as client,
    ):
        sends_on(client, b"POST / HTTP/1.1\r\n")
        assert answer_of(client)[0] == 502
    server.close()
