"""Servers that are bad in every way, and clients that are: an answer or an honest error, always."""

from __future__ import annotations

import resource
import socket
import struct
import threading
import time
from pathlib import Path

import pytest
from nginx_server import free_port
from switch_servers import Backend, backends, connected, echo, get, says, sent, switching

from thinktime.operations.content_switch import SwitchTotals


def hang(_: Backend, connection: socket.socket, __: str) -> bool:
    """Takes the request, and does not answer."""
    connection.recv(1)
    return False


def reset(_: Backend, connection: socket.socket, __: str) -> bool:
    """Resets the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def reset_in_body(server: Backend, connection: socket.socket, target: str) -> bool:
    """Resets it in the middle of the body."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 50_000)
    time.sleep(0.1)  # what was sent is to be read before the reset
    return reset(server, connection, target)


ANSWERS = {
    "garbage": b"\x00\xff this is not HTTP\r\n\r\n",
    "nothing": b"",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "a bad length": b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    "a long head": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
}


@pytest.mark.parametrize("what", ANSWERS)
def test_what_is_no_answer_is_said_to_be_none(what: str) -> None:
    """One server, so that no other can be tried."""
    with backends(says(ANSWERS[what])) as servers, switching("jsq", servers) as proxy:
        assert [get(proxy.url)[0] for _ in range(2)] == [502, 502]
        done = proxy.stop()
    assert done is not None
    assert (done.passed, done.refused, done.failures) == (0, 2, [2])


def test_servers_that_refuse_hang_or_reset_cost_no_answer() -> None:
    """Whatever the first server does, a request that may be repeated gets the other's answer."""
    with backends(hang, reset, echo) as (hangs, resets, good):
        nobody = f"http://127.0.0.1:{free_port()}"
        for bad in (nobody, hangs, resets):
            given = {"first_byte": "200ms", "failures": 1000}
            with switching("round-robin", [bad, good], **given) as proxy:
                answers = [get(proxy.url, f"/{n}") for n in range(4)]
                assert answers == [(200, f"/{n}") for n in range(4)]
                # A request that may have a double effect is not tried twice, once it has been sent.
                refused = [get(proxy.url, "/post", method="POST")[0] for _ in range(2)]
                done = proxy.stop()
            assert done is not None
            assert done.failures == [3, 0]
            wanted = {nobody: 200, hangs.url: 504, resets.url: 502}
            assert sorted(refused) == sorted([200, wanted[getattr(bad, "url", nobody)]])


def test_a_server_that_keeps_failing_is_left_alone_and_tried_again() -> None:
    down = [True]

    def fails(server: Backend, connection: socket.socket, target: str) -> bool:
        return (reset if down[0] else echo)(server, connection, target)

    given = {"failures": 2, "closed": "300ms"}
    with backends(fails, echo) as servers, switching("round-robin", servers, **given) as proxy:
        for number in range(12):
            assert get(proxy.url, f"/{number}") == (200, f"/{number}")
        assert len(servers[0].heads) < 12 / 2
        down[0] = False
        time.sleep(0.4)
        for number in range(4):
            assert get(proxy.url, f"/again{number}") == (200, f"/again{number}")
        assert sum(target.startswith("/again") for target in servers[0].targets) == 2


def test_where_no_server_is_left_the_client_is_told() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with switching("jsq", [nobody], failures=1, closed="24h") as proxy:
        assert get(proxy.url) == (502, "502: the server takes no connection\n")
        assert get(proxy.url) == (503, "503: no server takes requests\n")


