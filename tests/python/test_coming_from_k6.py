"""The examples of docs/coming-from-k6.md, verbatim, against servers that record the requests.

Speed is not asserted; long examples of the page are made shorter by the options of `run`.
"""

from __future__ import annotations

import base64
import json
import socketserver
import threading
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import polars
import pytest
from answer_server import Answer, Received, answer_server
from docs_snippets import snippets
from nginx_server import serving as nginx
from test_protocols import WebSocket, serving, tcp

import thinktime as tt

PAGE = "docs/coming-from-k6.md"
FILES = {one.file: one.text for one in snippets(PAGE) if one.file is not None}
USERS = {"ann": "secret", "bob": "a b&c", "cid": "€"}
PHOTO = bytes(range(1, 128)).decode("ascii")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the page and those that they name."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    rows = "".join(f"{user},{password}\n" for user, password in USERS.items())
    (tmp_path / "users.csv").write_text("user,password\n" + rows)
    (tmp_path / "login.txt").write_text("user:passwd\n")
    (tmp_path / "photo.png").write_text(PHOTO)
    return tmp_path


def held(summary: dict[str, Any]) -> dict[str, int]:
    """The share of successes of each check; fails if one had a failure."""
    assert all(one["failed"] == 0 for one in summary["checks"].values()), summary["checks"]
    return {name: one["passed"] for name, one in summary["checks"].items()}


def fine(summary: dict[str, Any], requests: int) -> None:
    assert (summary["requests"], summary["errors_by_kind"]) == (requests, {})


def test_a_single_request(folder: Path) -> None:
    with answer_server(lambda _: Answer("a page")) as (url, seen):
        fine(tt.run(folder / "single.toml", url, requests=1).summary, 1)
    assert [(one.method, one.target) for one in seen] == [("GET", "/")]


