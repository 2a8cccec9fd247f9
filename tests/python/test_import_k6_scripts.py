"""Imports of scripts of k6: functions, classes, lists, random numbers, TypeScript, modules."""

from __future__ import annotations

from typing import Any

import pytest
from import_results import imported, loads, requests, table

import thinktime as tt
from thinktime.importing import Imported

HEAD = "import http from 'k6/http';\nconst BASE = 'http://t.example';\n"


def script(body: str, before: str = "") -> Imported:
    return imported(f"{HEAD}{before}\nexport default function () {{\n{body}\n}}\n")


def targets(made: Imported) -> list[str]:
    found = table(made)["request"]
    return [one.get("get", one.get("post")) for one in found]


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("const ping = () => http.get(BASE + '/a');", "ping(); ping();", ["/a", "/a"]),
        ("const f = async function (p) { return http.get(`${BASE}/${p}`) };", "f('x')", ["/x"]),
        ("const f = (p, q = 'usual') => http.get(BASE + p + q);", "f('/y-')", ["/y-usual"]),
        ("const api = { v: '/v3', list() { http.get(BASE + this.v); } };", "api.list()", ["/v3"]),
        ("function url(p) { return BASE + '/u' + p }", "http.get(url('/1'))", ["/u/1"]),
        ("const { a, b: c } = { a: '/p', b: '/q' };", "http.get(BASE + a + c)", ["/p/q"]),
        ("const pages = ['/1', '/2'];", "pages.forEach((p) => http.get(BASE + p))", ["/1", "/2"]),
        ("const pages = ['/1', '/2'];", "for (const p of pages) http.get(BASE + p)", ["/1", "/2"]),
        ("", "http.get(BASE + '/first').json(); http.get(BASE + ('/last'))", ["/first", "/last"]),
        ("", "const f = () => { http.get(BASE + '/in') }; f()", ["/in"]),
        ("", "unknown(() => { http.get(BASE + '/callback') })", ["/callback"]),
        ("let n = 0;", "http.get(`${BASE}/n${n + 2 * 3}`)", ["/n6"]),
    ],
)  # fmt: skip
def test_a_function_is_read_where_it_is_called(before: str, body: str, expected: list[str]) -> None:
    assert targets(script(body, before)) == expected


CLASSES = """
class Client {
  constructor(base) { this.base = base; this.extra = { headers: { 'X-Of': 'client' } }; }
  path = '/path';
  get(name) { return http.get(`${this.base}${this.path}/${name}`, this.extra); }
  static health() { http.get(BASE + '/health'); }
}
class Shop extends Client { buy() { this.get('cart'); http.post(BASE + '/buy', 'x'); } }
"""


def test_methods_of_classes_are_read_with_the_fields_of_their_objects() -> None:
    made = script("const shop = new Shop(BASE); shop.buy(); Client.health();", CLASSES)
    assert targets(made) == ["/path/cart", "/buy", "/health"]
    assert table(made)["request"][0]["headers"] == {"X-Of": "client"}


@pytest.mark.parametrize(
    ("expression", "target"),
    [
        ("`/i/${Math.floor(Math.random() * 20)}`", "/i/{uniform(0, 19)}"),
        ("`/i/${Math.floor(Math.random() * 20) + 1}`", "/i/{uniform(1, 20)}"),
        ("'/i/' + Math.ceil(Math.random() * 20)", "/i/{uniform(1, 20)}"),
        ("`/i?a=${randomIntBetween(3, 7)}&b=${randomIntBetween(1, 2)}`",
         "/i?a={uniform(3, 7)}&b={uniform(1, 2)}"),
    ],
)  # fmt: skip
def test_a_random_number_is_a_draw(expression: str, target: str) -> None:
    made = script(f"http.get(BASE + {expression})", "import { randomIntBetween } from 'https://j';")
    assert targets(made) == [target]
    assert loads(made)


@pytest.mark.parametrize("text", ["Math.random()", "Date.now()", "__VU", "__ITER % 3", "f()"])
def test_a_number_that_only_a_run_knows_is_named(text: str) -> None:
    made = script(f"http.get(BASE + '/a'); http.get(`${{BASE}}/b/${{{text}}}`)")
    assert targets(made)[0] == "/a"
    assert "{" not in targets(made)[1]
    name = "uniform(0, 1)" if text == "Math.random()" else text
    assert any(f"line 5: the value `{name}` is known only in a run" in one for one in made.notes)


def test_braces_of_a_script_are_no_draws() -> None:
    made = script("http.get(BASE + '/{uniform(1, 2)}')")
    assert "{" not in targets(made)[0]


TYPED = """
import http, { type Response } from 'k6/http';
import { check } from 'k6';
import type { Options } from 'k6/options';
interface User { name: string; age?: number }
type Path = '/a' | '/b';
enum Kind { One, Two }
export const options: Options = { vus: 4, duration: '20s' };
const ask = async <T>(path: Path, user: User = { name: 'ann' }): Promise<Response> =>
  http.post(('http://t.example' as string) + path, JSON.stringify(user satisfies User));
export default async function main(this: void): Promise<void> {
  const res: Response = await ask<User>('/a')!;
  check(res, { fine: (r: Response): boolean => r.status === 200 });
}
"""


