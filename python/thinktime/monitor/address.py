"""The address at which watchers find a run: on this machine, bound before anything begins."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

from thinktime import InputError, RunError
from thinktime.present.listening import listening_words

LOOPBACK = "127.0.0.1:0"
"""The default address of a page: only this machine reaches it."""

_BACKLOG = 1024
"""The most connections that may wait until the process of the watchers is there; the kernel lets
further ones try again, a second later and more."""


@dataclass(frozen=True)
class Place:
    """An address to listen at."""

    host: str
    """As it was given, without brackets."""

    listener: socket.socket

    @property
    def authority(self) -> str:
        """`HOST:PORT`, as in a url."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.listener.getsockname()[1]}"

    @property
    def is_local(self) -> bool:
        """Whether it is reachable from this machine only."""
        return ipaddress.ip_address(self.listener.getsockname()[0]).is_loopback


def bound(text: str, option: str) -> Place:
    """Bind to `HOST:PORT`; port 0 takes a free one.

    Raises:
        InputError: It is not an address.
        RunError: The address is not a free one of this machine.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InputError(f"{option}: `{text}` is not of the form HOST:PORT")
    try:
        found = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{option}: cannot listen on {text}: {why}") from None
    family, kind, number, _, where = found[0]
    try:
        listener = socket.socket(family, kind, number)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise RunError(f"{option}: cannot listen on {text}: {listening_words(error)}") from None
    return Place(host, listener)
