"""Clients of HTTP/1 that rest between requests, and bytes that pass while nobody reads."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from ports import free_port
from switch_servers import Backend, backends, body_of, connected, echo, get, sent, switching, system
from test_switch_metrics import until

import thinktime as tt


def asked(client: socket.socket, reader: Any, target: str) -> bytes:
    """The body of the answer to a request on a connection that stays."""
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return body_of(reader)


def resident_kib(pid: int) -> int:
    """The resident memory of a process."""
    text = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in text.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1])


@pytest.mark.parametrize("more", ["", f"Max-Forwards: 1\r\nX: {'x' * 7800}\r\n"])
def test_who_rests_has_no_buffers(tmp_path: Path, more: str) -> None:
    """Two buffers of 8 KiB for each of 1,000 clients were 16 MiB."""
    (tmp_path / "c.toml").write_text(system(1, "jsq").to_toml())
    command = [str(Path(sys.executable).with_name("thinktime")), "switch", "c.toml"]
    with backends(echo) as servers, ExitStack() as opened:
        port = free_port()
        command += ["--listen", f"127.0.0.1:{port}", "--server", servers[0].url]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b"switching on ")
            url = f"http://127.0.0.1:{port}"
            assert get(url, "/first") == (200, "/first")
            before = resident_kib(process.pid)
            for number in range(1000):
                client = opened.enter_context(connected(url))
                target = f"/{number}"
                client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n{more}\r\n".encode())
                assert client.recv(65536).endswith(target.encode())
            assert resident_kib(process.pid) - before < 12 * 1024
        finally:
            process.kill()
            process.wait()


def test_who_has_rested_is_answered_however_he_goes_on() -> None:
    """Whole, in pieces, several at once, and after lines without a word."""
    with (
        backends(echo) as servers,
        switching("jsq", servers) as proxy,
        connected(proxy.url) as client,
        client.makefile("rb") as reader,
    ):
        for number in range(5):
            assert asked(client, reader, f"/{number}") == f"/{number}".encode()
            time.sleep(0.01)
        client.sendall(b"\r\n")
        time.sleep(0.05)
        for byte in b"GET /bytes HTTP/1.1\r\nHost: a\r\n\r\n":
            client.sendall(bytes([byte]))
            time.sleep(0.001)
        assert body_of(reader) == b"/bytes"
        many = "".join(f"GET /many{n} HTTP/1.1\r\nHost: a\r\n\r\n" for n in range(40))
        client.sendall(many.encode() + b"GET /last HTTP/1.1\r\nHo")
        assert [body_of(reader) for _ in range(40)] == [f"/many{n}".encode() for n in range(40)]
        time.sleep(0.05)
        client.sendall(b"st: a\r\n\r\n")
        assert body_of(reader) == b"/last"


def test_answers_reach_who_reads_them_late() -> None:
    """More than sockets hold is answered before the client reads anything of it."""
    body = b"x" * 4_000_000

    def large(_: Backend, connection: socket.socket, __: str) -> bool:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        return True

    with (
        backends(large) as servers,
        switching("jsq", servers) as proxy,
        connected(proxy.url) as client,
        client.makefile("rb") as reader,
    ):
        for _ in range(3):
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            time.sleep(0.2)
            assert body_of(reader) == body


def test_who_has_read_nothing_yet_does_not_rest() -> None:
    """With these sizes at least one leaves its end in the switch, while sockets hold the rest of
    it.

    The switch itself holds some 64 KiB of a response, sockets some 2.8 MB with the kernel's usual
    limits. Through so small a window megabytes take long on a slow machine, so the last client may
    wait for its turn longer than clients, and bodies, usually may.
    """

    def sized(_: Backend, connection: socket.socket, target: str) -> bool:
        size = int(target[1:])
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        connection.sendall(b"x" * size)
        return True

    with (
        backends(sized) as servers,
        switching("jsq", servers, client="10min", idle="10min") as proxy,
        ExitStack() as opened,
    ):
        host, port = proxy.url.removeprefix("http://").split(":")
        clients = []
        for size in range(1_000_000, 4_500_000, 48_000):
            client = opened.enter_context(socket.socket())
            # A small one, so that the switch's own does not grow either.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(300)
            client.connect((host, int(port)))
            client.sendall(f"GET /{size} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            clients.append((client, size))
        # Longer than buffers are held for a client that sends no request.
        time.sleep(1)
        for client, size in clients:
            with client.makefile("rb") as reader:
                assert len(body_of(reader)) == size


def test_a_client_may_rest_as_long_as_it_may_and_no_longer() -> None:
    """Each request restarts the time; a part of a head does not."""
    given = {"client": "600ms", "metrics": "127.0.0.1:0"}
    with backends(echo) as servers, switching("jsq", servers, **given) as proxy:
        with connected(proxy.url) as client, client.makefile("rb") as reader:
            for number in range(6):
                assert asked(client, reader, f"/{number}") == f"/{number}".encode()
                time.sleep(0.2)
            assert reader.read() == b""
        with connected(proxy.url) as client, client.makefile("rb") as reader:
            assert asked(client, reader, "/x") == b"/x"
            begun = threading.Event()

            def drip() -> None:
                try:
                    for byte in b"GET /" + b"x" * 1000:
                        client.sendall(bytes([byte]))
                        begun.set()
                        time.sleep(0.05)
                except OSError:
                    pass

            dripping = threading.Thread(target=drip)
            dripping.start()
            assert begun.wait(300)
            with suppress(ConnectionResetError):
                assert reader.read() == b""
            dripping.join()
        until(proxy, "client_connections", 0)


def test_a_body_goes_on_while_its_early_answer_is_not_read() -> None:
    """A server that answers at once, with more than sockets hold, still gets all of the body."""
    size = 8_000_000
    got = bytearray()
    all_got = threading.Event()

    def early(_: Backend, connection: socket.socket, __: str) -> bool:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size
        sending = threading.Thread(target=connection.sendall, args=(head + b"y" * size,))
        sending.start()
        while len(got) < size:
            got.extend(connection.recv(65536))
        all_got.set()
        sending.join()
        return False

    class Early(Backend):
        def _serve(self, connection: socket.socket) -> None:
            with connection:
                text = b""
                while not text.endswith(b"\r\n\r\n"):
                    text += connection.recv(1)
                early(self, connection, "/")

    server = Early(early)
    with switching("jsq", [server]) as proxy, connected(proxy.url) as client:
        head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size
        client.sendall(head)
        # So that the answer has begun when the body comes.
        time.sleep(0.3)
        client.sendall(b"x" * size)
        with client.makefile("rb") as reader:
            assert body_of(reader) == b"y" * size
        # The answer may be whole before the body is.
        assert all_got.wait(300)
    server.close()
    assert len(got) == size


def test_the_way_is_counted_down() -> None:
    """RFC 9110, section 7.6.2: at 0 the switch answers itself, without secrets."""
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        assert get(proxy.url, "/a", "Max-Forwards: 3\r\n", "OPTIONS") == (200, "/a")
        assert get(proxy.url, "/b", "Max-Forwards: 0\r\n") == (200, "/b")
        status, text = get(proxy.url, "/c", "Max-Forwards: 0\r\nCookie: s=1\r\n", "TRACE")
        came = sent(proxy.url, b"OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n"
                    b"Connection: close\r\n\r\n")  # fmt: skip
        assert get(proxy.url, "/d", "Max-Forwards: many\r\n", "OPTIONS")[0] == 400
        done = proxy.stop()
    assert (status, text.splitlines()[0]) == (200, "TRACE /c HTTP/1.1")
    assert "max-forwards: 0" in text
    assert "s=1" not in text
    assert came.startswith(b"HTTP/1.1 204 ")
    assert b"\r\nallow: GET, HEAD" in came
    assert servers[0].targets == ["/a", "/b"]
    assert "\r\nmax-forwards: 2\r\n" in servers[0].heads[0]
    assert "\r\nmax-forwards: 0\r\n" in servers[0].heads[1]
    assert done is not None
    assert (done.passed, done.refused) == (2, 1)


@pytest.mark.parametrize(("bytes_", "status"), [(60_000, 200), (66_000, 502)])
@pytest.mark.parametrize("ends", [True, False])
def test_heads_of_responses_have_64_kib(bytes_: int, status: int, ends: bool) -> None:
    """Whether or not they end."""

    def talks(_: Backend, connection: socket.socket, __: str) -> bool:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: "
        end = b"\r\n\r\n" if ends or status == 200 else b""
        connection.sendall(head + b"x" * (bytes_ - len(head) - len(end)) + end)
        return status == 200 or not connection.recv(1)

    given = {"failures": 1000, "retries": 0}
    with backends(talks) as servers, switching("jsq", servers, **given) as proxy:
        assert get(proxy.url)[0] == status


def test_a_seed_that_is_none_is_said_in_words() -> None:
    workload = tt.Workload('name = "w"\n[arrivals]\nmodel = "open"\nrate = "1/s"\n')
    for wrong in (-1, 2**64, 1.5, "x"):
        seed: Any = wrong
        why = f'seed: must be a whole number.*, not "?{wrong}'
        with pytest.raises(tt.InputError, match=why):
            tt.switch(system(1, "jsq"), ["http://127.0.0.1:1"], seed=seed)
        with pytest.raises(tt.InputError, match=why):
            tt.simulate(workload, "exp(1ms)", requests=1, seed=seed)
        with pytest.raises(tt.InputError, match=why):
            tt.serve(system(1, "jsq"), seed=seed)
