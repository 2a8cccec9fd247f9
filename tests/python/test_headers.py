"""Header fields and bodies of a workload file, as received by this test's server."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread

import pytest
from real_runs import HttpServer

import thinktime as tt
from thinktime import _core

TOKEN = "correct-horse-battery"

WORKLOAD = """
name = "orders"
[arrivals]
model = "open"
rate = "100/s"
[clients]
headers = { X-Tenant = "north" }
bearer = "env:THINKTIME_TEST_TOKEN"
[[request]]
name = "order"
post = "/orders"
json = { item = 7, tags = ["new"] }
"""


class Shop(HttpServer):
    """Keeps the received requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[dict[str, str], bytes]] = []


class Handler(BaseHTTPRequestHandler):
    server: Shop
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_requests_bring_what_the_file_says_and_results_no_secret(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THINKTIME_TEST_TOKEN", TOKEN)
    result = tt.run(
        _core.Workload(WORKLOAD),
        f"http://127.0.0.1:{shop.server_address[1]}",
        requests=20,
        output=tmp_path / "result",
    )
    assert result.summary["errors"] == 0
    fields, body = shop.seen[0]
    assert fields["Authorization"] == f"Bearer {TOKEN}"
    assert fields["X-Tenant"] == "north"
    assert fields["User-Agent"] == f"thinktime/{tt.__version__}"
    assert fields["Content-Type"] == "application/json"
    assert json.loads(body) == {"item": 7, "tags": ["new"]}
    written = [file.read_bytes() for file in (tmp_path / "result").rglob("*") if file.is_file()]
    assert written
    assert not any(TOKEN.encode() in text for text in written)


def test_a_secret_that_is_missing_is_named_before_anything_is_sent(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THINKTIME_TEST_TOKEN", raising=False)
    target = f"http://127.0.0.1:{shop.server_address[1]}"
    kept = r"clients\.bearer: the secret in \$THINKTIME_TEST_TOKEN"
    with pytest.raises(tt.InputError, match=rf"^w\.toml:\d+: {kept}: there is no") as caught:
        tt.run(_core.Workload(WORKLOAD, "w.toml"), target, requests=20)
    line = int(str(caught.value).split(":")[1])
    assert WORKLOAD.splitlines()[line - 1].startswith("bearer")
    with pytest.raises(tt.InputError, match=r"^clients\.bearer: the secret in "):
        tt.run(tomllib.loads(WORKLOAD), target, requests=20)  # has no lines
    assert shop.seen == []


def test_a_simulation_needs_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THINKTIME_TEST_TOKEN", raising=False)
    system = _core.System('name = "s"\n[[station]]\nname = "cpu"\ndemand = "1ms"\n')
    result = tt.simulate(_core.Workload(WORKLOAD), system, requests=1000)
    assert result.summary["requests"] == 1000
