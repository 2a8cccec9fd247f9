"""No import writes a secret, from any place in its source."""

from __future__ import annotations

import json

import pytest
from import_results import imported

from thinktime.importing.secrets import is_secret

SECRET = "hunter2-s3cr3t"
SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def postman(body: dict, **variable: str) -> str:
    """A collection with one request, and a variable."""
    asked = {"method": "POST", "url": "https://shop.example/login", "body": body}
    return json.dumps({
        "info": {"name": "c", "schema": SCHEMA},
        "variable": [variable] if variable else [],
        "item": [{"name": "login", "request": asked}],
    })  # fmt: skip


def jmeter(argument: str, value: str) -> str:
    """A plan with a variable `password`, and a request that sends one argument."""

    def given(name: str, text: str) -> str:
        return (f'<elementProp name="{name}" elementType="HTTPArgument">'
                f'<stringProp name="Argument.name">{name}</stringProp>'
                f'<stringProp name="Argument.value">{text}</stringProp></elementProp>')  # fmt: skip

    return f"""<?xml version="1.0"?><jmeterTestPlan version="1.2"><hashTree><TestPlan testname="p">
<elementProp name="TestPlan.user_defined_variables" elementType="Arguments">
<collectionProp name="Arguments.arguments">{given("password", SECRET)}</collectionProp>
</elementProp></TestPlan><hashTree><ThreadGroup testname="u">
<stringProp name="ThreadGroup.num_threads">1</stringProp></ThreadGroup><hashTree>
<HTTPSamplerProxy testname="login"><stringProp name="HTTPSampler.domain">a.example</stringProp>
<stringProp name="HTTPSampler.path">/l</stringProp><stringProp name="HTTPSampler.method">POST
</stringProp><elementProp name="HTTPsampler.Arguments" elementType="Arguments">
<collectionProp name="Arguments.arguments">{given(argument, value)}</collectionProp></elementProp>
</HTTPSamplerProxy><hashTree/></hashTree></hashTree></hashTree></jmeterTestPlan>"""


def artillery(**asked: object) -> str:
    flow = [{"post": {"url": "/login", **asked}}]
    return json.dumps({"config": {"target": "http://a.example", "variables": {"password": SECRET}},
                       "scenarios": [{"flow": flow}]})  # fmt: skip


def gatling(links: str) -> str:
    return f"""import static io.gatling.javaapi.core.CoreDsl.*;
class S extends Simulation {{ {{ setUp(scenario("s").exec(http("a").post("/"){links})
  .injectOpen(atOnceUsers(1))).protocols(http.baseUrl("http://a.example")); }} }}"""


def k6(sent: str) -> str:
    return f"""import http from 'k6/http';
export default function () {{ http.post('http://a.example/', {sent}); }}"""


SOURCES = {
    "artillery, JSON": artillery(json={"password": SECRET}),
    "artillery, variable": artillery(body="p={{ password }}"),
    "artillery, form": artillery(form={"token": SECRET}),
    "artillery, query": artillery(qs={"token": SECRET}),
    "gatling, JSON": gatling(f'.body(StringBody("{{\\"password\\": \\"{SECRET}\\"}}")).asJson()'),
    "gatling, form": gatling(f'.formParam("password", "{SECRET}")'),
    "gatling, query": gatling(f'.queryParam("token", "{SECRET}")'),
    "k6, JSON with a draw": k6(f"JSON.stringify({{ token: '{SECRET}', n: Math.random() }})".replace(
        "Math.random()", "Math.floor(Math.random() * 9)")),
    "curl, JSON": f"""curl --json '{{"password": "{SECRET}", "n": 1}}' http://a.example/""",
    "curl, form": f"curl -d 'user=me&password={SECRET}' http://a.example/",
    "curl, parts": f"curl -F password={SECRET} http://a.example/",
    "postman, JSON": postman({"mode": "raw", "raw": f'{{"password": "{SECRET}"}}'}),
    "postman, form": postman(
        {"mode": "urlencoded", "urlencoded": [{"key": "password", "value": SECRET}]}
    ),
    "postman, GraphQL": postman(
        {"mode": "graphql",
         "graphql": {"query": "q", "variables": f'{{"password": "{SECRET}"}}'}}
    ),
    "postman, variable": postman(
        {"mode": "raw", "raw": '{"p": "{{password}}"}'}, key="password", value=SECRET
    ),
    "postman, secret variable": postman(
        {"mode": "raw", "raw": '{"p": "{{mine}}"}'}, key="mine", value=SECRET, type="secret"
    ),
    "k6, JSON": f"""import http from 'k6/http';
export default function () {{
  http.post('http://a.example/', JSON.stringify({{ password: '{SECRET}' }}));
}}""",
    "k6, form": f"""import http from 'k6/http';
export default function () {{ http.post('http://a.example/', {{ password: '{SECRET}' }}); }}""",
    "locust, JSON": f"""from locust import HttpUser, task
class U(HttpUser):
    @task
    def one(self):
        self.client.post("/", json={{"password": "{SECRET}"}})
        self.client.post("/", data={{"password": "{SECRET}"}})
""",
    "jmeter, argument": jmeter("password", SECRET),
    "jmeter, variable": jmeter("p", "${password}"),
}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_no_secret_of_a_source_is_written(source: str) -> None:
    made = imported(SOURCES[source])
    assert SECRET not in made.text
    assert "REMOVED" in made.text
    assert SECRET not in " ".join(made.notes)
    assert any("REMOVED" in note for note in made.notes)


@pytest.mark.parametrize(
    "source",
    [
        artillery(headers={"X-Api-Key": SECRET}, auth={"user": "ann", "pass": SECRET}),
        gatling(f'.header("Authorization", "Bearer {SECRET}").basicAuth("ann", "{SECRET}")'),
        gatling(f'.header("X-Api-Key", "{SECRET} #{{n}}").check(jsonPath("$.n").saveAs("n"))'),
        k6(f"'x', {{ headers: {{ Authorization: 'Bearer {SECRET}' }} }}"),
    ],
)
def test_no_secret_of_a_header_field_is_written(source: str) -> None:
    made = imported(source)
    assert SECRET not in made.text
    assert "secret" in " ".join(made.notes)


@pytest.mark.parametrize(("name", "secret"), [("\ud800", False), ("pass\ud800word", False),
                                              ("password", True)])  # fmt: skip
def test_any_name_of_json_may_be_asked(name: str, secret: bool) -> None:
    assert is_secret(name) is secret
