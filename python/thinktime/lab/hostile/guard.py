"""Refuses to do harm outside of a lab."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path

from thinktime.lab import journal, places

SIOCGIFFLAGS = 0x8913
IFF_UP = 1


class RefusedError(Exception):
    """A hostile client may not run here."""


def check(target: str) -> None:
    """Check that this process is in a host of a lab, that no path leads out, and locate the target.

    Raises:
        RefusedError: One of these does not hold; the message names it.
    """
    try:
        known = IPv4Address(target) in places.RANGE
    except AddressValueError:
        known = False
    if not known:
        raise RefusedError(f"{target} is no address of a lab: these are in {places.RANGE}")
    name, identity = _host()
    if not journal.is_running(identity):
        raise RefusedError(f"the lab of {name} is not running")
    lines = journal.read(identity)
    if {"namespace": name} not in lines:
        raise RefusedError(f"{name} was made by no lab")
    made = {one["device"] for one in lines if one.get("in") == name}
    if unknown := sorted(_devices_up() - made - {"lo"}):
        raise RefusedError(f"{name} has a device that the lab did not make: {', '.join(unknown)}")
    if _has_default_route():
        raise RefusedError(f"a route leads out of {name}")


def _host() -> tuple[str, str]:
    """The name of this process's lab namespace, and the lab's identity."""
    ours = places.inode("/proc/self/ns/net")
    for identity in places.identities():
        for name in places.namespaces(identity):
            if ours is not None and places.inode(places.NETNS / name) == ours:
                return name, identity
    raise RefusedError("this process is in no network namespace that a lab made")


def _devices_up() -> set[str]:
    found = set()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            answer = fcntl.ioctl(probe, SIOCGIFFLAGS, struct.pack("16sH22x", os.fsencode(name), 0))
            if struct.unpack("16xH22x", answer)[0] & IFF_UP:
                found.add(name)
    return found


def _has_default_route() -> bool:
    lines = Path("/proc/self/net/route").read_text().splitlines()[1:]
    return any(line.split()[1] == "00000000" for line in lines)
