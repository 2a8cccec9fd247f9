"""Data files, `take` and `checks` of the workload file, against a shop that knows its users."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

import cases
import pytest
from real_runs import HttpServer, complaint

import thinktime as tt

USERS = {"ann": 'a"n&n=1', "bob": "b€b", "cid": "c c"}


class Shop(BaseHTTPRequestHandler):
    """Gives a token for a name and its password, and a cart to the holder of the token."""

    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    seen: ClassVar[list[tuple[str, str, dict[str, str], str]]] = []
    logins: ClassVar[Counter[str]] = Counter()
    token_of: ClassVar[dict[str, str]] = {}
    #: What it says in place of a token, once: a server is not to be trusted.
    hostile = ""

    def answer(self, status: int, body: object, fields: dict[str, str] | None = None) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.send_response(status)
        for name, value in {**(fields or {}), "Content-Length": str(len(text.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def note(self) -> str:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        with Shop.lock:
            Shop.seen.append((self.command, self.path, dict(self.headers), body))
        return body

    def do_POST(self) -> None:
        body = self.note()
        form = parse_qs(body)
        said = (
            {name: values[0] for name, values in form.items()}
            if "form" in (self.headers.get("Content-Type") or "")
            else json.loads(body)
        )
        if USERS.get(said["user"]) != said["password"]:
            return self.answer(403, {"error": "who?"})
        with Shop.lock:
            Shop.logins[said["user"]] += 1
            token = Shop.hostile or f"t-{said['user']}-{sum(Shop.logins.values())}"
            Shop.token_of[token] = said["user"]
        return self.answer(
            200,
            {"token": token, "items": [{"id": 7}, {"id": 8}], "price": 2.5},
            {"Content-Type": "application/json", "X-Next": "/cart?of=" + said["user"]},
        )

    def do_GET(self) -> None:
        self.note()
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        user = Shop.token_of.get(token)
        self.answer(200 if user else 401, f"<p>cart of {user}</p>")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[str]:
    Shop.seen, Shop.logins, Shop.token_of, Shop.hostile = [], Counter(), {}, ""
    server = HttpServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


BUYERS = """
name = "buyers"
seed = 5
[arrivals]
model = "partly-open"
rate = "100/s"
[session]
data = ["users.csv"]
think = "0s"
[clients]
headers = { Authorization = "Bearer {token}" }
[[request]]
name = "login"
post = "/login"
json = { user = "{user}", password = "{password}", amount = "{const(3)}" }
take = { token = "json:$.token", id = "json:$.items[-1].id", next = "header:X-Next" }
next = { cart = 1 }
[request.checks]
"answers 200" = { of = "status", is = 200 }
"has items" = "json:$.items[1].id"
"is cheap" = { of = "json:$.price", most = 2 }
[[request]]
name = "cart"
get = "{next}&id={id}&who={password}"
next = { end = 1 }
checks = { "is the user's" = { of = "regex:cart of (\\\\w+)", is = ["ann", "bob", "cid"] } }
[slo]
checks = "99%"
check."has items" = "100%"
"""


def files(tmp_path: Path, text: str = BUYERS) -> Path:
    rows = "".join(
        '{},"{}"\n'.format(user, word.replace('"', '""')) for user, word in USERS.items()
    )
    (tmp_path / "users.csv").write_text("user,password\n" + rows)
    (tmp_path / "w.toml").write_text(text)
    return tmp_path / "w.toml"


def seen(method: str) -> list[tuple[str, dict[str, str], str]]:
    return [(path, fields, body) for word, path, fields, body in Shop.seen if word == method]


def test_a_session_signs_in_with_its_row_and_brings_its_token(shop: str, tmp_path: Path) -> None:
    result = tt.run(files(tmp_path), shop, requests=120, output=tmp_path / "out")
    summary = result.summary
    assert (summary["requests"], summary["errors"]) == (120, 0)
    logins, carts = seen("POST"), seen("GET")
    assert len(logins) + len(carts) == 120
    assert len(logins) >= len(carts) > 0
    # In turn: each user as often as the others, except for those in progress at the end.
    assert max(Shop.logins.values()) - min(Shop.logins.values()) <= 2
    for _, fields, body in logins:
        assert json.loads(body)["amount"] == 3
        assert "Authorization" not in fields  # there is no token yet
    for path, fields, _ in carts:
        user = Shop.token_of[fields["Authorization"].removeprefix("Bearer ")]
        query = parse_qs(urlsplit(path).query)
        assert query == {"of": [user], "id": ["8"], "who": [USERS[user]]}
    checks = summary["checks"]
    assert checks["answers 200"] == {"passed": len(logins), "failed": 0}
    assert checks["is cheap"] == {"passed": 0, "failed": len(logins)}
    assert checks["is the user's"] == {"passed": len(carts), "failed": 0}
    verdicts = {(one["of"], one["name"]): one["verdict"] for one in summary["objectives"]}
    assert list(verdicts.values()).count("not met") == 1  # 25 % of all checks failed
    assert complaint(result) or not summary["warnings"]
    kept = "".join(path.read_text() for path in (tmp_path / "out").glob("*.json"))
    assert "t-ann" not in kept


def test_what_is_not_there_is_told_and_nothing_is_sent_without_it(
    shop: str, tmp_path: Path
) -> None:
    text = BUYERS.replace("json:$.token", "json:$.tokn").replace(
        'get = "{next}', 'headers = { Authorization = "Bearer {token}" }\nget = "{next}'
    )
    summary = tt.run(files(tmp_path, text), shop, requests=40).summary
    logins = len(seen("POST"))
    assert summary["errors_by_kind"] == {"value_missing": 40 - logins}
    assert seen("GET") == []
    assert summary["checks"]["is the user's"] == {"passed": 0, "failed": 40 - logins}
    told = [one for one in summary["warnings"] if "was not found" in one]
    assert told == [f"`token` of `login` was not found in {logins} of {logins} responses"]


@pytest.mark.parametrize("hostile", ["a\r\nX-Evil: 1", "x" * 70_000])
def test_a_server_puts_no_header_field_into_requests(
    shop: str, tmp_path: Path, hostile: str
) -> None:
    Shop.hostile = hostile
    # A second, so that some have their answer before the last is sent, whatever the machine does.
    summary = tt.run(files(tmp_path), shop, requests=20, rate="10/s").summary
    assert not any("X-Evil" in fields for _, fields, _ in seen("GET"))
    failed = 20 - len(seen("POST"))
    expected = {"status": failed} if len(hostile) > 99 else {"value_unfit": failed}
    assert failed > 0
    assert summary["errors_by_kind"] == expected


def test_a_form_and_a_path_are_written_as_they_must_be(shop: str, tmp_path: Path) -> None:
    text = BUYERS.replace("json = {", "form = {").replace(
        "{next}&id={id}&who={password}", "/of/{password}?who={password}"
    )
    summary = tt.run(files(tmp_path, text), shop, requests=60).summary
    assert summary["errors"] == 0, summary["errors_by_kind"]
    words = {unquote(path.split("?")[0].removeprefix("/of/")) for path, _, _ in seen("GET")}
    assert words == set(USERS.values())


def test_closed_clients_keep_their_row_and_their_values(shop: str, tmp_path: Path) -> None:
    text = BUYERS.replace('model = "partly-open"\nrate = "100/s"', 'model = "closed"\nclients = 2')
    text = text.replace("next = { end = 1 }", "next = { cart = 1 }")
    summary = tt.run(files(tmp_path, text), shop, requests=50).summary
    assert summary["errors"] == 0
    assert set(Shop.logins) == {"ann", "bob"}
    assert sum(Shop.logins.values()) == 2


def test_who_begins_anew_has_the_next_row_and_no_value_of_before(shop: str, tmp_path: Path) -> None:
    text = BUYERS.replace('model = "partly-open"\nrate = "100/s"', 'model = "closed"\nclients = 2')
    summary = tt.run(files(tmp_path, text), shop, requests=60).summary
    assert summary["errors"] == 0
    assert set(Shop.logins) == set(USERS)
    assert not any("Authorization" in fields for _, fields, _ in seen("POST"))


def test_rows_at_random_are_those_of_the_seed(shop: str, tmp_path: Path) -> None:
    text = BUYERS.replace('"users.csv"]', '"users.csv"]\nrows = "random"')
    users = []
    for _ in range(2):
        Shop.seen = []
        tt.run(files(tmp_path, text), shop, requests=200)
        first = [json.loads(body)["user"] for _, _, body in seen("POST")][:90]
        users.append(Counter(first))
    # The first sessions are the same; their number until the end is not, and on a busy machine some
    # may overtake others.
    assert abs(users[0]["ann"] - users[1]["ann"]) <= 5
    # 90 of three: each 13 to 49 but with probability 1e-4.
    assert all(12 < users[0][user] < 50 for user in USERS)


def test_several_loops_share_what_they_find(shop: str, tmp_path: Path) -> None:
    summary = tt.run(files(tmp_path), shop, requests=80, loops=2).summary
    assert summary["errors"] == 0
    count = summary["checks"]["answers 200"]
    assert count["passed"] + count["failed"] == summary["by_request"]["login"]["requests"]


def test_a_simulation_takes_the_file_and_checks_nothing(tmp_path: Path) -> None:
    system = cases.system(("ps", "exp(1ms)"))
    summary = tt.simulate(files(tmp_path), system, requests=2000).summary
    assert summary["errors"] == 0
    assert "checks" not in summary or not summary["checks"]
    assert "objectives" not in summary
    assert any("checks" in note for note in summary["notes"]), summary["notes"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("{next}&id", "{nxt}&id"), "get: unknown value `nxt`: did you mean `next`?"),
        (("Bearer {token}", "Bearer {tokn}"), "unknown value `tokn`: did you mean `token`?"),
        (("json:$.token", "jsn:$.token"), "take.token: unknown part of a response `jsn`"),
        (("token = ", "user = "), "take.user: `user` is a column of a data file already"),
        (("token = ", '"to ken" = '), "`to ken` is no name of a value"),
        (("most = 2", "mots = 2"), "unknown key `mots`: did you mean `most`?"),
        (("most = 2", 'most = "2ms"'), "`2ms` is no number"),
        (("users.csv", "nobody.csv"), "nobody.csv"),
        (('data = ["users.csv"]', 'rows = "random"'), "session.rows: goes with `data`"),
        (("is = 200", "is = []"), "is empty"),
        (("is = 200", "is = 1979-05-27"), "write dates and other values as a text, in quotes"),
        (("is = 200", "is = inf"), "is no finite number"),
    ],
)
def test_mistakes_are_named_with_their_line(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    path = files(tmp_path, BUYERS.replace(*change))
    with pytest.raises(tt.InputError) as told:
        tt.Workload.load(path)
    message = str(told.value)
    assert words in message
    assert "w.toml:" in message
