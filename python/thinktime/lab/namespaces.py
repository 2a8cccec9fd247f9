"""Hosts: network namespaces, and the way programs run in them."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import TypeVar

from thinktime import RunError
from thinktime.lab import permission, places
from thinktime.lab.relay import CLONE_NEWNET

Made = TypeVar("Made")

ENTER = 'mount --bind "$0" /etc/hosts && exec setpriv --pdeathsig KILL -- "$@"'
"""Gives a program the lab's host names, in a mount namespace of its own, and ends it with us."""


class Namespace:
    """The network namespace of a host."""

    def __init__(self, identity: str, host: str, number: int) -> None:
        """Name it; nothing is made."""
        self.host, self.number = host, number
        self.name = places.namespace(identity, host)
        self.path = places.NETNS / self.name
        self.address = places.address(number)
        self.block = places.block(number)
        self._hosts = places.folder(identity) / "hosts"

    def make(self) -> None:
        """Make it, with its own address on the loopback device and nothing else."""
        if permission.is_inside():
            # `ip netns` would return to a namespace that is not this user's.
            places.NETNS.mkdir(exist_ok=True)
            self.path.touch()
            run(["unshare", f"--net={self.path}", "true"])
        else:
            run(["ip", "netns", "add", self.name])
        self.ip("link set lo up", f"address add {self.address}/32 dev lo")
        # Autoconfiguration would send unrequested packets.
        self.set("net/ipv6/conf/all/disable_ipv6", "1", there_only=True)

    def ip(self, *commands: str) -> None:
        """Run a command of `ip` in this namespace."""
        run(["ip", "-n", self.name, "-batch", "-"], "\n".join(commands))

    def set(self, name: str, value: str, there_only: bool = False) -> None:
        """Set a parameter of the kernel for this namespace."""
        script = f'[ ! -e /proc/sys/{name} ] || echo "$1" >/proc/sys/{name}'
        if not there_only:
            script = f'echo "$1" >/proc/sys/{name}'
        run(self.plain(["sh", "-c", script, "sh", value]))

    def plain(self, words: Sequence[str]) -> list[str]:
        """The command that runs these words in the namespace."""
        return ["nsenter", f"--net={self.path}", "--", *words]

    def words(self, words: Sequence[str]) -> list[str]:
        """Like `plain`, as a program of the lab: it knows the hosts, and is killed if we are."""
        inside = ["unshare", "--mount", "--propagation", "slave", "sh", "-c", ENTER]
        return self.plain([*inside, str(self._hosts), *words])


def within(namespace: Path, make: Callable[[], Made]) -> Made:
    """What `make` makes in a network namespace: all sockets of it and of the threads it starts.

    This thread stays where it is.

    Raises:
        OSError: There is no such namespace, or it may not be entered.
    """
    made: list[Made] = []
    errors: list[BaseException] = []

    def enter() -> None:
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            with open(namespace, "rb") as there:
                if libc.setns(there.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            made.append(make())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=enter)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return made[0]


def run(words: Sequence[str], said: str = "") -> str:
    """Run a command that has to succeed; returns its output.

    Raises:
        RunError: It fails; the message is its output.
    """
    done = subprocess.run(words, input=said, capture_output=True, text=True)
    if done.returncode:
        why = " ".join((done.stderr or done.stdout).split()) or f"status {done.returncode}"
        raise RunError(f"`{' '.join(words)}`: {why}")
    return done.stdout


def listens(pid: int, port: int) -> bool:
    """Whether a TCP port in the network namespace of a process is listened on."""
    wanted = f":{port:04X}"
    for name in ("tcp", "tcp6"):
        try:
            lines = Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
        except OSError:
            continue
        fields = (line.split() for line in lines)
        if any(one[1].endswith(wanted) and one[3] == "0A" for one in fields):
            return True
    return False
