"""Bytes both ways over a connection, perhaps through TLS; unread data is bounded."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import ssl
import struct

PIECE_BYTES = 64 * 1024


class BrokenError(Exception):
    """A connection that ended or failed; ``wire`` says which."""

    def __init__(self, wire: Wire, why: str) -> None:
        """`why` is for people."""
        super().__init__(why)
        self.wire = wire


class TooLongError(Exception):
    """A line or a head that does not end within its limit."""


class Wire:
    """One connection. TLS is done here, so that bytes can be examined before it begins."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection as asyncio opens it."""
        self._reader, self._writer = reader, writer
        self._tls: ssl.SSLObject | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._held = b""
        self._ahead: asyncio.Task[bytes] | None = None

    # ---- reading

    async def some(self, most: int = PIECE_BYTES) -> bytes:
        """The received bytes, at least one and at most `most`; empty at the end."""
        if not self._held:
            self._held = await self._more()
        taken, self._held = self._held[:most], self._held[most:]
        return taken

    async def begins_with(self) -> bytes:
        """The first of the bytes to come, which stays unread; empty at the end."""
        if not self._held:
            self._held = await self._more()
        return self._held[:1]

    async def until(self, mark: re.Pattern[bytes], most: int) -> bytes:
        """The bytes to the next mark, of at most 3 bytes, and the mark.

        Raises:
            TooLongError: It is not within the limit.
            BrokenError: The connection ended before it.
        """
        looked_at = 0
        while (found := mark.search(self._held, looked_at)) is None:
            if len(self._held) >= most:
                raise TooLongError
            looked_at = max(len(self._held) - 2, 0)
            more = await self._more()
            if not more:
                raise BrokenError(self, "the connection ended in the middle of a message")
            self._held += more
        end = found.end()
        if end > most:
            raise TooLongError
        taken, self._held = self._held[:end], self._held[end:]
        return taken

    def watch(self) -> asyncio.Task[bytes]:
        """Read ahead: done as soon as bytes come, or the end, which is empty."""
        if self._ahead is None:
            self._ahead = asyncio.ensure_future(self._receive())
        return self._ahead

    @property
    def is_quiet(self) -> bool:
        """Whether it is watched, and neither bytes nor the end have come."""
        return not self._held and self._ahead is not None and not self._ahead.done()

    async def _more(self) -> bytes:
        if self._ahead is None:
            return await self._receive()
        ahead, self._ahead = self._ahead, None
        return await ahead

    async def _receive(self) -> bytes:
        try:
            while self._tls is not None:
                try:
                    return self._tls.read(PIECE_BYTES)
                except ssl.SSLWantReadError:
                    await self._fill()
                except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                    return b""
            return await self._reader.read(PIECE_BYTES)
        except OSError as error:
            raise BrokenError(self, reason(error)) from None

    # ---- writing

    async def send(self, data: bytes) -> None:
        """Send bytes; waits while the other side does not read them.

        Raises:
            BrokenError: The connection has ended.
        """
        try:
            if self._tls is None:
                self._writer.write(data)
                await self._writer.drain()
            else:
                self._tls.write(data)
                await self._flush()
        except OSError as error:
            raise BrokenError(self, reason(error)) from None

    async def finish(self) -> None:
        """Announce the end of sending; through TLS the connection ends."""
        if self._tls is None and self._writer.can_write_eof() and not self._writer.is_closing():
            self._writer.write_eof()
        else:
            self.close()

    def close(self) -> None:
        """End the connection; data that has been sent still goes out."""
        self._read_no_more()
        if self._tls is not None and not self._writer.is_closing():
            # It waits for the answer to its farewell, which is not needed.
            with contextlib.suppress(ssl.SSLError, ValueError):
                self._tls.unwrap()
            self._writer.write(self._outgoing.read())
        self._writer.close()

    def abort(self) -> None:
        """End the connection so that the other side sees that data is missing."""
        self._read_no_more()
        taken: socket.socket | None = self._writer.get_extra_info("socket")
        if taken is not None and not self._writer.is_closing():
            # A reset instead of an end.
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def _read_no_more(self) -> None:
        if self._ahead is not None:
            self._ahead.cancel()
            self._ahead = None

    # ---- TLS

    async def begin_tls(self, context: ssl.SSLContext, server: str | None = None) -> None:
        """Speak TLS from here on: as the client of a ``server``, or as the server without one.

        Raises:
            BrokenError: They do not agree, a certificate is not trusted, or the connection ended.
        """
        self._incoming.write(self._held)
        self._held = b""
        self._tls = context.wrap_bio(
            self._incoming, self._outgoing, server_side=server is None, server_hostname=server
        )
        try:
            await self._agree(self._tls)
        except OSError as error:
            self._writer.write(self._outgoing.read())  # the other side is told why
            raise BrokenError(self, reason(error)) from None

    async def _agree(self, tls: ssl.SSLObject) -> None:
        while True:
            try:
                tls.do_handshake()
                return await self._flush()
            except ssl.SSLWantReadError:
                await self._fill()

    async def _fill(self) -> None:
        await self._flush()
        data = await self._reader.read(PIECE_BYTES)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    async def _flush(self) -> None:
        if self._outgoing.pending:
            self._writer.write(self._outgoing.read())
        await self._writer.drain()


def reason(error: Exception) -> str:
    """The error of a connection, in words."""
    if isinstance(error, BrokenError):
        return str(error)
    if isinstance(error, UnicodeError):
        return "its name is no host name"
    if not isinstance(error, OSError):
        return type(error).__name__
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error) or type(error).__name__
