"""A server of HTTP/3, of the package aioquic, in a thread of its own; and a path to it that loses
datagrams."""

from __future__ import annotations

import asyncio
import random
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aioquic", reason="the server is one of the package aioquic")

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.buffer import Buffer, encode_uint_var
from aioquic.h3.connection import ErrorCode, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import HandshakeCompleted, ProtocolNegotiated, QuicEvent
from aioquic.tls import Alert, AlertBadCertificate, AlertDescription
from cryptography.x509 import Certificate, load_pem_x509_certificate

LATE_S = 1.0
"""When a request for /late is answered."""
EVENT_GAP_S = 0.01
"""The time between two events of a response to /events."""


class Site:
    """The requests to a server."""

    def __init__(self, wanted: Path | None = None) -> None:
        self.url = ""
        self.connections = 0
        """Those with a finished handshake, which the one before a run does not have."""
        self.streams: int | None = None
        """The number of requests that a connection may have at first; it may have more later."""
        self.asked: list[tuple[str, str, int]] = []
        """Methods, paths, and the bytes of bodies."""
        self.headers: list[dict[str, str]] = []
        self.wanted = wanted and load_pem_x509_certificate(wanted.read_bytes())
        """The certificate that clients must have; without it they are not asked for one."""
        self.shown: list[Certificate | None] = []
        """The certificates of clients that were asked for one."""


class Connection(QuicConnectionProtocol):
    """One client. The path decides the answer."""

    def __init__(self, *arguments: Any, site: Site, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.site = site
        self.http: H3Connection | None = None
        self.first = False
        if site.streams is not None:
            self._quic._local_max_streams_bidi.value = site.streams
            self._quic._local_max_streams_bidi.sent = site.streams
        self.bodies: dict[int, int] = {}
        self.heads: dict[int, dict[str, str]] = {}
        if site.wanted is not None:
            ask_for_certificate(self._quic, site)

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, ProtocolNegotiated) and event.alpn_protocol == "h3":
            self.http = H3Connection(self._quic)
        if isinstance(event, HandshakeCompleted):
            self.site.connections += 1
            self.first = self.site.connections == 1
        for happened in self.http.handle_event(event) if self.http else ():
            if isinstance(happened, HeadersReceived):
                fields = {name.decode(): value.decode() for name, value in happened.headers}
                self.heads[happened.stream_id] = fields
                self.bodies[happened.stream_id] = 0
            elif isinstance(happened, DataReceived):
                self.bodies[happened.stream_id] += len(happened.data)
            if getattr(happened, "stream_ended", False):
                self.answer(happened.stream_id)

    def answer(self, stream: int) -> None:
        fields = self.heads.pop(stream)
        method, path = fields[":method"], fields[":path"]
        self.site.asked.append((method, path, self.bodies.pop(stream)))
        self.site.headers.append(fields)
        what, _, number = path.lstrip("/").partition("/")
        match what:
            case "size":
                self.send(stream, [(":status", "200")], int(number), length=True)
            case "status":
                self.send(stream, [(":status", number)], 0)
            case "moved":
                head = [(":status", "302"), ("location", f"/size/{number}")]
                self.send(stream, [*head, ("set-cookie", "tea=green; Path=/")], 0)
            case "interim":
                self.http.send_headers(stream, _bytes([(":status", "103"), ("link", "</a>")]))
                self.send(stream, [(":status", "200")], 10, trailers=[("checksum", "7")])
            case "timed":
                fields = [(":status", "200"), ("server-timing", "db;dur=1.5")]
                self.send(stream, [*fields, ("server-timing", f"app;dur={number}")], 10)
            case "wrong-length":
                self.send(stream, [(":status", "200"), ("content-length", "9")], 5)
            case "events":
                self.send_events(stream, int(number))
            case "late":
                later = (stream, [(":status", "200")], 10)
                asyncio.get_running_loop().call_later(LATE_S, self.send_late, *later)
            case _:
                self.misbehave(stream, what)
        self.transmit()

    def misbehave(self, stream: int, what: str) -> None:
        """Answer in an unusual way; with a status of 404, if the way is unknown."""
        match what:
            case "reset":
                self._quic.reset_stream(stream, ErrorCode.H3_INTERNAL_ERROR)
            case "reject":
                self._quic.reset_stream(stream, ErrorCode.H3_REQUEST_REJECTED)
            case "goaway":
                self.send(stream, [(":status", "200")], 10)
                if self.first:
                    control = self.http._local_control_stream_id
                    farewell = encode_frame(FrameType.GOAWAY, encode_uint_var(stream + 4))
                    self._quic.send_stream_data(control, farewell)
                    self.first = False
            case "close":
                self.close(error_code=ErrorCode.H3_NO_ERROR)
            case "garbage":
                self._quic.send_stream_data(stream, b"\x04\x00", end_stream=True)
            case "silence":
                pass
            case "vanish":
                self._transport.close()
            case _:
                self.send(stream, [(":status", "404")], 0)

    def send_events(self, stream: int, left: int, begun: bool = False) -> None:
        """This number of events, each some time after the one before; then the end."""
        if not begun:
            self.http.send_headers(stream, _bytes([(":status", "200")]))
        data = b"data: x\n\n" if left else b"data: [DONE]\n\n"
        self.http.send_data(stream, data, end_stream=not left)
        self.transmit()
        if left:
            later = asyncio.get_running_loop().call_later
            later(EVENT_GAP_S, self.send_events, stream, left - 1, True)

    def send_late(self, *arguments: Any) -> None:
        self.send(*arguments)
        self.transmit()

    def send(
        self,
        stream: int,
        fields: list[tuple[str, str]],
        size: int,
        length: bool = False,
        trailers: list[tuple[str, str]] | None = None,
    ) -> None:
        """A head, a body of this size and trailers."""
        head = [*fields, ("content-length", str(size))] if length else fields
        head_only = self.site.asked[-1][0] == "HEAD"
        body = 0 if head_only else size
        self.http.send_headers(stream, _bytes(head), end_stream=not body and trailers is None)
        if body:
            self.http.send_data(stream, b"x" * body, end_stream=trailers is None)
        if trailers is not None:
            self.http.send_headers(stream, _bytes(trailers), end_stream=True)


