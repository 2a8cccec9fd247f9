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
from thinktime.importing.draft import Draft, Population, Request, plain, seconds, stem
from thinktime.importing.literals import Names
from thinktime.importing.notes import Notes
from thinktime.importing.tasks import Steps

CLIENTS = 10
"""Locust is told the number of users at its start, not in the script."""


@dataclass
class Task:
    """What a user does between two waits, and how often it is chosen."""

    weight: float
    requests: list[Request]


@dataclass
class User:
    """A class of users."""

    name: str
    weight: float
    fixed: int | None
    wait: tuple[float, float]
    """The bounds of the wait after a task, in seconds."""

    tasks: list[Task] = field(default_factory=list)
    start: list[Request] = field(default_factory=list)
    ordered: bool = False


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a script: each class of users is a closed population.

    Raises:
        InputError: It is no Python, or has no class of users with a request that can be sent.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings that Python knows no more
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
            users.append(_user(node, classes, functions, names, notes))
            hosts += _assigned(node, "host")
    origin = ""
    for host in hosts:
        found = address(str(names.value(host)), "host", notes)
        origin = origin or (found.origin if found else "")
    requests = [one for user in users for one in _requests(user)]
    told, kept = one_origin(requests, notes)
    taken = set(kept)
    populations = [one for one in (_population(user, users, taken) for user in users) if one]
    if not populations:
        raise InputError(f"{file}: has no class of users with a request that can be taken")
    source = f"{name} (a script of Locust)"
    return Draft(stem(name), source, populations, notes, told or origin)


def _is_user(node: ast.ClassDef, classes: dict[str, ast.ClassDef], depth: int = 0) -> bool:
    bases = [_last(base) for base in node.bases]
    if any(base in ("HttpUser", "FastHttpUser", "HttpLocust") for base in bases):
        return True
    own = [classes[base] for base in bases if base in classes and depth < 20]
    return any(_is_user(one, classes, depth + 1) for one in own)


def _last(node: ast.expr) -> str:
    """The last name of a dotted one."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _assigned(node: ast.ClassDef, name: str) -> list[ast.expr]:
    return [
        one.value
        for one in node.body
        if isinstance(one, ast.Assign) and any(_last(target) == name for target in one.targets)
    ]


def _value_of(node: ast.ClassDef, name: str, names: Names) -> object:
    found = _assigned(node, name)
    return names.value(found[-1]) if found else None


def _number(given: object, usual: float) -> float:
    return given if isinstance(given, int | float) and 0 < given < 1e9 else usual


def _user(
    node: ast.ClassDef,
    classes: dict[str, ast.ClassDef],
    functions: dict[str, ast.FunctionDef],
    names: Names,
    notes: Notes,
) -> User:
    waits = _assigned(node, "wait_time")
    wait = _wait(waits[-1], names, notes) if waits else (0.0, 0.0)
    fixed = _value_of(node, "fixed_count", names)
    user = User(
        node.name,
        _number(_value_of(node, "weight", names), 1.0),
        fixed if isinstance(fixed, int) and fixed > 0 else None,
        wait,
    )
    lines = [node, *(classes[_last(base)] for base in node.bases if _last(base) in classes)]
    holders = [*lines, *_task_sets(node, classes)]
    user.ordered = any(_last(base) == "SequentialTaskSet" for one in holders for base in one.bases)
    methods = {
        one.name: one
        for holder in reversed(holders)
        for one in holder.body
        if isinstance(one, ast.FunctionDef)
    }
    steps = Steps({**functions, **methods}, names, notes)
    for one in methods.values():
        weight = _task_weight(one, names)
        if one.name == "on_start":
            user.start = steps.of(one)
        elif one.name == "on_stop":
            notes.add(f"line {one.lineno}", "`on_stop` left out: clients do not end before the run")
        elif weight is not None:
            user.tasks.append(Task(weight, steps.of(one)))
    _listed(user, node, steps, functions, names, notes)
    user.tasks = [task for task in user.tasks if task.requests]
    return user


def _task_sets(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """The sets of tasks of a class of users: those in it, and those that its `tasks` names."""
    found = [one for one in node.body if isinstance(one, ast.ClassDef)]
    for listed in _assigned(node, "tasks"):
        given = listed.keys if isinstance(listed, ast.Dict) else getattr(listed, "elts", [])
        found += [classes[_last(one)] for one in given if one and _last(one) in classes]
    return found


def _task_weight(node: ast.FunctionDef, names: Names) -> float | None:
    for mark in node.decorator_list:
        if _last(mark) == "task":
            return 1.0
        if isinstance(mark, ast.Call) and _last(mark.func) == "task":
            return _number(names.value(mark.args[0]) if mark.args else 1, 1.0)
    return None


def _listed(
    user: User,
    node: ast.ClassDef,
    steps: Steps,
    functions: dict[str, ast.FunctionDef],
    names: Names,
    notes: Notes,
) -> None:
    """The tasks that are functions of the module, as `tasks` lists them."""
    for listed in _assigned(node, "tasks"):
        if isinstance(listed, ast.Dict):
            pairs = [
                (key, _number(names.value(value), 1.0))
                for key, value in zip(listed.keys, listed.values, strict=True)
                if key is not None
            ]
        else:
            pairs = [(one, 1.0) for one in getattr(listed, "elts", [])]
        for one, weight in pairs:
            if _last(one) in functions:
                user.tasks.append(Task(weight, steps.of(functions[_last(one)])))
            elif weight != 1.0:
                notes.add(f"line {one.lineno}", "the weight of a set of tasks is left out")


def _wait(node: ast.expr, names: Names, notes: Notes) -> tuple[float, float]:
    """The bounds of the think time that a `wait_time` means."""
    place = f"line {node.lineno}"
    call = node if isinstance(node, ast.Call) else None
    given = [names.value(one) for one in call.args] if call else []
    numbers = [float(one) for one in given if isinstance(one, int | float) and 0 <= one < 1e6]
    kind = _last(call.func) if call else ""
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
    told = "the script says how many" if user.fixed else (
        f"how many is said at its start (`--users`), so {clients} is a default to be changed"
    )  # fmt: skip
    why = f"Closed: users of Locust wait for each answer; {told}."
    arrivals = {"model": "closed", "clients": clients}
    population = Population(arrivals, why, requests, plain(user.name))
    population.session["cookies"] = True
    _order(population, user)
    return population


def _order(population: Population, user: User) -> None:
    """What follows what: within a task its requests, after it any task by its weight."""
    for request in population.requests:
        request.think = request.think or "0s"
    tasks = user.tasks
    for task in tasks:
        last = task.requests[-1]
        last.think = _sum(last.think, user.wait)
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
        # Where there are no tasks, the beginning is all that there is.
        user.start[-1].next = list(choice) or [(user.start[0], 1.0)]
    population.first = [(user.start[0], 1.0)] if user.start else choice


def _sum(think: str | None, wait: tuple[float, float]) -> str:
    """What a task sleeps at its end, and the wait of the user after it."""
    slept = float((think or "0s")[:-1])
    lo, hi = (slept + one for one in wait)
    return seconds(lo) if lo == hi else f"uniform({seconds(lo)}, {seconds(hi)})"
