"""Names and places of a lab's parts, so that all of them are found again."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from thinktime.lab import permission

NETNS = Path("/run/netns")
"""The folder in which `ip netns` keeps the names of network namespaces."""

NAMES = Path("/etc/netns")
"""The folder in which `ip netns exec` finds, by namespace, replacements for files in `/etc`."""

STATE = Path("/run/thinktime-labs")
"""A folder for each existing lab: its journal, and its programs' temporary files."""

NAMESPACE = re.compile(r"thinktime-([0-9a-f]{6})-(.+)")

RANGE = IPv4Network("198.18.0.0/15")
"""The addresses reserved for measurements (RFC 2544, RFC 5735): those of all labs."""


def namespace(identity: str, host: str) -> str:
    """The name of a host's network namespace."""
    return f"thinktime-{identity}-{host}"


def block(number: int) -> IPv4Network:
    """The addresses of the host with this number, from 1: all of them lead to it."""
    return IPv4Network((int(RANGE.network_address) + (number << 8), 24))


def address(number: int) -> IPv4Address:
    """The address at which the host with this number answers."""
    return block(number)[1]


def folder(identity: str) -> Path:
    """The folder of a lab's state."""
    return STATE / identity


def output(identity: str) -> Path:
    """The folder of temporary results, until they have been shown."""
    return STATE / f"{identity}.out"


def discard(folder: Path) -> None:
    """Remove a folder of `STATE` with its contents, and `STATE` if it was the last one."""
    shutil.rmtree(folder, ignore_errors=True)
    # It stays if another lab is there.
    with contextlib.suppress(OSError):
        STATE.rmdir()


def identities() -> list[str]:
    """The labs with any remains: a folder, a namespace with a lab's name, or names."""
    folders = STATE.iterdir() if STATE.is_dir() else iter(())
    found = {one.stem for one in folders if re.fullmatch(r"[0-9a-f]{6}(\.out)?", one.name)}
    found |= {match[1] for match in map(NAMESPACE.fullmatch, [*_namespaces(), *_names()]) if match}
    return sorted(found)


def namespaces(identity: str) -> list[str]:
    """The names of a lab's existing namespaces."""
    return sorted(one for one in _namespaces() if one.startswith(namespace(identity, "")))


def tell_names(namespaces: Iterable[str], hosts: Path) -> bool:
    """Give programs of `ip netns exec` this file's host names; returns whether it works."""
    try:
        for one in namespaces:
            (NAMES / one).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(hosts, NAMES / one / "hosts")
    except OSError:  # `/etc` may be read-only
        return False
    return True


def forget_names(identity: str) -> None:
    """Take away the names that `tell_names` wrote for a lab.

    Raises:
        OSError: They could not be taken away.
    """
    ours = [one for one in _names() if one.startswith(namespace(identity, ""))]
    for one in ours:
        shutil.rmtree(NAMES / one)
    if ours:
        with contextlib.suppress(OSError):  # it stays if it has other contents
            NAMES.rmdir()


def inode(path: str | Path) -> tuple[int, int] | None:
    """The identity of a namespace; None if this path has no namespace."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _namespaces() -> list[str]:
    return os.listdir(NETNS) if NETNS.is_dir() else []


def _names() -> list[str]:
    # Those of the machine are root's, and do not concern a lab in a user namespace.
    return [] if permission.is_inside() or not NAMES.is_dir() else os.listdir(NAMES)
