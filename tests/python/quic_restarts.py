"""A server of HTTP/3 that is killed, and another one at the same port in its place.

The second one knows no connections of the first. It has the first one's key, from which the tokens
of connections are made, and answers unknown datagrams by a stateless reset (RFC 9000, section
10.3). Both inherit their socket, so that the port is never without one.

As a program it is one of the two: SOCKET CERTIFICATE KEY.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import QuicConfiguration
from quic_server import Connection, Site

KEY = b"what both servers know"
MORTAL = "mortal"
"""The settings of the first server."""
ID_BYTES = 8
TOKEN_BYTES = 16
RESET_BYTES_MIN, RESET_BYTES_MAX = 21, 43
"""The length of a stateless reset; it is shorter than the datagram that it answers."""


def token(connection_id: bytes) -> bytes:
    """The proof that a stateless reset comes from the connection's server."""
    return hmac.digest(KEY, connection_id, "sha256")[:TOKEN_BYTES]


class Visit(Connection):
    """One client. Its second request is the end of the first server."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, site=Site(), **named)
        own = self._quic._host_cids[0]
        own.stateless_reset_token = token(own.cid)

    def misbehave(self, stream: int, what: str) -> None:
        if MORTAL in sys.argv and len(self.site.asked) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        self.send(stream, [(":status", "200")], 10)


class Server(QuicServer):
    """Answers datagrams without a connection by a stateless reset."""

    def datagram_received(self, data: bytes, addr: Any) -> None:
        connection_id = data[1 : 1 + ID_BYTES]
        if data[0] & 0x80 or connection_id in self._protocols:
            super().datagram_received(data, addr)
            return
        length = min(len(data) - 1, RESET_BYTES_MAX)
        if length >= RESET_BYTES_MIN:
            noise = os.urandom(length - TOKEN_BYTES)
            # It looks like any other datagram with a short header.
            self._transport.sendto(
                bytes([0x40 | noise[0] & 0x3F]) + noise[1:] + token(connection_id), addr
            )
            print("reset", flush=True)


async def main() -> None:
    """Serve until killed."""
    descriptor, certificate, key = sys.argv[1:4]
    configuration = QuicConfiguration(
        is_client=False, alpn_protocols=["h3"], connection_id_length=ID_BYTES
    )
    configuration.load_cert_chain(certificate, key)
    if MORTAL not in sys.argv:
        print("ready", flush=True)
        sys.stdin.readline()  # the first one is gone
    one = socket.socket(fileno=int(descriptor))
    one.setblocking(False)
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Server(configuration=configuration, create_protocol=Visit), sock=one
    )
    if MORTAL in sys.argv:
        print("ready", flush=True)
    await asyncio.Event().wait()


@contextmanager
def restarting(certificate: Path, key: Path) -> Iterator[tuple[str, list[str]]]:
    """The two servers: their URL, and a list that has a word for each reset in the end."""
    said: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        command = [sys.executable, __file__, str(one.fileno()), str(certificate), str(key)]
        first, second = (
            subprocess.Popen(
                [*command, *more],
                pass_fds=[one.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for more in ([MORTAL], [])
        )

        def follow() -> None:
            first.wait()
            second.stdin.write("\n")
            second.stdin.flush()

        thread = Thread(target=follow)
        thread.start()
        try:
            # A client does not wait for ever until a server of a busy machine has begun.
            assert [one.stdout.readline() for one in (first, second)] == ["ready\n"] * 2
            yield f"h3://127.0.0.1:{one.getsockname()[1]}", said
        finally:
            first.kill()
            thread.join()
            first.communicate()
            second.kill()
            said += second.communicate()[0].split()


if __name__ == "__main__":
    asyncio.run(main())
