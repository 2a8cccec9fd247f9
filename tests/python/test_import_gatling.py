"""Imports of simulations of Gatling in Java, Kotlin and Scala."""

from __future__ import annotations

from typing import Any

import pytest
from import_accounts import fates
from import_results import imported, requests, table

import thinktime as tt
from thinktime.importing import Imported, import_text

JAVA = """package shop;
import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;
import io.gatling.javaapi.core.*;
import java.time.Duration;

public class Shop extends Simulation {
  private static final int USERS = Integer.getInteger("users", 20);
  HttpProtocolBuilder protocol = http.baseUrl("https://shop.example/api")
      .acceptHeader("application/json");

  static ChainBuilder login(String who) {
    return exec(http("login").post("/login")
        .body(StringBody("{\\"user\\": \\"" + who + "\\"}")).asJson()
        .check(status().in(200, 201), jsonPath("$.token").saveAs("token")));
  }

  ChainBuilder pages = repeat(2, "page").on(
      exec(http("page").get("/items?page=#{page}").header("Authorization", "Bearer #{token}"))
          .pause(Duration.ofMillis(500), Duration.ofSeconds(2)));

  ScenarioBuilder users = scenario("Users").exec(login("ann")).pause(3).exec(pages)
      .randomSwitch().on(
          percent(60.0).then(exec(http("buy").put("/cart").formParam("n", "#{randomInt(1,10)}"))),
          percent(30.0).then(exec(http("look").get("/look"))));

  {
    setUp(
      users.injectOpen(rampUsersPerSec(0).to(USERS).during(Duration.ofMinutes(1))),
      scenario("Admins").exec(http("report").get("/report").requestTimeout(5)
          .resources(http("style").get("/a.css")))
        .injectClosed(constantConcurrentUsers(10).during(30))
    ).protocols(protocol).assertions(
      global().responseTime().percentile3().lt(250),
      details("login").failedRequests().percent().lte(1.0));
  }
}
"""
KOTLIN = """package shop
import io.gatling.javaapi.core.CoreDsl.*
import io.gatling.javaapi.http.HttpDsl.*
import java.time.Duration

class Shop : Simulation() {
  private val users = Integer.getInteger("users", 20)
  private val protocol = http.baseUrl("https://shop.example/api").acceptHeader("application/json")

  private fun login(who: String) = exec(
    http("login").post("/login").body(StringBody("{\\"user\\": \\"$who\\"}")).asJson()
      .check(status().`in`(200, 201), jsonPath("$.token").saveAs("token"))
  )

  private val pages = repeat(2, "page").on(
    exec(http("page").get("/items?page=#{page}").header("Authorization", "Bearer #{token}"))
      .pause(Duration.ofMillis(500), Duration.ofSeconds(2))
  )
  private val people = scenario("Users").exec(login("ann")).pause(3).exec(pages)
    .randomSwitch().on(
      percent(60.0).then(exec(http("buy").put("/cart").formParam("n", "#{randomInt(1,10)}"))),
      percent(30.0).then(exec(http("look").get("/look")))
    )
  private val admins = scenario("Admins").exec(
    http("report").get("/report").requestTimeout(5).resources(http("style").get("/a.css")))

  init {
    setUp(
      people.injectOpen(rampUsersPerSec(0.0).to(users.toDouble()).during(Duration.ofMinutes(1))),
      admins.injectClosed(constantConcurrentUsers(10).during(30))
    ).protocols(protocol).assertions(
      global().responseTime().percentile3().lt(250),
      details("login").failedRequests().percent().lte(1.0)
    )
  }
}
"""
SCALA = """package shop
import io.gatling.core.Predef._
import io.gatling.http.Predef._
import scala.concurrent.duration._

class Shop extends Simulation {
  val users = Integer.getInteger("users", 20)
  val protocol = http.baseUrl("https://shop.example/api").acceptHeader("application/json")

  object Login {
    def as(who: String) = exec(
      http("login").post("/login").body(StringBody(s"{\\"user\\": \\"$who\\"}")).asJson
        .check(status.in(200, 201), jsonPath("$.token").saveAs("token")))
  }
  val pages = repeat(2, "page") {
    exec(http("page").get("/items?page=#{page}").header("Authorization", "Bearer ${token}"))
      .pause(500.milliseconds, 2 seconds)
  }
  val people = scenario("Users").exec(Login.as("ann")).pause(3).exec(pages)
    .randomSwitch(
      60.0 -> exec(http("buy").put("/cart").formParam("n", "#{randomInt(1,10)}")),
      30.0 -> exec(http("look").get("/look")))
  val admins = scenario("Admins").exec(
    http("report").get("/report").requestTimeout(5 seconds).resources(http("style").get("/a.css")))

  setUp(
    people.inject(rampUsersPerSec(0) to users during (1 minute)),
    admins.inject(constantConcurrentUsers(10).during(30.seconds))
  ).protocols(protocol).assertions(
    global.responseTime.percentile3.lt(250), details("login").failedRequests.percent.lte(1.0))
}
"""
LANGUAGES = {"java": JAVA, "kotlin": KOTLIN, "scala": SCALA}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_simulation_is_a_workload_in_each_language(language: str) -> None:
    made = imported(LANGUAGES[language])
    assert (made.kind, made.origin) == ("gatling", "https://shop.example")
    assert "--duration 60s" in made.text
    assert [note.partition(": ")[2] for note in made.notes] == [
        "`users` of the environment has its default here"
    ]
    users, admins = table(made)["population"]
    assert users["arrivals"] == {
        "model": "partly-open", "rate": "20/s", "process": "even",
        "profile": "ramp(from=0, to=1, over=60s)",
    }  # fmt: skip
    assert admins["arrivals"] == {"model": "closed", "clients": 10}
    assert users["session"] == {"cookies": True, "redirects": 20, "think": "uniform(0.5s, 2s)"}
    found = {one["name"]: one for one in users["request"]}
    assert list(found) == ["login", "page", "page-2", "buy", "look"]
    assert found["login"] == {
        "name": "login", "post": "/api/login", "json": {"user": "ann"}, "think": "3s",
        "take": {"token": "json:$.token"}, "next": {"page": 1},
        "checks": {"status": {"of": "status", "is": [200, 201]}},
    }  # fmt: skip
    assert users["clients"]["headers"] == {"Accept": "application/json"}
    assert found["page-2"]["get"] == "/api/items?page=1"
    assert found["page-2"]["headers"]["Authorization"] == "Bearer {token}"
    assert found["page-2"]["next"] == {"buy": 0.6, "look": 0.3, "end": 0.1}
    assert found["buy"]["form"] == {"n": "{uniform(1, 9)}"}
    assert admins["request"][0]["objects"] == {"count": "1", "of": {"style": 1}}
    assert admins["request"][0]["timeout"] == "5s"
    assert table(made)["slo"] == {"p95": "250ms", "login": {"errors": "1%"}}


