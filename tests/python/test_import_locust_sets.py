"""Imports of scripts of Locust: sets of tasks, hosts, settings of the client, lost requests."""

from __future__ import annotations

from typing import Any

import pytest
from import_results import imported, table

from thinktime.importing import Imported

HEAD = "from locust import *\n"


def user(body: str, before: str = "", base: str = "HttpUser") -> Imported:
    return imported(f"{HEAD}{before}\nclass U({base}):\n{body}")


def targets(made: Imported) -> list[str]:
    whole = table(made)
    populations: list[dict[str, Any]] = whole.get("population", [whole])
    return [
        next(one[key] for key in ("get", "post", "head", "put", "target") if key in one)
        for population in populations
        for one in population["request"]
    ]


STOCK = """
def shelf(user):
    user.client.get("/shelf")

class Stock(TaskSet):
    wait_time = constant(3)
    tasks = {shelf: 4}

    def on_start(self):
        self.client.get("/badge")

    @task
    def count(self):
        self.client.get("/count")

    @task
    class Deep(SequentialTaskSet):
        @task
        def one(self):
            self.client.get("/deep/1")

        @task
        def two(self):
            self.client.get("/deep/2")
            self.interrupt()
"""


def test_a_set_has_its_listed_tasks_and_those_of_its_methods_and_its_inner_sets() -> None:
    made = user("    wait_time = constant(1)\n    tasks = [Stock]\n", STOCK)
    found = {one["name"]: one for one in table(made)["request"]}
    assert table(made)["session"]["first"] == {"badge": 1}
    whole = {"count": pytest.approx(1 / 6), "shelf": pytest.approx(4 / 6)}
    assert found["badge"]["next"] == {**whole, "deep-1": pytest.approx(1 / 6)}
    assert found["deep-1"]["next"] == {"deep-2": 1}
    thinks = [one.get("think", table(made)["session"]["think"]) for one in found.values()]
    assert thinks == ["0s", "3s", "3s", "1s", "1s"], "an inner set has that of its user"


def test_methods_of_one_name_in_two_sets_are_two_tasks() -> None:
    sets = "".join(
        f"class {name}(TaskSet):\n    @task\n    def go(self):\n"
        f"        self.client.get('/{name}')\n        self.interrupt()\n"
        for name in ("East", "West")
    )
    made = user("    tasks = {East: 3, West: 1}\n", sets)
    assert targets(made) == ["/East", "/West"]
    assert [one["weight"] for one in table(made)["request"]] == [3, 1]
    assert any("until `interrupt()`" in note for note in made.notes)


def test_names_of_a_class_are_inherited() -> None:
    base = (
        "class Base(HttpUser):\n    abstract = True\n    host = 'http://t.example/v2'\n"
        "    wait_time = constant(4)\n    def on_start(self):\n        self.client.get('/in')\n"
    )
    made = user("    @task\n    def t(self):\n        self.client.get('/t')\n", base, "Base")
    assert made.origin == "http://t.example"
    assert targets(made) == ["/v2/in", "/v2/t"]
    assert table(made)["arrivals"]["start"] == "empty", "a login is sent by each client"


def test_a_user_without_a_start_begins_in_the_long_run() -> None:
    made = user("    @task\n    def t(self):\n        self.client.get('/t')\n")
    assert "start" not in table(made)["arrivals"]


def test_header_fields_of_the_client_go_with_all_requests() -> None:
    made = user(
        "    def on_start(self):\n        self.client.headers['X-Shop'] = 'north'\n"
        "        self.client.headers.update({'Accept': 'a/b', 'Authorization': 'Bearer x'})\n"
        "        self.client.trust_env = False\n"
        "    @task\n    def t(self):\n        self.client.get('/t', headers={'accept': 'c/d'})\n"
        "        self.client.headers['X-Late'] = '1'\n"
    )
    assert table(made)["request"][0]["headers"] == {"X-Shop": "north", "accept": "c/d"}
    for text in ("Authorization", "trust_env", "that a task gives to its client"):
        assert any(text in note for note in made.notes), text


