"""The paths of `run` to a server: addresses, Unix sockets, proxies."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cases
import pytest

import thinktime as tt
from thinktime.inputs.proxies import of_environment

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CLOSED = cases.closed_model(4, "1ms")
ONCE = tt.Workload(CLOSED.to_toml() + '\n[clients]\nconnections = "per-request"\n')


class Server(socketserver.ThreadingTCPServer):
    """Answers each received head with the bytes from `answer`; an empty answer ends the
    connection."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: Any, answer: Any) -> None:
        """Listen there."""
        self.answer = answer
        self.heads: list[bytes] = []
        if isinstance(address, str):
            self.address_family = socket.AF_UNIX
        super().__init__(address, Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients leave when they like."""


class Handler(socketserver.StreamRequestHandler):
    """One connection."""

    server: Server

    def handle(self) -> None:
        """Answer all heads."""
        while head := self.head():
            self.server.heads.append(head)
            if (answer := self.server.answer(self, head)) is None:
                return
            self.wfile.write(answer)

    def head(self) -> bytes:
        """The next head; empty at the end."""
        lines = b""
        while line := self.rfile.readline():
            lines += line
            if line == b"\r\n":
                return lines
        return b""


@contextmanager
def serving(
    address: Any = ("127.0.0.1", 0), answer: Any = lambda _handler, _head: OK
) -> Iterator[Server]:
    """A server that answers everything alike."""
    with Server(address, answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def port_of(server: Server) -> int:
    """The port that it listens at."""
    return server.server_address[1]


def test_connections_take_the_addresses_that_are_given_in_turn() -> None:
    with serving() as first, serving(("127.0.0.2", port_of(first))) as second:
        port = port_of(first)
        given = [f"shop.invalid:{port}:127.0.0.1,127.0.0.2"]
        for loops in (1, 2):
            url = f"http://shop.invalid:{port}"
            summary = tt.run(ONCE, url, requests=20, resolve=given, loops=loops).summary
            assert summary["errors"] == 0, summary["errors_by_kind"]
        counts = [len(one.heads) for one in (first, second)]
        assert sum(counts) == 40
        assert min(counts) >= 18
        assert f"Host: shop.invalid:{port}".encode() in first.heads[0]


def test_an_address_that_takes_no_connection_is_named() -> None:
    with serving() as server:
        port = port_of(server)
        url, dead = f"http://shop.invalid:{port}", f"127.0.0.7:{port}"
        given = [f"shop.invalid:{port}:127.0.0.1,127.0.0.7"]
        for loops in (1, 2):
            summary = tt.run(ONCE, url, requests=20, resolve=given, loops=loops).summary
            refused = summary["errors_by_kind"]["refused"]
            assert 8 <= refused <= 12
            said = [one for one in summary["warnings"] if dead in one]
            assert said == [
                f"{dead}, one of the target's addresses, took none of {refused} connections"
            ]
        alone = tt.run(ONCE, f"http://127.0.0.1:{port}", requests=20).summary
        assert not any("addresses" in one for one in alone["warnings"])


@pytest.mark.parametrize("target", ["/a?b=1#top", "/a?b=1#", "/a?b=1#x?y#z"])
def test_a_fragment_is_for_clients_alone(target: str, tmp_path: Path) -> None:
    script = tmp_path / "client.luau"
    script.write_text(f'return function(client)\n    client:get("{target}")\nend\n')
    begin = 'name = "w"\n[arrivals]\nrate = "100/s"\nmodel = '
    file = tmp_path / "scripted.toml"
    file.write_text(f'{begin}"partly-open"\n[session]\nscript = "client.luau"\n')
    plain = tt.Workload(f'{begin}"open"\n[[request]]\nname = "a"\nget = "{target}"\n')
    with serving() as server:
        for workload in (plain, file):
            tt.run(workload, f"http://127.0.0.1:{port_of(server)}", requests=3)
        assert {head.split(b"\r\n")[0] for head in server.heads} == {b"GET /a?b=1 HTTP/1.1"}


def test_a_host_is_looked_up_again_beside_the_run() -> None:
    with serving() as server:
        url = f"http://localhost:{port_of(server)}"
        result = tt.run(ONCE, url, duration="300ms", lookup="10ms", ip_version=4)
        assert result.summary["errors"] == 0
        assert not any("looked up" in one for one in result.summary["warnings"])
        # The address of the other version has no listener.
        with pytest.raises((tt.RunError, tt.InputError), match=r"cannot be reached|IPv6"):
            tt.run(ONCE, url, duration="300ms", ip_version=6)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resolve": ["other.invalid:80:127.0.0.1"]}, r"write shop\.invalid:80:ADDRESS"),
        ({"resolve": ["shop.invalid:80:nowhere"]}, "`nowhere` in"),
        ({"ip_version": 5}, "give 4 or 6"),
        ({"lookup": "1ms"}, "at least 10ms"),
        ({"unix_socket": ""}, "`unix_socket` is empty: give the path of a socket"),
        ({"unix_socket": "x.sock", "sources": ["127.0.0.1"]}, "leave `sources` or"),
        ({"unix_socket": "x.sock", "proxy": "http://127.0.0.1:1"}, "not both"),
        ({"proxy": "https://me:xyzzy@127.0.0.1:1"}, "a proxy must speak HTTP"),
    ],
)
def test_options_that_are_wrong_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(tt.InputError, match=said) as caught:
        tt.run(CLOSED, "http://shop.invalid:80", duration="300ms", **options)
    assert "xyzzy" not in str(caught.value)


def test_requests_go_to_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "shop.sock"
    with serving(str(path)) as server:
        url = "http://shop.invalid"
        for workload in (CLOSED, ONCE, cases.open_model(200)):
            given = {"unix_socket": path, "output": tmp_path / "result"}
            summary = tt.run(workload, url, requests=20, **given).summary
            assert summary["requests"] == 20
            assert summary["errors"] == 0, summary["errors_by_kind"]
        assert b"Host: shop.invalid\r\n" in server.heads[0]
        assert tt.again(tmp_path / "result", requests=5).summary["errors"] == 0
    path.unlink()
    with pytest.raises(tt.RunError, match=f"by the Unix socket {path} cannot be reached"):
        tt.run(CLOSED, url, requests=1, unix_socket=path)


def relay(handler: Handler, head: bytes) -> bytes | None:
    """A proxy: it passes on requests that name a whole URL, and opens tunnels."""
    method, target, _ = head.split(b" ", 2)
    tunnel = method == b"CONNECT"
    where = target if tunnel else target.split(b"/")[2]
    host, _, port = where.decode().rpartition(":")
    with socket.create_connection(("127.0.0.1", int(port))) as other:
        assert host == "shop.invalid"
        if not tunnel:
            other.sendall(head.replace(b"http://" + where, b"").replace(b"Proxy-A", b"X-A"))
            return other.recv(65536)
        handler.wfile.write(b"HTTP/1.1 200 Here you are\r\nVia: me\r\n\r\n")
        # After a tunnel's request all bytes are passed on, until either side leaves.
        back = threading.Thread(target=pump, args=(other, handler.connection))
        back.start()
        pump(handler.connection, other)
        other.shutdown(socket.SHUT_WR)
        back.join()
    return None


def pump(one: socket.socket, other: socket.socket) -> None:
    """Passes bytes on until the end."""
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass


@pytest.mark.parametrize("workload", [CLOSED, ONCE])
def test_a_proxy_passes_requests_on(workload: tt.Workload, tmp_path: Path) -> None:
    with serving() as server, serving(answer=relay) as proxy:
        url = f"http://shop.invalid:{port_of(server)}"
        given = f"http://me:xyzzy%40@127.0.0.1:{port_of(proxy)}"
        output = tmp_path / "result"
        summary = tt.run(workload, url, requests=10, proxy=given, output=output).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]
        assert proxy.heads[0].startswith(f"GET {url}/ HTTP/1.1\r\n".encode())
        # base64 of me:xyzzy@
        assert b"Proxy-Authorization: Basic bWU6eHl6enlA\r\n" in proxy.heads[0]
        assert len(server.heads) == 10
        for file in output.iterdir():
            assert b"xyzzy" not in file.read_bytes(), file
            assert b"bWU6" not in file.read_bytes(), file
        noted = (output / "run.toml").read_text()
        assert f'proxy = "http://127.0.0.1:{port_of(proxy)}"' in noted


def test_a_tunnel_is_opened_for_tls_and_bytes(tmp_path: Path) -> None:
    from test_https import tls_server

    with tls_server(tmp_path) as secure, serving() as plain, serving(answer=relay) as proxy:
        given = {"proxy": f"http://me:xyzzy@127.0.0.1:{port_of(proxy)}", "requests": 20}
        url = secure.replace("127.0.0.1", "shop.invalid")
        summary = tt.run(ONCE, url, insecure=True, **given).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]
        assert proxy.heads[0].startswith(b"CONNECT shop.invalid:")
        assert b"Proxy-Authorization: Basic bWU6eHl6enk=\r\n" in proxy.heads[0]
        request = '[[request]]\nname = "x"\nsend = "GET / HTTP/1.1\\r\\n\\r\\n"\n'
        bytes_ = tt.Workload(CLOSED.to_toml() + request + 'expect = "pattern(ok)"\n')
        summary = tt.run(bytes_, f"tcp://shop.invalid:{port_of(plain)}", **given).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]
        # Nothing meant for the proxy went further.
        assert not any(b"Proxy" in head for head in plain.heads)


def test_a_websocket_goes_through_a_tunnel(tmp_path: Path) -> None:
    import test_protocols

    with (
        test_protocols.serving(test_protocols.tcp(test_protocols.WebSocket), "ws") as url,
        serving(answer=relay) as proxy,
    ):
        workload = test_protocols.workload(tmp_path, "think = '1ms'", "send = 'hello'")
        given = {"proxy": f"http://127.0.0.1:{port_of(proxy)}", "requests": 20}
        summary = tt.run(workload, url.replace("127.0.0.1", "shop.invalid"), **given).summary
        assert summary["errors"] == 0, summary["errors_by_kind"]
        assert proxy.heads[0].startswith(b"CONNECT shop.invalid:")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("http://127.0.0.1:1/a HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET /b", "the path of the target"),
        ("http://me:xyzzy@127.0.0.1:1/", "has no user and no password"),
    ],
)
def test_what_no_target_may_hold_is_refused_and_not_repeated(target: str, words: str) -> None:
    with pytest.raises(tt.InputError, match=words) as told:
        tt.run(ONCE, target, requests=1)
    assert "xyzzy" not in str(told.value)
    assert "Evil" not in str(told.value)


ENDLESS = b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20000


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (b"HTTP/1.1 407 Who\r\n\r\n", "proxy_authentication"),
        (b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n", "proxy_refused"),
        (b"220 smtp.invalid\r\n\r\n", "proxy_malformed"),
        (ENDLESS, "proxy_malformed"),
        (None, "proxy_closed"),
        (b"HTTP/1.1 200 OK\r\n\r\nthis is no TLS", "tls_handshake"),
    ],
)
def test_a_proxy_that_lies_fails_by_name(answer: bytes | None, word: str) -> None:
    with serving(answer=lambda _handler, _head: answer) as proxy:
        given = {"proxy": f"http://127.0.0.1:{port_of(proxy)}", "requests": 8, "drain": "60s"}
        summary = tt.run(CLOSED, "https://shop.invalid", **given).summary
    assert summary["errors_by_kind"] == {word: 8}


def test_a_proxy_that_says_nothing_ends_with_the_run() -> None:
    silence = threading.Event()
    with serving(answer=lambda _handler, _head: silence.wait(20) or None) as proxy:
        given = {"proxy": f"http://127.0.0.1:{port_of(proxy)}", "duration": 0.3, "drain": 0.2}
        summary = tt.run(CLOSED, "https://shop.invalid", **given).summary
        silence.set()
    assert summary["errors_by_kind"] == {"unanswered": 4}


@pytest.mark.parametrize(
    ("target", "excepted", "chosen"),
    [
        ("http://shop.test", "", "http://p:1"),
        ("https://shop.test:81/x", "", "http://s:2"),
        ("wss://shop.test", "", "http://s:2"),
        ("tcp://shop.test:7", "", None),
        ("http://127.0.0.1:80", "", None),
        ("http://[::1]:80", "", None),
        ("http://localhost:80", "", None),
        ("http://shop.test", "*", None),
        ("http://www.shop.test", "a.test, .shop.test", None),
        ("http://www.shop.test", "shop.test", None),
        ("http://myshop.test", "shop.test", "http://p:1"),
        ("http://shop.test:81", "shop.test:80", "http://p:1"),
        ("http://shop.test", "shop.test:80", None),
        ("http://10.1.2.3", "10.0.0.0/8", None),
        ("http://10.1.2.3", "10.1.2.3:80", None),
        ("http://11.1.2.3", "10.0.0.0/8,x", "http://p:1"),
        ("http://shop.test:port", "", None),
        ("http://shop.test", "shop.test:\u00b2", "http://p:1"),
        ("http://shop.test", "shop.test:" + "8" * 5000, "http://p:1"),
        ("http://10.1.2.3", "10.0.0.0/99,10.1.2.3:\u00b2", "http://p:1"),
    ],
)
def test_the_environment_names_a_proxy(target: str, excepted: str, chosen: str | None) -> None:
    environment = {"http_proxy": "http://p:1", "HTTPS_PROXY": "http://s:2", "NO_PROXY": excepted}
    assert of_environment(target, environment) == chosen


def test_the_environments_proxy_is_used_and_can_be_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(answer=lambda _handler, _head: OK) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port_of(proxy)}")
        result = tt.run(CLOSED, "http://shop.invalid", requests=5)
        assert result.options["proxy"] == f"http://127.0.0.1:{port_of(proxy)}"
        assert proxy.heads[0].startswith(b"GET http://shop.invalid/ HTTP/1.1")
    with pytest.raises(tt.UnreachableError, match=r"shop\.invalid"):
        tt.run(CLOSED, "http://shop.invalid", requests=5, proxy="")
