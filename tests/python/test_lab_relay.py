"""The relay at the far end of a link: it passes on the bytes, and the end of a connection.

Here it listens in this network namespace, so that the test does not need root.
"""

from __future__ import annotations

import hashlib
import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from ports import free_port

from thinktime.lab.relay import CHUNK_BYTES, Relay, listener_in, reached

PATIENCE_S = 60
ABORT = struct.pack("ii", 1, 0)


class Passing:
    """A relay, the server behind it, and a way to connect to it."""

    def __init__(self, server: socket.socket, relay: Relay) -> None:
        self.server, self.relay = server, relay

    def pair(self) -> tuple[socket.socket, socket.socket]:
        """Both ends of a new connection: the client's and the server's."""
        client = socket.create_connection(self.relay.listener.getsockname(), PATIENCE_S)
        server, _ = self.server.accept()
        server.settimeout(PATIENCE_S)
        return client, server

    def wait_until_over(self) -> None:
        """Until the relay holds no connection any more; not for ever."""
        end = time.monotonic() + PATIENCE_S
        while self.relay.sides and time.monotonic() < end:
            time.sleep(0.01)
        assert not self.relay.sides


@contextmanager
def passing(targets: list[tuple[str, int]] | None = None) -> Iterator[Passing]:
    with socket.create_server(("127.0.0.1", free_port())) as server:
        server.settimeout(PATIENCE_S)
        listener = socket.create_server(("127.0.0.1", 0))
        places = [server.getsockname()] if targets is None else targets
        relay = Relay(listener, [(socket.AF_INET, place) for place in places])
        threading.Thread(target=relay.work, daemon=True).start()
        yield Passing(server, relay)


def abort(one: socket.socket) -> None:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
    one.close()


def all_of(one: socket.socket) -> bytes:
    """The bytes until the other side ends its sending."""
    parts = []
    while part := one.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def test_each_direction_ends_by_itself() -> None:
    """A client that has ended its sending still receives the server's bytes."""
    with passing() as found:
        client, server = found.pair()
        client.sendall(b"a question")
        client.shutdown(socket.SHUT_WR)
        assert all_of(server) == b"a question"
        server.sendall(b"an answer")
        server.close()
        assert all_of(client) == b"an answer"
        client.close()
        found.wait_until_over()
    assert found.relay.counts == {"accepted": 1, "refused": 0, "reset": 0}


def test_large_transfers_both_ways_at_once_arrive_as_they_were() -> None:
    """With pauses of the readers, which hold up the sender. 20 MB, drawn with a seed."""
    draw = random.Random(1)
    questions, answers = draw.randbytes(20_000_000), draw.randbytes(20_000_001)
    with passing() as found:
        client, server = found.pair()
        heard: dict[str, str] = {}

        def talk(name: str, one: socket.socket, what: bytes) -> None:
            def say() -> None:
                one.sendall(what)
                one.shutdown(socket.SHUT_WR)

            saying = threading.Thread(target=say)
            saying.start()
            time.sleep(0.2)
            heard[name] = hashlib.sha256(all_of(one)).hexdigest()
            saying.join()

        both = [
            threading.Thread(target=talk, args=one)
            for one in (("client", client, questions), ("server", server, answers))
        ]
        for one in both:
            one.start()
        for one in both:
            one.join(PATIENCE_S)
        found.wait_until_over()
    assert heard["server"] == hashlib.sha256(questions).hexdigest()
    assert heard["client"] == hashlib.sha256(answers).hexdigest()


def test_who_sends_more_than_is_read_is_held_up() -> None:
    """The relay holds one chunk, and the kernel the contents of its buffers."""
    with passing() as found:
        client, server = found.pair()
        client.settimeout(0.5)
        sent = 0
        with suppress(TimeoutError):
            while sent < 1 << 28:
                sent += client.send(bytes(1 << 16))
        assert sent < 1 << 28
        held = [len(side.held) for side in found.relay.sides.values()]
        assert 0 < max(held) <= CHUNK_BYTES
        client.shutdown(socket.SHUT_WR)
        assert len(all_of(server)) == sent
        abort(server)
        found.wait_until_over()


@pytest.mark.parametrize("who", ["client", "server"])
def test_an_abort_reaches_the_other_side(who: str) -> None:
    with passing() as found:
        client, server = found.pair()
        client.sendall(b"half of a ques")
        assert server.recv(100) == b"half of a ques"
        ends = {"client": (client, server), "server": (server, client)}[who]
        abort(ends[0])
        with pytest.raises(ConnectionResetError):
            ends[1].recv(100)
        found.wait_until_over()
    assert found.relay.counts["reset"] == 1


def ask(where: tuple[str, int]) -> None:
    """It may be refused while it connects, if the relay is quick, or before or after it sends."""
    with socket.create_connection(where, PATIENCE_S) as client:
        client.sendall(b"x")
        assert client.recv(1)


def test_a_client_whose_target_refuses_sees_a_reset() -> None:
    """It is connected already when the relay hears of it: honest is to abort, and to count."""
    with passing([("127.0.0.1", free_port())]) as found:
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            ask(found.relay.listener.getsockname())
        found.wait_until_over()
    assert found.relay.counts["refused"] == 1
    assert found.relay.why == "Connection refused"


def test_many_connections_stay_apart() -> None:
    with passing() as found:
        pairs = []
        for number in range(200):
            client, server = found.pair()
            client.sendall(b"%d" % number)
            pairs.append((client, server))
        for number, (client, server) in enumerate(pairs):
            assert server.recv(100) == b"%d" % number
            server.sendall(b"to %d" % number)
            server.close()
            assert all_of(client) == b"to %d" % number
            client.close()
        found.wait_until_over()
    assert found.relay.counts == {"accepted": 200, "refused": 0, "reset": 0}


def test_the_first_target_that_takes_a_connection_says_which_are_used() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        nobody = (int(socket.AF_INET), ("127.0.0.1", free_port()))
        there = (int(socket.AF_INET), server.getsockname())
        other = (int(socket.AF_INET6), ("::1", 1))
        assert reached([nobody, other, there]) == [nobody, there]
        with pytest.raises(ConnectionRefusedError):
            reached([nobody])
        with pytest.raises(OSError, match="assign"):
            reached([])


def test_a_namespace_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        listener_in(str(tmp_path / "none"), ("127.0.0.1", 0))