def simulation(
    chain: str, injection: str = "injectOpen(atOnceUsers(1))", more: str = ""
) -> Imported:
    return imported(f"""import static io.gatling.javaapi.core.CoreDsl.*;
class S extends Simulation {{
  {more}
  {{ setUp(scenario("s"){chain}.{injection}).protocols(http.baseUrl("http://a.example")); }}
}}""")


ONE = '.exec(http("a").get("/a"))'


@pytest.mark.parametrize(
    ("steps", "keys"),
    [
        ("constantUsersPerSec(5).during(60)", {"rate": "5/s", "process": "even"}),
        ("constantUsersPerSec(5).during(60).randomized()", {"rate": "5/s", "process": "poisson"}),
        ("rampUsers(30).during(Duration.ofMinutes(1))", {"rate": "0.5/s"}),
        ("stressPeakUsers(40).during(20)", {"rate": "2/s"}),
        ("atOnceUsers(7)", {"rate": "7/s"}),
        ("nothingFor(5), constantUsersPerSec(2).during(9)",
         {"profile": "steps(0s: 0, 5s: 1)"}),
        ("incrementUsersPerSec(5).times(2).eachLevelLasting(10).startingFrom(10)",
         {"rate": "15/s", "profile": "steps(0s: 0.666667, 10s: 1)"}),
        ("incrementUsersPerSec(5).times(2).eachLevelLasting(10)",
         {"rate": "5/s", "profile": "steps(0s: 0, 10s: 1)"}),
        ("incrementUsersPerSec(5).times(1).eachLevelLasting(10).separatedByRampsLasting(1)",
         {"rate": "5/s", "profile": "steps(0s: 0.05, 0.1s: 0.15, 0.2s: 0.25, 0.3s: 0.35, "
          "0.4s: 0.45, 0.5s: 0.55, 0.6s: 0.65, 0.7s: 0.75, 0.8s: 0.85, 0.9s: 0.95, 1s: 1)"}),
        ("rampUsersPerSec(10).to(20).during(10)", {"profile": "ramp(from=0.5, to=1, over=10s)"}),
        ("constantUsersPerSec(late()).during(9)", {"rate": "1/s"}),
    ],
)  # fmt: skip
def test_an_open_injection_is_a_rate_over_time(steps: str, keys: dict[str, Any]) -> None:
    found = table(simulation(ONE, f"injectOpen({steps})"))["arrivals"]
    assert (keys | {"model": "open"}).items() <= found.items()


