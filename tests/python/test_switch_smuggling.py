"""Requests that two readers could cut differently carry no second request past the switch."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from http2_client import DATA, END_HEADERS, END_STREAM, HEADERS, Client, asks, block, frame
from switch_servers import Backend, backends, connected, echo, get, switching

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CODING, LENGTH = b"Transfer-Encoding: chunked", b"Content-Length: "
ODD = [bytes([byte]) for byte in (0, 1, 8, 9, 11, 12, 13, 31, 32, 34, 44, 59, 127, 128, 160, 255)]
"""Control characters, blanks, marks that end words, and what only some readers take for blanks."""


def codings() -> Iterator[bytes]:
    """Lines that some readers take for a coding in chunks, and others do not."""
    for odd in ODD:
        yield odd + CODING
        yield CODING + odd
        yield CODING.replace(b":", odd + b":")
        yield CODING.replace(b": ", b":" + odd)
        yield CODING.replace(b"-", b"-" + odd)
        yield CODING.replace(b"chunked", b"chu" + odd + b"nked")
        yield CODING.replace(b"chunked", b"x" + odd + b"chunked")
        yield b"X: y" + odd + CODING
        yield b"X: y" + odd + b"\n" + CODING
    for value in (b"identity", b"cow", b"chunked, identity", b"gzip;q=1, chunked", b"chunked;a=b"):
        yield CODING.replace(b"chunked", value)
        yield CODING + b"\r\n" + CODING.replace(b"chunked", value)
    yield CODING.replace(b"-", b"_")
    yield CODING.replace(b": ", b":\r\n ")
    yield CODING.replace(b": ", b"\r\n: ")
    yield b"Connection: transfer-encoding\r\n" + CODING


def lengths(body: bytes) -> Iterator[bytes]:
    """Lines that some readers take for no body, and others for this one."""
    right = str(len(body)).encode()
    for odd in ODD:
        for value in (odd + b"0", b"0" + odd, odd + right, right + odd, b"0" + odd + right):
            yield LENGTH + value
        yield LENGTH.replace(b":", odd + b":") + right
    for value in (b"", b"+0", b"-0", b"0x0", b"0e0", b"0.0", right + b", 0", b"0\r\n " + right):
        yield LENGTH + value
        yield LENGTH + b"0\r\n" + LENGTH + value


def requests() -> Iterator[bytes]:
    """Requests with a hidden one in what may be their body, or may not."""
    for method in (b"GET", b"POST"):
        begin = method + b" /shown HTTP/1.1\r\nHost: a\r\n"
        chunks = b"0\r\n\r\n" + HIDDEN
        whole = LENGTH + str(len(chunks)).encode()
        for coding in codings():
            yield begin + whole + b"\r\n" + coding + b"\r\n\r\n" + chunks
            yield begin + coding + b"\r\n" + whole + b"\r\n\r\n" + chunks
        for length in lengths(HIDDEN):
            yield begin + length + b"\r\n\r\n" + HIDDEN


def answered(url: str, request: bytes) -> None:
    """Sends a request and a last one, and waits for the end of all answers."""
    with connected(url) as client:
        client.settimeout(30)
        try:
            client.sendall(request + LAST)
            while client.recv(65536):
                pass
        except ConnectionError:
            pass


def sound(server: Backend) -> bool:
    """Whether a server's requests are each whole, and none of them hidden in another's bytes."""
    framing = ("content-length:", "transfer-encoding:")
    lines = [head.lower().splitlines() for head in server.heads]
    once = (sum(line.startswith(framing) for line in head) <= 1 for head in lines)
    return "/hidden" not in server.targets and all(once)


def test_nothing_is_hidden_in_a_body_of_http1() -> None:
    """Behind a whole request the same bytes are one of their own: that they are read is seen."""
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        with ThreadPoolExecutor(8) as all_at_once:
            wanted = [one for one in requests() if not plainly_two(one)]
            list(all_at_once.map(lambda one: answered(proxy.url, one), wanted))
        assert sound(servers[0])
        assert servers[0].targets.count("/last") > 10, "those that all read alike go through"
        answered(proxy.url, b"GET /shown HTTP/1.1\r\nHost: a\r\n\r\n" + HIDDEN)
        assert "/hidden" in servers[0].targets
        assert get(proxy.url, "/next") == (200, "/next")


def plainly_two(request: bytes) -> bool:
    """Whether all readers see a request without a body, and then another."""
    fields = request.split(b"\r\n\r\n", 1)[0].split(b"\r\n")[2:]
    blanks = b" \t"
    return all(
        field.split(b":", 1)[0].lower() == b"content-length"
        and field.split(b":", 1)[1].strip(blanks) == b"0"
        for field in fields
    )


LENGTHS = ["", " ", "+0", "-0", "0x0", "0 ", " 0", "\t0", "0,0", "0, 0", "3 ", " 3", "3,3", "1e1"]
VALUES = [" a", "a ", "\ta", "a\t", " ", "\t", " \t a", "a, b "]


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_malformed_fields_of_http2_go_to_no_server(method: str) -> None:
    fields = [("content-length", length) for length in LENGTHS] + [("x-a", one) for one in VALUES]
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for field in fields:
            for body in (None, b"", b"abc", HIDDEN):
                with Client(proxy.url) as client:
                    client.ask(1, asks("/shown", field, method=method), body)
                    answer = client.body(1)
                    assert not answer or answer.startswith(b"400"), (field, body)
        assert servers[0].heads == []
        assert get(proxy.url, "/next") == (200, "/next")


@pytest.mark.parametrize("value", VALUES)
def test_malformed_trailers_of_http2_complete_no_request(value: str) -> None:
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        with Client(proxy.url) as client:
            head = frame(HEADERS, END_HEADERS, 1, block(asks("/shown", method="POST")))
            trailers = block([("x-sum", value)])
            client.send(head + frame(DATA, 0, 1, b"abc"))
            client.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, trailers))
            answer = client.body(1)
            assert answer is None or answer.startswith(b"400")
        assert servers[0].heads == []
        assert get(proxy.url, "/next") == (200, "/next")


def test_what_a_client_says_of_itself_goes_to_no_server() -> None:
    said = ["X-Real-IP", "X-Client-IP", "True-Client-IP", "X-Forwarded-Port", "x_real_ip"]
    more = "".join(f"{name}: 10.9.8.7\r\n" for name in said)
    with backends(echo) as servers:
        for behind, kept in ((False, 0), (True, len(said) - 1)):
            with switching("jsq", servers, behind_proxy=behind) as proxy:
                assert get(proxy.url, more=more)[0] == 200
            assert servers[0].heads[-1].count("10.9.8.7") == kept