def test_typescript_is_read() -> None:
    made = imported(TYPED)
    (only,) = requests(made).values()
    assert only["post"] == "/a"
    assert only["body"] == '{"name": "ann"}'
    assert table(made)["arrivals"] == {"model": "closed", "clients": 4}


@pytest.mark.parametrize(
    ("params", "redirects", "timeout"),
    [
        ("", 10, None),
        (", { redirects: 0 }", None, None),
        (", { redirects: 3, timeout: 1500 }", 3, "1.5s"),
        (", { timeout: '2m' }", 10, "120s"),
    ],
)
def test_redirects_and_timeouts_are_those_of_the_request(
    params: str, redirects: int | None, timeout: str | None
) -> None:
    whole = table(script(f"http.get(BASE + '/a'{params})"))
    assert whole["session"].get("redirects") == redirects
    assert whole["request"][0].get("timeout") == timeout


def test_the_limit_of_redirects_is_an_option() -> None:
    made = script("http.get(BASE + '/a')", "export const options = { maxRedirects: 4 };")
    assert table(made)["session"]["redirects"] == 4
    assert not any("maxRedirects" in note for note in made.notes)


IMPORTS = """
import { get as fetchPage, post } from 'k6/http';
import * as k6 from 'k6';
const http = require('k6/http');
function main() { fetchPage('http://t.example/a'); k6.sleep(2); http.put('http://t.example/b'); }
export { main as default, main as other };
"""


def test_names_of_modules_are_found_however_they_are_imported() -> None:
    made = imported(IMPORTS)
    assert [one["name"] for one in table(made)["request"]] == ["a", "put-b"]
    assert table(made)["session"]["think"] == "2s"


@pytest.mark.parametrize(
    ("body", "line", "text"),
    [
        ("}\nexport function other() { http.get(BASE + '/never');", 7, "no function that"),
        ("if (x) { http.get(BASE + '/b') }\nelse { http.get(BASE + '/never') }", 7, "`else`"),
        ("x ? http.get(BASE + '/b') : http.get(BASE + '/never')", 6, "`?:`"),
        ("waiting.add(1)", 3, "`new Trend`"),
        ("for (;;) { http.get(BASE + '/b') }", 6, "`for`"),
        ("function f() { http.get(BASE + '/b'); f() } f()", 6, "calls itself"),
        ("http.get(BASE + '/b', { responseType: 'none' })", 6, "`responseType`"),
        ("http.get(BASE + '/b', { timeout: late() })", 6, "`timeout`"),
        ("http.setResponseCallback(http.expectedStatuses(404))", 6, "setResponseCallback"),
    ],
)  # fmt: skip
def test_what_is_not_sent_as_the_script_does_is_named(body: str, line: int, text: str) -> None:
    before = "import { Trend } from 'k6/metrics'; const waiting = new Trend('waiting');"
    notes = list(script(f"http.get(BASE + '/a');\n{body}", before).notes)
    assert any(note.startswith(f"line {line}:") and text in note for note in notes), notes


def test_a_scenario_without_requests_is_named() -> None:
    made = imported(
        HEAD
        + "export const options = { scenarios: { quiet: { executor: 'constant-vus', exec: 'q' }, "
        "loud: { executor: 'constant-vus' } } };\nexport function q() { later.get('/x') }\n"
        "export default function () { http.get(BASE + '/a') }\n"
    )
    assert any(note.startswith("scenario quiet: left out") for note in made.notes)


def test_a_refusal_names_what_was_left_out() -> None:
    with pytest.raises(tt.InputError, match=r"literal URL.*\(line 5: left out: its URL"):
        script("http.get(later())")


def checks_of(made: Imported) -> dict[str, Any]:
    return dict(table(made)["request"][0]["checks"])


def test_a_check_may_stand_around_its_request() -> None:
    before = "import { check } from 'k6';\nconst wanted = { ok: (r) => r.status === 204 };"
    made = script("check(http.get(BASE + '/a'), wanted)", before)
    assert checks_of(made) == {"ok": {"of": "status", "is": 204}}


@pytest.mark.parametrize(
    "body",
    [
        "const a = [1, 2, 3, 4, 5, 6, 7, 8];\n" + "a.map(() => " * 9 + "1" + ")" * 9,
        "let a = 'x';\n" + "a = a + a;\n" * 60 + "http.get(a)",
        "let a = [1];\n" + "a = [...a, ...a];\n" * 30,
        "const a = {}; a.a = a; http.post(BASE + '/b', JSON.stringify(a.a.a))",
    ],
    ids=["loops", "texts", "lists", "circle"],
)
def test_a_script_that_would_not_end_is_read_in_no_time(body: str) -> None:
    assert targets(script(f"http.get(BASE + '/first');\n{body}"))[0] == "/first"


@pytest.mark.parametrize("over", ["map(x => x.id)", "forEach(function (x) {})", "flatMap(x => x)"])
def test_a_request_whose_answer_is_a_list_is_read_once(over: str) -> None:
    made = script(f"http.get('https://h.example/items').json().{over};")
    assert list(requests(made)) == ["items"]


