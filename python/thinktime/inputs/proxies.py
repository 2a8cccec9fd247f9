"""The proxy for a target, according to the environment."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

VARIABLES = {"http": "http_proxy", "h2c": "http_proxy", "https": "https_proxy",
    "ws": "http_proxy", "wss": "https_proxy",
}  # fmt: skip
"""Schemes of targets, and the variable that names their proxy; in small letters or capitals."""

_PORTS = {"http": 80, "h2c": 80, "ws": 80, "https": 443, "wss": 443}


def chosen(given: str | None, target: str, unix_socket: str | Path | None) -> str | None:
    """The given proxy, else the environment's; None for no proxy, as when "" is given."""
    if given is not None or unix_socket is not None:
        return given or None
    return of_environment(target, os.environ)


def of_environment(target: str, environment: Mapping[str, str]) -> str | None:
    """The proxy that the environment names for a target, or None.

    A target on this machine has no proxy. Nor has a target in NO_PROXY: a host (including its
    subdomains), perhaps with a port; an address or a network of them; or `*` for all.
    """
    try:
        parts = urlsplit(target)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None  # an error in the target is reported elsewhere
    variable = VARIABLES.get(parts.scheme)
    if variable is None or host is None or _is_here(host):
        return None
    excepted = _value(environment, "no_proxy") or ""
    entries = [entry.strip().lower() for entry in excepted.split(",")]
    if any(_names(entry, host, port or _PORTS[parts.scheme]) for entry in entries if entry):
        return None
    return _value(environment, variable)


def _value(environment: Mapping[str, str], name: str) -> str | None:
    return environment.get(name) or environment.get(name.upper()) or None


def _is_here(host: str) -> bool:
    address = _address(host)
    if address is None:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None


def _names(entry: str, host: str, port: int) -> bool:
    """Whether an entry of NO_PROXY names this host."""
    address = _address(host)
    if entry == "*":
        return True
    if address is not None:
        try:
            return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
        except ValueError:
            pass  # perhaps with a port
    name, colon, number = entry.rpartition(":")
    has_port = bool(colon) and re.fullmatch(r"[0-9]{1,5}", number) is not None
    if has_port and int(number) != port:
        return False
    name = (name if has_port else entry).strip("[]").lstrip("*").lstrip(".")
    if address is not None:
        return _address(name) == address
    return bool(name) and (host == name or host.endswith("." + name))
