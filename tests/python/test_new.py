"""`thinktime new`: a page is fetched once, within limits, and becomes a workload."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import ClassVar
from urllib.parse import unquote

import pytest
from import_results import imported, loads, requests
from real_runs import HttpServer

import thinktime as tt
from thinktime.importing import page

HTML = """<!doctype html><html><head>
<base href="/shop/">
<link rel="stylesheet" href="a.css"><link rel="canonical" href="/elsewhere">
<script src="/b.js?v={1}"></script><script>var x = "<img src='/never.png'>"</script>
</head><body><img src="c.png"><img src="c.png#again"><img src="data:image/png;base64,AA==">
<img src="//cdn.example/d.png"><img src="http://[/"><a href="/link">a link</a><input src="/e.png">
</body></html>"""


class Pages(BaseHTTPRequestHandler):
    """The pages that the tests look at."""

    asked: ClassVar[list[str]] = []
    ended: ClassVar[threading.Event] = threading.Event()

    def do_GET(self) -> None:
        Pages.asked.append(self.path)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/page")
        elif self.path == "/to-file":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
        elif self.path == "/drips":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            while not Pages.ended.wait(0.05):
                self.wfile.write(b"x")
            return
        elif self.path.startswith("/charset/"):
            self.send_response(200)
            self.send_header("Content-Type", f"text/html; charset={unquote(self.path[9:])}")
        elif self.path == "/packed":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Encoding", "gzip")
        else:
            self.send_response(404 if self.path == "/gone" else 200)
            kind = "image/png" if self.path == "/image" else "text/html; charset=utf-8"
            self.send_header("Content-Type", kind)
        self.end_headers()
        if self.path == "/huge":
            self.wfile.write(b"x" * (page.BYTES_MAX + 1))
        elif self.path in ("/page", "/image") or self.path.startswith("/charset/"):
            self.wfile.write(HTML.encode() + b"xn--" + b"a" * 100_000)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    server = HttpServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    Pages.ended.clear()
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    Pages.ended.set()
    server.shutdown()
    server.server_close()


def test_a_page_is_a_request_with_its_objects(url: str) -> None:
    Pages.asked.clear()
    made = page.import_page(f"{url}/page")
    found = requests(made)
    assert Pages.asked == ["/page"], "its objects are not asked for"
    assert [one["get"] for one in found.values()] == [
        "/page", "/shop/a.css", "/b.js?v=%7B1%7D", "/shop/c.png",
    ]  # fmt: skip
    assert found["page"]["objects"]["count"] == "3"
    assert list(made.notes) == ["line 6: goes to http://cdn.example; a workload has one target"]
    assert f"--target {url}" in made.text
    assert loads(made).model == "open"


def test_a_redirect_is_followed_and_named(url: str) -> None:
    made = page.import_page(f"{url}/moved")
    assert requests(made)["page"]["get"] == "/page"
    assert any("leads to another" in note for note in made.notes)


@pytest.mark.parametrize(
    ("path", "error", "reason"),
    [
        ("/gone", tt.RunError, "status 404"),
        ("/to-file", tt.RunError, "not http or https|not allowed"),
        ("/huge", tt.RunError, "more than 5,000,000 bytes"),
        ("/packed", tt.RunError, "is packed \\(gzip\\)"),
    ],
)
def test_what_is_not_there_is_an_error(
    url: str, path: str, error: type[Exception], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        page.import_page(url + path)


def test_what_is_no_page_is_one_request(url: str) -> None:
    made = page.import_page(f"{url}/image")
    assert requests(made) == {"image": {"name": "image", "get": "/image"}}
    assert "It is no page but image/png: one request." in " ".join(made.text.split())
    assert f"--target {url}" in made.text
    assert loads(made).model == "open"


def test_a_server_that_never_ends_its_head_is_left(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "SECONDS_MAX", 0.5)
    begun = time.monotonic()
    with pytest.raises(tt.RunError, match=r"not there after 0\.5 s"):
        page.import_page(f"{url}/drips")
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("charset", ["idna", "undefined", "punycode", "utf-8%00x", "koi8-none"])
def test_character_sets_that_no_page_has_do_no_harm(url: str, charset: str) -> None:
    made = page.import_page(f"{url}/charset/{charset}")
    assert "/shop/c.png" in made.text


def test_a_base_that_is_no_url_is_passed_over() -> None:
    draft = page.page_draft("http://127.0.0.1/a", '<base href="http://[::1"><img src=x.png>')
    assert [one.target for one in draft.populations[0].requests[0].objects] == ["/x.png"]


def test_a_password_in_the_url_is_not_told() -> None:
    with pytest.raises(tt.InputError, match="leave it out") as found:
        page.import_page("http://me:xyzzy@127.0.0.1:1/")
    assert "xyzzy" not in str(found.value)


@pytest.mark.parametrize("given", ["file:///etc/passwd", "/etc/passwd", "data:text/html,x", ""])
def test_only_the_web_is_looked_at(given: str) -> None:
    with pytest.raises(tt.InputError, match="begins with http"):
        page.import_page(given)


def test_any_number_of_objects_is_bounded() -> None:
    html = "".join(f"<img src={n}.png>\n" for n in range(5000)) + "<" * 10_000
    draft = page.page_draft("http://127.0.0.1/", html)
    assert len(draft.populations[0].requests[0].objects) == page.OBJECTS_MAX
    assert "line 201: more than 200 objects" in next(iter(draft.notes))


def test_the_workload_of_a_page_is_as_of_an_import(url: str) -> None:
    made = imported(f"curl {url}/page")
    assert made.origin == page.import_page(f"{url}/page").origin
