"""Scripts of k6, read leniently and never run.

Source: https://grafana.com/docs/k6/latest/using-k6/
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thinktime import InputError
from thinktime.importing import javascript, toml
from thinktime.importing.addresses import one_origin
from thinktime.importing.calls import Calls, Step
from thinktime.importing.draft import (
    RESERVED,
    Draft,
    Population,
    Request,
    in_order,
    plain,
    seconds,
    stem,
)
from thinktime.importing.javascript import Token, Values
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import table
from thinktime.importing.scenarios import Scenario, scenarios

_OBJECTIVE = re.compile(r"\s*(p\((\d+(?:\.\d+)?)\)|med|avg|rate)\s*<=?\s*(\d+(?:\.\d+)?)\s*")


@dataclass
class Script:
    """A script on its way into populations."""

    values: Values
    notes: Notes
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The bounds of the bodies of functions; that of `export default` is `default`."""

    http: str = "http"


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a script: each scenario is a population.

    Raises:
        InputError: The script has no request that could be taken.
    """
    given = javascript.tokens(text)
    notes = Notes()
    script = Script(Values(given, javascript.pairs_of(given)), notes)
    _top_level(script)
    options = table(script.values.names.get("options"))
    made: list[tuple[Scenario, list[Step]]] = []
    for scenario in scenarios(options, notes):
        body = script.functions.get(scenario.function)
        if body is None:
            notes.add(scenario.name or "options", f"has no function `{scenario.function}`")
            continue
        calls = Calls(script.values, script.functions, script.http, notes)
        made.append((scenario, calls.of(*body)))
    for name_, (begin, _) in script.functions.items():
        if name_ in ("setup", "teardown", "handleSummary"):
            line = given[min(begin, len(given) - 1)].line
            notes.add(f"line {line}", f"`{name_}` left out: it is not of the load")
    found = [step.request for _, steps in made for step in steps]
    origin, kept = one_origin(found, notes)
    taken = set(kept)
    populations = [
        _population(scenario, [one for one in steps if one.request in taken])
        for scenario, steps in made
        if any(one.request in taken for one in steps)
    ]
    if not populations:
        raise InputError(f"{file}: has no request with a literal URL in a function that is run")
    lasts = max((scenario.duration_s for scenario, _ in made), default=0.0)
    run = f"--duration {seconds(lasts)}" if lasts else ""
    source = f"{name} (a script of k6)"
    checked = any(one.checks for population in populations for one in population.requests)
    slo = _objectives(table(options.get("thresholds")), _names(populations), checked, notes)
    return Draft(stem(name), source, populations, notes, origin, run, slo)


def _top_level(script: Script) -> None:
    """Finds the constants, the functions and the name of the HTTP module."""
    values, given = script.values, script.values.given
    at = 0
    while at < len(given):
        words = [token.text for token in given[at : at + 5]]
        if words[:1] == ["import"] and len(words) > 3 and words[2] == "from":
            if given[at + 3].text.strip("'\"") == "k6/http":
                script.http = words[1]
            _note_module(given[at + 3], script.notes)
        elif words[:2] == ["import", "{"] and values.closes.get(at + 1, 0) + 2 < len(given):
            _note_module(given[values.closes[at + 1] + 2], script.notes)
        elif words[:2] == ["export", "default"]:
            at = _function(script, at + 2, "default")
            continue
        elif words[:1] in (["function"], ["async"]):
            at = _function(script, at, "")
            continue
        elif words[:1] and words[0] in ("const", "let", "var") and words[2:3] == ["="]:
            end = values.end_of(at + 3)
            if "=>" in [token.text for token in given[at + 3 : min(end, at + 40)]] or (
                words[3:4] == ["function"]
            ):
                at = _function(script, at + 3, words[1])
                continue
            values.names[words[1]] = values.value(at + 3, end)
            at = max(end, at + 3)
            continue
        at = values.closes.get(at, at) + 1


def _note_module(token: Token, notes: Notes) -> None:
    """Notes a module whose calls use another protocol or another way to ask a server."""
    module = token.text.strip("'\"")
    found = next((words for name, words in _ELSEWHERE.items() if name in module), None)
    if found is not None:
        notes.add(f"line {token.line}", f"the calls of `{module[:60]}` are left out: {found}")


_ELSEWHERE = {
    "k6/net/grpc": "write them as requests with `grpc`, `descriptors` and `message`",
    "/ws": "write them as requests with `send`, in a workload of their own",
    "websockets": "write them as requests with `send`, in a workload of their own",
    "browser": "a page is a request with `objects`",
    "k6/x/": "extensions are not known",
    "httpx": "only those of `k6/http` are read",
    "experimental": "only those of `k6/http` are read",
}
"""The substitute of a module, by a part of its name."""


def _function(script: Script, at: int, name: str) -> int:
    """Notes the body of the function that begins here; returns where the rest begins."""
    given, closes = script.values.given, script.values.closes
    names: list[str] = [name] if name else []
    while at < len(given) and given[at].text != "{":
        token: Token = given[at]
        if token.kind == "name" and token.text not in ("async", "function"):
            names.append(token.text)
        if token.text in (";", "}"):
            return at + 1
        at = closes.get(at, at) + 1
    end = closes.get(at, len(given))
    for one in names:
        script.functions.setdefault(one, (at + 1, end))
    return end + 1


def _population(scenario: Scenario, steps: list[Step]) -> Population:
    requests: list[Request] = [one.request for one in steps]
    for one in steps:
        one.request.think = one.think()
    arrivals = dict(scenario.arrivals)
    if arrivals["model"] == "partly-open" and len(requests) == 1:
        arrivals["model"] = "open"
    elif len(requests) > 1:
        in_order(requests)
    population = Population(arrivals, scenario.why, requests, plain(scenario.name or "default"))
    population.session["cookies"] = True
    return population


def _names(populations: Sequence[Population]) -> dict[str, str]:
    """The names of objectives, by the tags that thresholds have.

    Several requests of one name count together there, and separately here.
    """
    several = len(populations) > 1
    found = {f"scenario:{one.name}": one.name for one in populations if several}
    names = Counter(request.name for one in populations for request in one.requests)
    taken = {one.name for one in populations if several} | {RESERVED, *_KEYS, *_NO_NAMES}
    return found | {
        f"name:{name}": name for name, times in names.items() if times == 1 and name not in taken
    }


def _objectives(
    thresholds: Mapping[str, Any], names: Mapping[str, str], checked: bool, notes: Notes
) -> dict[str, str]:
    """Thresholds on durations, failures and any checks, as objectives."""
    found: dict[str, str] = {}
    for tagged, given in thresholds.items():
        metric, about = _about(tagged, names)
        for one in given if isinstance(given, list) else [given]:
            text = one.get("threshold") if isinstance(one, dict) else one
            parts = _OBJECTIVE.fullmatch(text) if isinstance(text, str) else None
            key = {"med": "p50", "avg": "mean"}.get(parts[1], f"p{parts[2]}") if parts else ""
            if parts and metric == "http_req_duration" and key in _KEYS:
                found[about + toml.key(key)] = f"{parts[3]}ms"
            elif parts and metric == "http_req_failed" and parts[1] == "rate":
                found[f"{about}errors"] = f"{float(parts[3]) * 100:.6g}%"
            elif checked and metric == "checks" and (share := _share(text)):
                found["checks"] = share
            else:
                notes.add("thresholds", f"`{tagged}`: {text}: left out: no objective is like it")
    return found


def _about(tagged: str, names: Mapping[str, str]) -> tuple[str, str]:
    """The metric, and the beginning of the objective's key if a tag names its subject.

    With other tags the metric is not known.
    """
    parts = re.fullmatch(r"(http_req_\w+)\{\s*(\w+)\s*:\s*([^{},]+?)\s*\}", tagged)
    name = names.get(f"{parts[2]}:{plain(parts[3])}") if parts else None
    return (parts[1], f"{name}.") if parts and name else (tagged, "")


def _share(text: Any) -> str | None:
    """The share in `rate>0.95`, if it has that form."""
    parts = re.fullmatch(r"\s*rate\s*>=?\s*(\d(?:\.\d{1,9})?)\s*", str(text))
    return f"{float(parts[1]) * 100:.6g}%" if parts and float(parts[1]) <= 1 else None


_NO_NAMES = ("errors", "checks", "check")
"""Keys of objectives, which no dot can follow as it would a name."""

_KEYS = ("mean", "p50", "p90", "p95", "p99", "p99.9")
