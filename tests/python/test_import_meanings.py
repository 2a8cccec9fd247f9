"""What names, waits and durations of scripts mean: those of their object, user, scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from import_results import imported, table
from typer.testing import CliRunner

from thinktime import InputError
from thinktime.cli import app
from thinktime.importing import import_file

SCALA = """import io.gatling.core.Predef._
import io.gatling.http.Predef._
class Shop extends Simulation {
  val common = http.baseUrl("http://a.example")
  object Search {
    val page = exec(http("s").get("/search"))
    val run = exec(page).pause(1)
  }
  object Buy {
    val page = exec(http("b").get("/buy"))
    val run = exec(page).exec(http("pay").post("/pay"))
  }
  val one = scenario("one").exec(Search.run, Search.page)
  val two = scenario("two").exec(Buy.run)
  setUp(one.inject(rampUsers(60).during(30)), two.inject(constantUsersPerSec(1).during(90)))
    .protocols(common)
}
"""
JAVA = """import static io.gatling.javaapi.core.CoreDsl.*;
class Search { static ChainBuilder run() { return exec(http("s").get("/search")); } }
class Buy { static ChainBuilder run() { return exec(http("b").get("/buy")); } }
class Shop extends Simulation {
  ScenarioBuilder two = scenario("two").exec(Buy.run());
  { setUp(two.injectOpen(constantUsersPerSec(1).during(9)))
      .protocols(http.baseUrl("http://a.example")); }
}
"""


def paths(population: dict[str, Any]) -> list[str]:
    return [next(one[key] for key in ("get", "post") if key in one)
            for one in population["request"]]  # fmt: skip


def test_a_name_of_several_objects_is_that_of_the_object_it_is_asked_of() -> None:
    one, two = table(imported(SCALA, "gatling"))["population"]
    assert paths(one) == ["/search", "/search"]
    assert paths(two) == ["/buy", "/pay"]
    assert paths(table(imported(JAVA, "gatling"))) == ["/buy"]


def test_users_stop_to_come_when_their_injection_ends() -> None:
    one, two = table(imported(SCALA, "gatling"))["population"]
    assert one["arrivals"]["rate"] == "2/s"
    assert one["arrivals"]["profile"] == "steps(0s: 1, 30s: 0)"
    assert "profile" not in two["arrivals"]


K6 = """import http from 'k6/http';
export const options = { scenarios: {
  short: { executor: 'constant-arrival-rate', rate: 2, duration: '20s', exec: 'a',
           preAllocatedVUs: 1 },
  stay: { executor: 'constant-vus', vus: 3, duration: '30s', exec: 'a' },
  long: { executor: 'constant-vus', vus: 1, duration: '1m', exec: 'a' },
} };
export function a() { http.get('http://a.example/'); }
"""


def test_a_scenario_that_ends_before_the_others_ends_or_is_named() -> None:
    made = imported(K6, "k6")
    short, *_ = table(made)["population"]
    assert short["arrivals"]["profile"] == "steps(0s: 1, 20s: 0)"
    ends = [note for note in made.notes if "lasts as long as the run" in note]
    assert ends == ["scenario stay: ends after 30s in k6, and lasts as long as the run here"]


def test_a_set_without_a_wait_has_that_of_its_user() -> None:
    """Source: `TaskSet.wait_time` of Locust calls that of the user, whatever set is around it."""
    made = imported("""from locust import *
class U(HttpUser):
    host = "http://a.example"
    wait_time = constant(4)
    @task
    class Outer(TaskSet):
        wait_time = constant(1)
        @task
        def outer(self): self.client.get("/outer")
        @task
        class Inner(TaskSet):
            @task
            def inner(self): self.client.get("/inner")
""", "locust")  # fmt: skip
    whole = table(made)
    usual = whole["session"]["think"]
    waits = {one["get"]: one.get("think", usual) for one in whole["request"]}
    assert waits == {"/outer": "1s", "/inner": "4s"}


@pytest.mark.parametrize(
    ("body", "check"),
    [
        ("() => pm.response.to.have.status(204)", {"is": 204}),
        ("() => pm.expect(pm.response.code).to.be.oneOf([200, 201])", {"is": [200, 201]}),
        ("() => { pm.response.to.have.status(204); }", {"is": 204}),
        ("() => check({ a: 1 })", None),
    ],
)
def test_a_test_of_one_expression_is_a_check(body: str, check: dict[str, Any] | None) -> None:
    event = {"listen": "test", "script": {"exec": [f"pm.test('s', {body})"]}}
    item = {"name": "r", "request": {"url": "http://a.example/"}, "event": [event]}
    made = imported(json.dumps({"info": {"name": "c"}, "item": [item]}), "postman")
    found = table(made)["request"][0].get("checks")
    assert found == (check and {"s": {"of": "status", **check}})
    assert any("the check 's' is left out" in note for note in made.notes) == (check is None)


def tree(folder: Path) -> Path:
    """A script whose module lies in another folder, and the script's path."""
    (folder / "scenarios").mkdir()
    (folder / "lib").mkdir()
    (folder / "lib" / "pages.js").write_text(
        "import http from 'k6/http';\nimport { base } from '../base.js';\n"
        "export function home() { http.get(`${base}/home`); }\n"
    )
    (folder / "base.js").write_text("export const base = 'http://a.example';\n")
    script = folder / "scenarios" / "main.js"
    script.write_text(
        "import { home } from '../lib/pages.js';\nexport const options = { vus: 2 };\n"
        "export default function () { home(); }\n"
    )
    return script


def test_modules_elsewhere_are_read_in_the_folder_that_the_user_names(tmp_path: Path) -> None:
    script = tree(tmp_path)
    with pytest.raises(InputError, match="outside of the folder of the script; `--folder DIR`"):
        import_file(script)
    assert table(import_file(script, folder=tmp_path))["request"][0]["get"] == "/home"
    out = tmp_path / "out.toml"
    given = ["import", str(script), "--folder", str(tmp_path), "-o", str(out)]
    assert CliRunner().invoke(app, given).exit_code == 0
    assert 'get  = "/home"' in out.read_text()


def test_no_file_outside_of_that_folder_is_read(tmp_path: Path) -> None:
    script = tree(tmp_path)
    (tmp_path / "lib" / "pages.js").unlink()
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(InputError, match="does not lie in it"):
        import_file(script, folder=inner)
    with pytest.raises(InputError, match="for a script of k6"):
        import_file(script, "gatling", folder=tmp_path)
    # A link is where it leads.
    outside = inner / "pages.js"
    outside.write_text("export function home() {}\n")
    (tmp_path / "scenarios" / "pages.js").symlink_to(outside)
    script.write_text(script.read_text().replace("../lib/", "./"))
    with pytest.raises(InputError, match="outside of that of `--folder`"):
        import_file(script, folder=tmp_path / "scenarios")
