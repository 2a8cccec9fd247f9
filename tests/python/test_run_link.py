"""`run --link`: a run whose connections cross a link, and leaves nothing behind.

The links' own delays, losses and rates are tested with the lab (`test_lab_links`). Assertions about
times are lower bounds here, which a busy machine does not break.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
import threading
from pathlib import Path

import cases
import labs
import pytest
from labs import THINKTIME, WAIT_S
from ports import free_port
from real_runs import trusted_or_late
from run_links import OK, ONE_CLIENT, nothing_left, serving, started, url
from test_https import tls_server

import thinktime as tt

pytestmark = pytest.mark.usefixtures("no_other_labs")
"""What is on the machine is compared."""


def test_a_run_sees_the_delay_and_its_server_what_it_always_sees() -> None:
    """The connection is kept: a request takes a round trip, the first two, as its connection is set
    up. The server finds the target's name in the request, and its own machine as the client."""
    heads, clients = [], set()

    def answer(one: socket.socket, head: bytes) -> bytes:
        heads.append(head)
        clients.add(one.getpeername()[0])
        return OK

    with nothing_left(), serving(answer) as server:
        target = url(server, "shop.test")
        resolve = [f"{target[7:]}:127.0.0.1"]
        result = tt.run(ONE_CLIENT, target, link="delay = 50ms", requests=5, resolve=resolve)
    assert trusted_or_late(result)
    times, link = result.summary["response_time_s"], result.summary["link"]
    assert (result.summary["requests"], result.summary["errors"]) == (5, 0)
    assert times["min"] >= 0.1
    assert times["max"] >= 0.2
    assert link["asked"] == "delay = 50ms"
    assert link["to_target"]["came"] >= 5
    assert link["to_target"]["lost"] == link["from_target"]["lost"] == 0
    assert any("the run crossed a link (delay = 50ms; reno)" in s for s in result.summary["notes"])
    assert clients == {"127.0.0.1"}
    assert all(f"\r\nHost: {target[7:]}\r\n".encode() in head for head in heads)
    assert result.target == target


def test_with_a_proxy_the_link_is_on_the_way_to_it() -> None:
    heads = []

    def answer(_one: socket.socket, head: bytes) -> bytes:
        heads.append(head)
        return OK

    with nothing_left(), serving(answer) as proxy:
        given = {"proxy": url(proxy), "link": "delay = 20ms", "requests": 2}
        result = tt.run(ONE_CLIENT, "http://shop.test", **given)
    assert (result.summary["requests"], result.summary["errors"]) == (2, 0)
    assert result.summary["response_time_s"]["min"] >= 0.04
    assert all(head.startswith(b"GET http://shop.test") for head in heads)


def test_tls_is_spoken_with_the_target_itself(tmp_path: Path) -> None:
    """The relay has no certificate: the target's is checked, for the target's own name."""
    with nothing_left(), tls_server(tmp_path) as target:
        given = {"ca_file": tmp_path / "own.crt", "link": "delay = 20ms", "requests": 3}
        result = tt.run(ONE_CLIENT, target, **given)
        other = target.replace("127.0.0.1", "localhost")
        named = tt.run(ONE_CLIENT, other, **given, ip_version=4)
    assert result.summary["errors"] == 0
    assert result.summary["response_time_s"]["min"] >= 0.04
    assert set(named.summary["errors_by_kind"]) == {"tls_certificate"}


def test_losses_are_counted_and_made_up_for() -> None:
    """Of N packets 10 % are lost within five standard deviations, which one seed in a million
    would miss, and the seed is fixed. TCP repairs all of them."""
    with nothing_left(), serving(lambda _one, _head: OK) as server:
        workload = cases.closed_model(10, "0ms")
        result = tt.run(workload, url(server), link="loss = 10%, delay = 1ms", requests=300)
    assert (result.summary["requests"], result.summary["errors"]) == (300, 0)
    for way in ("to_target", "from_target"):
        counted = result.summary["link"][way]
        came = counted["came"]
        assert came >= 300
        assert abs(counted["lost"] - 0.1 * came) <= 5 * (0.09 * came) ** 0.5
    # A packet that had to be sent again was missing for a retransmission timeout or a probe.
    assert result.summary["response_time_s"]["max"] >= 0.01


@pytest.mark.parametrize("more", ["", ", delay = 1ms"], ids=["kernel", "program"])
def test_a_response_takes_as_long_as_the_rate_says(more: str) -> None:
    """1 MB over 10 Mbit/s: 0.8 s and the headers of its packets, minus the content of the buckets
    of the kernel's `tbf`."""
    large = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + bytes(1_000_000)
    with nothing_left(), serving(lambda _one, _head: large) as server:
        link = f"rate = 10Mbit/s{more}"
        result = tt.run(ONE_CLIENT, url(server), link=link, requests=2)
    assert result.summary["errors"] == 0
    assert result.summary["response_time_s"]["min"] >= 0.79


def test_ends_and_resets_of_the_server_reach_the_clients() -> None:
    """A response that ends with its connection is whole; one that is aborted is a reset."""
    number = 0

    def answer(one: socket.socket, _head: bytes) -> bytes | None:
        nonlocal number
        number += 1
        if number % 2:
            one.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end")
        else:
            one.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbroken")
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return None

    with nothing_left(), serving(answer) as server:
        result = tt.run(ONE_CLIENT, url(server), link="delay = 5ms", requests=10)
    assert result.summary["requests"] == 10
    assert result.summary["errors"] == 5
    assert set(result.summary["errors_by_kind"]) <= {"reset", "closed"}


