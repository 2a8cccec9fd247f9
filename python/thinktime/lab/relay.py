"""The program at the far end of a link: it passes connections on to a target outside of the lab.

It is started by its path, outside the package, and needs the standard library alone. It stays in
the network namespace in which it was started, which reaches the target. Its listener, and so every
connection that it accepts, belongs to a host's namespace. Its one argument is JSON (`namespace`,
`listen`, `targets`, `counts`). When it listens and one of the targets has taken a connection it
prints `ready`, otherwise the error. At the signal to end it writes its counts.

Bytes are passed on as they come. Each direction holds at most `CHUNK_BYTES`, and reads no more
until they are gone, so that TCP slows a sender that is too fast. The end of one side's data (FIN)
is passed on after all data before it. An abort (RST) is passed on at once, and held data is
dropped.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import itertools
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CLONE_NEWNET = 0x40000000
CHUNK_BYTES = 1 << 18
BACKLOG = 65535
"""The kernel limits it to its own maximum."""

ACCEPTED_MAX = 64
"""The most connections accepted before other events have their turn."""

REACH_S = 5.0
"""The time that the target may take to answer at the start."""

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER by which closing a socket aborts its connection."""


Target = tuple[int, tuple[object, ...]]
"""A family and an address of it."""


@dataclass(eq=False)
class Side:
    """One of the two sockets of a connection, and the data that waits to be written to it."""

    socket: socket.socket
    held: bytes = b""
    ended: bool = False
    """Whether it has ended its sending side."""

    mask: int = 0
    """The events for which the poller looks."""

    other: Side = field(init=False)
    connected: bool = True


class Relay:
    """All connections, and their counts."""

    def __init__(self, listener: socket.socket, targets: list[Target]) -> None:
        """`targets` are families and addresses, which new connections take in turn."""
        self.listener = listener
        self.targets: Iterator[Target] = itertools.cycle(targets)
        self.counts = {"accepted": 0, "refused": 0, "reset": 0}
        self.why = ""
        """The error of the first connection that the target did not take."""

        self.poller = select.epoll()
        self.sides: dict[int, Side] = {}
        self.buffer = bytearray(CHUNK_BYTES)
        listener.setblocking(False)
        self._listen(True)

    def work(self) -> None:
        """Pass on until a signal ends it."""
        listener = self.listener.fileno()
        while True:
            came = self.poller.poll()
            for number, events in came:
                if (side := self.sides.get(number)) is not None:
                    self._handle(side, events)
            # Last, so that no event of a closed socket is taken for one of a new socket.
            if any(number == listener for number, _ in came):
                self._accept()

    def _listen(self, wanted: bool) -> None:
        self.listening = wanted
        if wanted:
            self.poller.register(self.listener, select.EPOLLIN)
        else:
            self.poller.unregister(self.listener)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_MAX):
            client = None
            try:
                client, _ = self.listener.accept()
                family, address = next(self.targets)
                server = socket.socket(family, socket.SOCK_STREAM)
            except BlockingIOError:
                return
            except OSError as error:
                self._no_room(client, error)
                return
            self.counts["accepted"] += 1
            self._begin(Side(client), Side(server, connected=False), address)

    def _no_room(self, client: socket.socket | None, error: OSError) -> None:
        """No descriptors left: others wait until a connection has ended."""
        if client is not None:
            self._refuse(client, error.errno)
        if error.errno in (errno.EMFILE, errno.ENFILE) and self.sides:
            self._listen(False)

    def _begin(self, client: Side, server: Side, address: tuple[object, ...]) -> None:
        client.other, server.other = server, client
        for side in (client, server):
            side.socket.setblocking(False)
            side.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sides[side.socket.fileno()] = side
        failed = server.socket.connect_ex(address)
        if failed not in (0, errno.EINPROGRESS):
            self._not_taken(server, failed)
            return
        self._watch(client)
        self._watch(server)

    def _handle(self, side: Side, events: int) -> None:
        if not side.connected:
            failed = side.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failed:
                self._not_taken(side, failed)
                return
            side.connected = True
        try:
            if events & select.EPOLLERR and side.socket.getsockopt(
                socket.SOL_SOCKET, socket.SO_ERROR
            ):
                raise ConnectionResetError
            if side.held:
                self._write(side)
            if not side.ended and not side.other.held and side.other.connected:
                self._read(side)
        except OSError:
            self.counts["reset"] += 1
            self._close(side, reset=True)
            return
        if side.ended and side.other.ended and not side.held and not side.other.held:
            self._close(side, reset=False)
            return
        self._watch(side)
        self._watch(side.other)

    def _read(self, side: Side) -> None:
        """Take the data from this side, and hand it to the other one."""
        try:
            count = side.socket.recv_into(self.buffer)
        except BlockingIOError:
            return
        if count == 0:
            side.ended = True
            side.other.socket.shutdown(socket.SHUT_WR)
            return
        with memoryview(self.buffer) as whole:
            sent = _sent(side.other.socket, whole[:count])
            side.other.held = bytes(whole[sent:count])

    def _write(self, side: Side) -> None:
        sent = _sent(side.socket, memoryview(side.held))
        side.held = side.held[sent:]

    def _watch(self, side: Side) -> None:
        """Watch for this side's awaited events; with none awaited, not for errors either."""
        number, mask = side.socket.fileno(), 0
        if not side.connected or side.held:
            mask |= select.EPOLLOUT
        if not side.ended and not side.other.held and side.connected and side.other.connected:
            mask |= select.EPOLLIN
        if mask == side.mask:
            return
        if not side.mask:
            self.poller.register(number, mask)
        elif mask:
            self.poller.modify(number, mask)
        else:
            self.poller.unregister(number)
        side.mask = mask

    def _not_taken(self, server: Side, number: int) -> None:
        """The target refused a connection that its client already has: abort it."""
        self.counts["refused"] += 1
        self.why = self.why or os.strerror(number)
        self._close(server, reset=True)

    def _refuse(self, client: socket.socket, number: int | None) -> None:
        self.counts["refused"] += 1
        self.why = self.why or os.strerror(number or 0)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.close()

    def _close(self, side: Side, reset: bool) -> None:
        for one in (side, side.other):
            del self.sides[one.socket.fileno()]
            if reset:
                one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            one.socket.close()  # and the poller forgets it
            one.held = b""
        if not self.listening:
            self._listen(True)


