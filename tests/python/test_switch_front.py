"""TLS and HTTP/2 in front of a switch."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest
from http2_client import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    INITIAL_WINDOW_SIZE,
    RST_STREAM,
    Client,
    asks,
    block,
    frame,
)
from switch_servers import Backend, backends, connected, echo, get, says, switching
from test_https import make_certificate

import thinktime as tt
from thinktime.learn import learn
from thinktime.operations.content_switch import SwitchTotals

CURL = shutil.which("curl")


def workload() -> tt.Workload:
    return tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 20\n[session]\nthink = "exp(5ms)"\n'
        '[[request]]\nname = "page"\nget = "/page"\n'
    )


def versions(log: Path) -> set[str]:
    """The versions of received requests."""
    return {line.split('"')[1].split()[-1] for line in log.read_text().splitlines()}


def test_http2_without_tls(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    with backends(echo, echo) as servers, switching("jsq", servers, log=log) as proxy:
        target = proxy.url.replace("http:", "h2c:")
        summary = tt.run(workload(), target, requests=2000).summary
        done = proxy.stop()
    assert (summary["requests"], summary["errors"]) == (2000, 0)
    assert done is not None
    assert sum(done.requests) == done.passed == 2000
    assert versions(log) == {"HTTP/2.0"}
    assert '"GET /page HTTP/2.0" 200 5' in log.read_text()
    assert learn([log]).log.count == 2000
    assert all("via: 2 thinktime" in server.heads[0].lower() for server in servers)


def test_tls_offers_both(tmp_path: Path) -> None:
    make_certificate(tmp_path, "own")
    files = {"certificate": tmp_path / "own.crt", "key": tmp_path / "own.key"}
    log = tmp_path / "access.log"
    with backends(echo, echo) as servers, switching("jsq", servers, log=log, **files) as proxy:
        assert proxy.url.startswith("https://127.0.0.1:")
        trusted = tmp_path / "own.crt"
        summary = tt.run(workload(), proxy.url, requests=500, ca_file=trusted).summary
        context = ssl.create_default_context(cafile=str(trusted))
        place = proxy.url.removeprefix("https://")
        old = http.client.HTTPSConnection(place, context=context, timeout=60)
        old.request("GET", "/old")
        assert old.getresponse().read() == b"/old"
        old.close()
        # A client without TLS gets nothing, and disturbs nobody.
        with connected("http://" + place) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert b"HTTP/1.1 200" not in plain.recv(1000)
    assert (summary["requests"], summary["errors"]) == (500, 0)
    assert versions(log) == {"HTTP/2.0", "HTTP/1.1"}
    heads = [head.lower() for server in servers for head in server.heads]
    assert all("x-forwarded-proto: https" in head for head in heads)


def test_certificate_and_key_must_fit(tmp_path: Path) -> None:
    make_certificate(tmp_path, "own")
    make_certificate(tmp_path, "other")
    with backends(echo) as servers:
        cases = {
            "is not that of the certificate": {
                "certificate": tmp_path / "own.crt",
                "key": tmp_path / "other.key",
            },
            "no private key in PEM form": {"certificate": tmp_path / "own.crt"},
            "give both": {"key": tmp_path / "own.key"},
            "No such file": {"certificate": tmp_path / "none.crt"},
        }
        for message, files in cases.items():
            with pytest.raises(tt.InputError, match=message):
                switching("jsq", servers, **files).__enter__()


@pytest.mark.skipif(CURL is None, reason="the system package curl is not installed")
def test_curl_is_answered(tmp_path: Path) -> None:
    """An independent client, with bodies both ways."""
    make_certificate(tmp_path, "own")
    files = {"certificate": tmp_path / "own.crt", "key": tmp_path / "own.key"}
    body = tmp_path / "body"
    body.write_bytes(bytes(range(256)) * 4000)
    asked = [str(CURL), "--silent", "--insecure", "--data-binary", f"@{body}"]
    asked += ["--write-out", " %{http_version} %{http_code}"]
    with backends(echo) as servers:
        for options, given in (([], files), (["--http2-prior-knowledge"], {})):
            with switching("jsq", servers, **given) as proxy:
                done = subprocess.run(
                    [*asked, *options, f"{proxy.url}/up"], capture_output=True, check=True
                )
            assert done.stdout == b"/up 2 200"
        assert servers[0].bodies == [body.read_bytes()] * 2


def test_many_requests_on_one_connection() -> None:
    with backends(echo, echo) as servers, switching("round-robin", servers) as proxy:
        with Client(proxy.url) as client:
            for number in range(100):
                client.ask(2 * number + 1, asks(f"/{number}"))
            bodies: dict[int, bytes] = {}
            for kind, _, stream, payload in client.frames():
                if kind == DATA and payload:
                    bodies[stream] = payload
                if len(bodies) == 100:
                    break
        assert bodies == {2 * number + 1: f"/{number}".encode() for number in range(100)}


def test_cookies_go_on_as_one_field() -> None:
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        with Client(proxy.url) as client:
            client.ask(1, asks("/", ("cookie", "a=1"), ("cookie", "b=2")))
            assert client.body(1) == b"/"
        assert servers[0].heads[0].lower().count("cookie") == 1
        assert "cookie: a=1; b=2" in servers[0].heads[0]
        assert "host: shop.example" in servers[0].heads[0]


@pytest.mark.parametrize(
    "fields",
    [
        asks("/", ("connection", "close")),
        asks("/", ("transfer-encoding", "chunked")),
        asks("/", ("Upper", "case")),
        asks("/", ("a b", "blank")),
        asks("/", ("a", "line\r\nHost: evil")),
        asks("/", ("a\r\nhost", "evil")),
        asks("/a b"),
        asks("/\r\nHost: evil"),
        asks("/", method="GE T"),
        [(":method", "GET"), (":scheme", "http")],
        [("a", "b"), *asks("/")],
        [*asks("/"), (":path", "/other")],
        asks("/", ("content-length", "3")),
        asks("/", ("content-length", "-1"), method="POST"),
    ],
)
def test_what_is_malformed_goes_to_no_server(fields: list[tuple[str, str]]) -> None:
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        with Client(proxy.url) as client:
            client.ask(1, fields)
            answer = client.body(1)
        assert answer is None or answer.startswith(b"400")
        assert servers[0].heads == []
        assert get(proxy.url, "/next") == (200, "/next")


def test_a_body_of_another_length_than_was_said_is_refused() -> None:
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for lengths in (["2"], ["4"], ["3", "3"], ["3", "4"]):
            said = [("content-length", length) for length in lengths]
            with Client(proxy.url) as client:
                client.ask(1, asks("/", *said, method="POST"), b"abc")
                answer = client.body(1)
                assert answer is None or answer.startswith(b"400")
        assert all(head.lower().count("content-length") == 1 for head in servers[0].heads)
        assert get(proxy.url, "/next") == (200, "/next")


def test_too_much_of_a_head_is_refused() -> None:
    fields = [(f"a{number}", "x" * 4000) for number in range(40)]
    many = [(f"a{number}", "x") for number in range(200)]
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for more in (fields, many):
            pieces = block([*asks("/"), *more])
            frames = frame(HEADERS, END_STREAM, 1, pieces[:16000])
            for at in range(16000, len(pieces), 16000):
                frames += frame(CONTINUATION, 0, 1, pieces[at : at + 16000])
            frames += frame(CONTINUATION, END_HEADERS, 1)
            with Client(proxy.url) as client:
                client.send(frames)
                answer = client.body(1)
                assert answer is None or answer.startswith(b"431") or answer == b""
        assert servers[0].heads == []
        assert get(proxy.url, "/next") == (200, "/next")


def test_floods_end_their_own_connection_only() -> None:
    """Streams that are reset at once (CVE-2023-44487), and a head without end (CVE-2024-27316)."""
    reset = b"".join(
        frame(HEADERS, END_HEADERS | END_STREAM, stream, block(asks("/reset")))
        + frame(RST_STREAM, 0, stream, bytes([0, 0, 0, 8]))
        for stream in range(1, 40_001, 2)
    )
    endless = frame(HEADERS, END_STREAM, 1, block(asks("/")))
    endless += frame(CONTINUATION, 0, 1, block([("a", "x" * 16000)])) * 1000
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for flood in (reset, endless):
            with Client(proxy.url) as client:
                try:
                    client.send(flood)
                    ended = any(kind == GOAWAY for kind, *_ in client.frames())
                except OSError:
                    ended = True
            assert ended
            assert get(proxy.url, "/next") == (200, "/next")


def test_who_sleeps_is_woken_by_the_end_of_his_connection() -> None:
    """Three clients: one becomes silent, one reads nothing of its answer, one began nothing."""
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + bytes(1_000_000)
    with (
        backends(says(long)) as servers,
        switching("jsq", servers, client="300ms", idle="300ms") as proxy,
        Client(proxy.url) as silent,
        Client(proxy.url, (INITIAL_WINDOW_SIZE, 0)) as full,
        connected(proxy.url) as nobody,
    ):
        full.ask(1, asks("/"))
        for client in (silent, full):
            assert any(kind == GOAWAY for kind, *_ in client.frames())
        assert nobody.recv(1) == b""


def test_a_switch_that_stops_lets_streams_end() -> None:
    def slowly(server: Backend, connection: socket.socket, target: str) -> bool:
        time.sleep(0.5)
        return echo(server, connection, target)

    with (
        backends(slowly) as servers,
        switching("jsq", servers) as proxy,
        Client(proxy.url) as client,
    ):
        client.ask(1, asks("/last"))
        while not servers[0].heads:
            time.sleep(0.01)
        done: list[SwitchTotals | None] = []
        stopping = threading.Thread(target=lambda: done.append(proxy.stop()))
        stopping.start()
        assert client.body(1) == b"/last"
        assert not [kind for kind, *_ in client.frames() if kind == DATA]
        stopping.join()
    assert done == [SwitchTotals(passed=1, refused=0, requests=[1], failures=[0])]


def test_beginnings_may_come_in_pieces() -> None:
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        request = b"PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        for text in (request, b"PRI /a"):
            with connected(proxy.url) as client:
                for at in range(len(text)):
                    client.sendall(text[at : at + 1])
                    time.sleep(0.002)
                if text is request:
                    assert b"HTTP/1.1 200" in client.recv(1000)
        assert get(proxy.url, "/next") == (200, "/next")