def test_a_target_that_is_not_there_is_no_run() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with nothing_left(), pytest.raises(tt.RunError) as error:
        tt.run(ONE_CLIENT, nobody, link="delay = 5ms")
    assert str(error.value) == f"{nobody} cannot be reached: Connection refused"


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("loss = 99.99%", "nothing comes over the link (loss = 99.99%; reno)"),
        ("delay = 20s", "nothing comes over the link (delay = 20s; reno)"),
        ("delay = 4s", "nothing comes back over the link (delay = 4s; reno)"),
    ],
)
def test_a_link_that_nothing_comes_over_is_not_taken_for_the_target(link: str, told: str) -> None:
    """A connection that is not there after 5 s does not come about. Of three packets at a loss of
    99.99 % one passes with one seed in 3,000, and the seed is fixed."""
    answered = serving(lambda _one, _head: OK)
    with nothing_left(), answered as server, pytest.raises(tt.RunError) as error:
        tt.run(ONE_CLIENT, url(server), link=link)
    said = str(error.value)
    assert said.startswith(f"{told}; packets to the target: ")
    place = url(server).removeprefix("http://")
    assert f"The target is not the cause: without the link {place} takes connections" in said
    assert "cannot be reached" not in said


def test_a_link_of_a_file_that_nothing_comes_over_is_named(tmp_path: Path) -> None:
    (tmp_path / "wan.toml").write_text('[[link]]\nname = "wan"\ndelay = "20s"\n')
    (tmp_path / "w.toml").write_text(ONE_CLIENT.to_toml())
    with nothing_left(), serving(lambda _one, _head: OK) as server:
        words = ["--target", url(server), "--link", "wan.toml"]
        done = subprocess.run(
            [*THINKTIME, "run", "w.toml", *words], cwd=tmp_path, capture_output=True, text=True,
            timeout=WAIT_S,
        )  # fmt: skip
    assert done.returncode == 3
    said = " ".join(done.stderr.split())
    assert "error: nothing comes over the link of wan.toml (delay = 20s; reno)" in said


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("/lab/relay.py", "the relay behind the link ended, or was stopped, before the run ended"),
        ("/lab/forwarder.py", "the program that carries the link clients-target ended, or was"),
    ],
)
@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
def test_a_link_whose_program_does_not_last_spoils_the_result(
    program: str, told: str, how: signal.Signals, tmp_path: Path
) -> None:
    """Three requests are answered before it is stopped, so that not all of them fail."""
    number = 0

    def answer(_one: socket.socket, _head: bytes) -> bytes:
        nonlocal number
        number += 1
        if number == 4:
            (one,) = labs.programs(program, process.pid)
            os.kill(one, how)
        return OK

    with nothing_left(), serving(answer) as server:
        words = ["--target", url(server), "--link", "delay = 1ms", "--duration", "1s"]
        process = started(tmp_path, *words, "--drain", "0.1s", "-o", "out")
        _, said = process.communicate(timeout=WAIT_S)
    assert number >= 4
    assert process.returncode == 3, said
    assert f"not to be trusted: {told}" in " ".join(said.split())
    read = tt.Result.load(tmp_path / "out")
    assert read.summary["requests"] > read.summary["errors"]
    assert read.untrusted is not None
    assert read.untrusted.startswith(told)
    assert any(one.name == "link" and one.verdict == "not to be trusted" for one in read.validity)


def test_a_target_that_goes_away_is_told_of() -> None:
    """Over the link clients have their connections before the target can refuse them."""

    def close_soon(listener: socket.socket) -> None:
        # The relay looks whether it is there, and so does the generator.
        for _ in range(2):
            listener.accept()[0].close()
        listener.close()

    with nothing_left(), socket.create_server(("127.0.0.1", free_port())) as listener:
        threading.Thread(target=close_soon, args=(listener,)).start()
        target = f"http://127.0.0.1:{listener.getsockname()[1]}"
        result = tt.run(ONE_CLIENT, target, link="delay = 5ms", requests=5)
    assert (result.summary["requests"], result.summary["errors"]) == (5, 5)
    warnings = "\n".join(result.summary["warnings"])
    assert re.search(r"\d+ connections were not taken by the target \(Connection ref", warnings)


def test_several_loops_cross_the_link() -> None:
    with nothing_left(), serving(lambda _one, _head: OK) as server:
        workload = cases.closed_model(4, "0ms")
        result = tt.run(workload, url(server), link="delay = 20ms", requests=20, loops=2)
    assert (result.summary["requests"], result.summary["errors"]) == (20, 0)
    assert result.summary["response_time_s"]["min"] >= 0.04


def test_a_result_says_which_link_it_crossed_and_is_done_again_over_it(tmp_path: Path) -> None:
    (tmp_path / "wan.toml").write_text('[[link]]\nname = "wan"\ndelay = "20ms"\n')
    with nothing_left(), serving(lambda _one, _head: OK) as server:
        given = str(tmp_path / "wan.toml")
        output = tmp_path / "out"
        first = tt.run(ONE_CLIENT, url(server), link=given, requests=3, output=output)
        (tmp_path / "wan.toml").unlink()
        again = tt.again(output)
    read = tt.Result.load(output)
    assert read.options["link"] == "delay = 20ms"
    assert read.summary["link"] == first.summary["link"]
    assert read.summary["notes"] == first.summary["notes"]
    assert again.summary["link"]["asked"] == "delay = 20ms"
    assert again.summary["response_time_s"]["min"] >= 0.04
    page = tt.report([read], tmp_path / "report.html").read_text()
    assert "delay = 20ms" in page
