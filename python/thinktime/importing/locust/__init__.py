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
from thinktime.importing.addresses import Address, address, one_origin
from thinktime.importing.draft import Draft, Population, Request, plain, stem
from thinktime.importing.locust.classes import Script
from thinktime.importing.locust.literals import Names
from thinktime.importing.locust.task_sets import Reader, Task
from thinktime.importing.locust.tasks import REDIRECTS, Steps
from thinktime.importing.locust.user_calls import is_of_client, opened
from thinktime.importing.locust.waits import with_wait
from thinktime.importing.notes import Notes

CLIENTS = 10
"""Locust gets the number of users at its start, not in the script."""


@dataclass
class User:
    """A class of users."""

    name: str
    weight: float
    fixed: int | None
    base: Address

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
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    script = Script(classes, functions, Names.of(tree.body), notes)
    users = []
    for node in classes.values():
        if _is_user(node, script):
            users.append(_user(node, script))
    _unread(tree, script)
    hosts = (user.base.origin for user in users if user.base.origin)
    first = next(hosts, "")
    requests = [one for user in users for one in _requests(user)]
    origin, kept = one_origin(requests, notes)
    taken = set(kept)
    populations = [one for one in (_population(user, users, taken) for user in users) if one]
    for one in populations:
        script.redirects.write(one, notes)
    if not populations:
        text = "has no class of users with a request that can be taken"
        raise InputError(f"{file}: {text}{notes.reasons()}")
    source = f"{name} (a script of Locust)"
    return Draft(stem(name), source, populations, notes, origin or first)


def _is_user(node: ast.ClassDef, script: Script) -> bool:
    is_one = bool(script.bases(node) & {"HttpUser", "FastHttpUser", "HttpLocust"})
    # A class inherits everything but this.
    return is_one and not any(
        isinstance(one, ast.Assign) and ast.unparse(one) == "abstract = True" for one in node.body
    )


def _user(node: ast.ClassDef, script: Script) -> User:
    weight = script.value(node, "weight")
    fixed = script.value(node, "fixed_count")
    most = script.value(node, "max_redirects")
    host = script.value(node, "host")
    base = (
        address(host, f"`host` of `{node.name}`", script.notes) if isinstance(host, str) else None
    )
    if base is None and (given := script.assigned(node, "host")) is not None:
        text = f"`host` of `{node.name}` has no value here: say it as `--target`"
        script.notes.add(f"line {given.lineno}", text)
    base = base or Address("", "/")
    steps = Steps(script, base, most if isinstance(most, int) else REDIRECTS)
    for name in _SETTINGS:
        if (given := script.assigned(node, name)) is not None:
            text = f"`{name}` of `{node.name}` is left out"
            script.notes.add(f"line {given.lineno}", text)
    if (fields := script.assigned(node, "default_headers")) is not None:
        steps.take_fields(fields)
    found = Reader(script, steps).of(node, {})
    return User(
        node.name,
        weight if isinstance(weight, int | float) and 0 < weight < 1e9 else 1.0,
        fixed if isinstance(fixed, int) and fixed > 0 else None,
        base,
        found.tasks,
        found.start,
        found.ordered,
    )


_SETTINGS = ("wait_function", "network_timeout", "connection_timeout",
             "max_retries", "insecure", "concurrency", "proxy_host",
             "pool_manager", "stop_timeout", "client_pool", "ssl_context_factory")  # fmt: skip
"""Names of a class that change what its users do, and that are not carried over."""


_QUOTES = "\"'"


def _unread(tree: ast.Module, script: Script) -> None:
    """Notes what stands in no task that was read: requests, and what changes the load."""
    notes = script.notes
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and is_of_client(node) and node not in script.calls:
            text = "the request is left out: no task of a user was found that sends it"
            notes.add(f"line {node.lineno}", text)
        elif isinstance(node, ast.Call) and (file := opened(node)):
            text = f"the file `{file.strip(_QUOTES)[:80]}` is left out: it is not read"
            notes.add(f"line {node.lineno}", text)
        elif isinstance(node, ast.ClassDef) and "LoadTestShape" in script.bases(node):
            notes.add(f"line {node.lineno}", f"the shape of the load `{node.name}` is left out")
        elif isinstance(node, ast.FunctionDef):
            for mark in node.decorator_list:
                if "events." in (text := ast.unparse(mark)):
                    notes.add(f"line {node.lineno}", f"`{node.name}`, for `{text}`, is left out")


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
        last.think = with_wait(last.think, task.wait)
    if not user.start and len(tasks) == len(population.requests) and not user.ordered:
        weights = {task.requests[0]: task.weight for task in tasks}
        population.weights = weights if len(set(weights.values())) > 1 else {}
        return
    whole = sum(task.weight for task in tasks)
    choice = [(task.requests[0], task.weight / whole) for task in tasks]
    chains = [task.requests for task in tasks]
    if user.ordered and tasks:
        chains = [[one for task in tasks for one in task.requests]]
        choice = [(chains[0][0], 1.0)]
    for chain in chains:
        for one, after in pairwise(chain):
            one.next = [(after, 1.0)]
        chain[-1].next = list(choice)
    for one, after in pairwise(user.start):
        one.next = [(after, 1.0)]
    if user.start:
        population.arrivals["start"] = "empty"  # in the long run nobody begins
        # Without tasks, the beginning is the whole journey.
        user.start[-1].next = list(choice) or [(user.start[0], 1.0)]
    population.first = [(user.start[0], 1.0)] if user.start else choice
