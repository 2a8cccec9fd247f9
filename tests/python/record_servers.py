"""Servers that the tests of `thinktime record` record, and clients that go through the proxy."""

from __future__ import annotations

import hashlib
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from ports import free_port

from thinktime import _core
from thinktime.recording import Recorder

PAGE = b"<!doctype html><title>Shop</title>" + b"x" * 3000
GZIP = bytes.fromhex("1f8b0800000000000003") + bytes(range(256)) * 20
BIG = bytes(range(256)) * 20_000
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CLOSE = "Connection: close\r\n"


class Shop(BaseHTTPRequestHandler):
    """A shop with pages, objects, orders, and answers that are hard to pass on."""

    protocol_version = "HTTP/1.1"
    server: Any

    def do_GET(self) -> None:
        self.see()
        path = self.path.partition("?")[0]
        if path == "/chunked":
            return self.chunked()
        if path == "/to-the-end":
            return self.to_the_end()
        if path == "/slow":
            time.sleep(0.2)
        kind, body = {
            "/a.css": ("text/css", b"a{}"),
            "/big": ("application/octet-stream", BIG),
            "/gzip": ("text/html", GZIP),
            "/api": ("application/json", b"{}"),
        }.get(path, ("text/html; charset=utf-8", PAGE))
        more = {"Content-Encoding": "gzip"} if path == "/gzip" else {}
        if path == "/":
            more = {"Set-Cookie": "sid=s3cr3t; HttpOnly"}
        return self.answer(200, kind, body, more)

    do_HEAD = do_GET  # noqa: N815 (the library names it)

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while not body.endswith(b"\r\n\r\n"):
                line = self.rfile.readline()
                if not line:  # it would read nothing for ever
                    self.close_connection = True
                    return
                body += line
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.see(body)
        told = json.dumps({"sha": hashlib.sha256(body).hexdigest(), "bytes": len(body)})
        self.answer(201, "application/json", told.encode(), {})

    do_PUT = do_POST  # noqa: N815 (the library names it)

    def see(self, body: bytes = b"") -> None:
        """Note a request down."""
        self.server.seen.append(SimpleNamespace(path=self.path, headers=self.headers, body=body))

    def answer(self, status: int, kind: str, body: bytes, more: dict[str, str]) -> None:
        """With a length."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(body), **more}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunked(self) -> None:
        """In chunks of odd sizes, with an extension and a trailer."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"5;name=value\r\nhello\r\n")
        self.wfile.flush()
        self.wfile.write(b"00A\r\n0123456789\r\n0\r\nX-Sum: 15\r\n\r\n")

    def to_the_end(self) -> None:
        """As HTTP/1.0 did it."""
        self.close_connection = True
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class Server(ThreadingHTTPServer):
    """A shop; `seen` are the received requests, and `connections` the number of connections."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, context: ssl.SSLContext | None, handler: Any = Shop) -> None:
        """Listen, with TLS if a context is given."""
        self.seen: list[Any] = []
        self.connections = 0
        self.context = context
        super().__init__(("127.0.0.1", 0), handler)
        scheme = "http" if context is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self.server_address[1]}"

    def get_request(self) -> tuple[socket.socket, Any]:
        raw, address = self.socket.accept()
        self.connections += 1
        if self.context is None:
            return raw, address
        # The handshake is left to the thread of the connection.
        stream = self.context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
        return stream, address

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients leave when they like."""


@contextmanager
def shop(context: ssl.SSLContext | None = None, handler: Any = Shop) -> Iterator[Server]:
    """A shop that serves in threads."""
    with Server(context, handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def certified(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """The server side of TLS for 127.0.0.1, and the file of the authority that vouches for it."""
    from_s = int(time.time()) - 3600
    authority, key = _core.certificate_authority("tests", from_s, from_s + 86_400)
    host = _core.host_certificate("127.0.0.1", "tests", key, from_s, from_s + 86_400)
    (folder / "ca.pem").write_text(authority)
    (folder / "own.pem").write_text("".join(host))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "own.pem")
    return context, folder / "ca.pem"


class Visitor:
    """A client with one connection to the proxy, which asks one server."""

    def __init__(self, recorder: Recorder, url: str, authority: Path | None = None) -> None:
        """Trust the recorder's own authority by default."""
        self.url, parts = url, urlsplit(url)
        proxy = urlsplit(recorder.url)
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=authority or recorder.authority)
            context.set_alpn_protocols(["h2", "http/1.1"])
            self.connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                str(proxy.hostname), proxy.port, context=context, timeout=60
            )
            self.connection.set_tunnel(str(parts.hostname), parts.port)
            self.base = ""
        else:
            self.connection = http.client.HTTPConnection(
                str(proxy.hostname), proxy.port, timeout=60
            )
            self.base = url

    def ask(
        self, target: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, self.base + target, body, fields)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


def raw(recorder: Recorder, data: bytes, timeout_s: float = 20.0) -> bytes:
    """All that the proxy answers to these bytes, until it ends the connection."""
    proxy = urlsplit(recorder.url)
    with socket.create_connection((proxy.hostname, proxy.port), timeout_s) as connection:
        connection.sendall(data)
        found = b""
        while piece := connection.recv(65536):
            found += piece
        return found


class Listener:
    """A server that handles each connection by `talk`, which receives the socket."""

    def __init__(self, talk: Any) -> None:
        """Listen and begin."""
        self.socket = socket.create_server(("127.0.0.1", free_port()), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.talk = talk
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self.talk(connection)

    def close(self) -> None:
        """Listen no more."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


@contextmanager
def listening(talk: Any) -> Iterator[str]:
    """The URL of a `Listener`."""
    listener = Listener(talk)
    try:
        yield listener.url
    finally:
        listener.close()


def head(connection: socket.socket) -> bytes:
    """A head that comes over a socket, and the bytes after it."""
    found = b""
    while b"\r\n\r\n" not in found:
        piece = connection.recv(65536)
        if not piece:
            return found
        found += piece
    return found


def asked(url: str, target: str = "/", more: str = "", version: str = "1.1") -> bytes:
    """A request to a proxy, as bytes."""
    return f"GET {url}{target} HTTP/{version}\r\nHost: x\r\n{more}\r\n".encode()
