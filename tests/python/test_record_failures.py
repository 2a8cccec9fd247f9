"""The proxy of `thinktime record`: its reports of failing servers and clients."""

from __future__ import annotations

import json
import re
import socket
import ssl
import threading
import time
from http.client import IncompleteRead
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from ports import free_port
from record_servers import (
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

import thinktime as tt
from thinktime.recording import Recorder

pytestmark = pytest.mark.usefixtures("quick")


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
    "a folded first line": (OK.replace(b"\r\n", b"\r\n A: b\r\n", 1), "header field"),
    "a zero byte in a fold": (OK.replace(b"\r\n\r\n", b"\r\nA: b\r\n \0\r\n\r\n"), "header f"),
    "two line ends": (OK.replace(b"\r\n\r\n", b"\r\nA: b\n\n"), "without a carriage return"),
    "the other two": (OK.replace(b"\r\n\r\n", b"\nA: b\n\r\n"), "without a carriage return"),
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


LENIENT = {
    "line feeds alone": b"HTTP/1.1 200 OK\nX-A: b\nContent-Length: 4\n\nshop",
    "line feeds alone to the end": b"HTTP/1.0 200 OK\nX-A: b\n\nshop",
    "a fold": b"HTTP/1.1 200 OK\r\nX-A:\r\n\tb\r\nContent-Length: 4\r\n\r\nshop",
    "two folds": b"HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\n \td \r\nContent-Length: 4\r\n\r\nshop",
    "a folded length": b"HTTP/1.1 200 OK\nX-A: b\nContent-Length:\n 4\n\nshop",
}


@pytest.mark.parametrize("kind", LENIENT)
def test_old_forms_of_heads_are_taken_and_passed_on_as_today(recorder: Recorder, kind: str) -> None:
    """The server keeps the connection: an end that is not seen would be waited for."""
    over = threading.Event()

    def talk(found: socket.socket) -> None:
        head(found)
        found.sendall(LENIENT[kind])
        if kind == "line feeds alone to the end":
            found.close()
        over.wait(60)

    with listening(talk) as url:
        found = raw(recorder, asked(url, more="Connection: close\r\n"))
        over.set()
    start, body = found.split(b"\r\n\r\n")
    assert start.startswith(b"HTTP/1.1 200 OK\r\n")
    value = b"b c d" if kind == "two folds" else b"b"
    assert [line for line in start.split(b"\r\n") if line.startswith(b"X-A:")] == [b"X-A: " + value]
    assert b"\n" not in start.replace(b"\r\n", b"")
    assert body == b"shop"
    recorder.stop()
    assert recorder.requests == 1


@pytest.mark.parametrize("body", [b"2\nok\n0\n\n", b"2\r\nok\n0\r\n\r\n", b"0\r\nA: b\n\r\n"])
def test_a_chunk_that_ends_with_a_line_feed_alone_is_not_waited_for(
    recorder: Recorder, body: bytes
) -> None:
    over = threading.Event()

    def talk(found: socket.socket) -> None:
        head(found)
        found.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        over.wait(60)

    with listening(talk) as url:
        try:
            found = raw(recorder, asked(url, more="Connection: close\r\n"))
        except ConnectionResetError:
            found = b""
        over.set()
    assert not found.endswith(b"0\r\n\r\n"), "the client sees that it is incomplete"


def test_a_server_that_is_not_there_is_a_502(recorder: Recorder) -> None:
    for url, why in (
        (f"http://127.0.0.1:{free_port()}", "refused"),
        ("http://shop.invalid", "shop.invalid: "),
        ("http://a..b", "no host name|not known|No address"),
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
        until = time.monotonic() + 120
        while not recorder.messages and time.monotonic() < until:
            time.sleep(0.01)
        assert f"it has to trust {recorder.authority}" in recorder.messages[0]


def test_a_client_that_breaks_off_is_left_out_and_nothing_else(
    recorder: Recorder, server: Server
) -> None:
    place = urlsplit(recorder.url)
    for part in (asked(server.url, "/big"), asked(server.url, "/slow"), b"GET http"):
        with socket.create_connection((place.hostname, place.port), 20) as client:
            client.sendall(part)
    assert Visitor(recorder, server.url).ask("/") == (200, PAGE)
    until = time.monotonic() + 120
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
