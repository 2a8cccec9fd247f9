"""One connection of a client to the proxy: its requests, one after the other."""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from thinktime.recording import message
from thinktime.recording.hosts import Origin, where
from thinktime.recording.journal import exchange
from thinktime.recording.message import MalformedError, Request
from thinktime.recording.passage import Passage, tunnel
from thinktime.recording.servers import UnreachableError
from thinktime.recording.wire import BrokenError, TooLongError, Wire

if TYPE_CHECKING:
    from thinktime.recording.proxy import Proxy

IDLE_S = 300.0
"""A client that sends no whole head within this time is left."""

SILENT_S = 2.0
"""A client that opens a tunnel and is silent for this long waits for the server: it does not speak
HTTP."""

LINGER_S = 1.0
LINGER_BYTES = 4 * 1024 * 1024
"""The time, and the amount, for which a refused client's bytes are still read: otherwise it might
not see the reason."""

_HERE = """This is a proxy of `thinktime record`. Send requests through it:

    curl --proxy http://{host} http://shop.example/

Clients of HTTPS have to trust its certificate authority: http://{host}/authority.pem
"""


class Connection:
    """A client's connection, with the one to the server of its last request."""

    def __init__(self, proxy: Proxy, client: Wire) -> None:
        """Take a connection that has been opened."""
        self._proxy, self._client = proxy, client
        self._server: Wire | None = None
        self._origin: Origin | None = None

    async def serve(self) -> None:
        """Answer all requests, until one side ends it."""
        try:
            try:
                await self._requests(None)
            except MalformedError as error:
                await refuse(self._client, 400, str(error))
            except TooLongError:
                await refuse(self._client, 431, "a head or a line is too long")
        except (BrokenError, TimeoutError):
            pass  # the client has gone
        finally:
            self._leave_server()

    async def _requests(self, inside: Origin | None) -> None:
        """The requests of the connection, or of the tunnel to ``inside`` that has been opened."""
        more = True
        while more:
            async with asyncio.timeout(IDLE_S):
                head = await message.request(self._client)
            if head is None:
                return
            if head.method == "CONNECT":
                if inside is not None:
                    raise MalformedError("there is a CONNECT within what CONNECT has opened")
                await self._connect(head)
                return
            origin, target = where(head, inside)
            if origin is None:
                await self._here(head)
                return
            more = await self._pass_on(head, origin, target, inside is None)

    # ---- tunnels

    async def _connect(self, head: Request) -> None:
        host, port = message.host_and_port(head.target)
        if port is None:
            raise MalformedError("CONNECT names no port")
        origin = Origin("https", host, port)
        if not self._proxy.wanted(host, port):
            self._proxy.journal.pass_by(origin)
            await self._pass_by(origin, opened=False)
            return
        await self._client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        first = await self._first()
        if first == b"\x16":
            await self._speak_tls(origin)
        elif first is not None and first.isalpha():
            await self._requests(Origin("http", host, port))
        elif first != b"":
            self._proxy.say(f"not recorded: {host}:{port} does not speak HTTP")
            await self._pass_by(origin, opened=True)

    async def _first(self) -> bytes | None:
        """The client's first bytes; empty at the end, None if it is silent."""
        ahead = self._client.watch()
        await asyncio.wait({ahead}, timeout=SILENT_S)
        return await self._client.begins_with() if ahead.done() else None

    async def _speak_tls(self, origin: Origin) -> None:
        try:
            async with asyncio.timeout(IDLE_S):
                await self._client.begin_tls(self._proxy.authority.context(origin.host))
        except BrokenError as error:
            self._proxy.say(
                f"a client does not take the certificate for {origin.host} ({error}): it has to "
                f"trust {self._proxy.authority.file}"
            )
            raise
        await self._requests(origin)

    async def _pass_by(self, origin: Origin, opened: bool) -> None:
        try:
            server = await self._reached(origin, tls=False)
        except UnreachableError as error:
            self._proxy.say(f"{origin.host}:{origin.port}: {error}")
            if not opened:
                await refuse(self._client, 502, str(error))
            return
        if not opened:
            await self._client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await tunnel(self._client, server)

    # ---- requests

    async def _pass_on(self, head: Request, origin: Origin, target: str, renamed: bool) -> bool:
        """Pass a request on and record it; returns whether another one may follow."""
        fields = head.passed_on()
        if renamed:
            others = [pair for pair in fields if pair[0].lower() != "host"]
            fields = [("Host", origin.authority), *others]
        passage = Passage(self._client, head, target, fields, message.framing(head) or 0)
        wall_s, begun_s = time.time(), time.monotonic()
        try:
            return await self._carry(passage, origin)
        finally:
            if self._proxy.wanted(origin.host, origin.port):
                took_s = time.monotonic() - begun_s
                self._proxy.journal.add(exchange(origin, passage, wall_s, took_s))
            else:
                self._proxy.journal.pass_by(origin)

    async def _carry(self, passage: Passage, origin: Origin) -> bool:
        try:
            known = self._known(origin)
            if known is not None:
                try:
                    return await self._over(passage, known)
                except BrokenError as error:
                    if error.wire is not known or not passage.may_repeat:
                        raise
            return await self._over(passage, await self._reached(origin))
        except (MalformedError, TooLongError):
            if passage.answer is None:
                raise
            self._client.abort()
            return False
        except UnreachableError as error:
            why = str(error)
        except BrokenError as error:
            if error.wire is self._client:
                raise
            if passage.answer is not None:
                self._client.abort()  # so that it sees that the answer is incomplete
                return False
            why = str(error)
        self._proxy.say(f"{origin}: {why}")
        await refuse(self._client, 502, f"{origin}: {why}")
        return False

    async def _over(self, passage: Passage, server: Wire) -> bool:
        await passage.run(server)
        if passage.changed:
            await tunnel(self._client, server)
            return False
        if passage.ends_server or passage.last:
            self._leave_server()
        else:
            server.watch()
        if passage.last and passage.framing:
            await _linger(self._client)  # it may not have read its answer yet
        return not passage.last

    def _known(self, origin: Origin) -> Wire | None:
        """The existing connection to this server, if it can be used again."""
        if self._server is not None and self._origin == origin and self._server.is_quiet:
            return self._server
        return None

    async def _reached(self, origin: Origin, tls: bool | None = None) -> Wire:
        self._leave_server()
        speak = origin.scheme == "https" if tls is None else tls
        self._server = await self._proxy.servers.reach(origin, speak)
        self._origin = origin
        return self._server

    def _leave_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _here(self, head: Request) -> None:
        """Answer a request to the proxy itself."""
        authority = self._proxy.authority.file
        if head.method != "GET" or head.target not in ("/", f"/{authority.name}"):
            await refuse(self._client, 404, "this is a proxy: send requests through it")
        elif head.target == "/":
            text = _HERE.format(host=(head.values("host") or ["127.0.0.1:8899"])[0])
            await _tell(self._client, 200, text.encode(), "text/plain; charset=utf-8")
        else:
            kind = "application/x-x509-ca-cert"
            await _tell(self._client, 200, authority.read_bytes(), kind)


async def refuse(client: Wire, status: int, why: str) -> None:
    """Answer in the server's place, with the reason, and end the connection."""
    text = f"thinktime record: {why}\n".encode(errors="replace")
    await _tell(client, status, text, "text/plain; charset=utf-8")
    await _linger(client)


async def _tell(client: Wire, status: int, text: bytes, kind: str) -> None:
    fields = [
        ("Content-Type", kind),
        ("Content-Length", str(len(text))),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
        ("Connection", "close"),
    ]
    start = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
    await client.send(message.written(start, fields) + text)


async def _linger(client: Wire) -> None:
    try:
        async with asyncio.timeout(LINGER_S):
            read = 0
            while read < LINGER_BYTES and (piece := await client.some()):
                read += len(piece)
    except TimeoutError:
        pass