def test_a_drawn_field_of_the_head_is_drawn() -> None:
    made = script(
        "http.get('https://h.example/a', { headers: "
        "{ 'X-Id': `${Math.floor(Math.random() * 9)}`, 'X-B': '1' } });"
    )  # fmt: skip
    assert requests(made)["a"]["headers"] == {"X-Id": "{uniform(0, 8)}", "X-B": "1"}


def test_a_draw_of_one_number_is_that_number() -> None:
    made = script("http.get(`https://h.example/i/${Math.floor(Math.random())}`);")
    assert [one["get"] for one in requests(made).values()] == ["/i/0"]
    loads(made)


def test_numbers_that_grow_without_bound_are_not_followed() -> None:
    turns = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].forEach(() => { x = x * x; });"
    made = script(f"let x = 9; {turns} http.get('https://h.example/a');")
    assert list(requests(made)) == ["a"]


@pytest.mark.parametrize("change", ["u += '/b'", "u++"])
def test_a_name_that_is_changed_is_not_known_any_more(change: str) -> None:
    made = script(
        f"let u = 'https://h.example/a'; {change}; http.get(u); http.get('https://h.example/c');"
    )  # fmt: skip
    assert list(requests(made)) == ["c"]


LOGIN = """
  console.log(`at ${BASE} ${http.get(BASE).body}`);
  const res = http.post(BASE + '/login', { user: 'ann' });
  const token = res.json('access.token');
  const user = JSON.parse(res.body).users[0];
  const params = { headers: { Authorization: `Bearer ${token}`, 'X-Id': user.id } };
  const list = http.get(`${BASE}/items/${res.json().first}?t=${res.headers['X-Of']}`, params);
  http.post(BASE + '/buy', JSON.stringify({ token, id: list.json('0.id') }), params);
  http.post(BASE + '/form', { token: token });
  http.post(BASE + '/query', '{ hero {id} {name} }');
"""


def test_what_a_script_reads_of_an_answer_is_a_value_of_the_session() -> None:
    made = script(LOGIN)
    home, login, items, buy, form, query = table(made)["request"]
    assert "take" not in home, "a log is not of the load"
    assert login["take"] == {
        "token": "json:$.access.token", "id": "json:$.users[0].id", "first": "json:$.first",
        "X-Of": "header:X-Of",
    }  # fmt: skip
    assert items["get"] == "/items/{first}?t={X-Of}"
    assert items["headers"] == {"Authorization": "Bearer {token}", "X-Id": "{id}"}
    assert items["take"] == {"id-2": "json:$[0].id"}, "a name of its own"
    assert buy["body"] == '{"token": "{token}", "id": "{id-2}"}'
    assert form["form"] == {"token": "{token}"}
    assert query["body"] == "{ hero {brace()}id} {brace()}name} }", "no values of the session"
    assert not made.notes


@pytest.mark.parametrize(
    "part", ["json().length", "json('#.id')", "html().find('a')", "body.length"]
)
def test_other_parts_of_an_answer_are_known_only_in_a_run(part: str) -> None:
    made = script(f"const r = http.get(BASE + '/a'); http.get(`${{BASE}}/b?n=${{r.{part}}}`);")
    assert targets(made)[0] == "/a"
    assert "{" not in targets(made)[1], "it is no value of the session"
    assert any(f"`r.{part}` is known only in a run" in note for note in made.notes)


def test_a_value_of_another_host_is_named() -> None:
    made = script(
        "const r = http.get('http://id.example/t'); http.get(BASE + '/a');\n"
        "http.get(`${BASE}/b?t=${r.json('token')}`);"
    )
    assert targets(made) == ["/a", "/b?t=token"]
    assert any("`token` is taken by no request here" in note for note in made.notes)


def test_a_list_of_a_form_is_sent_field_by_field() -> None:
    """As k6 does: `formEncodeBody` adds each value of a list."""
    made = imported("""
import http from 'k6/http';
export default function () {
  http.post('http://h.example/f', { a: ['x', 'y'], b: true });
}
""")
    (form,) = table(made)["request"]
    assert form["body"] == "a=x&a=y&b=true"
    assert form["headers"] == {"Content-Type": "application/x-www-form-urlencoded"}


def test_requests_that_wait_for_one_another_here_alone_are_named() -> None:
    made = imported("""
import http from 'k6/http';
export default async function () {
  const asked = ['/a', '/b'].map((path) => http.asyncRequest('GET', `http://h.example${path}`));
  await Promise.all(asked);
}
""")
    assert [one["name"] for one in table(made)["request"]] == ["a", "b"]
    assert [one for one in made.notes if "one after the other" in one]


def test_a_script_whose_modules_import_k6_is_known() -> None:
    """Its own text names no module of k6."""
    script = "import { visit } from './visit.js';\nexport default function () { visit(); }\n"
    with pytest.raises(tt.InputError, match=r"`\./visit\.js` is not read"):
        imported(script)
