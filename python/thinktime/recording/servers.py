"""Connections to the servers that clients ask."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

from thinktime import InputError
from thinktime.recording.hosts import Origin
from thinktime.recording.wire import PIECE_BYTES, BrokenError, Wire, reason

CONNECT_S = 30.0
"""The time that a server may take to accept a connection, including TLS."""


class UnreachableError(Exception):
    """A server without a possible connection; the message gives the reason."""


class Servers:
    """The way to servers, and the check of their certificates."""

    def __init__(self, ca_file: Path | None = None, insecure: bool = False) -> None:
        """Check by the authorities of a file in PEM form, else by this system's; or not at all.

        Raises:
            InputError: The file cannot be read, or both are given.
        """
        if ca_file is not None and insecure:
            raise InputError("give --ca or --insecure, not both")
        try:
            self._context = ssl.create_default_context(cafile=ca_file)
        except (OSError, ssl.SSLError) as error:
            raise InputError(f"{ca_file}: cannot be taken as authorities: {error}") from None
        self._context.set_alpn_protocols(["http/1.1"])
        if insecure:
            self._context.check_hostname = False
            self._context.verify_mode = ssl.CERT_NONE

    async def reach(self, origin: Origin, tls: bool) -> Wire:
        """A connection to a server.

        Raises:
            UnreachableError: The server takes no connection.
        """
        opened: Wire | None = None
        try:
            async with asyncio.timeout(CONNECT_S):
                both = await asyncio.open_connection(
                    origin.host, origin.port, limit=PIECE_BYTES, happy_eyeballs_delay=0.25
                )
                opened = Wire(*both)
                if tls:
                    await opened.begin_tls(self._context, origin.host)
                return opened
        except BaseException as error:
            if opened is not None:
                opened.close()
            if isinstance(error, BrokenError | OSError | UnicodeError):
                raise UnreachableError(_why(error)) from None
            raise


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError) and not error.errno:
        return f"no answer within {CONNECT_S:g} s"
    found = reason(error)
    if "certificate is not trusted" in found:
        found += "; name its authority with --ca FILE, or accept any with --insecure"
    return found
