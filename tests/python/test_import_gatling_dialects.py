"""Forms of simulations of Gatling in public projects: units behind numbers, lists, old names."""

from __future__ import annotations

import pytest
from import_results import imported, table

from thinktime.importing import Imported

JAVA = """import io.gatling.javaapi.core.*;
import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;
import java.util.concurrent.TimeUnit;
public class S extends Simulation {
  HttpProtocolBuilder protocol = http.baseUrl("http://a.test");
  ScenarioBuilder users = scenario("U").exec(http("a").get("/a"))%s.exec(http("b").get("/b"));
  { setUp(users.injectOpen(%s)).protocols(protocol)%s; }
}
"""
SCALA = """import io.gatling.core.Predef._
import io.gatling.http.Predef._
import scala.concurrent.duration._
class S extends Simulation {
  val protocol = http.baseURL("http://a.test")
  val users = scenario("U").exec(http("a").post("/a")%s)
  setUp(users.inject(%s).protocols(protocol))
}
"""


def java(between: str = "", users: str = "rampUsers(10).during(5)", after: str = "") -> Imported:
    return imported(JAVA % (between, users, after), kind="gatling")


def scala(request: str = "", users: str = "rampUsers(10) over (5 seconds)") -> Imported:
    return imported(SCALA % (request, users), kind="gatling")


@pytest.mark.parametrize(
    ("pause", "think"),
    [
        (".pause(500, TimeUnit.MILLISECONDS)", "0.5s"),
        (".pause(100, 300, TimeUnit.MILLISECONDS)", "uniform(0.1s, 0.3s)"),
        (".pause(2, TimeUnit.MINUTES)", "120s"),
        (".pause(2, MILLISECONDS)", "0.002s"),
        (".pause(2, 4)", "uniform(2s, 4s)"),
    ],
)
def test_a_pause_has_the_unit_behind_it(pause: str, think: str) -> None:
    made = java(pause)
    first = table(made)["request"][0]
    assert (first.get("think") or table(made)["session"]["think"]) == think
    assert not made.notes


def test_a_ramp_of_old_versions_lasts_as_long_as_it_says() -> None:
    arrivals = table(scala())["arrivals"]
    assert arrivals["rate"] == "2/s"
    assert not scala().notes


def test_a_body_in_json_of_old_versions_says_so() -> None:
    made = scala('.body(StringBody("[]")).asJSON')
    assert table(made)["request"][0]["headers"]["Accept"] == "application/json"
    assert not made.notes


@pytest.mark.parametrize("kind", ["List.of", "Arrays.asList", "java.util.List.of"])
def test_assertions_in_a_list_are_objectives(kind: str) -> None:
    listed = "global().responseTime().percentile(95.0).lt(500), global().failedRequests()"
    made = java(after=f".assertions({kind}({listed}.percent().lt(1.0)))")
    assert table(made)["slo"] == {"p95": "500ms", "errors": "1%"}


@pytest.mark.parametrize("users", ["rampUsers(USERS).during(5)", "atOnceUsers(Config.users)"])
def test_users_that_only_a_run_knows_are_named_so(users: str) -> None:
    notes = java(users=users).notes
    assert any("of its injection is left out: its users are known only in a run" in one
               for one in notes)  # fmt: skip


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('.body(ElFileBody("bodies/a.json"))', "the file `bodies/a.json` is not read"),
        ('.body(RawFileBody("b.bin"))', "the file `b.bin` is not read"),
        (".body(StringBody(late()))", "it is known only in a run"),
    ],
)
def test_a_body_that_is_left_out_says_why(body: str, why: str) -> None:
    assert any("`body` of the request is left out" in one and why in one
               for one in scala(body).notes)  # fmt: skip


def test_a_base_of_a_run_is_named_as_the_target() -> None:
    made = imported(
        SCALA.replace('"http://a.test"', "late()") % ("", "atOnceUsers(1)"), kind="gatling"
    )
    assert any("say the host as `--target`" in one for one in made.notes)


def test_words_behind_their_class_are_the_same() -> None:
    text = JAVA % ("", "rampUsers(10).during(5)", "")
    text = text.replace("http.baseUrl", "HttpDsl.http.baseUrl").replace(
        "exec(http(", "exec(HttpDsl.http("
    )
    made = imported(text, kind="gatling")
    assert [one["get"] for one in table(made)["request"]] == ["/a", "/b"]
    assert made.origin == "http://a.test"
    assert not made.notes


def test_header_fields_of_entries_are_carried() -> None:
    entries = 'Map.ofEntries(Map.entry("X-A", "1"), Map.entry("X-B", "2"))'
    made = scala(f".headers({entries})")
    assert table(made)["request"][0]["headers"] == {"X-A": "1", "X-B": "2"}


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ('"/a".concat("/x").concat(late)', "/a/xlate"),
        ('"/a" + "/x": String', "/a/x"),
        ('s"/a/$late": String', "/a/late"),
    ],
)
def test_urls_of_parts_are_joined(url: str, target: str) -> None:
    text = (SCALA % ("", "atOnceUsers(1)")).replace('"/a"', url)
    assert table(imported(text, kind="gatling"))["request"][0]["post"] == target


def test_a_named_request_takes_the_checks_behind_it() -> None:
    text = (SCALA % ("", "atOnceUsers(1)")).replace(
        'exec(http("a").post("/a"))',
        'exec(page.check(status.is(201))).exec(page).exec(page.header("X-A", "1"))',
    )
    text = text.replace("  val users", '  val page = http("p").get("/p")\n  val users')
    first, second, third = table(imported(text, kind="gatling"))["request"]
    assert first["checks"] == {"status": {"of": "status", "is": 201}}
    assert "checks" not in second
    assert third["headers"] == {"X-A": "1"}


@pytest.mark.parametrize(
    ("request_", "file"),
    [
        ('.formUpload("f", "a.csv")', "a.csv"),
        ('.bodyPart(RawFileBodyPart("f", "b.bin"))', "b.bin"),
    ],
)
def test_files_of_requests_are_named(request_: str, file: str) -> None:
    assert any(f"the file `{file}` is not read" in one for one in scala(request_).notes)


def test_a_feeder_of_json_is_named() -> None:
    text = SCALA % ("", "atOnceUsers(1)")
    text = text.replace('.exec(http("a")', '.feed(jsonFile("d.json").random).exec(http("a")')
    notes = imported(text, kind="gatling").notes
    assert any("the file `d.json` is left out" in one for one in notes)