def _bytes(fields: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in fields]


class NoCertificate(Alert):
    """A client has no such message (RFC 8446, section 6.2)."""

    description = AlertDescription.certificate_required


def ask_for_certificate(connection: QuicConnection, site: Site) -> None:
    """Ask a client for its certificate, through a private attribute of aioquic. The site decides
    about admission, as aioquic accepts anybody whose proof is right."""
    initialize = connection._initialize

    def begin(peer: bytes) -> None:
        initialize(peer)
        context = connection.tls
        context._request_client_certificate = True
        handle = context._server_handle_certificate

        def look(message: Buffer) -> None:
            handle(message)
            site.shown.append(context._peer_certificate)
            if context._peer_certificate is None:
                raise NoCertificate("no certificate")
            if context._peer_certificate != site.wanted:
                raise AlertBadCertificate("a certificate of somebody else")

        context._server_handle_certificate = look

    connection._initialize = begin


@contextmanager
def quic_server(
    certificate: Path,
    key: Path,
    alpn: str = "h3",
    port: int = 0,
    retry: bool = False,
    wanted: Path | None = None,
) -> Iterator[Site]:
    """A server with this certificate, which accepts only clients that have the `wanted` one."""
    configuration = QuicConfiguration(
        is_client=False, alpn_protocols=[alpn], max_data=1 << 24, max_stream_data=1 << 22
    )
    configuration.load_cert_chain(certificate, key)
    site, begun, stops = Site(wanted), threading.Event(), []

    async def main() -> None:
        server = await serve(
            "127.0.0.1",
            port,
            configuration=configuration,
            create_protocol=lambda *some, **named: Connection(*some, site=site, **named),
            retry=retry,
        )
        address = server._transport.get_extra_info("sockname")
        site.url = f"h3://127.0.0.1:{address[1]}"
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        stops.append(lambda: loop.call_soon_threadsafe(stop.set))
        begun.set()
        await stop.wait()
        if not server._transport.is_closing():
            server.close()

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    assert begun.wait(30), "the server did not begin"
    try:
        yield site
    finally:
        stops[0]()
        thread.join()


@contextmanager
def of_another_version() -> Iterator[str]:
    """A server that answers each datagram with another version of QUIC (RFC 9000, section 17.2.1):
    its URL."""
    over = threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.05)

        def answer() -> None:
            while not over.is_set():
                try:
                    data, client = server.recvfrom(65536)
                except TimeoutError:
                    continue
                length = 6 + data[5]
                to, by = data[5:length], data[length : length + 1 + data[length]]
                server.sendto(b"\xc0\0\0\0\0" + by + to + b"\x0a\x1a\x2a\x3a", client)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"h3://127.0.0.1:{server.getsockname()[1]}"
        finally:
            over.set()
            thread.join()


@contextmanager
def falling_silent() -> Iterator[str]:
    """A server that answers the first datagram, with something, and says no more: its URL."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def answer() -> None:
            _, client = server.recvfrom(65536)
            server.sendto(b"something", client)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"h3://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.sendto(b"", server.getsockname())  # for an unrequested one
            thread.join()


@contextmanager
def losing(url: str, share: float, seed: int) -> Iterator[tuple[str, list[int]]]:
    """Another address of a server; a share of the datagrams to and from it is lost: its URL, and
    the numbers of lost and received ones."""
    draws, counts = random.Random(seed), [0, 0]
    server = ("127.0.0.1", int(url.rpartition(":")[2]))
    front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    front.bind(("127.0.0.1", 0))
    ways: dict[tuple[str, int], socket.socket] = {}
    over = threading.Event()

    def carry() -> None:
        while not over.is_set():
            for ready in select.select([front, *ways.values()], [], [], 0.05)[0]:
                try:
                    data, sender = ready.recvfrom(65536)
                except OSError:
                    continue  # the sender is gone
                counts[1] += 1
                if draws.random() < share:
                    counts[0] += 1
                elif ready is front:
                    if sender not in ways:
                        ways[sender] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                        ways[sender].connect(server)
                    ways[sender].send(data)
                else:
                    client = next(one for one, way in ways.items() if way is ready)
                    front.sendto(data, client)

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        yield f"h3://127.0.0.1:{front.getsockname()[1]}", counts
    finally:
        over.set()
        thread.join()
        for one in (front, *ways.values()):
            one.close()
