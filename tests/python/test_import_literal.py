"""Foreign text is sent as it stands: no importer, recording or log makes draws of its braces."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

import pytest
from answer_server import Answer, answer_server
from hypothesis import given, settings
from hypothesis import strategies as st
from import_results import imported, table
from test_learn_hostile import entry as line_of_log
from test_learn_hostile import written

import thinktime as tt
from thinktime.importing import KINDS, literal, workload_text
from thinktime.importing.exchanges import Exchange, PostedBody, a_recording
from thinktime.importing.page import page_draft
from thinktime.learn import learn

LAWS = [name for name, *_ in tt._core.distributions()]
FOREIGN = ["{empirical(/no/such/file)}", "a {zipf(n=10, s=1)} b", "{brace()}{x{exp(1)}", "{id}"]
JSON = "application/json"
PLACES = ("header", "text", "json", "form", "multipart")


def exchange(kind: str, text: str) -> Exchange:
    """A recorded request with a foreign text in one place, and in its target."""
    media = {"json": JSON, "form": "application/x-www-form-urlencoded", "header": ""}
    posted = {
        "text": PostedBody("text/plain", text),
        "json": PostedBody(JSON, json.dumps({text: [text]})),
        "form": PostedBody(media["form"], f"a={quote(text)}"),
        "multipart": PostedBody("multipart/form-data", "", [("a", text)]),
    }.get(kind, PostedBody())
    url = f"http://a.example/{text}?q={text}"
    return Exchange("POST", url, [("X-A", text)], 200, 0.0, 0.1, posted=posted)


def har(text: str) -> str:
    def one(kind: str) -> dict[str, Any]:
        made = exchange(kind, text)
        posted = made.posted
        params = [{"name": name, "value": held} for name, held in posted.pairs]
        data = {"mimeType": posted.media, "text": posted.text, "params": params}
        fields = [{"name": name, "value": held} for name, held in made.fields]
        return {
            "startedDateTime": "2026-01-05T10:00:00Z", "time": 1, "response": {"status": 200},
            "request": {"method": "POST", "url": made.url, "headers": fields, "postData": data},
        }  # fmt: skip

    return json.dumps({"log": {"version": "1.2", "entries": [one(kind) for kind in PLACES]}})


def curl(text: str) -> str:
    host = f"'http://a.example/{text}?q={text}' -g"
    return f"""curl {host} -H 'X-A: {text}'
curl {host} -H 'Content-Type: text/plain' --data-raw '{text}'
curl {host} --json '{json.dumps({text: text})}'
curl {host} --data-urlencode 'a={text}'
curl {host} -F 'a={text}'
"""


def openapi(text: str) -> str:
    def body(media: str, held: Any) -> dict[str, Any]:
        return {"post": {"requestBody": {"content": {media: {"example": held}}}}}

    parameters = [
        {"name": name, "in": where, "required": True, "example": text}
        for name, where in (("X-A", "header"), ("q", "query"), ("p", "path"))
    ]
    return json.dumps({
        "openapi": "3.0.1",
        "paths": {
            "/a/{p}": {"get": {"parameters": parameters}},
            "/b": body("text/plain", text), "/c": body(JSON, {text: text}),
            "/d": body("application/x-www-form-urlencoded", {"a": text}),
            "/e": body("multipart/form-data", {"a": text}),
        },
    })  # fmt: skip


def postman(text: str) -> str:
    rows = [{"key": "a", "value": text}]
    raw = {"mode": "raw", "raw": text}
    bodies = [
        raw, raw | {"raw": json.dumps({text: text}), "options": {"raw": {"language": "json"}}},
        {"mode": "urlencoded", "urlencoded": rows}, {"mode": "formdata", "formdata": rows},
    ]  # fmt: skip
    url = {"raw": f"http://a.example/{text}?q={text}", "query": [{"key": "q", "value": text}]}
    fields = [{"key": "X-A", "value": text}]
    asked = [{"method": "POST", "url": url, "header": fields, "body": body} for body in bodies]
    return json.dumps({"info": {}, "item": [{"name": "a", "request": one} for one in asked]})


def k6(text: str) -> str:
    at, held = "'http://a.example/'", json.dumps(text)
    return f"""import http from 'k6/http';
