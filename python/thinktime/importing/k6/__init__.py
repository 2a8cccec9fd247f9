"""Scripts of k6, read leniently and never run.

Source: https://grafana.com/docs/k6/latest/using-k6/
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from thinktime import InputError
from thinktime.importing import toml
from thinktime.importing.addresses import one_origin
from thinktime.importing.draft import (
    OBJECTIVES,
    RESERVED,
    Draft,
    Population,
    Request,
    Step,
    in_order,
    plain,
    seconds,
    stem,
)
from thinktime.importing.javascript import modules as script_modules
from thinktime.importing.javascript.expressions import NODES_MAX
from thinktime.importing.javascript.syntax import parse
from thinktime.importing.javascript.values import Function
from thinktime.importing.k6 import options as k6_options
from thinktime.importing.k6.calls import REDIRECTS, Calls
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import table
from thinktime.importing.redirects import Redirects
from thinktime.importing.scenarios import Scenario, scenarios
from thinktime.importing.takes import settle

_OBJECTIVE = re.compile(r"\s*(p\((\d+(?:\.\d+)?)\)|med|avg|rate)\s*<=?\s*(\d+(?:\.\d+)?)\s*")


def draft(text: str, file: str, name: str, folder: Path | None = None) -> Draft:
    """The workload of a script: each scenario is a population.

    Modules are read that lie in ``folder``, by default that of the script.

    Raises:
        InputError: The script has no request that could be taken, or lies outside of the folder.
    """
    notes = Notes()
    root = parse(text)
    calls = Calls(notes, Redirects())
    known, exported = script_modules.Modules(file, calls.reader, notes, folder).take(root)
    options = k6_options.options(exported.get("options", known.names.get("options")), notes)
    made = list(_played(options, calls, {**known.names, **exported}))
    script_modules.unread(root, known, calls.reader.seen, notes)
    found = [step.request for _, steps in made for step in steps]
    origin, kept = one_origin(found, notes)
    taken = set(kept)
    lasts = max((scenario.duration_s for scenario, _ in made), default=0.0)
    for scenario, _ in made:
        _end(scenario, lasts, notes)
    populations = [
        _population(scenario, [one for one in steps if one.request in taken], notes)
        for scenario, steps in made
        if any(one.request in taken for one in steps)
    ]
    if not populations:
        text = "has no request with a literal URL in a function that is run"
        raise InputError(f"{file}: {text}{notes.reasons()}")
    for population in populations:
        calls.redirects.write(population, notes)
    run = f"--duration {seconds(lasts)}" if lasts else ""
    source = f"{name} (a script of k6)"
    checked = any(one.checks for population in populations for one in population.requests)
    slo = _objectives(table(options.get("thresholds")), _names(populations), checked, notes)
    return Draft(stem(name), source, populations, notes, origin, run, slo)


def _played(
    options: Mapping[str, Any], calls: Calls, functions: Mapping[str, Any]
) -> Iterator[tuple[Scenario, list[Step]]]:
    """The scenarios of a script, with the steps of their functions."""
    notes = calls.notes
    most = options.get("maxRedirects")
    calls.follows = most if isinstance(most, int) else REDIRECTS
    for scenario in scenarios(options, notes):
        function = functions.get(scenario.function)
        place = f"scenario {scenario.name}" if scenario.name else "options"
        if not isinstance(function, Function):
            notes.add(place, f"has no function `{scenario.function}`")
            continue
        calls.reader.left = NODES_MAX
        steps = calls.of(function)
        if not steps:
            notes.add(place, f"left out: `{scenario.function}` has no request that could be taken")
        yield scenario, steps


def _end(scenario: Scenario, lasts: float, notes: Notes) -> None:
    """End a scenario that is over before the others, if its rate can; else note it."""
    own, keys = scenario.duration_s, scenario.arrivals
    if not 0 < own < lasts:
        return
    if keys["model"] != "closed" and "profile" not in keys:
        keys["profile"] = f"steps(0s: 1, {seconds(own)}: 0)"
    else:
        text = f"ends after {seconds(own)} in k6, and lasts as long as the run here"
        notes.add(f"scenario {scenario.name}", text)


def _population(scenario: Scenario, steps: list[Step], notes: Notes) -> Population:
    requests: list[Request] = [one.request for one in steps]
    for one in steps:
        one.request.think = one.think()
    arrivals = dict(scenario.arrivals)
    if arrivals["model"] == "partly-open" and len(requests) == 1:
        arrivals["model"] = "open"
    elif len(requests) > 1:
        in_order(requests)
    population = Population(arrivals, scenario.why, requests, plain(scenario.name or "default"))
    settle(requests, notes)
    used = {name for one in requests for name in one.draws.values()}
    for request in requests:  # a log may read of an answer, too
        request.take = {name: at for name, at in request.take.items() if name in used}
    if any(not one.exchange for one in requests):
        population.session["cookies"] = True
    if any("send" in one.exchange for one in requests):
        population.connections = "per-session"
    return population


def _names(populations: Sequence[Population]) -> dict[str, str]:
    """The names of objectives, by the tags that thresholds have.

    Several requests of one name count together there, and separately here.
    """
    several = len(populations) > 1
    found = {f"scenario:{one.name}": one.name for one in populations if several}
    names = Counter(request.name for one in populations for request in one.requests)
    taken = {one.name for one in populations if several} | {RESERVED, *OBJECTIVES, *_NO_NAMES}
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
            if parts and metric == "http_req_duration" and key in OBJECTIVES:
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
