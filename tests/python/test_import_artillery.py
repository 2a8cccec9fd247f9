"""Imports of scripts of Artillery."""

from __future__ import annotations

import json
from typing import Any

import pytest
from import_accounts import Part, account
from import_results import imported, requests, table

import thinktime as tt
from thinktime.importing import Imported, import_text
from thinktime.importing.artillery import phases as artillery_phases
from thinktime.importing.notes import Notes

SHOP = """
config:
  target: https://shop.example/api/
  phases:
    - {name: warm, duration: 1m, arrivalRate: 5, rampTo: 20}
    - {duration: 120, arrivalRate: 20}
  http: {timeout: 8, pool: 30}
  defaults:
    headers: {Accept: application/json}
    think: {jitter: 20%}
  variables: {city: Lund}
  plugins:
    expect: {}
    ensure:
      thresholds: [{http.response_time.p95: 250}, {http.response_time.p999: 900}]
      conditions: [{expression: http.response_time.p99 < 500, strict: true}]
      maxErrorRate: 1
scenarios:
  - name: buy
    weight: 3
    flow:
      - post:
          url: /login
          name: login
          json: {user: ann, n: "{{ $randomNumber(1, 9) }}"}
          capture:
            - {json: $.token, as: token}
            - {header: X-Shop-Id, as: _shop}
          expect: [{statusCode: [200, 201]}, {contentType: json}, {hasProperty: "user.id"}]
      - think: 2
      - get:
          url: "/items/{{ $randomNumber(1, 100) }}?city={{ city }}"
          headers: {Authorization: "Bearer {{ token }}", X-Shop: "{{ _shop }}"}
          qs: {q: a b}
          followRedirect: false
      - loop:
          - get: "/pages/{{ $loopCount }}"
          - think: 500ms
        count: 2
  - name: look
    flow:
      - get: {url: /home}
"""


def script(*flow: Any, **config: Any) -> Imported:
    given = {"target": "http://a.example", **config}
    return imported(json.dumps({"config": given, "scenarios": [{"flow": list(flow)}]}))


def test_a_script_of_artillery_is_one_kind_of_sessions_with_several_beginnings() -> None:
    made = imported(SHOP)
    assert (made.kind, made.origin) == ("artillery", "https://shop.example")
    assert "--duration 180s" in made.text
    found = table(made)
    assert found["arrivals"]["model"] == "partly-open"
    assert found["arrivals"]["rate"] == "20/s"
    assert found["arrivals"]["process"] == "even"
    assert found["arrivals"]["profile"].startswith("steps(0s: 0.2875, 6s: 0.3625, ")
    assert found["session"]["first"] == {"login": 0.75, "api-home": 0.25}
    assert found["clients"] == {"connections": 30, "headers": {"Accept": "application/json"}}
    assert found["slo"] == {"p95": "250ms", "p99.9": "900ms", "p99": "500ms", "errors": "1%"}
    assert made.notes == [
        "phases: each ramp is taken as 10 steps of the rate",
        "scenario buy, step 3: follows no redirects; all requests follow 10 here",
    ]


def test_the_requests_of_a_flow_are_steps_with_values_that_they_take() -> None:
    found = requests(imported(SHOP))
    assert list(found) == ["login", "api-items", "api-pages-1", "api-pages-2", "api-home"]
    login, items = found["login"], found["api-items"]
    assert login["body"] == '{"user": "ann", "n": "{uniform(1, 9)}"}'
    assert login["take"] == {"token": "json:$.token", "shop": "header:X-Shop-Id"}
    assert login["think"] == "uniform(1.6s, 2.4s)"
    assert login["timeout"] == "8s"
    assert login["checks"] == {
        "statusCode": {"of": "status", "is": [200, 201]},
        "contentType json": {"of": "header:Content-Type", "contains": "application/json"},
        "hasProperty user.id": {"of": "json:$.user.id"},
    }
    assert items["get"] == "/api/items/{uniform(1, 100)}?city=Lund&q=a+b"
    assert items["headers"] == {"Authorization": "Bearer {token}", "X-Shop": "{shop}"}
    assert found["api-pages-1"]["think"] == "uniform(0.4s, 0.6s)"


def test_scenarios_of_one_request_are_an_open_workload_with_weights() -> None:
    flows = [{"flow": [{"get": "/a"}], "weight": 4}, {"flow": [{"get": "/b"}]}]
    made = imported(json.dumps({"config": {"target": "http://a.example"}, "scenarios": flows}))
    assert table(made)["arrivals"]["model"] == "open"
    assert [one["weight"] for one in table(made)["request"]] == [0.8, 0.2]


