"""Workloads and systems from a seed."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from . import files, users

PILOT_REQUESTS = 1500


@dataclass(frozen=True)
class Case:
    """A workload on a system, for a time with about `requests` requests."""

    seed: int
    workload: str
    system: str
    until_ns: int

    def __str__(self) -> str:
        return f"seed {self.seed}, {self.until_ns} ns\n{self.workload}\n{self.system}"


def case(seed: int, requests: int = 1500) -> Case:
    """One to four populations on one station, whose load is 0.2 to 0.75 at most."""
    chance = random.Random(seed)
    names = [f"group{at}" for at in range(chance.randint(1, 4))]
    alone = len(names) == 1 and chance.random() < 0.3
    tables = [_population(chance, "" if alone else name) for name in names]
    workload = f'name = "made"\nseed = {seed}\n' + "\n".join(tables)
    # Without a queue: the time of this many requests, and their kinds.
    rows = _pilot(files.workload(workload), "0s", seed)
    until_ns = max(row.scheduled_ns for row in rows)
    load = chance.uniform(0.2, 0.75)
    demand_s = load * until_ns * 1e-9 / len(rows)
    kinds = Counter(name for one in files.workload(workload) for name in one.requests)
    system = _system(chance, demand_s, kinds + Counter(row.name for row in rows))
    return Case(seed, workload, system, round(until_ns * requests / PILOT_REQUESTS))


def _pilot(of: list[files.Population], demand: str, seed: int) -> list[users.Row]:
    system = files.System("fcfs", 1, files.time(demand))
    return users.simulate(of, system, seed, requests=PILOT_REQUESTS)


# ---- the workload


def _population(chance: random.Random, name: str) -> str:
    """A population; without a name, the file's own tables."""
    prefix, header = ("population.", f'[[population]]\nname = "{name}"\n') if name else ("", "")
    model = chance.choice(["open", "closed", "partly-open", "partly-open"])
    journey = model != "open" and chance.random() < 0.7
    ending = chance.random() < 0.6
    steps = [f"{name}s{at}" for at in range(chance.randint(1, 6))]
    objects = [f"{name}o{at}" for at in range(chance.choice([0, 1, 2]))]
    requests = _requests(chance, model, steps, objects, journey, ending)
    session = _session(chance, model, steps, journey, ending)
    if "objects =" in requests and chance.random() < 0.5:
        session += "cache = true\n"
    lines = [header, f"[{prefix}arrivals]\n", _arrivals(chance, model)]
    lines += [f"[{prefix}session]\n{session}" if session else ""]
    return "".join(lines) + requests.replace("[[request]]", f"[[{prefix}request]]")


def _arrivals(chance: random.Random, model: str) -> str:
    if model == "closed":
        return f'model = "closed"\nclients = {chance.randint(1, 12)}\nstart = "empty"\n'
    rate = chance.uniform(1, 8)
    process = chance.choice(
        ["", "", 'process = "even"\n', f'process = "erlang(3, {1 / rate:.3g}s)"\n']
    )
    rate_line = "" if "erlang" in process else f'rate = "{rate:.3g}/s"\n'
    start = 'start = "empty"\n' if model == "partly-open" else ""
    return f'model = "{model}"\n{rate_line}{process}{start}'


def _think(chance: random.Random) -> str:
    mean = 10 ** chance.uniform(-1.5, 0.3)
    return chance.choice(
        [
            f'"exp({mean:.3g}s)"',
            f'"{mean:.3g}s"',
            f'"uniform(0s, {2 * mean:.3g}s)"',
            f'"h2({mean:.3g}s, cv2=3)"',
            f'"discrete(0.5: 0s, 0.5: {2 * mean:.3g}s)"',
        ]
    )


