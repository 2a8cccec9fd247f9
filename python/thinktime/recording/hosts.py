"""The destinations of requests, and the recorded ones among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thinktime import InputError
from thinktime.recording.message import MalformedError, Request, host_and_port

PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(https?)://(?:[^/?#@]*@)?([^/?#@]+)([^#]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port of a server."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """Host and port, as in `Host`: without the default port of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"


def where(head: Request, inside: Origin | None) -> tuple[Origin | None, str]:
    """The server of a request, and its target there; no server if the request is for the proxy.

    ``inside`` is the server that CONNECT has named.

    Raises:
        MalformedError: The server is unclear, or is not the one that CONNECT has named.
    """
    if head.target.startswith("/"):
        if inside is not None and head.minor == 1 and not head.values("host"):
            raise MalformedError("there is no `Host`")
        return inside, head.target
    found = _URL.fullmatch(head.target)
    if found is None:
        raise MalformedError("the target is neither a path nor a URL of http or https")
    scheme = found[1].lower()
    host, port = host_and_port(found[2])
    origin = Origin(scheme, host, port or PORTS[scheme])
    if inside is not None and origin != inside:
        raise MalformedError("the URL is not of the server that CONNECT has named")
    target = found[3] if found[3].startswith("/") else f"/{found[3]}"
    return origin, target


class HostFilter:
    """The recorded hosts: all of them, if none is named."""

    def __init__(self, targets: Sequence[str]) -> None:
        """Read the values of `--target`: a host, perhaps with a port; `*.HOST`; or a URL.

        Raises:
            InputError: One of them has another form.
        """
        self._targets = [_target(one) for one in targets]

    def __call__(self, host: str, port: int) -> bool:
        """Whether requests to this host and port are recorded."""
        if not self._targets:
            return True
        return any(
            port == (named_port or port)
            and (host.endswith(name) if name.startswith(".") else host == name)
            for name, named_port in self._targets
        )


def _target(text: str) -> tuple[str, int | None]:
    scheme, mark, rest = text.lower().rpartition("://")
    plain = rest.rstrip("/") if mark else rest
    every = plain.startswith("*.")
    try:
        if scheme not in ("", *PORTS):
            raise MalformedError
        host, port = host_and_port(plain.removeprefix("*."))
    except MalformedError:
        raise InputError(
            f"--target {text}: write a host, as in shop.example, shop.example:8443 or "
            "*.shop.example, or a URL without a path"
        ) from None
    return ("." if every else "") + host, port or PORTS.get(scheme)
