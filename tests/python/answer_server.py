"""A small HTTP server with a test's answers, which keeps the requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from real_runs import HttpServer


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: str

    @property
    def path(self) -> str:
        """The target without its query."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, list[str]]:
        """The fields of the query, decoded."""
        return parse_qs(urlsplit(self.target).query)

    @property
    def form(self) -> dict[str, str]:
        """The fields of a form in the body, decoded."""
        return {name: values[0] for name, values in parse_qs(self.body).items()}


@dataclass(frozen=True)
class Answer:
    """The answer; a body that is not a text goes as JSON."""

    body: Any = ""
    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=list)


class Server(HttpServer):
    """Answers as `answer` says, one request at a time."""

    def __init__(self, answer: Callable[[Received], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.seen: list[Received] = []
        self.lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    """Reads a request whole and has it answered."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        assert isinstance(self.server, Server)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Received(self.command, self.path, dict(self.headers), body.decode("latin-1"))
        with self.server.lock:
            self.server.seen.append(asked)
            said = self.server.answer(asked)
        text = said.body if isinstance(said.body, str) else json.dumps(said.body)
        self.send_response(said.status)
        for name, value in [*said.headers, ("Content-Length", str(len(text.encode())))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_PUT(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.answer()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def answer_server(answer: Callable[[Received], Answer]) -> Iterator[tuple[str, list[Received]]]:
    """Serve the answers; yields the URL, and the growing list of requests."""
    with Server(answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", server.seen
        finally:
            server.shutdown()
            thread.join()
