"""Parts of scripts that only a run would show: requests keep their place, and notes name the parts.

The forms are those of public scripts: a base URL of the environment, an id of an answer, options
of a file, header fields that are spread.
"""

from __future__ import annotations

import json

import pytest
from import_results import imported, requests, table

from thinktime import InputError
from thinktime.importing import Imported

K6 = "import http from 'k6/http';\nimport { SharedArray } from 'k6/data';\n"


def k6(body: str, before: str = "") -> Imported:
    return imported(f"{K6}{before}\nexport default function () {{\n{body}\n}}", kind="k6")


def locust(body: str, before: str = "") -> Imported:
    lines = "\n".join(f"        {one}" for one in body.splitlines())
    head = f"import requests, flows\nfrom locust import HttpUser, task\n{before}\n"
    return imported(
        f"{head}class U(HttpUser):\n    paths = ['/p']\n    @task\n    def t(self):\n{lines}\n",
        kind="locust",
    )


def targets(made: Imported) -> list[str]:
    return [one.get("get") or one.get("post") for one in table(made)["request"]]


def has_note(made: Imported, *parts: str) -> bool:
    return any(all(part in note for part in parts) for note in made.notes)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("`${__ENV.BASE_URL}/api?a=1`", "/api?a=1"),
        ("__ENV.BASE_URL + '/api'", "/api"),
        ("`http://${__ENV.HOST}:${__ENV.PORT}/api`", "/api"),
        ("`https://${__ENV.STAGE}.shop.example/api`", "/api"),
        ("`${__ENV.BASE_URL}`.concat('/x')", None),
    ],
)
def test_a_host_of_the_environment_is_left_open(url: str, target: str | None) -> None:
    made = k6(f"http.get('/known'); http.get({url});")
    wanted = ["/known", target] if target else ["/known"]
    assert targets(made) == wanted
    said = "say the host as `--target`" if target else "its URL or its method is no literal"
    assert has_note(made, said)


def test_a_value_of_a_run_has_its_name_in_urls_and_bodies() -> None:
    made = k6(
        "http.post(`http://a.test/i/${u.id}?n=1`, JSON.stringify({ own: u.name, n: [u.x] }));\n"
        "http.post('http://a.test/f', { own: u.name, b: `q-${u.y}` });"
    )
    first, second = table(made)["request"]
    assert first["post"] == "/i/u-id?n=1"
    assert json.loads(first["body"]) == {"own": "u-name", "n": ["u-x"]}
    assert second["form"] == {"own": "u-name", "b": "q-u-y"}
    for name in ("u.id", "u.name", "u.x", "u.y"):
        assert has_note(made, f"`{name}` is known only in a run")


def test_what_is_spread_is_no_silent_loss() -> None:
    body = (
        "http.post('http://a.test/', JSON.stringify({ ...late, a: 1 }), { headers: { ...own } });"
    )
    made = k6(body)
    assert has_note(made, "`...own` left out")
    assert has_note(made, "the body is left out")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ("build()", ["options: are left out", "known only in a run"]),
        ("JSON.parse(open('./load.json'))", ["options: are left out"]),
        ("{ vus: __ENV.VUS, duration: '5s' }", ["options: `vus` is left out"]),
        ("{ vus: 2, duration: `${__ENV.S}s` }", ["options: `duration` is left out"]),
        ("{ stages: [{ duration: '5s', target: __ENV.N }] }", ["options: `stages` is left out"]),
        ("{ vus: 2, thresholds: build() }", ["options: `thresholds` is left out"]),
        ("{ ...common, vus: 2 }", ["options: `...common` is left out"]),
        ("{ scenarios: build() }", ["options: `scenarios` is left out"]),
        ("{ scenarios: { a: build() } }", ["scenario a: its options are known only in a run"]),
    ],
)
def test_options_that_only_a_run_knows_are_named(options: str, parts: list[str]) -> None:
    made = k6("http.get('http://a.test/');", f"export const options = {options};")
    assert has_note(made, *parts)


def test_options_with_a_default_are_carried() -> None:
    before = "export const options = { vus: Number(__ENV.VUS || '7'), duration: '5s' };"
    made = k6("http.get('http://a.test/');", before)
    assert table(made)["arrivals"]["clients"] == 7
    assert not made.notes


def test_files_that_a_script_opens_are_named() -> None:
    before = (
        "const users = new SharedArray('u', () => { return JSON.parse(open('./u.json')); });\n"
        "const pic = open('./pic.png', 'b');"
        "const ids = new SharedArray('i', () => ['x', 'y']);"
    )
    made = k6("http.get(`http://a.test/${ids[1]}`);", before)
    assert targets(made) == ["/y"]
    assert has_note(made, "line 3", "the file `./u.json` is left out")
    assert has_note(made, "line 4", "the file `./pic.png` is left out")


def test_values_of_a_locust_user_have_their_names() -> None:
    made = locust(
        "item = late()\n"
        "self.client.get(f'/i/{item}?a={item.b}')\n"
        "self.client.post('/j/' + str(item), json={'own': item, 'n': [1, item.c]})\n"
        "for path in self.paths:\n    self.client.get(path + '/q')"
    )
    assert targets(made) == ["/i/item?a=item-b", "/j/item", "/p/q"]
    assert requests(made)["post-j-item"]["json"] == {"own": "item", "n": [1, "item-c"]}
    assert has_note(made, "`item.b` is known only in a run")


