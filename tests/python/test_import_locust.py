"""Imports of scripts of Locust."""

from __future__ import annotations

import pytest
from import_results import imported, table

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
    assert shopper["arrivals"] == {"model": "closed", "clients": 2, "start": "empty"}
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


SETS = """
from locust import HttpUser, SequentialTaskSet, between, task

class Checkout(SequentialTaskSet):
    @task
    def cart(self):
        self.client.get("/cart")

    @task
    def pay(self):
        self.client.get("/pay")
        {leaves}

class Shopper(HttpUser):
    wait_time = between(1, 5)
    tasks = {{Checkout: 2}}

    {own}
"""
OWN = """@task(3)
    def look(self):
        self.client.get("/look")

    @task
    def search(self):
        self.client.get("/search")
"""


def test_tasks_in_order_are_one_task_beside_others() -> None:
    made = imported(SETS.format(leaves="self.interrupt()", own=OWN))
    found = {one["name"]: one for one in table(made)["request"]}
    choice = {"look": 0.5, "search": pytest.approx(1 / 6), "cart": pytest.approx(1 / 3)}
    assert table(made)["session"]["first"] == choice
    assert found["look"]["next"] == choice
    assert found["cart"]["next"] == {"pay": 1}
    assert found["pay"]["next"] == choice
    thinks = [one.get("think", table(made)["session"]["think"]) for one in found.values()]
    assert set(thinks) == {"uniform(1s, 5s)"}
    assert not any("stay in it" in note for note in made.notes)
    stays = imported(SETS.format(leaves="", own=OWN))
    assert any("stay in it" in note for note in stays.notes)


def test_tasks_in_order_alone_follow_one_another() -> None:
    made = imported(SETS.format(leaves="", own="pass"))
    found = {one["name"]: one["next"] for one in table(made)["request"]}
    assert found == {"cart": {"pay": 1}, "pay": {"cart": 1}}


OTHER_NAMES = """
import random
from locust import HttpUser, between, task

def leave(api, path):
    api.delete(path)

class Shopper(HttpUser):
    host = "https://shop.example"
    wait_time = between(1, 2)

    def pay(self):
        self.client.post("/pay")

    @task
    def visit(self):
        client = self.client
        client.get("/home")
        with self.client as other:
            other.get("/item")
        with client.get("/basket", catch_response=True) as answer:
            self.pay()
        leave(client, "/basket")
        shop.rate(client)
"""


def test_the_client_may_have_other_names() -> None:
    """Each of them sends to the same client; none of the requests is lost."""
    made = imported(OTHER_NAMES)
    sent = [(one["name"], next(iter(one["next"]))) for one in table(made)["request"]]
    assert sent == [
        ("home", "item"), ("item", "basket"), ("basket", "post-pay"),
        ("post-pay", "delete-basket"), ("delete-basket", "home"),
    ]  # fmt: skip
    # Another module's function may send with it.
    assert [one for one in made.notes if "`shop.rate()` is left out" in one]


DRAWN = """
import random
from locust import HttpUser, task

class Shopper(HttpUser):
    host = "https://shop.example"

    @task
    def visit(self):
        self.client.get(f"/item/{random.randint(1, 100)}", params={"page": random.randrange(3, 9)})
        self.client.post("/order", json={"item": random.randint(1, 7), "kind": ["a"]})
        self.client.post("/form", data={"tag": ["a", "b"], "gift": True})
"""


def test_random_whole_numbers_of_locust_are_draws() -> None:
    """As Python draws them: `randint` with its last number, `randrange` without."""
    item, order, form = table(imported(DRAWN))["request"]
    assert item["get"] == "/item/{uniform(1, 100)}?page={uniform(3, 8)}"
    assert order["json"] == {"item": "{uniform(1, 7)}", "kind": ["a"]}
    # As `requests` sends a list of a form.
    assert form["body"] == "tag=a&tag=b&gift=True"
