"""Clients of servers of tokens that leave, do not read, speak HTTP/1.0, or ask for more at once."""

from __future__ import annotations

import json
import socket

from token_clients import (
    CHAT,
    chat,
    connected,
    events,
    system,
    whole,
)

import thinktime as tt


def opened(server: tt.serve, body: object, version: str = "1.1") -> socket.socket:
    """A connection on which a request was sent."""
    host, port = server.url.removeprefix("http://").split(":")
    client = socket.create_connection((host, int(port)), timeout=300)
    sent = json.dumps(body).encode()
    head = f"POST {CHAT} HTTP/{version}\r\nHost: x\r\nContent-Length: {len(sent)}\r\n\r\n"
    client.sendall(head.encode() + sent)
    return client


ENDLESS = 1_000_000


def test_a_client_that_leaves_gives_its_place_to_others() -> None:
    """The first has the only place for more than an hour, the second waits for it."""
    with tt.serve(system('step_time = "5ms"\nmax_batch = 1')) as server:
        first = opened(server, chat("a", stream=True, max_tokens=ENDLESS))
        assert first.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
        second = opened(server, chat("b", max_tokens=ENDLESS))
        with connected(server) as third:
            third.request("POST", CHAT, json.dumps(chat("c", max_tokens=2)))
            second.close()
            first.close()
            response = third.getresponse()
            assert json.loads(response.read())["usage"]["completion_tokens"] == 2
        assert server.stop() == (1, 0)
        done = server.tokens
    assert done is not None
    assert done.cancellations == 2
    assert done.servers["gpu"]["steps"] >= 3
    assert done.lateness_max_s >= done.lateness_mean_s >= 0


def test_a_client_that_reads_nothing_stops_nobody() -> None:
    """A million tokens are given, of which the sockets take a part, and none is kept as text."""
    with tt.serve(system('step_time = "1us"\nmax_batch = 4')) as server:
        silent = opened(server, chat("a", stream=True, max_tokens=ENDLESS))
        with connected(server) as client:
            for _ in range(20):
                assert len(whole(client, CHAT, chat("b", max_tokens=5))["choices"]) == 1
        # When it reads, it gets all that was given so far, and more.
        silent.settimeout(300)
        read = b""
        while read.count(b"data: ") < 50_000:
            read += silent.recv(1 << 20)
        silent.close()


def test_clients_of_http_1_0_get_a_stream_without_chunks() -> None:
    with tt.serve(system()) as server:
        client = opened(server, chat("a", stream=True, max_tokens=6), version="1.0")
        read = b"".join(iter(lambda: client.recv(1 << 16), b""))
        client.close()
    head, body = read.split(b"\r\n\r\n", 1)
    assert b"Transfer-Encoding" not in head
    assert b"Connection: close" in head
    assert len(events(body)) == 6


def test_pipelined_requests_are_answered_in_their_order() -> None:
    """The second has all its tokens before the first, and they wait for their turn."""
    bodies = [chat("a", stream=True, max_tokens=30), chat("b", stream=True, max_tokens=3)]
    with tt.serve(system()) as server:
        client = opened(server, bodies[0])
        sent = json.dumps(bodies[1])
        head = f"POST {CHAT} HTTP/1.0\r\nContent-Length: {len(sent)}\r\n\r\n"
        client.sendall((head + sent).encode())
        read = b"".join(iter(lambda: client.recv(1 << 16), b""))
        client.close()
        assert server.stop() == (2, 0)
    first, second = read.split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert b"\r\n0\r\n\r\n" in first
    assert first.count(b"data: {") == 30
    assert len(events(second.split(b"\r\n\r\n", 1)[1])) == 3
