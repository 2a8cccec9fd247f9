"""Imports of HAR and of curl commands: the parts carried over, the omitted ones, and the names."""

from __future__ import annotations

import json
import shlex
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from import_results import imported, loads, requests, table

import thinktime as tt
from thinktime.importing.curl import shell

AGENT = {"name": "User-Agent", "value": 'Mozilla/5.0 "X"'}


def entry(
    begun: str, url: str, *, page: str = "page_1", method: str = "GET", kind: str = "text/html",
    took: float = 100.0, headers: list[dict[str, str]] | None = None, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """An entry as developer tools write it."""
    posted = {"postData": more.pop("posted")} if "posted" in more else {}
    return {
        "pageref": page,
        "startedDateTime": f"2026-01-05T10:00:{begun}Z",
        "time": took,
        "request": {
            "method": method, "url": url, "httpVersion": "http/2.0", "cookies": [],
            "headers": [{"name": ":authority", "value": "shop.example"}, AGENT, *(headers or [])],
            "queryString": [], "headersSize": -1, "bodySize": 0, **posted,
        },
        "response": {
            "status": 200, "statusText": "", "headers": [], "cookies": [],
            "content": {"size": 5, "mimeType": kind}, "redirectURL": "",
        },
        "cache": {}, "timings": {"send": 0, "wait": 90, "receive": 10}, **more,
    }  # fmt: skip


def har(*entries: dict[str, Any]) -> str:
    creator = {"name": "WebInspector", "version": "537.36"}
    return json.dumps({"log": {"version": "1.2", "creator": creator, "entries": list(entries)}})


SHOP = "https://shop.example"
VISIT = (
    entry("00.000", f"{SHOP}/", headers=[{"name": "Cookie", "value": "sid=1"}]),
    entry("00.150", f"{SHOP}/a.css", kind="text/css"),
    entry("00.160", f"{SHOP}/b.js", kind="text/javascript"),
    entry("00.170", "https://cdn.example/c.js", kind="text/javascript"),
    entry("08.000", f"{SHOP}/item/7?q={{x}}", page="page_2"),
    entry("08.200", f"{SHOP}/a.css", page="page_2", kind="text/css"),
    entry(
        "20.000", f"{SHOP}/order", page="page_2", method="POST", kind="application/json",
        headers=[{"name": "Content-Type", "value": "application/json"}],
        posted={"mimeType": "application/json", "text": '{"n": 2, "password": "hunter2"}'},
    ),
)  # fmt: skip


def test_pages_of_a_har_are_a_journey_with_objects_and_think_times() -> None:
    made = imported(har(*VISIT))
    assert (made.kind, made.origin) == ("har", SHOP)
    found, whole = requests(made), table(made)
    assert whole["arrivals"] == {"model": "partly-open", "rate": "1/s"}
    assert list(found) == ["home", "item-7", "post-order", "a-css", "b-js"]
    assert found["home"]["objects"] == {"count": "2", "of": {"a-css": 1, "b-js": 1}}
    assert found["item-7"]["objects"] == {"count": "1", "of": {"a-css": 1}}
    assert [one.get("next") for one in found.values()][:3] == [
        {"item-7": 1}, {"post-order": 1}, {"end": 1},
    ]  # fmt: skip
    usual = whole["session"]["think"]
    # From the end of the last object, at 0.26 s and 8.3 s, to the next page.
    assert found["home"].get("think", usual) == "7.74s"
    assert found["item-7"].get("think", usual) == "11.7s"
    assert found["item-7"]["get"] == "/item/7?q=%7Bx%7D"
    assert whole["session"]["cookies"] is True
    assert whole["clients"]["headers"] == {"User-Agent": 'Mozilla/5.0 "X"'}


def test_a_har_loads_whole() -> None:
    assert loads(imported(har(*VISIT))).model == "partly-open"


def test_secrets_of_a_har_are_named_and_not_written() -> None:
    secret = {"name": "Authorization", "value": "Bearer s3cr3t"}
    first = entry("00.000", f"{SHOP}/?access_token=t0k3n&page=2", headers=[secret])
    form = {"mimeType": "application/x-www-form-urlencoded", "text": "user=ann&passwd=pw1234"}
    media = {"name": "content-type", "value": form["mimeType"]}
    posted = entry("05.000", f"{SHOP}/in", method="POST", headers=[media], posted=form)
    made = imported(har(first, posted, *VISIT[4:]))
    for value in ("s3cr3t", "t0k3n", "pw1234", "hunter2", "sid=1"):
        assert value not in made.text + "".join(made.notes)
    notes = "\n".join(made.notes)
    for name in ("Authorization", "access_token", "passwd", "password"):
        assert f"`{name}`" in notes
    assert requests(made)["post-in"]["form"] == {"user": "ann", "passwd": "REMOVED"}


def test_what_was_not_asked_for_is_left_out_and_named() -> None:
    lost = entry("01.000", f"{SHOP}/lost")
    lost["response"]["status"] = 0
    made = imported(
        har(
            VISIT[0],
            lost,
            entry("01.000", f"{SHOP}/kept", _fromCache="memory"),
            entry("01.000", "wss://shop.example/ws"),
            entry("01.000", "data:image/png;base64,AA=="),
            *VISIT[3:4],
        )
    )
    assert list(requests(made)) == ["home"]
    notes = list(made.notes)
    assert [note.partition(":")[0] for note in notes] == [
        "entry 1", "entry 2", "entry 3", "entry 4", "entry 6",
    ]  # fmt: skip
    assert "cdn.example" in notes[-1]
    for note in notes[1:]:
        assert note[:60] in made.text, "the file lists it too"


@pytest.mark.parametrize(
    "source",
    [
        "curl https://a.example/x\ncurl https://ann:s3cr3t@a.example:99999/y",
        "curl https://a.example/x\ncurl 'https://ann:s3cr3t@\u2100.example/y'",
        "curl https://a.example/x\ncurl https://ann:s3cr3t@a%20b/y",
        "curl https://ann:s3cr3t@a.example/x?api_key=s3cr3t",
        "import http from 'k6/http'\nexport default function () { http.get('https://a.example/x');"
        " http.get('https://a.example/?token=s3cr3t' + more()) }",
        "from locust import HttpUser, task\nclass U(HttpUser):\n    @task\n    def t(self):\n"
        "        self.client.get('/x')\n        self.client.get('/?token=s3cr3t' + more)\n"
        "        self.send('s3cr3t')\n",
    ],
)
def test_notes_do_not_repeat_what_may_be_secret(source: str) -> None:
    made = imported(source)
    assert made.notes
    assert "s3cr3t" not in made.text + "".join(made.notes)


def test_the_target_is_where_the_pages_are() -> None:
    """Not the destination of most requests, which may be a store of images."""
    images = [entry("00.200", f"https://cdn.example/{n}.png", kind="image/png") for n in range(5)]
    made = imported(har(VISIT[0], *images))
    assert made.origin == SHOP
    assert list(requests(made)) == ["home"]
    assert "entry 2 and 4 more: goes to https://cdn.example" in "\n".join(made.notes)


def test_fields_that_browsers_set_by_themselves_are_left_out() -> None:
    fields = [{"name": name, "value": "x"} for name in ("Sec-Fetch-Mode", "Referer", "X-Shop")]
    made = imported(har(entry("00.000", f"{SHOP}/", headers=fields)))
    assert requests(made)["home"]["headers"] == {"User-Agent": AGENT["value"], "X-Shop": "x"}
    assert [note.split("`")[1] for note in made.notes] == ["Sec-Fetch-Mode", "Referer"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"log": {"entries": [', "is no JSON"),
        ('{"log": 5}', "is no HAR"),
        ('{"log": {"entries": []}}', "no request of the 0 entries"),
        ('{"log": {"entries": [1, null, {"request": []}]}}', "no request of the 3 entries"),
        ('{"log": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_har_is_an_error(text: str, reason: str) -> None:
    with pytest.raises(tt.InputError, match=reason):
        imported(text, "a.har", "har")


CURL = r"""# two requests, and a pause
curl 'https://shop.example/api?x=1' \
  -H 'accept: */*' -H 'authorization: Bearer s3cr3t' -b 'a=b' --compressed --insecure
sleep 2.5
$ curl -sSX PURGE https://shop.example/x -u ann:pw1234
curl -sS --json '{"a": [1, "b"]}' https://shop.example/j -o /dev/null
curl https://shop.example/f -d a=1 -d 'b=two & three'
curl -G -d q=1 --data-urlencode 'w=a b' https://shop.example/g
curl 'https://shop.example/r' --data-raw $'{"a":"it\'s \u00e9"}' -H 'content-type: application/json'
curl -F a=b -F 'f=@x.png' -A 'me/1' https://shop.example/up
curl -I https://shop.example/head
wget https://shop.example/
"""


def test_curl_commands_are_requests_in_their_order() -> None:
    made = imported(CURL)
    found = requests(made)
    assert made.kind == "curl"
    assert [one.get("get") or one.get("post") for one in found.values()] == [
        "/api?x=1", None, "/j", "/f", "/g?q=1&w=a%20b", "/r", "/up", None,
    ]  # fmt: skip
    api, purge, json_, form, _, raw, parts, head = found.values()
    assert api["headers"] == {"accept": "*/*", "Accept-Encoding": "deflate, gzip, br, zstd"}
    assert api["think"] == "2.5s"
    assert (purge["method"], purge["target"]) == ("PURGE", "/x")
    assert json_["json"] == {"a": [1, "b"]}
    assert form["body"] == "a=1&b=two & three" or form["form"] == {"a": "1", "b": "two & three"}
    assert raw["json"] == {"a": "it's é"}
    assert parts["multipart"] == {"a": "b"}
    assert parts["headers"] == {"User-Agent": "me/1"}
    assert head["head"] == "/head"
    assert table(made)["session"]["cookies"] is True
    assert '# bearer = "env:TOKEN"' in made.text
    assert '# basic = "env:USER_AND_PASSWORD"' in made.text
    assert "s3cr3t" not in made.text
    assert "pw1234" not in made.text


def test_what_curl_commands_lose_is_named_with_its_line() -> None:
    notes = list(imported(CURL).notes)
    for line, text in (
        ("line 2", "--insecure"),
        ("line 2", "authorization"),
        ("line 5", "`-u` left out: it holds a secret"),
        ("line 10", "files of the form"),
        ("line 12", "`wget` is no curl command"),
    ):
        assert any(note.startswith(line) and text in note for note in notes), (line, text)


def test_curl_commands_load_whole() -> None:
    assert loads(imported(CURL)).model == "partly-open"


def test_one_curl_command_is_an_open_model() -> None:
    made = imported("curl http://127.0.0.1:8080/a")
    assert table(made)["arrivals"] == {"model": "open", "rate": "1/s"}
    assert loads(made).model == "open"
    assert "--target http://127.0.0.1:8080" in made.text


def test_curl_commands_copied_for_windows() -> None:
    made = imported(
        'curl ^"https://shop.example/a?x=1^&y=2^" ^\n  -H ^"accept: a/b^" ^\n'
        '  -H ^"content-type: application/json^" --data-raw ^"^{^\\^"a^\\^":1^}^"\n'
    )
    (only,) = requests(made).values()
    assert only["post"] == "/a?x=1&y=2"
    assert only["json"] == {"a": 1}
    assert only["headers"] == {"accept": "a/b"}


def test_an_open_quote_is_named_and_what_is_before_it_taken() -> None:
    made = imported("curl https://a.example/x\ncurl 'https://a.example/y\n" + "z\n" * 50_000)
    assert list(requests(made)) == ["x"]
    assert "quotes do not match" in next(iter(made.notes))


def test_requests_to_other_hosts_are_left_out_of_the_order() -> None:
    made = imported(
        "curl https://a.example/1\ncurl https://b.example/2\ncurl https://a.example/3\n"
    )
    assert requests(made)["1"]["next"] == {"3": 1}
    assert any("b.example" in note for note in made.notes)


def test_a_body_goes_with_any_method() -> None:
    made = imported("curl -X GET --json '{\"query\": 1}' http://a/search\ncurl -I -F a=b http://a/")
    first, second = table(made)["request"]
    assert (first["method"], first["target"], first["json"]) == ("GET", "/search", {"query": 1})
    assert (second["method"], second["multipart"]) == ("HEAD", {"a": "b"})


def test_fields_are_the_same_in_any_letters() -> None:
    made = imported("curl -H 'accept: text/x' -H 'content-type: a/b' --json '{}' http://a/")
    (request,) = table(made)["request"]
    assert request["headers"] == {"accept": "text/x", "content-type": "a/b"}


def test_a_method_that_is_none_is_named() -> None:
    good = {
        "startedDateTime": "2026-01-31T12:00:00Z", "response": {"status": 200},
        "request": {"method": "GET", "url": "http://a/"},
    }  # fmt: skip
    odd = good | {"request": {"method": "G\u00c9T /x", "url": "http://a/b"}}
    made = imported(json.dumps({"log": {"entries": [good, odd]}}), kind="har")
    assert any("its method is no method of HTTP" in note for note in made.notes)
    assert len(table(made)["request"]) == 1


def test_a_long_command_is_read_in_time_that_grows_as_it_does() -> None:
    begun = time.monotonic()
    made = imported("curl http://a/ -d $'" + "\\'" * 100_000 + "' -d '" + "x" * 400_000 + "'")
    assert any("a body of" in note for note in made.notes)
    imported("curl http://a/ " + "-H 'a: b' " * 5000)
    assert time.monotonic() - begun < 30


@given(st.text(" ab'\"\\=\t-\u00e9", max_size=20))
def test_words_are_those_of_a_shell(line: str) -> None:
    try:
        words = shlex.split(line)
    except ValueError:
        if not line.endswith("\\"):
            with pytest.raises(ValueError, match="open"):
                list(shell.commands(line))
        return
    assert list(shell.commands(line)) == [("", words)]


def test_bodies_lose_their_secrets_whatever_their_form() -> None:
    """Long JSON, JSON with null or with a key twice, forms with a name twice, parts of a form."""
    json_, form = "application/json", "application/x-www-form-urlencoded"
    parts = '--b\r\nContent-Disposition: form-data; name="pwd"\r\n\r\ns3cr3t\r\n--b--\r\n'
    bodies = (
        (json_, '{"a": [' + "1, " * 3000 + '1], "password": "s3cr3t"}'),
        (json_, '{"a": null, "tokens": ["s3cr3t", {"x": "s3cr3t"}]}'),
        (json_, '{"a": {"secret": "s3cr3t"}, "a": 1}'),
        ("text/plain", ' [{"api_key": "s3cr3t"}]'),
        (form, "a=1&a=2&auth_token=s3cr3t"),
        ("multipart/form-data; boundary=b", parts),
        (json_, "[" * 100_000 + '{"password": "s3cr3t"}'),
    )
    entries = [
        entry(f"{n:02}.000", f"{SHOP}/{n}", method="POST", posted={"mimeType": media, "text": text})
        for n, (media, text) in enumerate(bodies)
    ]
    made = imported(har(*entries))
    assert "s3cr3t" not in made.text + "".join(made.notes)
    found = list(requests(made).values())
    assert json.loads(found[0]["body"])["password"] == "REMOVED"
    assert json.loads(found[1]["body"])["tokens"] == ["REMOVED", {"x": "REMOVED"}]
    assert found[2]["json"] == {"a": 1}
    assert found[4]["body"] == "a=1&a=2&auth_token=REMOVED"
    assert found[5]["multipart"] == {"pwd": "REMOVED"}
    assert "body" not in found[6]
    assert any("nested too deeply" in note for note in made.notes)


def test_a_har_that_names_no_pages_is_divided_by_its_answers() -> None:
    """As in proxies' recordings: calls of an interface are not objects of each other."""
    kinds = ("json", "json", "html", "css", "json", "html")
    entries = [
        entry(f"{n / 10:06.3f}", f"{SHOP}/{n}", page="", kind=f"x/{kind}", took=10)
        for n, kind in enumerate(kinds)
    ]
    found = requests(imported(har(*entries)))
    assert [name for name, one in found.items() if "next" in one] == ["0", "1", "2", "5"]
    assert found["2"]["objects"]["of"] == {"3": 1, "4": 1}


def test_a_body_that_a_har_does_not_have_is_named() -> None:
    lost = entry("00.000", f"{SHOP}/in", method="POST")
    lost["request"]["bodySize"] = 4000
    made = imported(har(lost))
    assert list(made.notes) == ["entry 1: a body of 4000 bytes is not in the recording"]


@pytest.mark.parametrize(
    ("options", "method"),
    [("-T a.bin", "put"), ("-d @a.json", "post"), ("-F f=@a.png", "post"), ("-G -d @a", "get")],
)
def test_a_file_that_is_not_read_does_not_change_the_method(options: str, method: str) -> None:
    made = imported(f"curl {options} http://127.0.0.1:8080/a")
    (request,) = requests(made).values()
    assert request[method] == "/a"
    assert "left out" in " ".join(made.notes)


def test_an_answer_that_may_not_end_is_named() -> None:
    stream = entry("00.500", f"{SHOP}/events", kind="text/event-stream", took=30_000)
    made = imported(har(entry("00.000", f"{SHOP}/"), stream))
    assert "events" in requests(made)
    assert [one for one in made.notes if one.startswith("entry 2") and "may not end" in one]
