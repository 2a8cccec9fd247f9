"""Sessions as people browse: cookies, redirects, forms and pages, against a small server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import cases
import pytest
from real_runs import HttpServer

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SERVER = cases.system(("ps", "exp(5ms)"))
LIMIT = 3


class Site(BaseHTTPRequestHandler):
    """Accepts a form for signing in, and gives pages with six images to users who have signed
    in."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    all = threading.Barrier(LIMIT)
    now = most = 0

    def answer(self, status: int, fields: dict[str, str], body: str = "") -> None:
        self.send_response(status)
        for name, value in {**fields, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self) -> None:
        if self.path == "/" and "in=yes" not in self.headers.get("Cookie", ""):
            self.answer(302, {"Location": "/login"})
        elif self.path == "/":
            self.answer(200, {}, "".join(f'<img src="/{at}.png">' for at in range(6)))
        elif self.path.endswith(".png"):
            self.count(1)
            # None is answered before as many have come as may come at a time.
            self.all.wait(60)
            self.count(-1)
            self.answer(200, {}, "image")
        else:
            self.answer(200, {}, 'name="token" value="abc1"')

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        known = form in {"token=abc1&user=ann+%26+co", "token=abc1&user=bob"}
        fields = {"Location": "/"} | ({"Set-Cookie": "in=yes; HttpOnly"} if known else {})
        self.answer(303 if known else 403, fields)

    def count(self, change: int) -> None:
        with Site.lock:
            Site.now += change
            Site.most = max(Site.most, Site.now)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    Site.now = Site.most = 0
    server = HttpServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


SCRIPT = f"""
return function(client)
    local row = client.data:next("users.csv")
    local page = client:get("/", {{ name = "page" }})
    local token = page:match('value="([^"]+)"')
    local form = {{ user = row.user, token = token }}
    page = client:post("/login", nil, {{ name = "page", form = form }})
    client:check("signed in", #page:find_all("<img") == 6)
    page = client:page("/", {{
        name = "page", objects_name = "image", parallel = {LIMIT},
        objects = function(shown) return shown:find_all('src="([^"]+)"') end,
    }})
    client:check("complete", #page.objects == 6)
end
"""

WORKLOAD = """
name = "b"
[arrivals]
model = "closed"
clients = 1
[session]
script = "client.luau"
data = ["users.csv"]
cookies = true
redirects = 5
[[request]]
name = "page"
[[request]]
name = "image"
"""


def written(directory: Path) -> tt.Workload:
    (directory / "client.luau").write_text(SCRIPT)
    (directory / "users.csv").write_text("user\nann & co\nbob\n")
    (directory / "workload.toml").write_text(WORKLOAD)
    return tt.Workload.load(directory / "workload.toml")


def test_a_session_signs_in_and_reads_pages(tmp_path: Path, site: str) -> None:
    summary = tt.run(written(tmp_path), site, requests=45, output=tmp_path / "result").summary
    assert summary["errors"] == 0, summary["errors_by_kind"]
    # Nine requests a turn; redirects do not count separately.
    assert summary["by_request"]["page"]["requests"] == 15
    assert summary["by_request"]["image"]["requests"] == 30
    assert summary["checks"]["signed in"] == {"passed": 5, "failed": 0}
    assert summary["sessions"] == 1
    assert Site.most == LIMIT
    # A result can be read when its files have gone.
    (tmp_path / "users.csv").unlink()
    assert tt.Result.load(tmp_path / "result").workload.script == "client.luau"


def test_the_example_is_simulated_the_same_each_time() -> None:
    options = {"requests": 5000, "rows": "none", "warmup": 0}
    one, same = (
        tt.simulate(EXAMPLES / "browsers.toml", SERVER, **options).summary for _ in range(2)
    )
    assert one == same
    requests = {name: figures["requests"] for name, figures in one["by_request"].items()}
    # Three objects of the first page, one of each other; four items on average.
    assert requests["login"] > 300
    assert requests["object"] / requests["login"] == pytest.approx(7, rel=0.15)
    assert one["metrics"]["page load"]["mean"] > one["response_time_s"]["mean"]
