"""Imports of scripts of k6 and Locust and of test plans of JMeter."""

from __future__ import annotations

import pytest
from imported import imported, loads, requests, table

import thinktime as tt

K6 = """
import http from 'k6/http';
import { check, sleep, group } from 'k6';

const BASE = __ENV.BASE_URL || 'https://shop.example'; // of the environment
export const options = {
  vus: 10,
  duration: '1m30s',
  thresholds: { http_req_duration: ['p(95)<500'], http_req_failed: ['rate<0.01'], my: ['a>1'] },
};
const params = { headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${t()}` } }

export default function () {
  const res = http.get(`${BASE}/api?x=1`, { headers: { Accept: 'text/html' } });
  check(res, { 'status was 200': (r) => r.status == 200 });
  sleep(1);
  group('order', function () {
    const payload = JSON.stringify({ email: 'a', n: 3, list: ['a', "b"] })
    http.post(BASE + '/login', payload, params);
    sleep(Math.random() * 3 + 1)
  });
  http.del(BASE + '/x/' + res.json().id);
  http.request('PROPFIND', 'https://shop.example/dav');
}
export function teardown() { http.get('https://shop.example/never'); }
"""


def test_a_script_of_k6_is_a_closed_loop() -> None:
    made = imported(K6)
    whole, found = table(made), requests(made)
    assert made.kind == "k6"
    assert whole["arrivals"] == {"model": "closed", "clients": 10}
    assert "--target https://shop.example --duration 90s" in made.text
    assert list(found) == ["api", "post-login", "propfind-dav"]
    assert found["api"]["headers"] == {"Accept": "text/html"}
    assert found["post-login"]["json"] == {"email": "a", "n": 3, "list": ["a", "b"]}
    thinks = [one.get("think", whole["session"]["think"]) for one in found.values()]
    assert thinks == ["1s", "uniform(1s, 4s)", "0s"]
    assert whole["slo"] == {"p95": "500ms", "errors": "1%"}
    assert found["api"]["checks"] == {"status was 200": {"of": "status", "is": 200}}
    assert [one["next"] for one in found.values()] == [
        {"post-login": 1}, {"propfind-dav": 1}, {"end": 1},
    ]  # fmt: skip
    notes = list(made.notes)
    for line, text in (
        ("line 19", "Authorization"),
        ("line 22", "is no literal"),
        ("line 25", "teardown"),
        ("thresholds", "my"),
    ):
        assert any(note.startswith(line) and text in note for note in notes), (line, text, notes)


def test_a_script_of_k6_loads_whole() -> None:
    assert loads(imported(K6)).clients == 10


CHECKED = """
import http from 'k6/http';
import { check } from 'k6';
export const options = { thresholds: { checks: ['rate>0.95'] } };
export default function () {
  let res = http.get('http://t.example/a');
  check(res, {
    'status was 200': (r) => r.status == 200,
    "is it's": r => r.body.includes('it\\'s "x"'),
    fast: function (answer) { return answer.timings.duration < 200; },
    'by its variable': () => res.status >= 200 && res.status < 300,
    'either': (r) => { return r.status === 200 || r.status === 201 },
    'two parts': (r) => r.status === 200 && r.body.indexOf('y') !== -1,
    'typed': (r) => r.headers['Content-Type'] === 'text/html',
    'named': (r) => r.json().items[0].name === 'Thin',
    'path': (r) => r.json('a.0.b') === true,
    'no': (r) => r.body.length > 3,
    'not all': (r) => r.status === 200 && isFine(r),
    'negated': (r) => !(r.status === 200),
    'never': (r) => r.status >= 300 && r.status < 200,
    'no field': (r) => r.headers['a b'] === 'x',
    'mixed': (r) => r.status === 200 || r.body.includes('x'),
  });
  res = http.post('http://t.example/b', 'x');
  check(res, { 'status was 200': (r) => r.status === 200 });
  res = http.get(unknown());
  check(res, { 'of nobody': (r) => r.status === 200 });
}
"""


def test_checks_of_k6_are_checks() -> None:
    made = imported(CHECKED)
    first, second = requests(made).values()
    assert first["checks"] == {
        "status was 200": {"of": "status", "is": 200},
        "is it's": {"of": "body", "contains": 'it\'s "x"'},
        "fast": {"of": "time", "most": "200ms"},
        "by its variable": {"of": "status", "least": 200, "most": 299},
        "either": {"of": "status", "is": [200, 201]},
        "two parts": {"of": "status", "is": 200},
        "two parts (2)": {"of": "body", "contains": "y"},
        "typed": {"of": "header:Content-Type", "is": "text/html"},
        "named": {"of": "json:$.items[0].name", "is": "Thin"},
        "path": {"of": "json:$.a[0].b", "is": "true"},
    }
    assert second["checks"] == {"status was 200": {"of": "status", "is": 200}}
    assert table(made)["slo"] == {"checks": "95%"}
    notes = "\n".join(made.notes)
    for name in ("no", "not all", "negated", "never", "no field", "mixed"):
        assert f"the check '{name}' is left out" in notes
    assert "'two parts' became 2" in notes
    assert "line 27: the check of the answer is left out" in notes


