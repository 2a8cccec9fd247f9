"""The proxy of `thinktime record`: what it passes on unchanged, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from http.client import IncompleteRead
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from record_servers import BIG, GZIP, PAGE, Server, Visitor, certified, head, listening, raw, shop

import thinktime as tt
from thinktime.recording import Recorder, connection, proxy

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is refused is not waited for as long as otherwise."""
    monkeypatch.setattr(connection, "LINGER_S", 0.05)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder("127.0.0.1:0") as found:
        yield found


@pytest.fixture
def server() -> Iterator[Server]:
    with shop() as found:
        yield found


def asked(url: str, target: str = "/", more: str = "", version: str = "1.1") -> bytes:
    """A request to a proxy, as bytes."""
    return f"GET {url}{target} HTTP/{version}\r\nHost: x\r\n{more}\r\n".encode()


CLOSE = "Connection: close\r\n"


# ---- what is passed on


def test_a_connection_is_used_again_on_both_sides(recorder: Recorder, server: Server) -> None:
    visitor = Visitor(recorder, server.url)
    for _ in range(20):
        assert visitor.ask("/") == (200, PAGE)
    assert server.connections == 1
    recorder.stop()
    assert recorder.requests == 20


def test_a_server_that_ends_its_connections_is_asked_again(recorder: Recorder) -> None:
    """It says nothing of it, so that the proxy may see the end only when it asks."""

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
        until = time.monotonic() + 10
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
    assert any("is spoken with in no HTTP" in one for one in recorder.news)


def test_the_proxy_itself_says_what_it_is(recorder: Recorder) -> None:
    found = raw(recorder, b"GET / HTTP/1.1\r\nHost: me\r\n\r\n")
    assert b"http://me/authority.pem" in found
    key = raw(recorder, b"GET /authority.pem HTTP/1.1\r\nHost: me\r\n\r\n")
    assert key.endswith(recorder.authority.read_bytes())
    assert b" 404 " in raw(recorder, b"GET /authority.key HTTP/1.1\r\nHost: me\r\n\r\n")
    assert b" 404 " in raw(recorder, b"POST / HTTP/1.1\r\nHost: me\r\n\r\n")
    # Asked to ask itself, it does so once.
    assert b"This is a proxy" in raw(recorder, asked(recorder.url, "/", CLOSE))


# ---- what fails