def test_basic_authorization(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(asked: Received) -> Answer:
        kind, _, secret = asked.headers.get("Authorization", "").partition(" ")
        known = kind == "Basic" and base64.b64decode(secret) == b"user:passwd"
        return Answer({"authenticated": known, "user": "user"}, 200 if known else 401)

    monkeypatch.chdir(folder)  # a secret's path is relative to the command's folder
    with answer_server(answer) as (url, seen):
        summary = tt.run("basic.toml", url, requests=10, output="out").summary
    fine(summary, 10)
    names = ("status is 200", "is authenticated", "is correct user")
    assert held(summary) == dict.fromkeys(names, 10)
    assert {one.target for one in seen} == {"/api/basic-auth/user/passwd"}
    assert "user:passwd" not in "".join(one.read_text() for one in Path("out").glob("*.json"))


def test_correlation(folder: Path) -> None:
    def answer(asked: Received) -> Answer:
        if asked.path == "/api/doughs":
            return Answer({"doughs": [{"ID": 1, "name": "Thin"}, {"ID": 2, "name": "Thick"}]})
        if asked.path == "/messages":
            return Answer('<form><input name="redir" value="a/b &c"></form>')
        return Answer("<a><value>green</value><value>red</value></a>")

    with answer_server(answer) as (url, seen):
        summary = tt.run(folder / "correlation.toml", url, requests=60, rate="200/s").summary
    fine(summary, 60)
    asked = {path: [one for one in seen if one.path == path] for path in {x.path for x in seen}}
    for one in asked["/api/doughs"]:
        assert one.headers["Authorization"] == "Token abcdef0123456789"
    assert {one.target for one in asked["/messages"]} == {"/messages?dough=1"}
    for one in asked["/api/xml"]:
        assert one.query == {"color": ["green"], "redir": ["a/b &c"]}
    counts = held(summary)
    assert counts["color is correct"] == len(asked["/api/xml"]) > 0
    assert counts["the first has the right name"] == len(asked["/api/doughs"])


def test_data_of_a_file(folder: Path) -> None:
    def answer(asked: Received) -> Answer:
        known = USERS.get(asked.form["login"]) == asked.form["password"]
        return Answer("successfully authorized" if known else "who?")

    with answer_server(answer) as (url, seen):
        summary = tt.run(folder / "data.toml", url, requests=90, rate="300/s").summary
    fine(summary, 90)
    assert held(summary) == {"login succeeded": 90}
    users = Counter(one.form["login"] for one in seen)
    assert set(users) == set(USERS)
    assert len(set(users.values())) > 1  # in turn, all would come equally often


def test_an_html_form(folder: Path) -> None:
    def answer(asked: Received) -> Answer:
        if asked.target == "/admin":
            return Answer(
                '<form action="/login?from=admin"><input name="csrf" value="a+b"></form>',
                headers=[("Set-Cookie", "visit=7")],
            )
        if asked.method == "POST":
            wanted = {"csrf": "a+b", "username": "admin", "password": "admin"}
            known = asked.form == wanted and asked.headers.get("Cookie") == "visit=7"
            in_now = [("Set-Cookie", "in=yes")] if known else []
            return Answer(status=302, headers=[("Location", "/home"), *in_now])
        return Answer("Welcome" if "in=yes" in asked.headers.get("Cookie", "") else "Sign in")

    with answer_server(answer) as (url, seen):
        summary = tt.run(folder / "form.toml", url, requests=20, think="10ms").summary
    fine(summary, 20)
    assert held(summary) == {"is signed in": summary["by_request"]["login"]["requests"]}
    assert {one.target for one in seen} == {"/admin", "/login?from=admin", "/home"}
    # Each begins anew, without the cookies of before.
    assert not any("Cookie" in one.headers for one in seen if one.target == "/admin")


def test_cookies(folder: Path) -> None:
    def answer(asked: Received) -> Answer:
        if asked.method == "POST":
            set_ = [("Set-Cookie", f"{name}={values[0]}") for name, values in asked.query.items()]
            return Answer(headers=set_)
        pairs = (one.split("=", 1) for one in asked.headers.get("Cookie", "=").split("; "))
        return Answer({"cookies": dict(pairs)})

    with answer_server(answer) as (url, _):
        summary = tt.run(folder / "cookies.toml", url, requests=60, rate="200/s").summary
    fine(summary, 60)
    shown = summary["by_request"]["show"]["requests"]
    assert set(held(summary).values()) == {shown}
    assert len(summary["checks"]) == 3


def test_uploads(folder: Path) -> None:
    with answer_server(lambda _: Answer()) as (url, seen):
        summary = tt.run(folder / "upload.toml", url, requests=5, rate="100/s").summary
    fine(summary, 5)
    assert held(summary) == {"is status 200": 5}
    for one in seen:
        kind, _, boundary = one.headers["Content-Type"].partition("; boundary=")
        assert kind == "multipart/form-data"
        _, field, file, end = one.body.split("--" + boundary.strip('"'))
        assert 'name="field"' in field
        assert field.endswith("\r\n\r\nthis is a standard form field\r\n")
        assert 'name="file"; filename="photo.png"' in file
        assert "Content-Type: image/png" in file
        assert file.partition("\r\n\r\n")[2] == PHOTO + "\r\n"
        assert end == "--\r\n"


def test_create_read_update_delete(folder: Path) -> None:
    users: dict[str, str] = {}
    ratings: dict[str, dict[str, Any]] = {}
    made: list[str] = []

    def answer(asked: Received) -> Answer:
        body = json.loads(asked.body or "{}")
        if asked.path == "/api/users":
            users[body["username"]] = body["password"]
            return Answer(status=201)
        if asked.path == "/api/users/token/login":
            known = users.get(body["username"]) == body["password"]
            return Answer({"token": "t-1"}, 200 if known else 401)
        if asked.headers.get("Authorization") != "Bearer t-1":
            return Answer(status=401)
        rating = asked.path.removeprefix("/api/ratings").removeprefix("/")
        if asked.method == "POST":
            made.append(str(len(made)))
            ratings[made[-1]] = {**body, "id": len(made) - 1}
            return Answer(ratings[made[-1]], 201)
        if asked.method == "PUT":
            ratings[rating].update(body)
            return Answer(ratings[rating])
        if asked.method == "DELETE":
            del ratings[rating]
            return Answer(status=204)
        return Answer({"ratings": list(ratings.values())})

    with answer_server(answer) as (url, seen):
        result = tt.run(folder / "ratings.toml", url, requests=62, think="5ms")
    fine(result.summary, 62)
    counts = held(result.summary)
    # Three clients and more sessions, one of which has signed up.
    assert (counts["created user"], counts["logged in"]) == (1, 1)
    assert [one.path for one in seen[:2]] == ["/api/users", "/api/users/token/login"]
    assert len(made) >= 15
    assert counts["stars updated"] >= len(made) - 3
    assert len(ratings) <= 3  # those of sessions that were on their way at the end
    assert {one["name"] for one in result.summary["objectives"]} == {"checks", "p95"}


class Chat(WebSocket):
    """Answers each message with its own text, and keeps the messages of each connection."""

    lock = threading.Lock()
    talks: ClassVar[dict[object, list[dict[str, Any]]]] = {}

    def answer(self, text: bytes) -> bytes:
        with Chat.lock:
            Chat.talks.setdefault(self.client_address, []).append(json.loads(text))
        said = json.dumps({"msg": json.loads(text)["msg"]}).encode()
        return bytes([0x81, len(said)]) + said


def test_websocket(folder: Path) -> None:
    Chat.talks.clear()
    server: socketserver.TCPServer = tcp(Chat)  # type: ignore[assignment]
    with serving(server, "ws") as url:
        summary = tt.run(folder / "websocket.toml", url + "/ws", requests=200, think="2ms").summary
    fine(summary, 200)
    assert held(summary) == {"is answered": summary["by_request"]["say"]["requests"]}
    # Each connection is one session: a greeting, its message, and a goodbye before the next.
    assert len(Chat.talks) > 15
    for talk in Chat.talks.values():
        first, *others = (one["msg"] for one in talk)
        assert first == "Hello!"
        assert "Hello!" not in others
        assert all(one.startswith("I'm saying ") for one in others[:-1])
    ends = Counter(talk[-1]["msg"] == "Goodbye!" for talk in Chat.talks.values())
    assert ends[False] <= 10  # the clients that were on their way at the end


def test_http2(folder: Path) -> None:
    log = folder / "access.log"
    kept = f'log_format protocol "$server_protocol"; access_log {log} protocol;'
    with nginx(folder, http=kept, speaks=" http2") as address:
        summary = tt.run(folder / "http2.toml", f"h2c://{address}", requests=20).summary
    fine(summary, 20)
    assert held(summary) == {"status is 200": 20}
    assert log.read_text().split() == ["HTTP/2.0"] * 20


def test_soap(folder: Path) -> None:
    with answer_server(lambda _: Answer("<days><day>BLACK-FRIDAY</day></days>")) as (url, seen):
        summary = tt.run(folder / "soap.toml", url, requests=10, think="1ms").summary
    fine(summary, 10)
    assert held(summary) == {"status is 200": 10, "black friday is present": 10}
    for one in seen:
        assert one.headers["Content-Type"] == "text/xml"
        assert one.body.startswith("<e:Envelope ")
        assert "<country>UnitedStates</country>" in one.body


def test_a_sudden_increase(folder: Path) -> None:
    """A second of the ramp and one after the jump, by the scheduled times of requests."""
    text = FILES["increase.toml"].replace("30s", "1s")
    assert text.count("1s") == 2
    (folder / "increase.toml").write_text(text)
    with answer_server(lambda _: Answer()) as (url, seen):
        result = tt.run(folder / "increase.toml", url, duration="2s")
    due = polars.DataFrame(result.requests)["scheduled_ns"] / 1e9
    assert len(seen) == result.summary["requests"]
    parts = [due.is_between(lo, lo + 0.5, closed="left").sum() for lo in (0, 0.5, 1, 1.5)]
    # From 50/s to 200/s evenly: 43.75 and 81.25 in half a second each.
    assert parts == pytest.approx([43.75, 81.25, 250, 250], abs=2)


def test_workloads_side_by_side(folder: Path) -> None:
    with answer_server(lambda _: Answer()) as (url, seen):
        result = tt.run(folder / "distribute.toml", url, duration="3s")
    summary = result.summary
    count = Counter(one.target for one in seen)
    # All clients think one second on average: four of five requests are of the 80.
    bets = count["/flip_coin.php?bet=heads"] + count["/flip_coin.php?bet=tails"]
    assert 2 < count["/contacts.php"] / (count["/news"] + bets) < 8
    assert min(count.values()) > 2
    assert bets > 0
    assert set(summary["by_request"]) == {"contacts", "news", "heads", "tails"}
    assert set(summary["by_population"]) == {"contacts", "others"}
    assert {(one["of"], one["name"]) for one in summary["objectives"]} == {
        ("contacts", "p95"),
        ("news", "p95"),
    }


def test_queries(folder: Path) -> None:
    with answer_server(lambda _: Answer()) as (url, seen):
        fine(tt.run(folder / "query.toml", url, requests=6, rate="200/s").summary, 6)
    fixed = [("utm_medium", "organic"), ("utm_source", "test"), ("multiple", "foo")]
    fixed.append(("multiple", "bar"))
    asked = [parse_qsl(one.target.partition("?")[2]) for one in seen]
    assert all(one[:4] == fixed for one in asked)
    assert Counter(one[4] for one in asked) == {("user", user): 2 for user in USERS}


def verdicts(summary: dict[str, Any]) -> dict[str, str]:
    return {f"{one['of'] or ''} {one['name']}".strip(): one["verdict"]
            for one in summary["objectives"]}  # fmt: skip


def test_thresholds(folder: Path) -> None:
    with answer_server(lambda _: Answer({"name": "Bert"})) as (url, _):
        good = tt.run(folder / "thresholds.toml", url, requests=1000, rate="400/s").summary
    fine(good, 1000)
    assert good["checks"]["is Bert"] == {"passed": 1000, "failed": 0}
    with answer_server(lambda _: Answer({"name": "Joe"}, 500)) as (url, _):
        bad = tt.run(folder / "thresholds.toml", url, requests=20_000, rate="400/s").summary
    assert bad["requests"] < 10_000  # `abort` has ended it
    assert verdicts(good)["errors"] == "met"
    assert verdicts(bad)["errors"] == "not met"
    assert verdicts(good)["is Bert checks"] == "met"


def test_every_example_of_the_page_is_run_here() -> None:
    assert len(FILES) > 10
    here = Path(__file__).read_text()
    run = [name for name in FILES if f'"{name}"' in here]
    assert [name for name in FILES if name not in (*run, "ratings.luau")] == []