def test_a_threshold_on_checks_needs_some() -> None:
    made = imported(CHECKED.replace("check(res", "skip(res"))
    assert "slo" not in table(made)
    assert any("checks" in note for note in made.notes)


def test_scenarios_of_k6_are_populations() -> None:
    made = imported("""
import http from "k6/http"
export const options = { scenarios: {
  ramp: { executor: 'ramping-arrival-rate', startRate: 300, timeUnit: '1m', exec: 'one',
          stages: [{ target: 600, duration: '2m' }], preAllocatedVUs: 50 },
  even: { executor: 'constant-arrival-rate', rate: 30, duration: '30s', exec: 'two' },
  loop: { executor: 'ramping-vus', stages: [{ target: 7, duration: '10s' }] } } }
export function one() { http.get('https://t.example/a') }
export const two = () => {
  http.get('https://t.example/b'); http.post('https://t.example/c', { q: '1' }) }
export default function() {
  if (true) { http.get('https://t.example/d'); } else { http.get('https://t.example/e') } }
""")
    ramp, even, loop = table(made)["population"]
    assert ramp["arrivals"] == {
        "model": "open", "rate": "10/s", "process": "even",
        "profile": "ramp(from=0.5, to=1, over=120s)",
    }  # fmt: skip
    assert even["arrivals"] == {"model": "partly-open", "rate": "30/s", "process": "even"}
    assert [one["name"] for one in even["request"]] == ["b", "post-c"]
    assert loop["arrivals"] == {"model": "closed", "clients": 7}
    assert [one["get"] for one in loop["request"]] == ["/d"]
    assert any("`else`" in note for note in made.notes)
    assert any("stages" in note for note in made.notes)


def test_stages_of_a_rate_are_steps() -> None:
    made = imported("""
import http from 'k6/http'
export const options = { scenarios: { a: { executor: 'ramping-arrival-rate', startRate: 10,
  stages: [{ target: 10, duration: '1m' }, { target: 20, duration: '100s' }] } } }
export default function () { http.get('/relative') }
""")
    profile = table(made)["arrivals"]["profile"]
    assert profile.startswith("steps(0s: 0.5, 60s: 0.525, 70s: 0.575,")
    assert profile.endswith("160s: 1)")
    assert made.origin == ""


LOCUST = """
import os, time
from locust import HttpUser, between, constant, task

os.system("touch executed")

class Shopper(HttpUser):
    wait_time = between(1, 5)
    host = "https://shop.example"

    def on_start(self):
        self.client.post("/login", json={"user": "ann", "n": None})

    @task
    def pages(self):
        self.client.get("/hello")
        self.client.get("/world", headers={"Accept": "a/b", "Authorization": TOKEN})

    @task(3)
    def items(self):
        for number in range(2):
            self.client.get(f"/item?id={number}", name="/item")
            time.sleep(0.5)

class Api(HttpUser):
    weight = 4
    wait_time = constant(2)

    @task(2)
    def read(self):
        with self.client.get("/read", catch_response=True) as answer:
            answer.success()

    @task
    def write(self):
        self.client.put("/write", data={"x": "1"})
        if unknown:
            self.client.get(unknown)
"""