ANSWERS = {
    "nothing": (b"", "the connection ended without an answer"),
    "garbage": (b"SSH-2.0-OpenSSH\r\n", "something that is no HTTP"),
    "half a head": (b"HTTP/1.1 200 OK\r\nA: b\r\n", "in the middle of a message"),
    "a status that is none": (b"HTTP/1.1 2000 OK\r\n\r\n", "no status line"),
    "two lengths": (OK.replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\n"), "not one whole"),
    "a length that is none": (OK.replace(b": 2", b": +2"), "not one whole"),
    "length and chunks": (
        OK.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n"), "there are both",
    ),
    "another coding": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "only `T"),
    "a folded field": (OK.replace(b"\r\n\r\n", b"\r\nA: b\r\n c\r\n\r\n"), "header field"),
    "a bare line feed": (OK.replace(b"\r\n\r\n", b"\r\nA: b\nSet-Cookie: x\r\n\r\n"), "header f"),
    "an endless head": (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000, "too long"),
    "an upgrade": (b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n", "without being asked"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_server_that_fails_is_a_502_with_the_reason(recorder: Recorder, kind: str) -> None:
    answer, why = ANSWERS[kind]

    def talk(found: socket.socket) -> None:
        head(found)
        found.sendall(answer)

    with listening(talk) as url:
        found = raw(recorder, asked(url))
    assert found.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
    assert f"thinktime record: {url}: ".encode() in found
    assert why.encode() in found
    recorder.stop()
    assert (recorder.requests, found.count(b"HTTP/1.1 ")) == (0, 1)
    with pytest.raises(tt.RunError, match="no request of the 1 that came could be taken"):
        recorder.workload("w")


def test_a_server_that_is_not_there_is_a_502(recorder: Recorder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for url, why in (
        (f"http://127.0.0.1:{port}", "refused"),
        ("http://shop.invalid", "shop.invalid: "),
        ("http://a..b", "none of a host|not known|No address"),
        ("http://[::1]:1", "refused|Cannot assign|unreachable"),
    ):
        visitor = Visitor(recorder, url)
        status, told = visitor.ask("/")
        assert status == 502
        assert re.search(why, told.decode()), told


def test_a_server_that_is_not_trusted_is_a_502_that_names_the_options(tmp_path: Path) -> None:
    context, _ = certified(tmp_path)
    with shop(context) as server:
        with Recorder("127.0.0.1:0") as recorder:
            status, told = Visitor(recorder, server.url).ask("/")
            assert status == 502
            assert b"certificate is not trusted" in told
            assert b"--ca FILE" in told
            assert server.seen == []
        with Recorder("127.0.0.1:0", insecure=True) as recorder:
            assert Visitor(recorder, server.url).ask("/") == (200, PAGE)
    with pytest.raises(tt.InputError, match="not both"):
        Recorder("127.0.0.1:0", ca_file=tmp_path / "ca.pem", insecure=True)
    with pytest.raises(tt.InputError, match=r"none\.pem: cannot be taken as authorities"):
        Recorder("127.0.0.1:0", ca_file=tmp_path / "none.pem")


def test_a_client_that_does_not_trust_the_authority_is_named(tmp_path: Path) -> None:
    context, ca = certified(tmp_path)
    with shop(context) as server, Recorder("127.0.0.1:0", ca_file=ca) as recorder:
        with pytest.raises(ssl.SSLCertVerificationError):
            Visitor(recorder, server.url, authority=ca).ask("/")
        until = time.monotonic() + 10
        while not recorder.news and time.monotonic() < until:
            time.sleep(0.01)
        assert f"it has to trust {recorder.authority}" in recorder.news[0]


def test_a_client_that_breaks_off_is_left_out_and_nothing_else(
    recorder: Recorder, server: Server
) -> None:
    place = urlsplit(recorder.url)
    for part in (asked(server.url, "/big"), asked(server.url, "/slow"), b"GET http"):
        with socket.create_connection((place.hostname, place.port), 20) as client:
            client.sendall(part)
    assert Visitor(recorder, server.url).ask("/") == (200, PAGE)
    until = time.monotonic() + 10
    while len(json.loads(recorder.har())["log"]["entries"]) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    made = recorder.workload("w")
    assert made.requests == 1
    assert any("it had no answer" in note for note in made.notes)


def test_an_answer_that_ends_too_early_is_cut_for_the_client_too(recorder: Recorder) -> None:
    def cut(found: socket.socket) -> None:
        head(found)
        found.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")

    with listening(cut) as url, pytest.raises((ConnectionError, IncompleteRead)):
        Visitor(recorder, url).ask("/")
    recorder.stop()
    assert recorder.requests == 0


# ---- what is refused


REFUSED: dict[str, tuple[bytes, int]] = {
    "garbage": (b"\x00\x01\x02\x03\r\n\r\n", 400),
    "TLS at once": (b"\x16\x03\x01\x00\xa5", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "no version": (b"GET http://127.0.0.1/\r\n\r\n", 400),
    "a space too many": (b"GET http://127.0.0.1/ x HTTP/1.1\r\n\r\n", 400),
    "another scheme": (b"GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n", 400),
    "no host": (b"GET http:///x HTTP/1.1\r\n\r\n", 400),
    "a port that is none": (b"GET http://127.0.0.1:99999/ HTTP/1.1\r\n\r\n", 400),
    "a host with a line": (b"GET http://a%0d%0ab/ HTTP/1.1\r\n\r\n", 400),
    "CONNECT without a port": (b"CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n", 400),
    "CONNECT to nothing": (b"CONNECT / HTTP/1.1\r\n\r\n", 400),
    "an endless head": (b"GET / HTTP/1.1\r\nA: " + b"x" * 100_000, 431),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_request_is_refused(recorder: Recorder, kind: str) -> None:
    data, status = REFUSED[kind]
    assert raw(recorder, data).startswith(f"HTTP/1.1 {status} ".encode())
    assert b"This is a proxy" in raw(recorder, b"GET / HTTP/1.1\r\nHost: me\r\n\r\n")


FIELDS = {
    "length and chunks": b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    "two lengths": b"Content-Length: 5\r\nContent-Length: 6\r\n",
    "a list of lengths": b"Content-Length: 5, 5\r\n",
    "another coding": b"Transfer-Encoding: xchunked\r\n",
    "chunked twice": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "a space before the colon": b"Content-Length : 5\r\n",
    "a folded field": b"A: b\r\n c: d\r\n",
    "a bare line feed": b"A: b\nEvil: yes\r\n",
    "a bare carriage return": b"A: b\rEvil: yes\r\n",
    "a zero byte": b"A: b\x00c\r\n",
    "no name": b": b\r\n",
    "two hosts": b"Host: evil\r\n",
}


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_that_could_be_read_in_two_ways_are_refused(
    recorder: Recorder, server: Server, kind: str
) -> None:
    start = f"POST {server.url}/in HTTP/1.1\r\nHost: x\r\n".encode()
    body = b"\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n"
    assert raw(recorder, start + FIELDS[kind] + body).startswith(b"HTTP/1.1 400 ")
    assert server.seen == []
    recorder.stop()
    assert recorder.requests == 0


@pytest.mark.parametrize(
    "chunks", [b"x\r\n", b"-1\r\n", b"5 \n\r\n", b"2\r\nabc\r\n", b"0\r\nA: \x00\r\n\r\n",
    b"f" * 20 + b"\r\n", b"5;" + b"x" * 10_000, b"0\r\n" + b"A: b\r\n" * 100],
)  # fmt: skip
def test_chunks_that_are_none_are_refused(
    recorder: Recorder, server: Server, chunks: bytes
) -> None:
    start = f"POST {server.url}/in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    found = raw(recorder, start.encode() + chunks)
    assert found[:13] in (b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")
    recorder.stop()
    assert recorder.requests == 0


def test_fields_of_the_connection_stay_there(recorder: Recorder, server: Server) -> None:
    more = (
        "Connection: close, X-Mine, Host\r\nX-Mine: 1\r\nProxy-Connection: keep-alive\r\n"
        "Keep-Alive: 5\r\nTE: trailers\r\nX-Kept: 2\r\n"
    )
    raw(recorder, asked(server.url, "/", more))
    (only,) = server.seen
    assert only.headers["Host"] == server.url.removeprefix("http://")
    assert set(only.headers) == {"Host", "X-Kept"}


def test_in_a_tunnel_only_its_server_is_asked(tmp_path: Path, server: Server) -> None:
    context, ca = certified(tmp_path)
    with shop(context) as inner, Recorder("127.0.0.1:0", ca_file=ca) as recorder:
        for target in (f"{server.url}/", f"{inner.url}0/"):
            visitor = Visitor(recorder, inner.url)
            assert visitor.ask(target)[0] == 400
        assert Visitor(recorder, inner.url).ask(f"{inner.url}/a.css") == (200, b"a{}")
        assert server.seen == []


def test_connections_are_bounded(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "CONNECTIONS_MAX", 3)
    place: Any = urlsplit(recorder.url)
    there = (place.hostname, place.port)
    held = [socket.create_connection(there, 20) for _ in range(3)]
    try:
        assert raw(recorder, b"").startswith(b"HTTP/1.1 503 ")
    finally:
        for one in held:
            one.close()


def test_an_answer_without_a_length_that_breaks_off(recorder: Recorder) -> None:
    def reset(found: socket.socket) -> None:
        head(found)
        found.sendall(b"HTTP/1.1 200 OK\r\n\r\nabc")
        time.sleep(0.1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")

    with listening(reset) as url, pytest.raises(ConnectionResetError):
        raw(recorder, asked(url))


def test_who_has_gone_is_not_waited_for(recorder: Recorder) -> None:
    """The server sees it, though it has not answered yet, and never will."""
    came, ended = threading.Event(), threading.Event()

    def silent(found: socket.socket) -> None:
        head(found)
        came.set()
        if found.recv(1) == b"":
            ended.set()

    with listening(silent) as url:
        place = urlsplit(recorder.url)
        with socket.create_connection((place.hostname, place.port), 20) as client:
            client.sendall(asked(url))
            assert came.wait(20)
        assert ended.wait(20)
    assert recorder.requests == 0
