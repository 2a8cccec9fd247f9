"""Servers behind a switch, good ones and bad ones, and clients that write every byte themselves."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from ports import free_port

import thinktime as tt

STATION = '[[cluster.station]]\nname = "cpu"\npolicy = "ps"\ndemand = "1ms"\n'


def system(servers: int, dispatch: str, more: str = "", station: str = STATION) -> tt.System:
    return tt.System(
        f'name = "s"\n[[cluster]]\nname = "web"\nservers = {servers}\ndispatch = "{dispatch}"\n'
        f"{more}\n{station}"
    )


class Backend:
    """A server of HTTP/1.1 that keeps the received requests, and answers by `behave`.

    `behave` receives the server, the connection and the request's target, and writes the answer;
    False ends the connection.
    """

    def __init__(self, behave: Callable[[Backend, socket.socket, str], bool]) -> None:
        self.behave = behave
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", free_port()), backlog=1024)
        self.url = "http://{}:{}".format(*self._socket.getsockname())
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def targets(self) -> list[str]:
        """The received requests, in their order."""
        return [head.split()[1] for head in self.heads]

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            try:
                while (head := _head(reader)) is not None:
                    self.bodies.append(_body(reader, head))
                    self.heads.append(head)
                    if not self.behave(self, connection, head.split()[1]):
                        return
            except OSError:
                return


def _head(reader: Any) -> str | None:
    lines = []
    while line := reader.readline():
        lines.append(line.decode("latin-1"))
        if line == b"\r\n":
            return "".join(lines)
    return None


def body_of(reader: Any) -> bytes:
    """The body of the next message; empty without one."""
    head = _head(reader)
    return b"" if head is None else _body(reader, head)


def _body(reader: Any, head: str) -> bytes:
    fields = [line.lower().split(":", 1) for line in head.splitlines()[1:] if ":" in line]
    said = {name: value.strip() for name, value in fields}
    if "transfer-encoding" not in said:
        return _bytes(reader, int(said.get("content-length", 0)))
    body = b""
    while size := int(_line(reader), 16):
        body += _bytes(reader, size)
        _line(reader)
    while _line(reader) != b"\r\n":
        pass
    return body


def _line(reader: Any) -> bytes:
    line = bytes(reader.readline())
    if not line.endswith(b"\n"):
        raise ConnectionError("the message is cut off")
    return line


def _bytes(reader: Any, length: int) -> bytes:
    read = bytes(reader.read(length))
    if len(read) < length:
        raise ConnectionError("the message is cut off")
    return read


def echo(_: Backend, connection: socket.socket, target: str) -> bool:
    """Answers with the target."""
    text = target.encode()
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))
    return True


def after(seconds: float) -> Callable[[Backend, socket.socket, str], bool]:
    """Answers with the target, after a while."""

    def behave(server: Backend, connection: socket.socket, target: str) -> bool:
        time.sleep(seconds)
        return echo(server, connection, target)

    return behave


def says(answer: bytes) -> Callable[[Backend, socket.socket, str], bool]:
    """Writes these bytes, and closes."""

    def behave(_: Backend, connection: socket.socket, __: str) -> bool:
        connection.sendall(answer)
        return False

    return behave


@contextmanager
def backends(
    *behaviours: Callable[[Backend, socket.socket, str], bool],
) -> Iterator[list[Backend]]:
    """A server for each behaviour."""
    with ExitStack() as stack:
        servers = [Backend(behave) for behave in behaviours]
        for server in servers:
            stack.callback(server.close)
        yield servers


@contextmanager
def switching(
    dispatch: str, servers: Sequence[Backend | str], more: str = "", **given: Any
) -> Iterator[tt.switch]:
    """A switch in front of these servers."""
    urls = [one if isinstance(one, str) else one.url for one in servers]
    with tt.switch(system(len(urls), dispatch, more), urls, **given) as proxy:
        yield proxy


def connected(url: str) -> socket.socket:
    """A connection to a switch."""
    host, port = url.removeprefix("http://").rsplit(":", 1)
    client = socket.create_connection((host, int(port)), timeout=300)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def sent(url: str, request: bytes) -> bytes:
    """All answers to these bytes until the connection ends; the client ends nothing."""
    with connected(url) as client:
        client.sendall(request)
        came = b""
        while True:
            try:
                part = client.recv(65536)
            except ConnectionResetError:
                return came
            if not part:
                return came
            came += part


def get(url: str, target: str = "/", more: str = "", method: str = "GET") -> tuple[int, str]:
    """Status and body of one request."""
    head = f"{method} {target} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n{more}\r\n"
    came = sent(url, head.encode())
    if not came:
        return 0, ""
    answer, _, body = came.partition(b"\r\n\r\n")
    return int(answer.split()[1]), body.decode()