def test_a_script_of_locust_is_closed_populations(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    made = imported(LOCUST)
    shopper, api = table(made)["population"]
    found = {one["name"]: one for one in shopper["request"]}
    assert shopper["arrivals"] == {"model": "closed", "clients": 2}
    assert shopper["session"]["first"] == {"post-login": 1}
    choice = {"hello": 0.25, "item": 0.75}
    assert found["post-login"]["next"] == choice
    assert found["hello"]["next"] == {"world": 1}
    assert found["world"]["next"] == choice
    assert found["world"]["think"] == "uniform(1s, 5s)"
    assert [found["item"]["get"], found["item-2"]["get"]] == ["/item?id=0", "/item?id=1"]
    assert found["item-2"]["think"] == "uniform(1.5s, 5.5s)"
    assert found["post-login"]["body"] == '{"user": "ann", "n": null}', "TOML has no null"
    assert api["arrivals"]["clients"] == 8
    assert {one["name"]: one["weight"] for one in api["request"]} == {"read": 2, "put-write": 1}
    notes = list(made.notes)
    for line, text in (
        ("line 17", "Authorization"),
        ("line 31", "check"),
        ("line 37", "`if`"),
        ("line 38", "is no literal"),
    ):
        assert any(note.startswith(line) and text in note for note in notes), (line, text, notes)


def test_nothing_of_a_script_is_run(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    imported(LOCUST)
    assert not list(tmp_path.iterdir())


def test_shares_of_many_tasks_sum_to_one() -> None:
    tasks = "".join(
        f"    @task({n})\n    def t{n}(self):\n        self.client.get('/a{n}')\n"
        f"        self.client.get('/b{n}')\n"
        for n in range(1, 8)
    )
    imported(f"from locust import HttpUser, task\nclass U(HttpUser):\n{tasks}")


JMETER = """<?xml version="1.0" encoding="UTF-8"?>
<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>
<TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="Plan">
  <elementProp name="TestPlan.user_defined_variables" elementType="Arguments">
    <collectionProp name="Arguments.arguments"><elementProp name="host" elementType="Argument">
      <stringProp name="Argument.name">host</stringProp>
      <stringProp name="Argument.value">shop.example</stringProp>
    </elementProp></collectionProp></elementProp>
</TestPlan><hashTree>
<HeaderManager testname="H" enabled="true"><collectionProp name="HeaderManager.headers">
  <elementProp name="" elementType="Header"><stringProp name="Header.name">Accept</stringProp>
    <stringProp name="Header.value">text/html</stringProp></elementProp></collectionProp>
</HeaderManager><hashTree/>
<ThreadGroup testname="Users" enabled="true">
  <intProp name="ThreadGroup.num_threads">25</intProp>
  <intProp name="ThreadGroup.ramp_time">10</intProp>
  <boolProp name="ThreadGroup.scheduler">true</boolProp>
  <stringProp name="ThreadGroup.duration">60</stringProp>
  <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
    <stringProp name="LoopController.loops">-1</stringProp></elementProp>
</ThreadGroup><hashTree>
  <ConstantTimer testname="c" enabled="true">
    <stringProp name="ConstantTimer.delay">300</stringProp></ConstantTimer><hashTree/>
  <HTTPSamplerProxy testname="Home" enabled="true">
    <stringProp name="HTTPSampler.domain">${host}</stringProp>
    <stringProp name="HTTPSampler.protocol">https</stringProp>
    <stringProp name="HTTPSampler.path">/</stringProp>
    <stringProp name="HTTPSampler.method">GET</stringProp></HTTPSamplerProxy><hashTree/>
  <HTTPSamplerProxy testname="Off" enabled="false"/><hashTree/>
  <HTTPSamplerProxy testname="Log in" enabled="true">
    <elementProp name="HTTPsampler.Arguments" elementType="Arguments">
      <collectionProp name="Arguments.arguments">
        <elementProp name="user" elementType="HTTPArgument">
          <stringProp name="Argument.name">user</stringProp>
          <stringProp name="Argument.value">${__P(user,ann)} &amp; co</stringProp>
        </elementProp></collectionProp></elementProp>
    <stringProp name="HTTPSampler.domain">${host}</stringProp>
    <stringProp name="HTTPSampler.protocol">https</stringProp>
    <stringProp name="HTTPSampler.path">login/${nothing}</stringProp>
    <stringProp name="HTTPSampler.method">POST</stringProp></HTTPSamplerProxy>
  <hashTree>
    <GaussianRandomTimer testname="g" enabled="true">
      <stringProp name="ConstantTimer.delay">3000</stringProp>
      <stringProp name="RandomTimer.range">500</stringProp></GaussianRandomTimer><hashTree/>
    <ResponseAssertion testname="a" enabled="true"/><hashTree/>
  </hashTree>
  <IfController testname="If" enabled="true"/><hashTree/>
</hashTree></hashTree></hashTree></jmeterTestPlan>
"""


def test_a_plan_of_jmeter_is_a_closed_loop_with_its_timers() -> None:
    made = imported(JMETER)
    whole, found = table(made), requests(made)
    assert whole["arrivals"] == {"model": "closed", "clients": 25}
    assert whole["clients"]["headers"] == {"Accept": "text/html"}
    assert "--target https://shop.example --duration 60s" in made.text
    assert list(found) == ["Home", "Log-in"]
    assert found["Log-in"]["post"] == "/login/nothing"
    assert found["Log-in"]["form"] == {"user": "ann & co"}
    thinks = [one.get("think", whole["session"]["think"]) for one in found.values()]
    law = tt.Distribution(thinks[0])
    assert thinks[1] == "0.3s", "a timer stands before its sampler"
    assert law.mean == pytest.approx(3.3, rel=1e-4)
    assert law.cv2 == pytest.approx((0.5 / 3.3) ** 2, rel=1e-3)
    for text in ("ramp-up of 10 s", "ResponseAssertion", "IfController", "`${nothing}`", "gamma"):
        assert any(text in note for note in made.notes), text


def assertion(name: str, field: str, kind: int, *wanted: str, more: str = "") -> str:
    """As JMeter writes it, the misspelt name included."""
    texts = "".join(f'<stringProp name="1">{one}</stringProp>' for one in wanted)
    return f"""<ResponseAssertion testname="{name}" enabled="true">
      <collectionProp name="Asserion.test_strings">{texts}</collectionProp>
      <stringProp name="Assertion.test_field">Assertion.{field}</stringProp>{more}
      <intProp name="Assertion.test_type">{kind}</intProp></ResponseAssertion><hashTree/>"""


def test_assertions_of_jmeter_are_checks() -> None:
    ignoring = '<boolProp name="Assertion.assume_success">true</boolProp>'
    given = [
        assertion("code", "response_code", 8, "200"),
        assertion("codes", "response_code", 40, "200", "201"),
        assertion("text", "response_data", 16, "a &lt;b&gt;"),
        assertion("pattern", "response_data", 2, "a.c"),
        '<DurationAssertion testname="fast" enabled="true"><stringProp '
        'name="DurationAssertion.duration">250</stringProp></DurationAssertion><hashTree/>',
        assertion("both", "response_data", 16, "a", "b"),
        assertion("not", "response_code", 12, "500"),
        assertion("hard", "response_data", 2, "(?&gt;a)"),
        assertion("variable", "response_data", 16, "${x}"),
        assertion("other", "response_message", 8, "OK"),
        assertion("ignoring", "response_code", 8, "404", more=ignoring),
    ]
    made = imported(
        JMETER.replace(
            '<ResponseAssertion testname="a" enabled="true"/><hashTree/>', "".join(given)
        )
    )
    home, login = requests(made).values()
    assert "checks" not in home
    assert login["checks"] == {
        "code": {"of": "status", "is": 200},
        "codes": {"of": "status", "is": [200, 201]},
        "text": {"of": "body", "contains": "a <b>"},
        "pattern": {"of": "body", "matches": "a.c"},
        "fast": {"of": "time", "most": "250ms"},
    }
    notes = "\n".join(made.notes)
    for name in ("both", "not", "hard", "variable", "other", "ignoring"):
        assert f"the check '{name}' is left out" in notes


def test_a_plan_of_jmeter_loads_whole() -> None:
    assert loads(imported(JMETER)).clients == 25


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("locust", "def f(:\n", r"source:1: is no Python"),
        ("locust", "x = 1\n", "no class of users"),
        ("locust", "x = " + "(" * 5000 + ")" * 5000, "is no Python|too deeply"),
        ("k6", "export default function () {}", "no request with a literal URL"),
        ("k6", "}}}]]])))((([[[{{{`'\"", "no request"),
        ("jmeter", "<a><b></a>", r"source:1: is no XML"),
        ("jmeter", "<a/>", "no test plan"),
        ("jmeter", "<a>" * 300, "nested deeper"),
        ("jmeter", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document type"),
        ("jmeter", "<jmeterTestPlan><hashTree/></jmeterTestPlan>", "no HTTP sampler"),
    ],
)
def test_a_broken_script_is_an_error(kind: str, text: str, reason: str) -> None:
    with pytest.raises(tt.InputError, match=reason):
        imported(text, kind=kind)


@pytest.mark.parametrize(
    "body",
    [
        "        for a in range(50):\n" + "".join(
            " " * (12 + 4 * n) + f"for b{n} in range(50):\n" for n in range(6)
        ) + " " * 36 + "pass\n",
        "        a = 1\n" + "        a = [a, a]\n" * 60 + "        self.client.get('/', json=a)\n",
        "        a = 'x'\n" + "        a = a + a\n" * 60 + "        self.client.get(a)\n",
        "        self.t()\n" * 9,
    ],
    ids=["loops", "lists", "texts", "calls"],
)  # fmt: skip
def test_scripts_that_would_not_end_are_read_in_no_time(body: str) -> None:
    head = "from locust import HttpUser, task\nclass U(HttpUser):\n    @task\n    def t(self):\n"
    imported(f"{head}        self.client.get('/first')\n{body}")


def test_a_script_of_k6_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    made = imported(
        'import http from "k6/http"\nexport default function () { http.get("http://a/") }\n'
        "export function teardown() {"
    )
    assert any("`teardown` left out" in note for note in made.notes)


def test_a_method_of_letters_that_is_none_of_http_is_left_out() -> None:
    made = imported(
        'import http from "k6/http"\nexport default function () { http.get("http://a/")\n'
        'http.request("G\u00c9T", "http://a/b") }'
    )
    assert len(table(made)["request"]) == 1
    assert any("line 3" in note for note in made.notes)
