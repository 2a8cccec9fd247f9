"""Scripts of Artillery, as YAML or JSON. Nothing is run.

Source: https://www.artillery.io/docs/reference/test-script
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from thinktime import InputError
from thinktime.importing import parsers, toml, yaml_text
from thinktime.importing.addresses import one_origin
from thinktime.importing.artillery.flow import PATTERN, Flow, drawn
from thinktime.importing.artillery.phases import arrivals, time_s
from thinktime.importing.draft import (
    OBJECTIVES,
    Draft,
    Population,
    Request,
    Step,
    in_order,
    seconds,
    stem,
)
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import items, table, words
from thinktime.importing.redirects import Redirects
from thinktime.importing.scenarios import Arrivals
from thinktime.importing.session_values import Values, column_note
from thinktime.importing.takes import settle

_TAKEN = ("target", "phases", "http", "defaults", "variables", "payload", "ensure", "plugins")
_PLUGINS = ("ensure", "expect", "metrics-by-endpoint")
_SCENARIO = ("name", "weight", "flow", "engine")
_THRESHOLD = re.compile(r"http\.response_time\.(p\d+|median|mean)")
_CONDITION = re.compile(r"(http\.response_time\.\w+)\s*<=?\s*(\d{1,9}(?:\.\d{1,9})?)")


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a script: its scenarios are the beginnings of one kind of sessions.

    Raises:
        InputError: It is no script of Artillery, or has no request that could be taken.
    """
    is_json = text.lstrip().startswith("{")
    root = table((parsers.from_json if is_json else yaml_text.read)(text, file))
    if not isinstance(root.get("scenarios"), list):
        raise InputError(f"{file}: is no script of Artillery: it has no list `scenarios`")
    notes = Notes()
    config = table(root.get("config"))
    values = Values(notes, PATTERN, lambda one: drawn(one, values.marks))
    _variables(config, values)
    flow = Flow(values, config, Redirects())
    chains = list(_chains(root["scenarios"], flow))
    _left_out(root, config, notes)
    origin, kept = one_origin((step.request for _, chain in chains for step in chain), notes)
    settle(kept, notes)
    taken = set(kept)
    chains = [
        (weight, left)
        for weight, chain in chains
        if (left := [one for one in chain if one.request in taken])
    ]
    if not chains:
        raise InputError(f"{file}: has no request that could be taken{notes.reasons()}")
    coming = arrivals(config.get("phases"), notes)
    population = _population(chains, coming)
    _settings(population, config, flow, notes)
    run = f"--duration {seconds(coming.duration_s)}" if coming.duration_s else ""
    source = f"{name} (a script of Artillery)"
    slo = _objectives(config, notes)
    return Draft(stem(name), source, [population], notes, origin, run, slo)


def _variables(config: Mapping[str, Any], values: Values) -> None:
    for name, held in table(config.get("variables")).items():
        if isinstance(held, list) and len(held) > 1:
            text = f"the variable `{name}` has {len(held)} values: the first is taken"
            values.notes.add("variables", text)
        values.known[str(name)] = held[0] if isinstance(held, list) and held else held
    given = config.get("payload")
    for one in map(table, items(given) or [given]):
        file = words(one.get("path"))
        if file:
            columns = [words(each) for each in items(one.get("fields"))]
            values.files |= dict.fromkeys(columns, file)
            values.notes.add("payload", column_note(file, columns))


def _chains(scenarios: list[Any], flow: Flow) -> Iterator[tuple[float, list[Step]]]:
    """The steps of each scenario, with its weight."""
    for number, one in enumerate(map(table, scenarios), 1):
        place = f"scenario {one.get('name') or number}"
        engine = words(one.get("engine")) or "http"
        for key in one:
            if key not in _SCENARIO:
                flow.notes.add(place, f"`{key}` is left out: functions are not run")
        if engine not in ("http", "ws", "socketio"):
            flow.notes.add(place, f"left out: the engine `{engine[:40]}` is not known")
            continue
        weight = one.get("weight", 1)
        is_weight = isinstance(weight, int | float) and not isinstance(weight, bool) and weight > 0
        if not is_weight:
            flow.notes.add(place, f"its weight `{weight}` is no number above 0: 1 is taken")
        yield float(weight) if is_weight else 1.0, flow.of(one.get("flow"), place, engine)