def test_a_body_without_end_is_no_answer() -> None:
    """The client must see that something is missing: fewer bytes than were promised."""
    with backends(reset_in_body) as servers, switching("jsq", servers) as proxy:
        came = sent(proxy.url, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        done = proxy.stop()
    head, _, body = came.partition(b"\r\n\r\n")
    assert b"content-length: 100000" in head.lower()
    assert 0 < len(body) < 100_000
    assert set(body) == {ord("x")}
    assert done is not None
    assert done.failures == [1]


def test_a_kept_connection_that_was_closed_is_no_failure() -> None:
    """The server answers once on each connection, and then closes it without a word."""

    def once(server: Backend, connection: socket.socket, target: str) -> bool:
        echo(server, connection, target)
        return False

    with backends(once) as servers, switching("jsq", servers) as proxy:
        with connected(proxy.url) as client, client.makefile("rb") as reader:
            for number in range(20):
                client.sendall(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % number)
                assert reader.readline().startswith(b"HTTP/1.1 200 ")
                while reader.readline().strip():
                    pass
                assert reader.read(len(f"/{number}")) == b"/%d" % number
        done = proxy.stop()
    assert done is not None
    assert (done.passed, done.failures) == (20, [0])


HEAD = "POST /x HTTP/1.1\r\nHost: a\r\n"
SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
SMUGGLING = {
    "length and chunks": (
        f"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{SMUGGLED}"
    ),
    "chunks and length": (
        f"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n{SMUGGLED}"
    ),
    "two lengths": f"Content-Length: 0\r\nContent-Length: 9\r\n\r\n{SMUGGLED}",
    "a list of lengths": f"Content-Length: 0, 9\r\n\r\n{SMUGGLED}",
    "a folded line": f"X: y\r\n Content-Length: 9\r\n\r\n{SMUGGLED}",
    "a blank in a name": f"Content-Length : 9\r\n\r\n{SMUGGLED}",
    "a bare line feed": f"X: y\n\r\n{SMUGGLED}",
    "a bare carriage return": f"X: y\rContent-Length: 9\r\n\r\n{SMUGGLED}",
    "no coding": f"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{SMUGGLED}",
    "a coding twice": "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n"
    + SMUGGLED,
    "a chunk's bare line feed": f"Transfer-Encoding: chunked\r\n\r\n0;a\n\r\n{SMUGGLED}",
    "a chunk's extension": f"Transfer-Encoding: chunked\r\n\r\n0;a=b\r\n\r\n{SMUGGLED}",
    "a chunk's malformed extension": f"Transfer-Encoding: chunked\r\n\r\n0;=a\r\n\r\n{SMUGGLED}",
    "a chunk's malformed size": f"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n{SMUGGLED}",
    "a chunk that is too long": f"Transfer-Encoding: chunked\r\n\r\n1\r\naa\r\n0\r\n\r\n{SMUGGLED}",
}


@pytest.mark.parametrize("what", SMUGGLING)
@pytest.mark.parametrize("step", [1, 1_000_000])
def test_smuggling_is_refused(what: str, step: int) -> None:
    """400 and the end of the connection; nothing hidden reaches a server, in pieces or at once."""
    request = (HEAD + SMUGGLING[what]).encode()
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        with connected(proxy.url) as client:
            came = b""
            try:
                for at in range(0, len(request), step):
                    client.sendall(request[at : at + step])
                while part := client.recv(65536):
                    came += part
            except (ConnectionResetError, BrokenPipeError):
                pass
        assert get(proxy.url, "/after") == (200, "/after")
    assert came.count(b"HTTP/1.1 ") <= 1
    if step > 1:
        assert came.startswith(b"HTTP/1.1 400 "), came
    assert [target for target in servers[0].targets if "smuggled" in target] == []


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 501),
        (b"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", 431),
    ],
)
def test_malformed_requests_are_refused(request_: bytes, status: int) -> None:
    request_ = request_.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        assert sent(proxy.url, request_).split()[1] == str(status).encode()
    assert servers[0].heads == []


def test_requests_wait_where_the_policy_says_so() -> None:
    """LARD/R lets two requests in for two servers, low = 1 and high = 2; here one more may wait."""
    with backends(echo, echo) as servers:
        given = {"waiting": 1, "wait": "300ms"}
        held: list[socket.socket] = []
        with switching("lard-r(low=1, high=2)", servers, **given) as proxy:
            try:
                # A request whose body does not come is in progress.
                for number in range(4):
                    client = connected(proxy.url)
                    head = f"POST /{number} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"
                    client.sendall(head.encode())
                    held.append(client)
                    time.sleep(0.05)
                assert held[3].recv(1000).endswith(b"\r\n\r\n503: too many requests wait\n")
                late = held[2].recv(1000)
                assert late.endswith(b"\r\n\r\n503: the request has waited for too long\n")
                waits = threading.Thread(target=lambda: answers.append(get(proxy.url, "/waits")))
                answers: list[tuple[int, str]] = []
                waits.start()
                time.sleep(0.05)
                held[0].sendall(b"x")
                assert held[0].recv(1000).endswith(b"\r\n\r\n/0")
                waits.join()
                assert answers == [(200, "/waits")]
            finally:
                for client in held:
                    client.close()


def test_slow_clients_and_servers_cost_little_memory() -> None:
    """An unread body of 200 MB is not kept: the switch holds a bounded part of it."""
    size = 200_000_000

    def large(_: Backend, connection: socket.socket, __: str) -> bool:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        block = b"x" * 1_000_000
        for _ in range(size // len(block)):
            connection.sendall(block)
        return True

    with backends(large) as servers, switching("jsq", servers, idle="500ms") as proxy:
        before = _memory_bytes()
        with connected(proxy.url) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            time.sleep(0.4)
            grown = _memory_bytes() - before
            time.sleep(0.6)
            # The client has read nothing for too long: it is cut off.
            came = 0
            try:
                while part := client.recv(1 << 20):
                    came += len(part)
            except ConnectionResetError:
                pass
    assert grown < 40_000_000
    assert came < size


def _memory_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_who_sends_no_head_is_not_waited_for() -> None:
    with backends(echo) as servers, switching("jsq", servers, client="200ms") as proxy:
        with connected(proxy.url) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost:")
            client.settimeout(60)
            came = client.recv(1000)
        assert came == b"" or came.split()[1] == b"408"
    assert servers[0].heads == []


def test_a_body_that_stands_still_is_given_up() -> None:
    with backends(echo) as servers, switching("jsq", servers, idle="200ms") as proxy:
        with connected(proxy.url) as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            client.settimeout(60)
            assert client.recv(1000).split()[1] == b"408"
        done = proxy.stop()
    # That was the client's doing.
    assert done == SwitchTotals(0, 1, [0], [0])