def _session(
    chance: random.Random, model: str, steps: list[str], journey: bool, ending: bool
) -> str:
    if model == "open":
        return ""
    lines = [f"think = {_think(chance)}"]
    if journey and chance.random() < 0.6:
        lines.append(f"first = {_shares(chance, [steps[0], *steps[1:][:2]])}")
    lasts = chance.random() < 0.3
    if lasts:
        mean = 10 ** chance.uniform(-1, 0.7)
        lines.append(f'lasts = "truncated(exp({mean:.3g}s), hi={4 * mean:.3g}s)"')
        if chance.random() < 0.5:
            lines.append(f'ends_at = "{chance.choice(steps)}"')
    counts = model == "partly-open" or journey
    endless = model == "partly-open" and not lasts and not (journey and ending)
    if endless or (counts and chance.random() < 0.3):
        law = chance.choice(["geometric(4)", "3", "uniform(0, 9)", "poisson(5)", "zipf(n=9, s=1)"])
        lines.append(f'requests = "{law}"')
    return "\n".join(lines) + "\n"


def _requests(
    chance: random.Random,
    model: str,
    steps: list[str],
    objects: list[str],
    journey: bool,
    ending: bool,
) -> str:
    tables, asked = [], set[str]()
    for at, name in enumerate(steps):
        lines = [f'name = "{name}"']
        if journey:
            lines.append(f"next = {_next(chance, steps, at, ending)}")
        elif chance.random() < 0.7:
            lines.append(f"weight = {chance.randint(1, 5)}")
        if model != "open" and chance.random() < 0.3:
            lines.append(f"think = {_think(chance)}")
        if objects and chance.random() < 0.5:
            of = objects[: chance.randint(1, len(objects))]
            asked |= {*of}
            lines.append(f"objects = {_objects(chance, of)}")
        tables.append(lines)
    for name in objects:
        if name in asked or not journey:
            target = chance.choice([f"/{name}", f"/{name}/{{zipf(n=30, s=0.8)}}"])
            tables.append([f'name = "{name}"', f'get = "{target}"'])
    return "".join("[[request]]\n" + "\n".join(lines) + "\n" for lines in tables)


def _next(chance: random.Random, steps: list[str], at: int, ending: bool) -> str:
    """To the step after it, so that all are reached, and to others."""
    after = steps[(at + 1) % len(steps)]
    others = chance.sample(steps, chance.randint(0, min(2, len(steps))))
    return _shares(chance, [after, *others, *(["end"] if ending else [])])


def _shares(chance: random.Random, names: list[str]) -> str:
    names = [*dict.fromkeys(names)]
    weights = [chance.randint(5, 60) for _ in names]
    parts = [round(weight / sum(weights), 3) for weight in weights]
    parts[0] = round(1 - sum(parts[1:]), 3)
    pairs = (f"{name} = {part}" for name, part in zip(names, parts, strict=True))
    return "{ " + ", ".join(pairs) + " }"


def _objects(chance: random.Random, of: list[str]) -> str:
    laws = ["3", "geometric(3)", "poisson(2)", "uniform(0, 7)", "zipf(n=12, s=1)", "1"]
    shares = ", ".join(f"{name} = {chance.randint(1, 3)}" for name in of)
    connections = chance.randint(1, 6)
    count = chance.choice(laws)
    return f'{{ count = "{count}", of = {{ {shares} }}, connections = {connections} }}'


# ---- the system


def _demand(chance: random.Random, mean_s: float) -> str:
    law = chance.choice(["exp({:.9f}s)", "h2({:.9f}s, cv2=3)", "erlang(2, {:.9f}s)", "{:.9f}s"])
    return law.format(mean_s)


def _system(chance: random.Random, mean_s: float, kinds: Counter[str]) -> str:
    policy = chance.choice(["fcfs", "ps", "srpt"])
    servers = 1 if policy == "srpt" else chance.choice([1, 1, 2, 3])
    text = f'name = "s"\n[[station]]\nname = "x"\npolicy = "{policy}"\nservers = {servers}\n'
    mean_s *= servers
    if chance.random() < 0.5:
        return text + f'demand = "{_demand(chance, mean_s)}"\n'
    parts = {name: chance.uniform(0.2, 2) for name in kinds}
    work = sum(parts[name] * number for name, number in kinds.items()) / kinds.total()
    lines = (f'demand.{name} = "{_demand(chance, mean_s * part / work)}"\n'
             for name, part in parts.items())  # fmt: skip
    return text + "".join(lines)
