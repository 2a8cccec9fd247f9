"""The proxy of `thinktime record`: the unchanged traffic."""

from __future__ import annotations

import hashlib
import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from record_servers import (
    BIG,
    CLOSE,
    GZIP,
    OK,
    PAGE,
    Server,
    Visitor,
    asked,
    certified,
    head,
    listening,
    raw,
    shop,
)

from thinktime.recording import Recorder, connection

pytestmark = pytest.mark.usefixtures("quick")


def test_a_connection_is_used_again_on_both_sides(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    for _ in range(20):
        assert visitor.ask("/") == (200, PAGE)
    assert server.connections == 1
    recorder.stop()
    assert recorder.requests == 20


def test_a_server_that_ends_its_connections_is_asked_again(recorder: Recorder) -> None:
    """It does not announce that, so the proxy may see the end only when it asks."""

    def once(found: socket.socket) -> None:
        head(found)
        found.sendall(OK)

    with listening(once) as url:
        visitor = Visitor(recorder, url)
        for pause_s in (0, 0, 0.05, 0, 0.05):
            assert visitor.ask("/") == (200, b"ok")
            time.sleep(pause_s)
    recorder.stop()
    assert recorder.requests == 5


def test_what_changes_something_is_not_asked_twice(recorder: Recorder) -> None:
    heads: list[bytes] = []

    def first_only(found: socket.socket) -> None:
        heads.append(head(found))
        found.sendall(OK)
        heads.append(head(found))

    with listening(first_only) as url:
        visitor = Visitor(recorder, url)
        visitor.ask("/")
        assert visitor.ask("/order", "POST", b"n=1")[0] == 502
    assert len([one for one in heads if one.startswith(b"POST")]) == 1


def test_chunks_are_passed_on_as_they_are(recorder: Recorder, server: Server) -> None:
    found = raw(recorder, asked(server.url, "/chunked", CLOSE))
    assert found.endswith(
        b"\r\n\r\n5;name=value\r\nhello\r\n00A\r\n0123456789\r\n0\r\nX-Sum: 15\r\n\r\n"
    )
    sent = b"3;a=b\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n"
    fields = f"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n{CLOSE}\r\n"
    start = f"POST {server.url}/in HTTP/1.1\r\n"
    assert b" 201 " in raw(recorder, (start + fields).encode() + sent)
    assert server.seen[-1].body == sent
    recorder.stop()
    assert '\nbody = "abc"' in recorder.workload("w").text.replace("    ", " ")


def test_large_bodies_go_both_ways(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    assert visitor.ask("/big") == (200, BIG)
    status, told = visitor.ask("/in", "POST", BIG)
    assert status == 201
    assert json.loads(told) == {"sha": hashlib.sha256(BIG).hexdigest(), "bytes": len(BIG)}
    recorder.stop()
    assert any(f"{len(BIG)} bytes is not in" in note for note in recorder.workload("w").notes)


def test_large_bodies_go_both_ways_through_tls(tmp_path: Path) -> None:
    context, ca = certified(tmp_path)
    with shop(context) as server, Recorder("127.0.0.1:0", ca_file=ca) as recorder:
        visitor = Visitor(recorder, server.url)
        assert visitor.ask("/big") == (200, BIG)
        _, told = visitor.ask("/in", "POST", BIG)
        assert json.loads(told)["sha"] == hashlib.sha256(BIG).hexdigest()
        assert server.connections == 1


def test_compressed_bodies_are_passed_on_as_they_are(recorder: Recorder, server: Server) -> None:
    assert Visitor(recorder, server.url).ask("/gzip", Accept_Encoding="gzip") == (200, GZIP)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_answers_that_end_with_the_connection(
    recorder: Recorder, server: Server, version: str
) -> None:
    found = raw(recorder, asked(server.url, "/to-the-end", version=version))
    assert found.endswith(b"Connection: close\r\n\r\n" + PAGE)
    recorder.stop()
    assert recorder.requests == 1


def test_a_head_alone_is_asked_for(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    assert visitor.ask("/", "HEAD") == (200, b"")
    assert visitor.ask("/a.css") == (200, b"a{}")


def test_requests_that_come_at_once_are_answered_in_their_order(
    recorder: Recorder, server: Server
) -> None:
    data = asked(server.url, "/slow") + asked(server.url, "/a.css") + asked(server.url, "/", CLOSE)
    found = raw(recorder, data)
    assert found.count(b"HTTP/1.1 200 OK") == 3
    assert found.index(b"text/html") < found.index(b"a{}") < found.rindex(b"Shop")
    assert [one.path for one in server.seen] == ["/slow", "/a.css", "/"]


def test_a_body_that_waits_for_leave_gets_it(recorder: Recorder) -> None:
    def patient(found: socket.socket) -> None:
        assert b"Expect: 100-continue" in head(found)
        found.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        assert found.recv(100) == b"hello"
        found.sendall(OK)

    with listening(patient) as url:
        place = urlsplit(recorder.url)
        with socket.create_connection((place.hostname, place.port), 20) as client:
            fields = f"Host: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n{CLOSE}\r\n"
            client.sendall(f"POST {url}/ HTTP/1.1\r\n{fields}".encode())
            assert head(client).startswith(b"HTTP/1.1 100 Continue")
            client.sendall(b"hello")
            found = b""
            while piece := client.recv(1000):
                found += piece
    assert found.endswith(b"ok")
    recorder.stop()
    assert recorder.requests == 1


def test_a_server_may_answer_before_the_body_is_there(recorder: Recorder) -> None:
    def full(found: socket.socket) -> None:
        head(found)
        found.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")

    with listening(full) as url:
        start = f"POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"
        assert raw(recorder, start.encode() + b"x" * 1000).startswith(b"HTTP/1.1 413 ")


def test_a_websocket_goes_through_and_is_noted(recorder: Recorder) -> None:
    def echo(found: socket.socket) -> None:
        assert b"Upgrade: websocket" in head(found)
        fields = b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        found.sendall(b"HTTP/1.1 101 Switching Protocols\r\n" + fields)
        while piece := found.recv(1000):
            found.sendall(piece.upper())

    with listening(echo) as url, shop() as server:
        Visitor(recorder, server.url).ask("/")
        place = urlsplit(recorder.url)
        with socket.create_connection((place.hostname, place.port), 20) as client:
            client.sendall(asked(url, "/ws", "Connection: Upgrade\r\nUpgrade: websocket\r\n"))
            assert b"\r\nUpgrade: websocket\r\n" in head(client)
            for piece in (b"a", b"bc" * 1000):
                client.sendall(piece)
                found = b""
                while len(found) < len(piece):
                    found += client.recv(5000)
                assert found == piece.upper()
        until = time.monotonic() + 120
        while len(json.loads(recorder.har())["log"]["entries"]) < 2 and time.monotonic() < until:
            time.sleep(0.01)
    notes = list(recorder.workload("w").notes)
    assert notes == ["entry 2: left out: a WebSocket, which has keys of its own (`send`)"]


def test_http_2_is_not_asked_for(recorder: Recorder, server: Server) -> None:
    more = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n"
    found = raw(recorder, asked(server.url, "/a.css", more) + asked(server.url, "/", CLOSE))
    assert found.count(b" 200 ") == 2
    assert not {"Upgrade", "HTTP2-Settings", "Connection"} & set(server.seen[0].headers)


def test_a_tunnel_in_which_no_http_is_spoken(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SILENT_S", 0.05)

    def first(found: socket.socket) -> None:
        found.sendall(b"220 at your service\r\n")
        while piece := found.recv(1000):
            found.sendall(piece)
        found.sendall(b"bye")

    with listening(first) as url:
        place = urlsplit(recorder.url)
        with socket.create_connection((place.hostname, place.port), 20) as client:
            client.sendall(f"CONNECT {url[7:]} HTTP/1.1\r\n\r\n".encode())
            found = head(client)
            while b"service\r\n" not in found:
                found += client.recv(1000)
            client.sendall(b"\x00\xff\r\n")
            assert client.recv(1000) == b"\x00\xff\r\n"
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1000) == b"bye"
    assert any("does not speak HTTP" in one for one in recorder.messages)


def test_the_proxy_itself_says_what_it_is(recorder: Recorder) -> None:
    found = raw(recorder, b"GET / HTTP/1.1\r\nHost: me\r\n\r\n")
    assert b"http://me/authority.pem" in found
    key = raw(recorder, b"GET /authority.pem HTTP/1.1\r\nHost: me\r\n\r\n")
    assert key.endswith(recorder.authority.read_bytes())
    assert b" 404 " in raw(recorder, b"GET /authority.key HTTP/1.1\r\nHost: me\r\n\r\n")
    assert b" 404 " in raw(recorder, b"POST / HTTP/1.1\r\nHost: me\r\n\r\n")
    # Asked to ask itself, it does so once.
    assert b"This is a proxy" in raw(recorder, asked(recorder.url, "/", CLOSE))
