"""A server of scripts' shared values, Redis or Valkey, for tests, in a process of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ports import free_port

KINDS = ("valkey-server", "redis-server")
"""Programs that do; each is the name of its system package."""

each_kind = pytest.mark.parametrize("kind", KINDS)
"""Lets a test run with each of them."""

KEEPS = ("--appendonly", "yes", "--appendfsync", "always")
"""Options with which a server forgets nothing."""


@dataclass
class Shared:
    """The server."""

    directory: Path
    program: str
    options: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """As a workload names it."""
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.directory / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                 "--dir", str(self.directory), *self.options],
                stdout=log, stderr=log,
            )  # fmt: skip
        until = time.monotonic() + 300
        while time.monotonic() < until:
            try:
                if not self.said("PING").startswith(("-LOADING", "!")):
                    return
            except OSError:
                pass
            assert self.process.poll() is None, (self.directory / "server.log").read_text()
            time.sleep(0.01)
        raise AssertionError("it does not answer")

    def signal(self, number: signal.Signals) -> None:
        """Send its process a signal."""
        assert self.process is not None
        os.kill(self.process.pid, number)

    def kill(self) -> None:
        """End it at once, as a machine that fails."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def said(self, *words: str) -> str:
        """Its answer to a command, as received: RESP, version 2."""
        parts = "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(f"*{len(words)}\r\n{parts}".encode())
            got = b""
            while not got.endswith(b"\r\n") or (got.startswith(b"$") and got.count(b"\r\n") < 2
                                                and got != b"$-1\r\n"):  # fmt: skip
                more = connection.recv(65536)
                assert more, "it closed the connection"
                got += more
        return got.decode()

    def value(self, name: str) -> str | None:
        """The value of a variable of the only run, as the server keeps it."""
        keys = self.said("EVAL", "return table.concat(redis.call('KEYS', ARGV[1]), ' ')", "0",
                         "thinktime:*:values").split("\r\n")[1].split()  # fmt: skip
        assert len(keys) <= 1, keys
        answer = self.said("HGET", keys[0], name) if keys else "$-1\r\n"
        return None if answer == "$-1\r\n" else answer.split("\r\n")[1]

    def number(self, name: str) -> float:
        """The number that a variable holds."""
        value = self.value(name)
        assert value is not None
        assert value.startswith("n"), value
        return float(value[1:])


@contextmanager
def shared_server(directory: Path, *options: str, kind: str | None = None) -> Iterator[Shared]:
    """Run one, of this kind or of any; skips the test if it is not installed."""
    program = next(filter(None, map(shutil.which, KINDS if kind is None else (kind,))), None)
    if program is None:
        packages = " and ".join(KINDS) if kind is None else kind
        pytest.skip(f"of the system packages {packages} none is installed")
    server = Shared(directory, program, options)
    server.start()
    try:
        yield server
    finally:
        assert server.process is not None
        server.process.kill()
        server.process.wait()
