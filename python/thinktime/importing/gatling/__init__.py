"""Simulations of Gatling in Java, Kotlin and Scala, read and never run.

Source: https://docs.gatling.io/concepts/simulation/
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from thinktime import InputError
from thinktime.importing import toml
from thinktime.importing.addresses import one_origin
from thinktime.importing.draft import (
    OBJECTIVES,
    Draft,
    Population,
    Request,
    plain,
    seconds,
    stem,
    with_names,
)
from thinktime.importing.gatling import syntax as gatling_syntax
from thinktime.importing.gatling.chains import Chains
from thinktime.importing.gatling.injection import arrivals
from thinktime.importing.gatling.requests import METHODS, PATTERN, Protocol, Requests, drawn
from thinktime.importing.gatling.syntax import Call, Source
from thinktime.importing.gatling.values import Names
from thinktime.importing.journeys import Journey
from thinktime.importing.notes import Notes
from thinktime.importing.scenarios import Arrivals
from thinktime.importing.session_values import Values
from thinktime.importing.takes import settle

_ASSERTIONS = ("assertions", "assertion")
_INJECTIONS = ("inject", "injectOpen", "injectClosed")
_PERCENTILES = {"percentile1": "p50", "percentile3": "p95", "percentile4": "p99", "mean": "mean"}
"""Gatling's names by its usual settings; `percentile2` is that of 75 %."""