def test_a_locust_host_of_the_environment_is_left_open() -> None:
    made = locust("self.client.get(f'{HOST}/a')\nself.client.get(f'http://{HOST}/b')")
    assert targets(made) == ["/a", "/b"]
    assert has_note(made, "`HOST` has no value here: say the host as `--target`")


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("flows.sign_in(self)", "`flows.sign_in()` is left out"),
        ("flows.sign_in(self.client, 'a')", "`flows.sign_in()` is left out"),
        ("requests.post('http://id.example/token', json={})", "`requests.post()` is left out"),
    ],
)
def test_calls_elsewhere_that_may_send_are_named(line: str, part: str) -> None:
    made = locust(f"self.client.get('/a')\n{line}")
    assert has_note(made, part)


def test_waits_of_old_locust_files_are_milliseconds() -> None:
    text = """
from locust import HttpUser, TaskSet, task
class Inner(TaskSet):
    min_wait = 250
    max_wait = 500
    @task
    def a(self):
        self.client.get("/a")
class U(HttpUser):
    tasks = [Inner]
    min_wait = 5000
    max_wait = 9000
"""
    made = imported(text, kind="locust")
    assert table(made)["session"]["think"] == "uniform(0.25s, 0.5s)"
    assert has_note(made, "`min_wait` and `max_wait` are taken")


def test_a_json_text_of_a_locust_user_has_names() -> None:
    made = locust("self.client.post('/a', data=json.dumps({'q': item, 'ä': 'ö'}))")
    assert json.loads(table(made)["request"][0]["body"]) == {"q": "item", "ä": "ö"}


def test_a_refusal_of_locust_says_the_reasons() -> None:
    with pytest.raises(InputError, match=r"flows.sign_in\(\)` is left out"):
        locust("flows.sign_in(self)")


def test_a_set_of_tasks_of_old_locust_files_is_followed() -> None:
    text = """
from locust import HttpLocust, TaskSet
def index(l):
    l.client.get("/")
class Behavior(TaskSet):
    tasks = {index: 2}
    def on_start(self):
        self.client.post("/login", {"a": "b"})
class WebsiteUser(HttpLocust):
    task_set = Behavior
    min_wait = 5000
    max_wait = 9000
"""
    made = imported(text, kind="locust")
    assert targets(made) == ["/login", "/"]


HOST = """
import os
from locust import HttpUser, task
class U(HttpUser):
    host = %s
    @task
    def t(self):
        self.client.get("/a")
"""


@pytest.mark.parametrize("call", ["os.getenv", "os.environ.get"])
def test_a_locust_host_with_a_default_is_carried(call: str) -> None:
    made = imported(HOST % f"{call}('HOST', 'http://h.test/base')", kind="locust")
    assert made.origin == "http://h.test"
    assert targets(made) == ["/base/a"]


def test_a_locust_host_without_a_value_is_named() -> None:
    made = imported(HOST % "read_host()", kind="locust")
    assert has_note(made, "`host` of `U` has no value here: say it as `--target`")


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("ROWS = list(csv.reader(open('users.csv')))", "users.csv"),
        ("ROWS = json.load(open('users.json', 'r'))", "users.json"),
        ("ROWS = Path('users.txt').read_text()", "users.txt"),
        ("ROWS = pd.read_csv('users.csv')", "users.csv"),
        ("OUT = open('out.csv', 'w')", ""),
    ],
)
def test_files_that_a_locust_script_reads_are_named(line: str, file: str) -> None:
    made = locust("self.client.get('/a')", line)
    assert has_note(made, f"the file `{file}` is left out") == bool(file)
    assert bool(made.notes) == bool(file)


def test_arguments_of_locust_functions_and_pairs_of_loops_are_known() -> None:
    before = "def get(user, path, n=0):\n    user.client.get(f'/{path}/{n}')\nUSERS = [('a', 'b')]"
    made = locust(
        "get(self, 'x', n=2)\nfor u, p in USERS:\n    self.client.get(f'/{u}/{p}')", before
    )
    assert targets(made) == ["/x/2", "/a/b"]
    assert not made.notes


def test_a_request_that_is_handed_to_another_function_is_named() -> None:
    made = locust("self.client.get('/a')\ngevent.spawn(self.client.get, '/b')")
    assert has_note(made, "`gevent.spawn()` is left out")


def test_default_header_fields_of_a_locust_class_are_carried() -> None:
    text = """
from locust import FastHttpUser, task
class U(FastHttpUser):
    host = "http://a.test"
    default_headers = {"Accept-Language": "en", "X-A": late()}
    @task
    def t(self):
        with self.client.request("GET", "/a", headers={"X-B": "1"}, catch_response=True) as resp:
            pass
"""
    made = imported(text, kind="locust")
    assert table(made)["request"][0]["headers"] == {"Accept-Language": "en", "X-B": "1"}
    assert has_note(made, "header `X-A` left out")
    assert len(made.notes) == 1