export default function () {{
  http.post({at}, {held}, {{ headers: {{ 'X-A': {held} }} }});
  http.post({at}, JSON.stringify({{ a: {held} }}));
  http.post({at}, {{ a: {held} }});
}}"""


def locust(text: str) -> str:
    held = json.dumps(text)
    return f"""from locust import HttpUser, task
class U(HttpUser):
    @task
    def one(self):
        self.client.post("/", data={held}, headers={{"X-A": {held}}})
        self.client.post("/", json={{"a": {held}}})
        self.client.post("/", data={{"a": {held}}})
"""


def jmeter(text: str) -> str:
    def argument(raw: str, name: str) -> str:
        return f"""<HTTPSamplerProxy testname="a"><boolProp name="HTTPSampler.postBodyRaw">{raw}
</boolProp><stringProp name="HTTPSampler.domain">a.example</stringProp>
<stringProp name="HTTPSampler.path">/</stringProp>
<stringProp name="HTTPSampler.method">POST</stringProp>
<elementProp name="HTTPsampler.Arguments" elementType="Arguments">
<collectionProp name="Arguments.arguments"><elementProp name="a" elementType="HTTPArgument">
<stringProp name="Argument.name">{name}</stringProp>
<stringProp name="Argument.value">{text}</stringProp></elementProp></collectionProp></elementProp>
</HTTPSamplerProxy><hashTree><HeaderManager testname="H">
<collectionProp name="HeaderManager.headers"><elementProp name="" elementType="Header">
<stringProp name="Header.name">X-A</stringProp>
<stringProp name="Header.value">{text}</stringProp></elementProp></collectionProp>
</HeaderManager><hashTree/></hashTree>"""

    return f"""<?xml version="1.0"?><jmeterTestPlan version="1.2"><hashTree><TestPlan testname="p"/>
<hashTree><ThreadGroup testname="u"><stringProp name="ThreadGroup.num_threads">1</stringProp>
</ThreadGroup><hashTree>{argument("true", "")}{argument("false", "a")}</hashTree></hashTree>
</hashTree></jmeterTestPlan>"""


def artillery(text: str) -> str:
    fields = {"headers": {"X-A": text, "Content-Type": "text/plain"}}
    bodies = [{"body": text} | fields, {"json": {text: text}}, {"form": {"a": text}},
              {"formData": {"a": text}}]  # fmt: skip
    flow = [{"post": {"url": f"/{text}", "capture": {"json": "$.a", "as": "id"}} | one}
            for one in bodies]  # fmt: skip
    return json.dumps({"config": {"target": "http://a.example"}, "scenarios": [{"flow": flow}]})


def gatling(text: str) -> str:
    held = json.dumps(text)
    inner = json.dumps(json.dumps({text: text}))
    return f"""import static io.gatling.javaapi.core.CoreDsl.*;