@pytest.mark.parametrize(
    ("phases", "rate", "profile", "lasts_s"),
    [
        ([{"duration": 60, "arrivalRate": 5}], "5/s", None, 60),
        ([{"duration": "10m", "arrivalRate": "4"}], "4/s", None, 600),
        ([{"duration": "2 min", "arrivalCount": 30}], "0.25/s", None, 120),
        ([{"duration": 10, "arrivalRate": 0, "rampTo": 50}], "50/s",
         "ramp(from=0, to=1, over=10s)", 10),
        ([{"duration": 10, "arrivalRate": 2}, {"pause": 5}, {"duration": "10s", "arrivalRate": 4}],
         "4/s", "steps(0s: 0.5, 10s: 0, 15s: 1)", 25),
        ([], "1/s", None, 0),
        ([{"duration": 10, "arrivalRate": "{{ rate }}"}], "1/s", None, 10),
    ],
)  # fmt: skip
def test_phases_are_rates_over_time(
    phases: Any, rate: str, profile: str | None, lasts_s: float
) -> None:
    found = artillery_phases.arrivals(phases, Notes())
    assert found.keys["rate"] == rate
    assert found.keys.get("profile") == profile
    assert found.duration_s == lasts_s


@pytest.mark.parametrize(
    ("action", "sent"),
    [
        ({"url": "/", "body": "x {{ n }}"}, {"body": "x 7"}),
        ({"url": "/", "json": {"a": ["{{ n }}", 1, True]}}, {"json": {"a": ["7", 1, True]}}),
        ({"url": "/", "form": {"a": "{{ n }}"}}, {"form": {"a": "7"}}),
        ({"url": "/", "formData": {"a": 1, "b": True}}, {"multipart": {"a": "1", "b": "true"}}),
        ({"url": "/", "gzip": True}, {"headers": {"Accept-Encoding": "gzip"}}),
        ({"url": "/", "json": {"password": "x"}}, {"json": {"password": "REMOVED"}}),
    ],
)
def test_bodies_are_sent_as_artillery_sends_them(action: Any, sent: dict[str, Any]) -> None:
    (one,) = table(script({"post": action}, variables={"n": 7}))["request"]
    assert sent.items() <= one.items()


def test_a_value_that_is_taken_is_no_secret() -> None:
    made = script(
        {"get": {"url": "/", "capture": {"json": "$.t", "as": "token"}}},
        {"post": {"url": "/b?token={{ token }}", "json": {"token": "{{ token }}"}}},
    )
    assert table(made)["request"][1]["post"] == "/b?token={token}"
    assert not made.notes


def test_a_value_of_a_request_that_is_left_out_is_named() -> None:
    made = script(
        {"get": {"url": "http://id.example/", "capture": {"json": "$.t", "as": "token"}}},
        {"get": {"url": "/b", "headers": {"X-Token-Of": "{{ token }}"}}},
        {"get": "/c"},
    )
    assert table(made)["request"][0]["headers"] == {"X-Token-Of": "token"}
    assert any("`token` is taken by no request here" in note for note in made.notes)


def test_messages_of_websocket_are_requests() -> None:
    text = json.dumps({
        "config": {"target": "ws://a.example/chat", "phases": [{"duration": 9, "arrivalRate": 2}]},
        "scenarios": [{"engine": "ws", "flow": [
            {"send": "hello {{ $randomNumber(1, 3) }}"}, {"think": 1}, {"send": {"a": "{b}"}}]}],
    })  # fmt: skip
    made = imported(text)
    assert made.origin == "ws://a.example/chat"
    assert [one["send"] for one in table(made)["request"]] == [
        "hello {uniform(1, 3)}", '{"a": "\\{b}"}',
    ]  # fmt: skip


@pytest.mark.parametrize("target", ["https://a.example/v1", "HTTP://a.example"])
def test_messages_to_a_target_of_http_are_left_out_with_a_note(target: str) -> None:
    """With them, the requests of the other scenario could not be run either."""
    flows: list[dict[str, Any]] = [
        {"flow": [{"get": "/a"}]},
        {"name": "chat", "engine": "ws", "flow": [{"connect": "/x"}, {"send": "hello"}]},
    ]
    made = imported(json.dumps({"config": {"target": target}, "scenarios": flows}))
    (one,) = table(made)["request"]
    assert one["get"].endswith("/a")
    notes = "\n".join(made.notes)
    assert "scenario chat, step 2: not for http" in notes
    assert "scenario chat: left out: it has no request that could be taken" in notes
    tt.Workload(made.text)