def _sent(sink: socket.socket, chunk: memoryview) -> int:
    """The number of bytes of this that a socket takes now."""
    try:
        return sink.send(chunk)
    except BlockingIOError:
        return 0


def listener_in(namespace: str, address: tuple[str, int]) -> socket.socket:
    """A socket that listens in another network namespace, without a thread that stays there."""
    found: list[socket.socket | OSError] = []

    def listen() -> None:
        try:
            there = os.open(namespace, os.O_RDONLY)
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(there, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
            os.close(there)
            found.append(socket.create_server(address, backlog=BACKLOG))
        except OSError as error:
            found.append(error)

    # A thread has its own namespace, and this one ends with it.
    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


def reached(targets: list[Target]) -> list[Target]:
    """The targets of the family of the first one that takes a connection.

    Raises:
        OSError: None does; it is the error of the first.
    """
    first: OSError | None = None
    for family, address in targets:
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.settimeout(REACH_S)
            try:
                one.connect(address)
            except OSError as error:
                first = first or error
                continue
        return [target for target in targets if target[0] == family]
    raise first or OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))


def main() -> None:
    """Be the relay that the argument describes."""
    plan = json.loads(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        targets = reached([(family, tuple(address)) for family, address in plan["targets"]])
        relay = Relay(listener_in(plan["namespace"], tuple(plan["listen"])), targets)
    except OSError as error:
        print(error.strerror or error, flush=True)
        sys.exit(1)
    print("ready", flush=True)
    try:
        relay.work()
    finally:
        Path(plan["counts"]).write_text(json.dumps(relay.counts | {"why": relay.why}))


if __name__ == "__main__":
    main()
