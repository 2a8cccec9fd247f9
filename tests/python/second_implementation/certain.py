"""Workloads and systems from a seed, without any chance in them.

All times are whole nanoseconds without a pattern, so that simultaneous events are hardly ever
accidental.
"""

from __future__ import annotations

import random


def workload(seed: int) -> str:
    """One to three populations of one path each, with pages, caches, and ends of all kinds."""
    chance = random.Random(seed)
    names = [f"group{at}" for at in range(chance.randint(1, 3))]
    return 'name = "certain"\n' + "\n".join(_population(chance, name) for name in names)


def system(seed: int) -> str:
    """One station; the demands depend on the kind of request for half of the seeds."""
    chance = random.Random(seed)
    policy = chance.choice(["fcfs", "fcfs", "srpt"])
    servers = 1 if policy == "srpt" else chance.randint(1, 2)
    text = f'name = "s"\n[[station]]\nname = "x"\npolicy = "{policy}"\nservers = {servers}\n'
    if chance.random() < 0.5:
        return text + f'demand = "{_time(chance, 0.5, 3)}"\n'
    kinds = [f"group{of}{kind}{at}" for of in range(3) for kind in "so" for at in range(6)]
    named = text_of_names(workload(seed))
    lines = (f'demand.{name} = "{_time(chance, 0.2, 4)}"\n' for name in kinds if name in named)
    return text + "".join(lines)


def text_of_names(text: str) -> set[str]:
    """The names of the requests of a workload."""
    lines = (line for line in text.splitlines() if line.startswith("name = "))
    return {line.split('"')[1] for line in lines}


def _time(chance: random.Random, least_ms: float, most_ms: float) -> str:
    return f"{round(chance.uniform(least_ms, most_ms) * 1e6)}ns"


def _population(chance: random.Random, name: str) -> str:
    model = chance.choice(["open", "closed", "partly-open", "partly-open"])
    steps = [f"{name}s{at}" for at in range(1 if model == "open" else chance.randint(1, 6))]
    lines = [f'[[population]]\nname = "{name}"\n[population.arrivals]\nmodel = "{model}"']
    if model == "closed":
        lines.append(f'clients = {chance.randint(1, 4)}\nstart = "empty"')
    else:
        lines.append(f'process = "{_time(chance, 30, 90)}"')
        lines.append('start = "empty"' if model == "partly-open" else "")
    # In a circle, ended by a number or a time; or to the end; a closed one may do without.
    loops = model != "open" and chance.random() < 0.5
    lines.append("[population.session]")
    if model != "open":
        lines.append(f'think = "{_time(chance, 0, 30)}"')
        first = chance.choice(steps) if loops else steps[0]
        lines.append(f"first = {{ {first} = 1 }}")
        ends = chance.choice(["number", "time", "both"]) if loops else ""
        if ends in ("number", "both"):
            lines.append(f"requests = {chance.randint(1, 9)}")
        if ends in ("time", "both"):
            lines.append(f'lasts = "{_time(chance, 1, 150)}"')
            lines.append(f'ends_at = "{chance.choice(steps)}"' if chance.random() < 0.5 else "")
    requests = _requests(chance, name, steps, loops, model == "open")
    if "objects" in requests and chance.random() < 0.5:
        lines.append("cache = true")
    return "\n".join(one for one in lines if one) + "\n" + requests


def _requests(
    chance: random.Random, name: str, steps: list[str], loops: bool, is_open: bool
) -> str:
    tables, objects = [], [f"{name}o{at}" for at in range(2)]
    asked = set[str]()
    for at, step in enumerate(steps):
        after = steps[(at + 1) % len(steps)] if loops or at + 1 < len(steps) else "end"
        lines = [f'name = "{step}"', "" if is_open else f"next = {{ {after} = 1 }}"]
        if not is_open and chance.random() < 0.4:
            lines.append(f'think = "{_time(chance, 0, 20)}"')
        if chance.random() < 0.5:
            one = chance.choice(objects)
            asked.add(one)
            numbers = f"count = {chance.randint(0, 9)}, connections = {chance.randint(1, 6)}"
            lines.append(f"objects = {{ {numbers}, of = {{ {one} = 1 }} }}")
        tables.append(lines)
    tables += [[f'name = "{one}"', f'get = "/{one}"'] for one in objects if one in asked]
    return "".join(
        "[[population.request]]\n" + "\n".join(one for one in lines if one) + "\n"
        for lines in tables
    )