def _left_out(root: Mapping[str, Any], config: Mapping[str, Any], notes: Notes) -> None:
    for key in root:
        if key not in ("config", "scenarios"):
            notes.add(str(key), f"`{key}` left out: it is not of the load")
    for key in config:
        if key not in _TAKEN:
            hint = ": `--insecure`, `--ca` or `--certificate` may replace it" * (key == "tls")
            notes.add("config", f"`{key}` is left out{hint}")
    for key in table(config.get("plugins")):
        if key not in _PLUGINS:
            notes.add("plugins", f"the plugin `{key}` is left out")


def _population(chains: list[tuple[float, list[Step]]], coming: Arrivals) -> Population:
    """Users who begin with the first request of a scenario, and go through it."""
    requests: list[Request] = []
    for _, chain in chains:
        for step in chain:
            step.request.think = step.think()
        requests += [step.request for step in chain]
    population = Population(coming.keys, coming.why, requests)
    whole = sum(weight for weight, _ in chains)
    shares = [(chain[0].request, weight / whole) for weight, chain in chains]
    if all(len(chain) == 1 for _, chain in chains):
        population.arrivals["model"] = "open"
        population.weights = dict(shares) if len(shares) > 1 else {}
        return population
    for _, chain in chains:
        in_order([step.request for step in chain])
    population.first = shares if len(shares) > 1 else []
    return population


def _settings(population: Population, config: Mapping[str, Any], flow: Flow, notes: Notes) -> None:
    """What all users have: cookies, redirects, connections and a timeout."""
    http = table(config.get("http"))
    if any(not one.exchange for one in population.requests):
        population.session["cookies"] = True
    flow.redirects.write(population, notes)
    pool = http.get("pool")
    population.connections = pool if isinstance(pool, int) and pool > 0 else "per-session"
    population.hints = list(flow.hints)
    if "timeout" in http:
        for request in population.requests:
            request.timeout = seconds(time_s(http["timeout"])) if time_s(http["timeout"]) else ""
    for key in http:
        if key not in ("timeout", "pool", "defaults", "extendedMetrics"):
            notes.add("http", f"`{key}` is left out")


def _objectives(config: Mapping[str, Any], notes: Notes) -> dict[str, str]:
    """What `ensure` demands, as objectives."""
    found: dict[str, str] = {}
    for given in (config.get("ensure"), table(config.get("plugins")).get("ensure")):
        for name, held in table(given).items():
            rows = items(held) if name in ("thresholds", "conditions") else [{name: held}]
            for one in rows:
                _objective(one, found, notes)
    return found


def _objective(given: Any, found: dict[str, str], notes: Notes) -> None:
    """One threshold, `{METRIC: NUMBER}`, or one condition, `{expression: METRIC < NUMBER}`."""
    for name, held in table(given).items():
        if name == "strict":
            continue
        parts = _CONDITION.fullmatch(str(held).strip()) if name == "expression" else None
        metric, most = (parts[1], parts[2]) if parts else (str(name), str(held))
        known = _THRESHOLD.fullmatch(metric)
        word = known[1] if known else metric
        key = {"median": "p50", "p999": "p99.9", "max": ""}.get(word, word)
        is_number = re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", most)
        if key in OBJECTIVES and is_number:
            found[toml.key(key)] = f"{most}ms"
        elif metric == "maxErrorRate" and is_number:
            found["errors"] = f"{most}%"
        else:
            text = f"`{metric[:80]}: {most[:80]}`: left out: no objective is like it"
            notes.add("ensure", text)
