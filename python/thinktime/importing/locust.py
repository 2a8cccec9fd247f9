"""Scripts of Locust, read with Python's own parser and never run.

Source: https://docs.locust.io/en/stable/writing-a-locustfile.html
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from thinktime import InputError
from thinktime.importing.addresses import address, one_origin
from thinktime.importing.draft import Draft, Population, Request, plain, stem
from thinktime.importing.literals import Names
from thinktime.importing.notes import Notes
from thinktime.importing.task_sets import (
    Script,
    Task,
    Wait,
    assigned,
    last,
    number,
    tasks_of,
    with_wait,
)

CLIENTS = 10
"""Locust gets the number of users at its start, not in the script."""


@dataclass
class User:
    """A class of users."""

    name: str
    weight: float
    fixed: int | None
    wait: Wait

    tasks: list[Task] = field(default_factory=list)
    start: list[Request] = field(default_factory=list)
    ordered: bool = False


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a script: each class of users is a closed population.

    Raises:
        InputError: It is not Python, or has no class of users with a request that can be sent.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in strings that Python no longer knows
            tree = ast.parse(text)
    except SyntaxError as error:
        raise InputError(f"{file}:{error.lineno or 1}: is no Python: {error.msg}") from None
    except (ValueError, MemoryError) as error:
        raise InputError(f"{file}: is no Python: {error}") from None
    notes = Notes()
    names = Names.of(tree.body)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    users = []
    hosts: list[ast.expr] = []
    for node in classes.values():
        if _is_user(node, classes) and not _value_of(node, "abstract", names):
            users.append(_user(node, Script(classes, functions, names, notes)))
            hosts += assigned(node, "host")
    origin = ""
    for host in hosts:
        found = address(str(names.value(host)), "host", notes)
        origin = origin or (found.origin if found else "")
    requests = [one for user in users for one in _requests(user)]
    reason, kept = one_origin(requests, notes)
    taken = set(kept)
    populations = [one for one in (_population(user, users, taken) for user in users) if one]
    if not populations:
        raise InputError(f"{file}: has no class of users with a request that can be taken")
    source = f"{name} (a script of Locust)"
    return Draft(stem(name), source, populations, notes, reason or origin)


def _is_user(node: ast.ClassDef, classes: dict[str, ast.ClassDef], depth: int = 0) -> bool:
    bases = [last(base) for base in node.bases]
    if any(base in ("HttpUser", "FastHttpUser", "HttpLocust") for base in bases):
        return True
    own = [classes[base] for base in bases if base in classes and depth < 20]
    return any(_is_user(one, classes, depth + 1) for one in own)


def _value_of(node: ast.ClassDef, name: str, names: Names) -> object:
    found = assigned(node, name)
    return names.value(found[-1]) if found else None


def _user(node: ast.ClassDef, script: Script) -> User:
    names, notes = script.names, script.notes
    waits = assigned(node, "wait_time")
    wait = _wait(waits[-1], names, notes) if waits else (0.0, 0.0)
    fixed = _value_of(node, "fixed_count", names)
    found = tasks_of(node, wait, script)
    return User(
        node.name,
        number(_value_of(node, "weight", names), 1.0),
        fixed if isinstance(fixed, int) and fixed > 0 else None,
        wait,
        found.tasks,
        found.start,
        found.ordered,
    )


def _wait(node: ast.expr, names: Names, notes: Notes) -> Wait:
    """The bounds of the think time of a `wait_time`."""
    place = f"line {node.lineno}"
    call = node if isinstance(node, ast.Call) else None
    given = [names.value(one) for one in call.args] if call else []
    numbers = [float(one) for one in given if isinstance(one, int | float) and 0 <= one < 1e6]
    kind = last(call.func) if call else ""
    if kind == "between" and len(numbers) == 2 and numbers[0] < numbers[1]:
        return numbers[0], numbers[1]
    if kind in ("constant", "between") and numbers:
        return numbers[0], numbers[0]
    if kind in ("constant_pacing", "constant_throughput") and numbers and numbers[0] > 0:
        pace = numbers[0] if kind == "constant_pacing" else 1 / numbers[0]
        notes.add(place, f"`{kind}` is taken as a think time, which the response time adds to")
        return pace, pace
    notes.add(place, "the `wait_time` is left out: it is no between() or constant() of numbers")
    return 0.0, 0.0


def _requests(user: User) -> list[Request]:
    return [*user.start, *(one for task in user.tasks for one in task.requests)]


def _population(user: User, users: Sequence[User], taken: set[Request]) -> Population | None:
    user.start = [one for one in user.start if one in taken]
    for task in user.tasks:
        task.requests = [one for one in task.requests if one in taken]
    user.tasks = [task for task in user.tasks if task.requests]
    requests = _requests(user)
    if not requests:
        return None
    whole = sum(one.weight for one in users)
    clients = user.fixed or max(1, round(CLIENTS * user.weight / whole))
    reason = "the script says how many" if user.fixed else (
        f"how many is said at its start (`--users`), so {clients} is a default to be changed"
    )  # fmt: skip
    why = f"Closed: users of Locust wait for each answer; {reason}."
    arrivals = {"model": "closed", "clients": clients}
    population = Population(arrivals, why, requests, plain(user.name))
    population.session["cookies"] = True
    _order(population, user)
    return population


def _order(population: Population, user: User) -> None:
    """The order of requests: within a task its own, after it any task by its weight."""
    for request in population.requests:
        request.think = request.think or "0s"
    tasks = user.tasks
    for task in tasks:
        last = task.requests[-1]
        last.think = with_wait(last.think, user.wait)
    if not user.start and len(tasks) == len(population.requests) and not user.ordered:
        weights = {task.requests[0]: task.weight for task in tasks}
        population.weights = weights if len(set(weights.values())) > 1 else {}
        return
    whole = sum(task.weight for task in tasks)
    choice = [(task.requests[0], task.weight / whole) for task in tasks]
    chains = [task.requests for task in tasks]
    if user.ordered:
        chains = [[one for task in tasks for one in task.requests]]
        choice = [(chains[0][0], 1.0)]
    for chain in chains:
        for one, after in pairwise(chain):
            one.next = [(after, 1.0)]
        chain[-1].next = list(choice)
    for one, after in pairwise(user.start):
        one.next = [(after, 1.0)]
    if user.start:
        # Without tasks, the beginning is the whole journey.
        user.start[-1].next = list(choice) or [(user.start[0], 1.0)]
    population.first = [(user.start[0], 1.0)] if user.start else choice
