"""The same bytes mean the same, whole and in pieces; and no server gets more than a strict reader
finds in them.

A plain request that comes whole passes without hyper; one that comes in pieces does not.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Sequence
from typing import Any

import pytest
from fuzzing import seeds
from strict_http import Request, requests
from switch_servers import Backend, backends, body_of, connected, echo, switching
from test_switch_plain import ask, head_of, in_pieces

import thinktime as tt

TARGETS = [
    "/",
    "/a?b?c",
    "//a/b",
    "/%",
    "/..",
    "/a:b@c",
    "/!$&'()*+,;=",
    "/a|b",
    '/"',
    "/#a",
    "/a b",
]
TARGETS += ["*", "a", "http://a/x", "/\x7f", "/a\tb", "/ä", "/" + "y" * 5000, "/\x0c", ""]
HOSTS = [
    "a:80",
    "A.b-c_d",
    "a:99999",
    "a:",
    ":80",
    "",
    "a..b",
    "-",
    "[::1]",
    "a b",
    "a@b",
    "a%20",
    "a/b",
]
NAMES = ["User-Agent", "Referer", "Cookie", "cookie", "Connection", "Keep-Alive", "TE", "Expect"]
NAMES += ["Content-Length", "Transfer-Encoding", "Upgrade", "Via", "Forwarded", "X-Forwarded-For"]
NAMES += ["X_Forwarded_For", "Max-Forwards", "Proxy-Connection", "HOST", "X#y", "X y", "", "X\x00"]
VALUES = [
    "",
    "keep-alive",
    "close",
    "x, keep-alive",
    "0",
    "00",
    "chunked",
    "a\tb",
    "\tx\t",
    "x\r",
    "\rx",
]
VALUES += [
    "x\x0c",
    "\x0cx",
    "x\x0b",
    "a\rb",
    "x\x00",
    "ä",
    "x\x7f",
    "\\",
    '"q"',
    "x" * 3000,
    "x\r\n y",
]
SEPARATORS = [": "] * 40 + [":", ":\t", " : ", ":\r\n ", ":\x0c", ":\r", ";", " "]
ENDS = ["\r\n"] * 80 + ["\n", "\r\r\n", " \r\n", "\t\r\n", "\x0c\r\n"]
METHODS = ["GET"] * 12 + ["HEAD", "POST", "get", "OPTIONS", "DELETE"]
VERSIONS = ["HTTP/1.1"] * 12 + ["HTTP/1.0", "HTTP/1.2", "http/1.1", "HTTP/1.1 "]

LENGTHS = ["Content-Length: 5"] * 12 + [
    "Content-Length : 5",
    "Content-Length: 5, 5",
    "Content-Length: +5",
]
LENGTHS += ["Content-Length: 5\r\nContent-Length: 5", "Content-Length: 6", "Content-Length: \x0b5"]
LENGTHS += ["Content_Length: 5", "Content-Length:\r\n 5", "Content-Length: 18446744073709551621"]
CODINGS = ["Transfer-Encoding: chunked"] * 12 + [
    "Transfer-Encoding : chunked",
    "Transfer-Encoding: x",
]
CODINGS += [
    "Transfer-Encoding: chunked\x0c",
    "Transfer-Encoding: \x0bchunked",
    "Transfer_Encoding: chunked",
]
CODINGS += [
    "Transfer-Encoding:\r\n chunked",
    "X: y\nTransfer-Encoding: chunked",
    "Transfer-Encoding: ",
]
CODINGS += ["Transfer-Encoding: gzip, chunked", "Transfer-Encoding\x00: chunked"]
CHUNKS = ["5\r\nhello\r\n0\r\n\r\n"] * 12 + [
    "5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n",
]
CHUNKS += ["5\nhello\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "0\r\n\r\n"]
CHUNKS += [
    "5\r\nhello\r\n0\r\nX : y\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n",
    '5;a="\n"\r\nhello\r\n0\r\n\r\n',
    "",
]


def changed(draw: random.Random, text: str, share: float) -> bytes:
    """The text, with perhaps one or two bytes changed."""
    whole = text.encode()
    if draw.random() > share:
        return whole
    at, other = draw.randrange(len(whole)), draw.choice([0, 9, 10, 11, 12, 13, 32, 58, 127])
    return whole[:at] + bytes([other]) + whole[at + draw.randrange(2) :]


def one_request(draw: random.Random) -> bytes:
    """A request that may be odd in some way."""

    def some(usual: str, others: Sequence[str], share: float) -> str:
        return draw.choice(others) if draw.random() < share else usual

    target = some("/a?b=1", TARGETS, 0.3)
    text = f"{draw.choice(METHODS)} {target} {draw.choice(VERSIONS)}{draw.choice(ENDS)}"
    fields = [("Host", some("shop.example", HOSTS, 0.3))] * (draw.random() < 0.95)
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        fields.append((some("Accept", NAMES, 0.6), some("v", VALUES, 0.6)))
    draw.shuffle(fields)
    for name, value in fields:
        text += name + draw.choice(SEPARATORS) + value + draw.choice(ENDS)
    return changed(draw, text + "\r\n", 0.1)


def several_requests(draw: random.Random) -> bytes:
    """Requests with bodies one after another, any of which may be odd; the last one is not."""
    text = ""
    for number in range(draw.choice([1, 2, 2, 3])):
        fields, body = ["Host: a"], ""
        if draw.random() < 0.4:
            fields.append(draw.choice(LENGTHS))
            body = "hello"
        if draw.random() < 0.4:
            fields.append(draw.choice(CODINGS))
            body = draw.choice(CHUNKS)
        if draw.random() < 0.1:
            words = ["close", "keep-alive", "Content-Length", "Transfer-Encoding", "Host"]
            fields.append("Connection: " + draw.choice(words))
        draw.shuffle(fields)
        line = f"{draw.choice(['GET', 'POST', 'HEAD', 'PUT'])} /{number} HTTP/1.1"
        text += "\r\n".join([line, *fields, "", body])
    last = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    return changed(draw, text, 0.15) + last


def begun(server: Backend, client: socket.socket, reader: Any) -> int:
    """Send a plain request; returns the number of requests that the server has got since the
    beginning."""
    ask(client, "/begin")
    assert body_of(reader) == b"/begin"
    return len(server.heads)


def meaning(server: Backend, proxy: tt.switch, request: bytes, at: int) -> list[Any]:
    """The bytes at the server and at the client for a request that comes in two pieces, or in
    one."""
    with connected(proxy.url) as client, client.makefile("rb") as reader:
        before = begun(server, client, reader)
        in_pieces(client, request, at)
        head = head_of(reader)
        # Until the end, or to the end of the answer to another request.
        closes = b"connection: close" in head or not head
        body = reader.read() if closes else b""
        if not closes and not request.startswith(b"HEAD "):
            length = next(line for line in head if line.startswith(b"content-length: "))
            body = reader.read(int(length.split()[1]))
        got = [sorted(text.splitlines()) for text in server.heads[before:]]
        # For a head that is odd and has no end, the pieces decide whether anything is said.
        if not head or head[0] == b"HTTP/1.1 400 Bad Request":
            return [got, "refused"]
        told = sorted(line for line in head if not line.startswith(b"date: "))
        return [got, server.bodies[before:], told, body]


def asked_for(head: str, body: bytes) -> Request:
    """The requests that a server has received."""
    method, target = head.encode().split()[:2]
    return Request(method, target, body)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(4), 60))
def test_a_request_means_the_same_whole_and_in_pieces(seed: int) -> None:
    draw = random.Random(seed)
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for _ in range(40):
            request = one_request(draw)
            found, incomplete = requests(request)
            if incomplete:
                continue
            whole = meaning(servers[0], proxy, request, 0)
            assert meaning(servers[0], proxy, request, 1) == whole, request
            assert len(whole[0]) <= len(found), request


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", seeds(range(4), 60))
def test_servers_get_no_requests_but_those_of_a_strict_reader(seed: int) -> None:
    """As many as it finds, unless the switch is stricter still."""
    draw = random.Random(seed)
    passed = 0
    with backends(echo) as servers, switching("jsq", servers) as proxy:
        for _ in range(40):
            text = several_requests(draw)
            found, _ = requests(text)
            with connected(proxy.url) as client, client.makefile("rb") as reader:
                before = begun(servers[0], client, reader)
                in_pieces(client, text, draw.choice([0, draw.randrange(len(text))]))
                answers = reader.read()
            heads, bodies = servers[0].heads[before:], servers[0].bodies[before:]
            got = [asked_for(*one) for one in zip(heads, bodies, strict=True)]
            assert got == found[: len(got)], text
            assert answers.count(b"HTTP/1.1 200 OK") >= len(got), text
            passed += len(got)
    assert passed > 20
