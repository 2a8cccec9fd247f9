"""Ambiguous messages go neither to servers nor to clients."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ports import free_port
from switch_servers import STATION, Backend, backends, connected, echo, get, says, sent, switching

import thinktime as tt

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 1\r\nTransfer-Encoding: chunked",
        b"Content-Length: 50\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: chunked, gzip",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        b"Content-Length: -2",
        b"Content-Length: +2",
        b"Content-Length: 2, 2",
        b"Content-Length: 2\r\nContent-Length: 3",
        b"Content-Length: 99999999999999999999",
    ],
)
def test_a_response_says_clearly_where_it_ends(method: str, fields: bytes) -> None:
    answer = OK + fields + b"\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    with (
        backends(says(answer)) as servers,
        switching("jsq", servers, failures=1000) as proxy,
    ):
        assert get(proxy.url, "/", method=method)[0] == 502


def test_equal_lengths_are_one() -> None:
    answer = OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n"
    with backends(says(answer + b"ok")) as servers, switching("jsq", servers) as proxy:
        assert get(proxy.url) == (200, "ok")
    with backends(says(answer)) as servers, switching("jsq", servers) as proxy:
        came = sent(proxy.url, b"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert came.lower().count(b"content-length: 2\r\n") == 1


@pytest.mark.parametrize(
    "head",
    [
        b"GET x HTTP/1.1\r\nHost: a",
        b"GET evil:80 HTTP/1.1\r\nHost: a",
        b"GET * HTTP/1.1\r\nHost: a",
        b"GET ftp://evil/p HTTP/1.1\r\nHost: a",
        b"GET http://u:p@evil/ HTTP/1.1\r\nHost: a",
        b"GET / HTTP/1.1\r\nHost: a b/../c@d",
        b'GET / HTTP/1.1\r\nHost: "<script>',
        b"GET / HTTP/1.1\r\nHost: u:p@evil",
        b"GET / HTTP/1.1",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: a",
    ],
)
def test_targets_are_paths_and_hosts_are_hosts(head: bytes) -> None:
    """The connection ends with it: later bytes are not examined."""
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        came = sent(proxy.url, head + b"\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        assert came.startswith(b"HTTP/1.1 400 ")
        assert came.count(b"HTTP/1.1") == 1
        assert servers[0].heads == []


def test_what_is_no_request_is_counted() -> None:
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for text in (b"GET / HTTP/1.1\nHost: a\n\n", b"hello\r\n\r\n"):
            assert sent(proxy.url, text).startswith(b"HTTP/1.1 400 ")
        done = proxy.stop()
    assert done is not None
    assert (done.passed, done.refused) == (0, 2)


def test_a_switch_that_is_its_own_server_goes_in_no_circles() -> None:
    place = f"127.0.0.1:{free_port()}"
    with switching("jsq", [f"http://{place}"], listen=place) as proxy:
        assert get(proxy.url) == (508, "508: the request goes in circles\n")
        done = proxy.stop()
    assert done is not None
    assert done.requests == [16]


def test_a_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    """Otherwise the program would wait for an hour for a silent server."""
    asked, over = threading.Event(), threading.Event()

    def hold(_: Backend, __: socket.socket, ___: str) -> bool:
        asked.set()
        return not over.wait(600)

    system = tmp_path / "cluster.toml"
    system.write_text(
        f'name = "s"\n[[cluster]]\nname = "web"\nservers = 1\ndispatch = "jsq"\n{STATION}'
    )
    with backends(hold) as servers:
        words = [sys.executable, "-c", "from thinktime.cli import main; main()", "switch"]
        words += [str(system), "--listen", "127.0.0.1:0", "--server", servers[0].url]
        program = subprocess.Popen(
            [*words, "--drain", "1h", "--first-byte", "1h"], stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        url = program.stdout.readline().split("switching on ")[1].split(";")[0]
        with connected(url) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            assert asked.wait(300)
            program.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                program.wait(1)
            program.send_signal(signal.SIGINT)
            assert program.wait(300) == 130
        over.set()


def test_urls_of_servers_have_a_port_and_one_form() -> None:
    for url in ("http://a:0", "http://a:+1", "http://::1:80", "http://[::1"):
        with pytest.raises(tt.InputError, match="is not of the form http://HOST:PORT"):
            switching("jsq", [url]).__enter__()