@dataclass
class _Injected:
    """A scenario that is injected: its name, its users, and its way through requests."""

    name: str
    arrivals: Arrivals
    journey: Journey
    ends_on_error: bool
    shares: bool


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a simulation: each scenario that is injected is a population.

    Raises:
        InputError: It has no `setUp`, or no request that could be taken.
    """
    notes = Notes()
    source = gatling_syntax.source(text)
    names = Names(source, notes)
    values = Values(notes, PATTERN, lambda one: drawn(one, values.marks))
    requests = Requests(names, values)
    if not source.set_up:
        raise InputError(f"{file}: is no simulation of Gatling: it has no `setUp`")
    injected = [one for call in source.set_up for one in _set_up(call, names, requests)]
    _unread(source, requests.seen, notes)
    pages = [one for each in injected for one in each.journey.steps]
    found = [one for each in injected for one in _all(each.journey)]
    origin, kept = one_origin(found, notes, telling=pages)
    taken = set(kept)
    for page in pages:
        for part in page.objects if page not in taken else []:
            notes.add(part.place, "left out: the page that it belongs to goes elsewhere")
    for one in injected:
        settle([each for each in _all(one.journey) if each in taken], notes)
    lasts = max((one.arrivals.duration_s for one in injected), default=0.0)
    for one in injected:
        one.arrivals = one.arrivals.until(lasts)
    populations = [
        made for one in injected if (made := _population(one, taken, requests)) is not None
    ]
    if not populations:
        raise InputError(f"{file}: has no request that could be taken{notes.reasons()}")
    limits = (_limit(call, names) for call in source.set_up)
    with_names(populations)
    lasts = min([lasts, *(x for x in limits if x)])
    slo = _objectives(source.set_up, names, populations, notes)
    run = f"--duration {seconds(lasts)}" if lasts else ""
    described = f"{name} (a simulation of Gatling)"
    return Draft(stem(name), described, populations, notes, origin, run, slo)


def _limit(call: Call, names: Names) -> float | None:
    """The longest duration that a `setUp` allows, in seconds."""
    given = next((one.given for one in call.chain() if one.name == "maxDuration"), None)
    return names.time_s(given[0]) if given else None


def _all(journey: Journey) -> list[Request]:
    return [each for one in journey.steps for each in (one, *one.objects)]


def _set_up(call: Call, names: Names, requests: Requests) -> list[_Injected]:
    """The scenarios of a `setUp`, with what its further calls say of all."""
    chain = call.chain()
    protocol = Protocol()
    for one in chain[1:]:
        if one.name == "protocols":
            for each in one.given:
                protocol = requests.protocol(each, protocol)
        elif one.name not in (*_ASSERTIONS, "maxDuration"):
            requests.notes.add(f"line {one.line}", f"`{one.name[:60]}` of `setUp` is left out")
    return [made for one in chain[0].given for made in _injected(one, names, requests, protocol)]


def _injected(given: Any, names: Names, requests: Requests, common: Protocol) -> list[_Injected]:
    """A scenario with its injection, and those that follow it (`andThen`)."""
    chain = given.chain() if isinstance(given, Call) else []
    place = f"line {chain[0].line}" if chain else "setUp"
    at = next((at for at, one in enumerate(chain) if one.name in _INJECTIONS), None)
    if at is None:
        if chain and (function := names.function(chain[-1].name)) is not None:
            with names.following(function, chain[-1]) as known:
                return _injected(function.body, names, requests, common) if known else []
        requests.notes.add(place, "left out: it is no scenario with an injection")
        return []
    protocol = Protocol(common.base, dict(common.fields), common.follows, common.shares)
    found: list[_Injected] = []
    for one in chain[at + 1 :]:
        if one.name == "protocols":
            for each in one.given:
                protocol = requests.protocol(each, protocol)
        elif one.name == "andThen":
            requests.notes.add(f"line {one.line}", "`andThen` is left out: its users come at once")
            found += [made for each in one.given
                      for made in _injected(each, names, requests, common)]  # fmt: skip
        else:
            requests.notes.add(f"line {one.line}", f"`{one.name[:60]}` of a scenario is left out")
    holder = chain[at].on
    chains = Chains(names, requests, protocol)
    chains.follow(holder)
    title = _title(holder, names) or f"scenario-{place.removeprefix('line ')}"
    coming = arrivals(chain[at].given, title, names, requests.notes)
    if not chains.journey.steps:
        requests.notes.add(f"scenario {title}", "left out: it has no request that could be taken")
    made = _Injected(title, coming, chains.journey, chains.ends_on_error, protocol.shares)
    return [made, *found]


def _title(given: Any, names: Names) -> str:
    """The name that `scenario("name")` gives, perhaps in what a name stands for."""
    chain = given.chain() if isinstance(given, Call) else []
    for one in chain:
        if one.name == "scenario" and one.given:
            return names.text(one.given[0]) or ""
        function = names.function(one.name)
        if function is not None:
            with names.following(function, one) as known:
                if known and (found := _title(function.body, names)):
                    return found
    return ""


def _unread(source: Source, seen: set[Call], notes: Notes) -> None:
    """Notes the requests that no scenario sends that is injected."""
    for one in source.calls:
        first = one.chain()[0]
        if one.name in METHODS and first.name == "http" and first.given and first not in seen:
            text = "the request is left out: no scenario that is injected sends it"
            notes.add(f"line {first.line}", text)


def _population(one: _Injected, taken: set[Request], requests: Requests) -> Population | None:
    population = Population(dict(one.arrivals.keys), one.arrivals.why, [], plain(one.name))
    for request in one.journey.steps:
        request.objects = [each for each in request.objects if each in taken]
    one.journey.write(population, taken)
    if not population.requests:
        return None
    only = population.requests[0]
    if len(population.requests) == 1 and population.arrivals["model"] == "partly-open":
        population.arrivals["model"] = "open"
        only.next, population.first = [], []
    elif one.ends_on_error:
        population.session["on_error"] = "end"
    population.session["cookies"] = True
    population.connections = "" if one.shares else "per-session"
    population.hints = list(requests.hints)
    requests.redirects.write(population, requests.notes)
    return population


def _objectives(
    calls: list[Call], names: Names, populations: list[Population], notes: Notes
) -> dict[str, str]:
    """The assertions that are objectives."""
    found: dict[str, str] = {}
    there = {one.name for each in populations for one in each.requests}
    for call in calls:
        for one in call.chain()[1:]:
            for each in _listed(one.given) if one.name in _ASSERTIONS else []:
                made = _objective(each, names, there)
                if made is None:
                    notes.add(f"line {one.line}", f"the assertion `{_said(each)}` is left out")
                else:
                    found[made[0]] = made[1]
    return found


def _listed(given: list[Any]) -> Iterator[Any]:
    """Arguments, and those within a list, as `List.of(a, b)` or `Seq(a, b)`."""
    for one in given:
        if isinstance(one, Call) and one.name in ("of", "asList", "listOf", "Seq", "List"):
            yield from one.given
        else:
            yield one


def _said(given: Any) -> str:
    return ".".join(one.name for one in given.chain())[:80] if isinstance(given, Call) else "?"


def _objective(given: Any, names: Names, there: set[str]) -> tuple[str, str] | None:
    """The key and the limit of an objective, if an assertion is one."""
    chain = given.chain() if isinstance(given, Call) else []
    said = [one.name for one in chain]
    limit = names.number(chain[-1].first) if chain else None
    about = ""
    if said[:1] == ["details"]:
        name = plain(names.text(chain[0].first) or "")
        about = f"{name}." if name in there else "?"
    if limit is None or about == "?" or said[:1] not in (["global"], ["details"]):
        return None
    is_below = said[-1] in ("lt", "lte", "lessThan", "lessThanOrEqual")
    match said[1:-1]:
        case ["responseTime", kind] if is_below:
            share = names.number(chain[2].first)
            key = f"p{share:g}" if kind == "percentile" and share else _PERCENTILES.get(kind, "")
            return (about + toml.key(key), f"{limit:g}ms") if key in OBJECTIVES else None
        case ["failedRequests", "percent"] if is_below:
            return f"{about}errors", f"{limit:g}%"
        case ["successfulRequests", "percent"] if not is_below and limit <= 100:
            return f"{about}errors", f"{100 - limit:g}%"
    return None
