"""A target that notes the times of requests, and refuses them on command."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import cast

from real_runs import HttpServer


class Handler(BaseHTTPRequestHandler):
    """Answers one client."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = cast(RequestLogServer, self.server)
        server.asked_s.append(time.monotonic())
        refused = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
        done = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        self.wfile.write(refused if server.refuses.is_set() else done)

    def log_message(self, *_: object) -> None:
        """Tests print nothing."""


class RequestLogServer(HttpServer):
    """Its `url`, and the times of requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked_s: list[float] = []
        self.refuses = threading.Event()


@contextmanager
def request_log_server() -> Iterator[RequestLogServer]:
    """One that serves."""
    with RequestLogServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
