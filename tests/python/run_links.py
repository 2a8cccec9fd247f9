"""Runs that cross a link, for tests: servers behind it, and the command."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import cases
import labs
from labs import THINKTIME, need_root, need_tun
from real_runs import TcpServer

ONE_CLIENT = cases.closed_model(1, "1ms")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def head_of(lines: BinaryIO) -> bytes:
    """The lines of a head; none if the connection ends."""
    head = []
    while (line := lines.readline()) != b"\r\n":
        if not line:
            return b""
        head.append(line)
    return b"".join(head)


@contextmanager
def serving(answer: Callable[[socket.socket, bytes], bytes | None]) -> Iterator[TcpServer]:
    """A server that answers each head with the result of `answer`; None ends the connection."""

    class Server(TcpServer):
        def finish_request(self, request: socket.socket, _client: object) -> None:
            with request.makefile("rb") as lines:
                while head := head_of(lines):
                    if (said := answer(request, head)) is None:
                        return
                    request.sendall(said)

        def shutdown_request(self, request: socket.socket) -> None:
            request.close()

    with Server(("127.0.0.1", 0), None) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def url(server: TcpServer, host: str = "127.0.0.1") -> str:
    return f"http://{host}:{server.server_address[1]}"


@contextmanager
def nothing_left() -> Iterator[None]:
    """Whatever happens in this block, it leaves nothing behind on the machine."""
    need_root()
    need_tun()
    with labs.nothing_left():
        yield


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    (folder / "w.toml").write_text(ONE_CLIENT.to_toml())
    return subprocess.Popen(
        [*THINKTIME, "run", "w.toml", *words], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for(asked: threading.Event, process: subprocess.Popen[str]) -> None:
    """Wait until the server has received a request; not for ever, if none comes."""
    while not asked.wait(0.05):
        assert process.poll() is None, process.communicate()