@pytest.mark.parametrize(
    ("steps", "clients"),
    [
        ("constantConcurrentUsers(5).during(60)", 5),
        ("rampConcurrentUsers(5).to(9).during(60)", 9),
        ("constantConcurrentUsers(5).during(60), rampConcurrentUsers(5).to(2).during(60)", 5),
        ("incrementConcurrentUsers(5).times(4).eachLevelLasting(10).startingFrom(10)", 25),
    ],
)
def test_a_closed_injection_is_a_number_of_clients(steps: str, clients: int) -> None:
    made = simulation(ONE, f"injectClosed({steps})")
    assert table(made)["arrivals"] == {"model": "closed", "clients": clients}
    assert bool(made.notes) == (steps != "constantConcurrentUsers(5).during(60)")


def test_branches_part_and_meet_again() -> None:
    made = simulation(
        ONE + '.uniformRandomSwitch().on(exec(http("b").get("/b")), exec(http("c").get("/c"))'
        '.randomSwitch().on(percent(50).then(exec(http("d").get("/d")))))'
        '.exec(http("e").get("/e"))'
    )
    ways = {name: one["next"] for name, one in requests(made).items()}
    assert ways == {"a": {"b": 0.5, "c": 0.5}, "b": {"e": 1}, "c": {"d": 0.5, "e": 0.5},
                    "d": {"e": 1}, "e": {"end": 1}}  # fmt: skip


def test_a_branch_without_requests_goes_past_with_the_others() -> None:
    made = simulation(
        ONE + ".randomSwitch().on(percent(50).then(exec(late())), percent(20).then("
        'exec(http("b").get("/b")))).pause(4)'
    )
    found = requests(made)
    assert found["a"]["next"] == {"end": pytest.approx(0.8), "b": 0.2}
    assert table(made)["session"]["think"] == "4s"


def test_the_way_passes_a_request_to_another_host() -> None:
    made = simulation(
        ONE + '.randomSwitch().on(percent(50).then(exec(http("b").get("http://b.example/"))))'
        '.exec(http("c").get("/c")).exec(http("d").get("/d"))'
    )
    assert requests(made)["a"]["next"] == {"c": 1}


def test_the_pages_choose_the_target_and_not_their_objects() -> None:
    objects = ", ".join(f'http("o{n}").get("http://cdn.example/{n}")' for n in range(3))
    made = simulation(
        f'{ONE}.exec(http("b").get("/b").resources({objects}, http("c").get("/c")))'
        '.exec(http("d").get("http://cdn.example/d").resources(http("e").get("/e")))'
    )
    assert made.origin == "http://a.example"
    assert list(requests(made)) == ["a", "b", "c"]
    assert any("the page that it belongs to goes elsewhere" in note for note in made.notes)


def test_a_name_of_the_simulation_may_be_that_of_a_call_of_gatling() -> None:
    made = imported(f"""import static io.gatling.javaapi.core.CoreDsl.*;
class S extends Simulation {{
  ScenarioBuilder scenario = scenario("people"){ONE};
  {{ setUp(scenario.injectOpen(atOnceUsers(1))).protocols(http.baseUrl("http://a.example")); }}
}}""")
    assert list(requests(made)) == ["a"]
    assert not any("left out" in note for note in made.notes)


def test_sessions_may_begin_at_several_requests() -> None:
    made = simulation(
        '.randomSwitch().on(percent(25).then(exec(http("a").get("/a"))),'
        'percent(75).then(exec(http("b").get("/b")))).exec(http("c").get("/c"))'
    )
    assert table(made)["session"]["first"] == {"a": 0.25, "b": 0.75}


@pytest.mark.parametrize(
    ("links", "sent"),
    [
        ('.post("/").body(StringBody("x #{n}"))', {"body": "x n"}),
        ('.post("/").body(StringBody("{\\"password\\": \\"x\\"}")).asJson()',
         {"json": {"password": "REMOVED"}}),
        ('.post("/").formParam("a", "1").asMultipartForm()', {"multipart": {"a": "1"}}),
        ('.post("/").formParamMap(Map.of("a", "1", "b", "2"))', {"form": {"a": "1", "b": "2"}}),
        ('.get("/").queryParam("q", "a b").queryParam("r", 2)', {"get": "/?q=a+b&r=2"}),
        ('.get("/" + late())', {"get": "/late"}),
        ('.httpRequest("PROPFIND", "/f")', {"method": "PROPFIND", "target": "/f"}),
        ('.get("/").headers(Map.of("X-A", "1"))', {"headers": {"X-A": "1"}}),
    ],
)  # fmt: skip
def test_a_request_is_sent_as_gatling_sends_it(links: str, sent: dict[str, Any]) -> None:
    (one,) = table(simulation(f'.exec(http("a"){links})'))["request"]
    assert sent.items() <= one.items()


