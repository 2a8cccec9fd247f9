"""Nothing of a script is lost in silence: each thing is in the workload file, or in a note.

A thing is a request, a check, a wait, a file or an option that changes behaviour. Each has a mark
of its own in the sources below, `thing-1` and so on, or a number that stands nowhere else. It is
carried over if the file has it, and named if a note has it or its line.
"""

from __future__ import annotations

import pytest
from import_accounts import fates

K6 = """
import http, { get } from 'k6/http';
import { check, sleep, group } from 'k6';
import { Trend } from 'k6/metrics';
const own = new Trend('thing-1');
export const options = {
  scenarios: {
    one: { executor: 'constant-vus', vus: 7702, exec: 'flow', 'thing-2': true },
    two: { executor: 'constant-arrival-rate', rate: 7703, timeUnit: '1s', duration: '7704s' },
    three: { executor: 'constant-vus', exec: 'thing-3' },
  },
  'thing-4': 'x',
  thresholds: { http_req_duration: ['p(95)<7705'], 'thing-5': ['count>1'] },
};
const arrow = () => http.get('http://t.example/thing-6');
class Client { go() { http.get('http://t.example/thing-7'); } }
const api = { go() { http.get('http://t.example/thing-8'); } };
export default function () {
  arrow(); new Client().go(); api.go();
  const res = get('http://t.example/thing-9', { headers: { 'X-A': 'thing-10', B: late() } });
  check(res, { 'thing-11': (r) => r.status === 200, 'thing-12': (r) => fine(r) });
  sleep(7706);
  http.post('http://t.example/thing-13', open('thing-14'));
  group('g', () => { http.get('http://t.example/thing-15', { responseType: 'thing-16' }); });
  http.batch(['http://t.example/thing-17', ['POST', 'http://t.example/thing-18', 'thing-19']]);
  http.get(late('thing-20'));
  if (late()) { http.get('http://t.example/thing-21'); } else { http.get('/thing-22'); }
  ['thing-23', 'thing-24'].forEach((name) => http.get(`http://t.example/${name}`));
  http.get('http://other.example/thing-25');
  sleep(late('thing-26'));
  check(late('thing-27'), { a: (r) => r.status === 200 });
  http.get('http://t.example/a', { timeout: '7707s', redirects: 9 });
  http.setResponseCallback('thing-28');
}
export function flow() { http.get('http://t.example/thing-29'); }
export function orphan() { http.get('http://t.example/thing-30'); }
export function setup() { http.get('http://t.example/thing-31'); }
"""

LOCUST = """
from locust import HttpUser, LoadTestShape, TaskSet, between, constant, events, task
import time
def listed(user):
    user.client.get("/thing-1")
class Inner(TaskSet):
    wait_time = constant(7701)
    tasks = [listed, thing_2]  # thing-2
    def on_start(self):
        self.client.get("/thing-3")
    @task
    def own(self):
        self.client.get("/thing-4")
class U(HttpUser):
    wait_time = between(7702, 7703)
    tasks = {Inner: 2}
    network_timeout = 7704
    def on_start(self):
        self.client.headers.update({"X-A": "thing-5"})
        self.client.verify = "thing-6"
        self.client.post("/thing-7", json={"a": "thing-8"}, timeout=7705)
    @task
    def more(self):
        with self.client.get("/thing-9", catch_response=True) as a: a.failure("thing-10")
        self.client.get("/thing-11", files="thing-12", auth=("thing-13", "x"))
        time.sleep(7706)
        self.client.get(late("thing-14"))
        for name in ("thing-15", "thing-16"):
            self.client.get(f"/{name}")
        self.client.get("http://other.example/thing-17")
        self.user.bank.get("/thing-18")
        if late():
            self.client.get("/thing-19")
        else:
            self.client.get("/thing-20")
        self.helper()
    def helper(self):
        self.client.get("/thing-21", allow_redirects=False)
    def on_stop(self): self.client.get("/thing-22")
class Shape(LoadTestShape): name = "thing-23"
@events.init.add_listener
def begin(environment, name="thing-24"):
    pass
def orphan(client):
    client.get("/thing-25")
"""


def row(name: str, held: object) -> str:
    return f'<stringProp name="{name}">{held}</stringProp>'


def line(tag: str, *rows: str, name: str = "n", inside: str = "") -> str:
    held = "".join(rows)
    return f'<{tag} testname="{name}">{held}</{tag}><hashTree>{inside}</hashTree>\n'


def sampler(name: str, *rows: str, inside: str = "") -> str:
    path = row("HTTPSampler.domain", "t.example") + row("HTTPSampler.path", f"/{name}")
    return line("HTTPSamplerProxy", path, *rows, name=name, inside=inside)


FILE = '<elementProp name="HTTPsampler.Files"><collectionProp><elementProp>{}</elementProp>'
FILE += "</collectionProp></elementProp>"
JMETER = (
    "<jmeterTestPlan><hashTree>\n<TestPlan/><hashTree>\n"
    + line("CSVDataSet", row("filename", "thing-1"))
    + line("SetupThreadGroup", name="thing-2", inside=sampler("thing-3"))
    + line("org.example.Group", name="thing-4")
    + line(
        "ThreadGroup",
        row("ThreadGroup.num_threads", 7701),
        row("ThreadGroup.ramp_time", 7702),
        row("ThreadGroup.scheduler", "true"),
        row("ThreadGroup.duration", 7703),
        row("ThreadGroup.delay", 7704),
        row("ThreadGroup.on_sample_error", "thing-5"),
        inside="\n"
        + line("ConstantTimer", row("ConstantTimer.delay", 7705000))
        + line("IfController", name="thing-6", inside=sampler("thing-7"))
        + line("GenericController", inside=sampler("thing-8"))
        + sampler("thing-9", row("HTTPSampler.response_timeout", 7706000))
        + sampler("thing-10", row("HTTPSampler.connect_timeout", 7707))
        + sampler("thing-11", row("HTTPSampler.proxyHost", "thing-12"))
        + sampler("thing-13", FILE.format(row("File.path", "thing-14")))
        + sampler("thing-15", row("HTTPSampler.contentEncoding", "thing-16"))
        + sampler(
            "thing-17",
            inside="\n"
            + line("DurationAssertion", row("DurationAssertion.duration", 7708), name="thing-18")
            + line("XPathAssertion", name="thing-19")
            + line("JSONPostProcessor", name="thing-20")
            + line("ConstantTimer", row("ConstantTimer.delay", "thing-21")),
        )
        + sampler("thing-22").replace("t.example", "other.example")
        + line("JDBCSampler", name="thing-23"),
    )
    + "</hashTree></hashTree></jmeterTestPlan>"
)


@pytest.mark.parametrize(
    ("kind", "source", "carried", "named"),
    [("k6", K6, 21, 16), ("locust", LOCUST, 18, 13), ("jmeter", JMETER, 22, 19)],
)
def test_each_thing_of_a_script_is_carried_over_or_named(
    kind: str, source: str, carried: int, named: int
) -> None:
    assert fates(source, kind) == {"carried": carried, "named": named}
