"""Tokens of OAuth 2.0 and signatures of AWS, as received by this test's servers.

The signed text is computed here anew, from the rules of AWS's documentation.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import thinktime as tt
from thinktime import _core

KEY, SECRET, TOKEN = "AKIDTHINKTIME", "wJalrXUtnFEMI+secret", "the-session-token"
GIVEN = "given-by-the-server"
ENVIRONMENT = {"TT_KEY": KEY, "TT_SECRET": SECRET, "TT_TOKEN": TOKEN}

WORKLOAD = """
name = "signed"
[arrivals]
model = "closed"
clients = 1
[session]
think = "1ms"
redirects = 3
[clients]
headers = { X-Tenant = "north   west" }
CLIENTS
[[request]]
name = "item"
REQUEST
"""
AWS = (
    'aws = { region = "eu-west-1", service = "execute-api", key = "env:TT_KEY", '
    'secret = "env:TT_SECRET", token = "env:TT_TOKEN" }'
)


class Server(ThreadingHTTPServer):
    """Answers by path, and keeps the requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.elsewhere = ""
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fields = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, fields, body))
        path = self.path.split("?")[0]
        again = path == "/flaky" and len(self.server.seen) % 2
        status = {"/moved": 307, "/away": 302}.get(path, 503 if again else 200)
        text = json.dumps({"access_token": GIVEN, "token_type": "Bearer"}).encode()
        self.send_response(status)
        if path == "/moved":
            self.send_header("Location", "/new?b=2&a=1")
        if path == "/away":
            self.send_header("Location", self.server.elsewhere)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with serving() as server:
        yield server


def workload(clients: str, request: str) -> tt.Workload:
    return _core.Workload(WORKLOAD.replace("CLIENTS", clients).replace("REQUEST", request))


def signature(method: str, path: str, fields: dict[str, str], body: bytes) -> str:
    """The right signature of a request, given its signed fields."""
    said = dict(part.split("=", 1) for part in fields["authorization"].split(" ", 1)[1].split(", "))
    assert said["Credential"].startswith(KEY + "/")
    scope = said["Credential"].removeprefix(KEY + "/")
    assert scope == f"{fields['x-amz-date'][:8]}/eu-west-1/execute-api/aws4_request"
    names = said["SignedHeaders"].split(";")
    assert {"host", "x-amz-date", "x-amz-security-token", "x-tenant"} <= set(names)
    assert names == sorted(names)
    lines = "".join(f"{name}:{' '.join(fields[name].split())}\n" for name in names)
    path, _, query = path.partition("?")
    query = "&".join(sorted(query.split("&")))
    hashed = hashlib.sha256(body).hexdigest()
    asked = "\n".join([method, path, query, lines, said["SignedHeaders"], hashed])
    hashed = hashlib.sha256(asked.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{fields['x-amz-date']}\n{scope}\n{hashed}"
    key = b"AWS4" + SECRET.encode()
    for part in [*scope.split("/"), text]:
        key = hmac.digest(key, part.encode(), "sha256")
    assert said["Signature"] == key.hex()
    return said["Signature"]


def test_each_request_is_signed_for_itself(shop: Server, tmp_path: Path) -> None:
    request = 'post = "/items?z=1&a={const(7)}"\njson = { item = 7 }'
    result = tt.run(workload(AWS, request), shop.url, requests=5, output=tmp_path / "result")
    assert result.summary["errors"] == 0
    assert len(shop.seen) == 5
    for method, path, fields, body in shop.seen:
        signature(method, path, fields, body)
        assert fields["x-amz-security-token"] == TOKEN
        sent = datetime.strptime(fields["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        assert abs((datetime.now(UTC) - sent).total_seconds()) < 60
    nothing_of_it_is_written(tmp_path / "result")


def nothing_of_it_is_written(folder: Path) -> None:
    written = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    assert any(b"TT_SECRET" in text for text in written)
    for value in (KEY, SECRET, TOKEN, GIVEN, "Signature="):
        assert not any(value.encode() in text for text in written), value


def test_redirects_and_retries_are_signed_anew(shop: Server) -> None:
    result = tt.run(workload(AWS, 'post = "/moved"\nbody = "x"'), shop.url, requests=3)
    assert result.summary["errors"] == 0
    assert [path for _, path, _, _ in shop.seen] == ["/moved", "/new?b=2&a=1"] * 3
    assert len({signature(*one) for one in shop.seen[:2]}) == 2
    shop.seen.clear()
    retried = 'get = "/flaky"\nretry = { attempts = 2, backoff = "const(1100ms)" }'
    result = tt.run(workload(AWS, retried), shop.url, requests=1)
    assert result.summary["errors"] == 0
    assert len({signature(*one) for one in shop.seen}) == 2


def test_no_signature_goes_to_another_host(shop: Server) -> None:
    with serving() as other:
        shop.elsewhere = other.url + "/"
        result = tt.run(workload(AWS, 'get = "/away"'), shop.url, requests=3)
        assert result.summary["errors_by_kind"] == {"redirect_elsewhere": 3}
        assert other.seen == []


def oauth2(url: str) -> str:
    return f'oauth2 = {{ url = "{url}/token", client = "env:TT_KEY", secret = "env:TT_SECRET" }}'


def test_a_token_goes_with_requests_and_into_no_result(shop: Server, tmp_path: Path) -> None:
    with serving() as identity:
        result = tt.run(
            workload(oauth2(identity.url), 'get = "/"'),
            shop.url,
            requests=5,
            output=tmp_path / "result",
        )
        ((method, path, fields, body),) = identity.seen
    assert (method, path, body) == ("POST", "/token", b"grant_type=client_credentials")
    assert fields["authorization"].startswith("Basic ")
    assert result.summary["requests"] == 5
    assert {fields["authorization"] for _, _, fields, _ in shop.seen} == {f"Bearer {GIVEN}"}
    nothing_of_it_is_written(tmp_path / "result")


def test_without_a_token_the_command_ends_with_status_2(shop: Server, tmp_path: Path) -> None:
    with serving() as identity:
        url = identity.url
    (tmp_path / "w.toml").write_text(
        WORKLOAD.replace("CLIENTS", oauth2(url)).replace("REQUEST", 'get = "/"')
    )
    command = [Path(sys.executable).with_name("thinktime"), "run", "w.toml", "--target", shop.url]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert f"`oauth2`: {url}/token gave no token: Connection refused" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert shop.seen == []


def test_a_simulation_asks_for_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TT_KEY", raising=False)
    system = _core.System('name = "s"\n[[station]]\nname = "cpu"\ndemand = "1ms"\n')
    made = workload(oauth2("http://127.0.0.1:9"), 'get = "/"')
    assert tt.simulate(made, system, requests=1000).summary["requests"] == 1000
