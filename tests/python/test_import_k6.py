"""Imports of scripts of k6."""

from __future__ import annotations

from import_results import imported, loads, requests, table

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
    assert list(found) == ["api", "post-login", "delete-x", "propfind-dav"]
    assert found["api"]["take"] == {"id": "json:$.id"}
    assert found["delete-x"]["delete"] == "/x/{id}"
    assert found["api"]["headers"] == {"Accept": "text/html"}
    assert found["post-login"]["json"] == {"email": "a", "n": 3, "list": ["a", "b"]}
    thinks = [one.get("think", whole["session"]["think"]) for one in found.values()]
    assert thinks == ["1s", "uniform(1s, 4s)", "0s", "0s"]
    assert whole["slo"] == {"p95": "500ms", "errors": "1%"}
    assert found["api"]["checks"] == {"status was 200": {"of": "status", "is": 200}}
    assert [one["next"] for one in found.values()] == [
        {"post-login": 1}, {"delete-x": 1}, {"propfind-dav": 1}, {"end": 1},
    ]  # fmt: skip
    notes = list(made.notes)
    for line, text in (
        ("line 19", "Authorization"),
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
    assert even["arrivals"] == {
        "model": "partly-open", "rate": "30/s", "process": "even",
        "profile": "steps(0s: 1, 30s: 0)",
    }  # fmt: skip
    bounds = [one for one in made.notes if "at most" in one]
    assert len(bounds) == 1
    assert "scenario ramp: at most 50 iterations" in bounds[0]
    assert "`[clients] concurrency = 50, waiting = 0`" in bounds[0]
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


TAGGED = """
import http from 'k6/http';
export const options = {
  scenarios: {
    people: { executor: 'constant-vus', vus: 2, exec: 'people' },
    robots: { executor: 'constant-vus', vus: 2, exec: 'robots' },
  },
  thresholds: {
    'http_req_duration{name:login}': ['p(95)<300', 'p(99.9)<900'],
    'http_req_failed{ scenario:robots }': ['rate<0.02'],
    'http_req_duration{name:twice}': ['p(95)<1'],
    'http_req_duration{group:::front}': ['p(95)<2'],
    'http_req_duration{name:errors}': ['p(95)<3'],
  },
};
export function people() {
  http.get('https://shop.example/a', { tags: { name: 'login' } });
  http.get('https://shop.example/b', { tags: { name: 'twice' } });
  http.get('https://shop.example/c', { tags: { name: 'twice' } });
}
export function robots() { http.get('https://shop.example/d', { tags: { name: 'errors' } }); }
"""


def test_thresholds_of_names_and_scenarios_are_objectives_of_theirs() -> None:
    made = imported(TAGGED)
    assert table(made)["slo"] == {
        "login": {"p95": "300ms", "p99.9": "900ms"},
        "robots": {"errors": "2%"},
    }
    left = [one for one in made.notes if "no objective is like it" in one]
    assert len(left) == 3
