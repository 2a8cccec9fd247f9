"""`run` with messages: WebSocket, TCP and UDP against servers of Python's own."""

from __future__ import annotations

import base64
import hashlib
import shutil
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cases
import pytest
from real_runs import TcpServer

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Server = socketserver.TCPServer | socketserver.UDPServer
CLOSED = 'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 3\n[session]\n'


class Lines(socketserver.StreamRequestHandler):
    """Answers each line with itself in capitals."""

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(line.upper())


class Datagrams(socketserver.DatagramRequestHandler):
    """Answers each datagram with itself."""

    def handle(self) -> None:
        self.wfile.write(self.rfile.read())


class WebSocket(socketserver.StreamRequestHandler):
    """Answers each short message with one in two fragments, and a ping between them."""

    def handle(self) -> None:
        head = {}
        while line := self.rfile.readline().decode().strip():
            name, _, value = line.partition(":")
            head[name.lower()] = value.strip()
        if "sec-websocket-key" not in head:
            return
        key = head["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )
        while len(header := self.rfile.read(2)) == 2 and header[0] & 0xF != 8:
            mask, data = self.rfile.read(4), self.rfile.read(header[1] & 0x7F)
            text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
            if header[0] & 0xF == 1:
                self.wfile.write(self.answer(text))

    def answer(self, text: bytes) -> bytes:
        return b"\x01\x03ok:" + b"\x89\x01p" + bytes([0x80, len(text)]) + text


@contextmanager
def serving(server: Server, scheme: str) -> Iterator[str]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"{scheme}://127.0.0.1:{server.socket.getsockname()[1]}"
    server.shutdown()
    server.server_close()


def tcp(handler: type[socketserver.BaseRequestHandler]) -> Server:
    return TcpServer(("127.0.0.1", 0), handler)


def workload(directory: Path, session: str, request: str) -> tt.Workload:
    (directory / "w.toml").write_text(f'{CLOSED}{session}\n[[request]]\nname = "x"\n{request}')
    return tt.Workload.load(directory / "w.toml")


@pytest.mark.parametrize(
    ("scheme", "request_"),
    [
        ("tcp", r"send = 'ping {const(7)}\n'" + "\n" + r"expect = 'pattern(^PING 7\n)'"),
        ("ws", """send = '{"say": "hello"}'"""),
        ("udp", "send_hex = '00 ff'\ntimeout = '20s'"),
    ],
)
def test_messages_of_a_file_are_answered(tmp_path: Path, scheme: str, request_: str) -> None:
    if scheme == "udp":
        server: Server = socketserver.ThreadingUDPServer(("127.0.0.1", 0), Datagrams)
    else:
        server = tcp(Lines if scheme == "tcp" else WebSocket)
    with serving(server, scheme) as url:
        result = tt.run(workload(tmp_path, "think = '1ms'", request_), url, requests=60)
    assert (result.summary["requests"], result.summary["errors"]) == (60, 0)


SCRIPT = """return function(client)
    local page = client:send(MESSAGE, { expect = EXPECT })
    client:check("answered", page.ok and page.body == BODY)
    client:think(0.001)
    local other = client:get("/")
    client:check("refused", other.error == "unfit_request")
    client:think(0.001)
end"""


@pytest.mark.parametrize(
    ("scheme", "message", "expect", "body"),
    [
        ("ws", "{ say = 'hello' }", "'message'", '\'ok:{"say":"hello"}\''),
        ("tcp", r"'say\n'", "'length(4)'", r"'SAY\n'"),
    ],
)
def test_scripts_send_and_read(
    tmp_path: Path, scheme: str, message: str, expect: str, body: str
) -> None:
    script = SCRIPT.replace("MESSAGE", message).replace("EXPECT", expect).replace("BODY", body)
    (tmp_path / "s.luau").write_text(script)
    with serving(tcp(WebSocket if scheme == "ws" else Lines), scheme) as url:
        result = tt.run(workload(tmp_path, "script = 's.luau'", ""), url, requests=40)
    checks = result.summary["checks"]
    assert checks["answered"]["failed"] == checks["refused"]["failed"] == 0
    assert checks["answered"]["passed"] >= 15
    assert set(result.summary["errors_by_kind"]) == {"unfit_request"}


def test_what_does_not_fit_is_refused_and_simulated_all_the_same() -> None:
    with pytest.raises(tt.InputError, match="`send` and `expect` go to targets of ws"):
        tt.run(EXAMPLES / "chat.toml", "http://127.0.0.1:9", requests=1)
    result = tt.simulate(EXAMPLES / "chat.toml", cases.system(("fcfs", "exp(5ms)")), requests=1000)
    assert result.summary["errors"] == 0


def test_a_result_of_calls_is_read_again_even_if_its_descriptors_have_gone(tmp_path: Path) -> None:
    for name in ("grpc.toml", "health.pb"):
        shutil.copy(EXAMPLES / name, tmp_path)
    system = cases.system(("fcfs", "exp(5ms)"))
    tt.simulate(tmp_path / "grpc.toml", system, requests=1000, output=tmp_path / "result")
    (tmp_path / "health.pb").unlink()
    assert tt.Result.load(tmp_path / "result").summary["requests"] == 1000
    with pytest.raises(tt.InputError, match=r"health\.pb"):
        tt.again(tmp_path / "result")