@pytest.mark.parametrize(
    ("call", "redirects"),
    [
        ("get('/a')", 30),
        ("head('/a')", None),
        ("get('/a', allow_redirects=False)", None),
        ("head('/a', allow_redirects=True)", 30),
    ],
)
def test_redirects_are_followed_as_the_client_does(call: str, redirects: int | None) -> None:
    made = user(f"    @task\n    def t(self):\n        self.client.{call}\n")
    assert table(made).get("session", {}).get("redirects") == redirects


def test_requests_that_differ_in_redirects_are_named() -> None:
    calls = "        self.client.get('/a')\n        self.client.get('/b', allow_redirects=False)\n"
    made = user(f"    max_redirects = 5\n    @task\n    def t(self):\n{calls}")
    assert table(made)["session"]["redirects"] == 5
    assert any(note.startswith("line 8") and "no redirects" in note for note in made.notes)


def test_rest_is_a_request_and_another_client_is_not() -> None:
    made = user(
        "    @task\n    def t(self):\n"
        "        with self.rest('PUT', '/api/x', json={'a': 1}, timeout=0.5) as answer:\n"
        "            pass\n        self.user.bank_client.get('/charge')\n",
        base="FastHttpUser",
    )
    (only,) = table(made)["request"]
    assert (only["put"], only["json"], only["timeout"]) == ("/api/x", {"a": 1}, "0.5s")
    assert any("bank_client" in note for note in made.notes)


def test_users_of_another_host_are_named() -> None:
    other = (
        "class V(HttpUser):\n    host = 'http://v.example'\n    @task\n    def t(self):\n"
        "        self.client.get('/v')\n"
    )
    made = user(
        "    host = 'http://u.example'\n    @task\n    def t(self):\n"
        "        self.client.get('/u')\n        self.client.get('/w')\n",
        other,
    )
    assert (made.origin, targets(made)) == ("http://u.example", ["/u", "/w"])
    assert any("goes to http://v.example" in note for note in made.notes)


LOST = """
class Helper:
    def __init__(self, client):
        self.client = client
    def cart(self):
        self.client.get("/cart")

class Steps(LoadTestShape):
    def tick(self):
        return 10, 1

@events.test_start.add_listener
def begin(environment):
    pass
"""


@pytest.mark.parametrize(
    ("line", "text"),
    [(7, "no task of a user"), (9, "shape of the load `Steps`"), (14, "`begin`")],
)
def test_what_no_task_sends_is_named(line: int, text: str) -> None:
    body = "    insecure = True\n    @task\n    def t(self):\n        self.client.get('/t')\n"
    notes = list(user(body, LOST).notes)
    assert any(note.startswith(f"line {line}:") and text in note for note in notes), notes
    assert any("`insecure`" in note for note in notes)


GONE = """
class Tour(SequentialTaskSet):
    wait_time = between(1, 3)
    @task
    def one(self):
        self.client.get("/one")
        time.sleep(2)
    @task
    def two(self):
        self.client.get("http://other.example/two")
"""


def test_waits_of_tasks_whose_requests_are_left_out_are_added() -> None:
    body = "    host = 'http://h.example'\n    tasks = [Tour]\n"
    made = user(body + "    @task\n    def t(self):\n        self.client.get('/t')\n", GONE)
    thinks = {one["name"]: one.get("think") for one in table(made)["request"]}
    assert thinks["one"] == "uniform(4s, 8s)"


def test_a_chain_of_texts_has_any_length() -> None:
    body = "    @task\n    def t(self):\n        self.client.get('/' {})\n"
    made = user(body.format("+ 'a'" * 700))
    assert [one["get"] for one in table(made)["request"]] == ["/" + 700 * "a"]