@pytest.mark.parametrize(
    ("check", "held"),
    [
        ("status().is(204)", {"status": {"of": "status", "is": 204}}),
        ('jsonPath("$.a").is("x")', {"jsonPath $.a": {"of": "json:$.a", "is": "x"}}),
        ('header("X-A").exists()', {"header X-A": {"of": "header:X-A"}}),
        ('header("X-A").notExists()', {"header X-A": {"of": "header:X-A", "missing": True}}),
        ('substring("ok")', {"substring ok": {"of": "body", "contains": "ok"}}),
        ('regex("a(b)").exists().name("n")', {"n": {"of": "regex:a(b)"}}),
        ("responseTimeInMillis().lt(3)", {"responseTimeInMillis": {"of": "time", "most": "3ms"}}),
        ("status().not(500)", {}),
        ('jsonPath("$.a").count().is(3)', {}),
    ],
)  # fmt: skip
def test_a_check_of_gatling_is_a_check(check: str, held: dict[str, Any]) -> None:
    made = simulation(f'.exec(http("a").get("/a").check({check}))')
    assert requests(made)["a"].get("checks", {}) == held
    assert bool(held) != bool([note for note in made.notes if "no simple comparison" in note])


def test_a_value_is_known_only_where_it_is_taken() -> None:
    take = 'http("a").get("/a").check(jsonPath("$.t").saveAs("token"))'
    use = 'http("b").get("/b").header("X-Of", "#{token}")'
    made = imported(f"""import static io.gatling.javaapi.core.CoreDsl.*;
class S extends Simulation {{
  {{ setUp(scenario("one").exec({take}, {use}).injectOpen(atOnceUsers(1)),
    scenario("two").exec({use}).injectOpen(atOnceUsers(1)))
    .protocols(http.baseUrl("http://a.example")); }}
}}""")
    one, two = table(made)["population"]
    assert one["request"][1]["headers"] == {"X-Of": "{token}"}
    assert two["request"][0]["headers"] == {"X-Of": "token"}


THINGS = """import static io.gatling.javaapi.core.CoreDsl.*;
class S extends Simulation {
  HttpProtocolBuilder p = http.baseUrl("http://t.example").header("X-A", "thing-1")
    .inferHtmlResources(thing_2) // thing-2
    .basicAuth("a", "thing-3");
  ChainBuilder orphan = exec(http("thing-4").get("/thing-5"));
  ChainBuilder login = exec(http("thing-6").get("/thing-7?a=#{thing-8}")
    .check(css("thing-9").saveAs("x")).check(jsonPath("$.a").is("thing-10"))
    .check(status().not(7702)));
  { setUp(scenario("thing-11").feed(csv("thing-12.csv"))
      .pause(7703)
      .exec(login)
      .pause(7704)
      .feed(feeder("thing-13"))
      .exec(session -> session.set("thing-14", 1))
      .doIfOrElse("thing-15").then(exec(http("b").get("/thing-16")))
        .orElse(exec(http("c").get("/thing-17")))
      .during(7705).on(exec(http("d").post("/thing-18").body(ElFileBody("thing-19"))))
      .exec(http("e").post("/thing-20").formUpload("a", "thing-21").body(StringBody("thing-22")))
      .exec(http("f").get(late("thing-23")))
      .exec(http("g").get("http://other.example/thing-24"))
      .exec(ws("thing-25").connect("/x"))
      .exec(Elsewhere.thing_26) // thing-26
      .tryMax(7706).on(exec(http("h").get("/thing-27").requestTimeout(7707)))
      .injectOpen(constantUsersPerSec(7708).during(7709), thingUsers(7710))
    ).protocols(p).throttle(reachRps(7711))
     .assertions(global().responseTime().max().lt(7712), global().responseTime().mean().lt(7713));
  }
}
"""


def test_nothing_of_a_simulation_is_lost() -> None:
    assert fates(THINGS, "gatling") == {"carried": 15, "named": 24}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("class S {}", "it has no `setUp`"),
        ("class S { { setUp(); } }", "no request that could be taken"),
        ("class S { S a = a; { setUp(a.injectOpen(atOnceUsers(1))); } }", "`a` is left out"),
        ("class S { S f(S x) { return f(x); } { setUp(f(1)); } }", "no request that could"),
        (f"class S {{ {{ setUp({'(' * 3000}1{')' * 3000}); }} }}", "no request that could"),
        (f"class S {{ {{ setUp(a{'.b()' * 5000}); }} }}", "no request that could be taken"),
        ("\0{{{((", "it has no `setUp`"),
    ],
)
def test_a_file_without_a_request_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(tt.InputError) as found:
        import_text(text.encode(), "a file", "gatling")
    assert why in str(found.value)
