"""The proxy of `thinktime record`: its refusals."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from record_servers import (
    Server,
    Visitor,
    asked,
    certified,
    raw,
    shop,
)

from thinktime.recording import Recorder, proxy

pytestmark = pytest.mark.usefixtures("quick")


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
    "a line feed at the end": b"A: b\n",
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
