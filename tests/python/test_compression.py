"""Compressed responses: counted as on the wire, decoded if a script reads them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import polars as pl
import pytest

import thinktime as tt

ITEMS = json.dumps({"items": [{"id": 7}] * 1000}).encode()
BOMB = gzip.compress(bytes(3 << 20))
BODIES = {
    "/gzip": ("gzip", gzip.compress(ITEMS)),
    "/deflate": ("deflate", zlib.compress(ITEMS)),
    "/plain": ("", ITEMS),
    "/damaged": ("gzip", gzip.compress(ITEMS)[:-9]),
    "/bomb": ("gzip", BOMB),
}


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        encoding, body = BODIES[self.path]
        assert self.headers["Accept-Encoding"] == "gzip, deflate"
        self.send_response(200)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@pytest.fixture
def shop() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


WORKLOAD = """
name = "compressed"
[arrivals]
model = "closed"
clients = 1
[clients]
headers = { Accept-Encoding = "gzip, deflate" }
[session]
"""
REQUEST = '[[request]]\nname = "item"\nget = "PATH"\n'


def asked(folder: Path, shop: str, path: str, script: str) -> tt.Result:
    """Ten requests for a path, which a script reads."""
    text = f"return function(client)\nlocal page = client:get('{path}')\n{script}\nend"
    (folder / "look.luau").write_text(text)
    (folder / "w.toml").write_text(WORKLOAD + 'script = "look.luau"\n[[request]]\nname = "item"\n')
    return tt.run(tt.Workload.load(folder / "w.toml"), shop, requests=10, output=folder / "out")


@pytest.mark.parametrize("path", ["/gzip", "/deflate", "/plain"])
def test_a_script_sees_the_body_and_bytes_are_those_of_the_wire(
    path: str, tmp_path: Path, shop: str
) -> None:
    look = "client:check('items', page.ok and page.json.items[1000].id == 7)"
    result = asked(tmp_path, shop, path, look)
    assert result.summary["checks"]["items"] == {"passed": 10, "failed": 0}
    (received,) = set(pl.DataFrame(result.requests)["bytes_received"])
    size = len(BODIES[path][1])
    assert size < received < size + 300


def test_a_damaged_body_fails_where_somebody_looks_at_it(tmp_path: Path, shop: str) -> None:
    look = "client:check('said', page.error == 'content_encoding' and page.body == '')"
    result = asked(tmp_path, shop, "/damaged", look)
    assert result.summary["checks"]["said"]["passed"] == 10
    assert result.summary["errors_by_kind"] == {"content_encoding": 10}
    # Nobody looks: it is counted and skipped.
    text = WORKLOAD.replace("[session]", '[session]\nthink = "1ms"') + REQUEST.replace(
        "PATH", "/damaged"
    )
    (tmp_path / "plain.toml").write_text(text)
    unseen = tt.run(tt.Workload.load(tmp_path / "plain.toml"), shop, requests=10)
    assert unseen.summary["errors"] == 0


def test_a_bomb_is_cut_and_told(tmp_path: Path, shop: str) -> None:
    assert len(BOMB) < 10_000
    result = asked(tmp_path, shop, "/bomb", "client:check('cut', #page.body == 2^20)")
    assert result.summary["checks"]["cut"] == {"passed": 10, "failed": 0}
    assert [text for text in result.summary["warnings"] if "10 responses had bodies" in text]


def test_take_and_checks_see_the_decoded_body(tmp_path: Path, shop: str) -> None:
    text = WORKLOAD.replace("[session]", '[session]\nthink = "1ms"')
    text += REQUEST.replace("PATH", "/gzip")
    text += 'take = { id = "json:$.items[999].id" }\n'
    text += '[request.checks]\n"has items" = "json:$.items[999].id"\n'
    (tmp_path / "w.toml").write_text(text)
    result = tt.run(tt.Workload.load(tmp_path / "w.toml"), shop, requests=10)
    assert result.summary["errors"] == 0
    assert result.summary["checks"]["has items"] == {"passed": 10, "failed": 0}