# Each part of a script has a mark; what is said of it otherwise names it by this word.
PARTS: dict[str, tuple[Any, str]] = {
    "a header": ({"headers": {"X-A": "MARK"}}, "\0"),
    "a secret header": ({"headers": {"X-Api-Key": "MARK"}}, "may hold a secret"),
    "a host": ({"headers": {"Host": "MARK"}}, "header `Host` left out"),
    "a body": ({"body": "MARK"}, "\0"),
    "JSON": ({"json": {"a": ["MARK"]}}, "\0"),
    "a form": ({"form": {"a": "MARK"}}, "\0"),
    "a form in parts": ({"formData": {"a": "MARK"}}, "\0"),
    "a file": ({"formData": {"a": {"fromFile": "MARK"}}}, "the files of the form"),
    "a query": ({"qs": {"a": "MARK"}}, "\0"),
    "a name": ({"name": "MARK"}, "\0"),
    "a capture": ({"capture": {"json": "$.MARK", "as": "x"}}, "\0"),
    "a capture by pattern": ({"capture": {"regexp": "MARK(.*)", "as": "x"}}, "\0"),
    "a wrong capture": ({"capture": {"json": "MARK(", "as": "x"}}, "\0"),
    "an odd capture": ({"capture": {"selector": "MARK", "as": "x"}}, "by `selector` is left out"),
    "a check": ({"expect": {"hasProperty": "MARK"}}, "\0"),
    "an odd check": ({"expect": {"equals": ["MARK"]}}, "the check 'equals' is left out"),
    "a match": ({"match": {"json": "$.a", "value": "MARK"}}, "\0"),
    "a condition": ({"ifTrue": "MARK"}, "`ifTrue` of the request"),
    "a function": ({"beforeRequest": "MARK"}, "`beforeRequest` of the request"),
    "a cookie": ({"cookie": {"a": "MARK"}}, "`cookie` of the request"),
    "credentials": ({"auth": {"user": "a", "pass": "MARK"}}, "`auth` is left out"),
    "an unknown value": ({"json": {"a": "{{ MARK }}"}}, "\0"),
}
ACTIONS: dict[str, tuple[Any, str]] = {
    "a call": ({"function": "MARK"}, "`function` is left out"),
    "a wait": ({"think": "MARK"}, "its time is no number"),
    "another host": ({"get": "http://MARK.example/"}, "goes to"),
    "another scheme": ({"get": "ftp://MARK.example/"}, "only http and https"),
    "an event": ({"emit": {"channel": "MARK"}}, "`emit` is left out"),
    "a loop by a function": ({"loop": [{"get": "/MARK"}], "whileTrue": "f"}, "\0"),
    "a list": ({"loop": [{"get": "/{{ $loopElement }}"}], "over": ["MARK", "b"]}, "\0"),
    "at once": ({"parallel": [{"get": "/MARK"}]}, "\0"),
}


def test_nothing_of_a_flow_is_lost() -> None:
    flow: list[Any] = [{"get": "/m0m"}, {"get": "/m00m"}, {"get": "/m000m"}, {"get": "/mm0mm"}]
    parts = []
    for number, name in enumerate([*PARTS, *ACTIONS], 5):
        held, word = (PARTS | ACTIONS)[name]
        mark = f"m{number}m"
        held = json.loads(json.dumps(held).replace("MARK", mark))
        flow.append({"post": {"url": f"/u{number}u"} | held} if number < 5 + len(PARTS) else held)
        parts.append(Part(f"scenario s, step {number}", mark, word))
    source = {"config": {"target": "http://a.example"}, "scenarios": [{"name": "s", "flow": flow}]}
    made = account(json.dumps(source), "artillery")
    assert len(parts) == 30
    assert not made.missing(parts), (made.missing(parts), made.notes)


@pytest.mark.parametrize(
    ("around", "place", "text"),
    [
        ({"before": {"flow": []}}, "before", "`before` left out"),
        ({"config": {"processor": "./f.js"}}, "config", "`processor` is left out"),
        ({"config": {"tls": {"rejectUnauthorized": False}}}, "config", "`--insecure`"),
        ({"config": {"environments": {"x": {}}}}, "config", "`environments` is left out"),
        ({"config": {"http": {"maxSockets": 3}}}, "http", "`maxSockets` is left out"),
        ({"config": {"defaults": {"cookie": {}}}}, "defaults", "`cookie` is left out"),
        ({"config": {"plugins": {"apdex": {}}}}, "plugins", "the plugin `apdex`"),
        ({"config": {"ensure": {"max": 3}}}, "ensure", "`max: 3`"),
        ({"config": {"phases": [{"duration": 1, "arrivalRate": 1, "maxVusers": 5}]}},
         "phase 1", "`maxVusers: 5`"),
        ({"config": {"variables": {"a": [1, 2]}}}, "variables", "has 2 values"),
        ({"config": {"payload": {"path": "u.csv", "fields": ["name"]}}},
         "payload", '`data = ["u.csv"]` into the table of the session, and `{name}` into requests'),
    ],
)  # fmt: skip
def test_what_is_around_the_scenarios_is_carried_over_or_named(
    around: Any, place: str, text: str
) -> None:
    config = {"target": "http://a.example"} | around.get("config", {})
    source = {"scenarios": [{"flow": [{"get": "/"}]}]} | around | {"config": config}
    notes = imported(json.dumps(source)).notes
    assert any(note.startswith(f"{place}:") and text in note for note in notes), notes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("config: {}", "it has no list `scenarios`"),
        ("scenarios: [{engine: playwright, flow: [{x: y}]}]", "the engine `playwright` is not"),
        ("scenarios: [1, [], {flow: 3}, {flow: [null, 1, {get: null}]}]", "and 1 more)"),
        ("scenarios: [{flow: [{loop: &a [{loop: *a}]}]}]", "its aliases stand for more"),
    ],
)
def test_a_script_without_a_request_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(tt.InputError) as found:
        import_text(text.encode(), "a file", "artillery")
    assert why in str(found.value)