class S extends Simulation {{
  ScenarioBuilder s = scenario("s").exec(
    http("a").post("/").header("X-A", {held}).body(StringBody({held}))
      .check(jsonPath("$.a").saveAs("id")),
    http("b").post("/").body(StringBody({inner})).asJson(),
    http("c").post("/").formParam("a", {held}));
  {{ setUp(s.injectOpen(atOnceUsers(1))).protocols(http.baseUrl("http://a.example")); }}
}}"""


SOURCES: dict[str, Callable[[str], str]] = {
    "har": har, "curl": curl, "openapi": openapi, "postman": postman, "k6": k6, "locust": locust,
    "jmeter": jmeter, "artillery": artillery, "gatling": gatling,
}  # fmt: skip


def texts(given: Any) -> Iterator[str]:
    """All texts of a workload file, also those that are keys."""
    match given:
        case str():
            yield given
        case dict():
            yield from (text for name, one in given.items() for text in (name, *texts(one)))
        case list():
            yield from (text for one in given for text in texts(one))


def has_draws(text: str) -> bool:
    """Whether a text of a request has a draw, by the rule of docs/workload-file.md."""
    return any(f"{{{law}(" in text for law in LAWS)


def sent(text: str) -> str:
    """What a text of a workload file without draws sends."""
    return text.replace(literal.BRACE, "{")


def held_by(whole: dict[str, Any], text: str) -> int:
    """The number of texts of a workload that send a foreign one; none of its texts may draw."""
    found = list(texts(whole))
    assert not [one for one in found if has_draws(one)]
    return sum(text in sent(one) for one in found)


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("kind", [one for one in KINDS if one != "conversations"])
def test_no_import_makes_draws_of_foreign_text(kind: str, text: str) -> None:
    """Loading would read the file of `empirical`, which does not exist.

    Of conversations no text is written: test_import_conversations.py.
    """
    made = imported(SOURCES[kind](text), kind=kind)
    assert held_by(table(made), text) >= 3
    assert "empirical" not in text or "empirical" in made.text


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("kind", PLACES)
def test_no_recording_makes_draws_of_foreign_text(kind: str, text: str) -> None:
    draft = a_recording([exchange(kind, text)], "visit", "a recording", "us")
    assert draft is not None
    made = workload_text.workload(draft)
    tt.Workload(made)
    whole = tomllib.loads(made)
    assert held_by(whole, text) >= (1 if kind == "header" else 2)
    assert "%7B" in whole["request"][0]["post"]


@pytest.mark.parametrize("text", FOREIGN)
def test_no_page_makes_draws_of_its_links(text: str) -> None:
    html = f'<img src="/{text}.png"><script src="/a.js?v={text}"></script>'
    made = workload_text.workload(page_draft("http://a.example/", html))
    tt.Workload(made)
    assert not any(map(has_draws, texts(tomllib.loads(made))))


@pytest.mark.parametrize("paths", [["/", "/{}/a", "/b/{}"], ["/{}"]])
@pytest.mark.parametrize("text", FOREIGN)
def test_no_log_makes_draws_of_its_paths(tmp_path: Path, text: str, paths: list[str]) -> None:
    """Only the popularity of paths is drawn, by `zipf`."""
    path = quote(text, safe="{}()/,=")
    lines = [
        line_of_log(7 * i, paths[i % len(paths)].replace("{}", path), i % 40) for i in range(400)
    ]
    learn([written(tmp_path / "a.log", lines)], fidelity=False).save(tmp_path / "w.toml")
    tt.Workload.load(tmp_path / "w.toml")
    whole = tomllib.loads((tmp_path / "w.toml").read_text())
    for request in whole["request"]:
        assert not re.search(r"\{(?!zipf\(n=\d+, s=[\d.]+\)\})", request["get"]), request["get"]


@given(parts=st.lists(st.sampled_from([*r'{}()a1"\ ', "zipf(", "{exp(", "{brace()}"]), max_size=9))
@settings(max_examples=300)
def test_any_text_is_written_without_draws_and_back(parts: list[str]) -> None:
    text = "".join(parts)
    made = literal.text(text)
    assert not has_draws(made)
    assert sent(made) == text
    assert literal.held({text: [text, 1]}) == {made: [made, 1]}


@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_text_arrives_as_it_stands(text: str) -> None:
    """`run` sends the bytes of the source in every place."""
    made = imported(har(text))
    with answer_server(lambda _: Answer("ok")) as (url, seen):
        workload = made.text.replace('rate  = "1/s"', 'rate  = "50/s"')
        tt.run(tt.Workload(workload), url, requests=80)
    assert {one.headers["X-A"] for one in seen} == {text}
    bodies = {one.headers.get("Content-Type", "").partition(";")[0]: one.body for one in seen}
    assert bodies["text/plain"] == text
    assert json.loads(bodies[JSON]) == {text: [text]}
    assert parse_qs(bodies["application/x-www-form-urlencoded"]) == {"a": [text]}
    assert f"\r\n\r\n{text}\r\n--" in bodies["multipart/form-data"]


@pytest.mark.parametrize(
    "use",
    ["headers = {{ X-A = '{{empirical({})}}' }}", "body_file = '{}'", "think = 'empirical({})'"],
)
def test_a_device_is_no_file_of_a_workload(use: str) -> None:
    """It would be read until memory is gone."""
    place = Path("/dev/zero")
    session = use.format(place) if use.startswith("think") else "think = '0s'"
    request = "" if use.startswith("think") else use.format(place)
    text = f"""name = "w"
[arrivals]
model = "closed"
clients = 1
[session]
{session}
[[request]]
name = "a"
post = "/"
{request}
"""
    with pytest.raises(tt.InputError, match="is a device") as found:
        tt.Workload(text)
    assert str(place) in str(found.value)
