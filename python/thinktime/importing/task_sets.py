"""Tasks of a class of Locust users: its own, those of its sets, and their weights.

Source: https://docs.locust.io/en/stable/tasksets.html
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from thinktime.importing.draft import Request, seconds
from thinktime.importing.literals import Names
from thinktime.importing.notes import Notes
from thinktime.importing.tasks import Steps

Wait = tuple[float, float]
"""The bounds of the wait after a task, in seconds."""


@dataclass
class Task:
    """A user's actions between two waits, and their weight."""

    weight: float
    requests: list[Request]


@dataclass
class Tasks:
    """Users' actions at first, and then again and again."""

    start: list[Request] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    ordered: bool = False
    """Whether the tasks follow one another in their order; otherwise weights choose each."""


@dataclass(frozen=True)
class Script:
    """The common parts of all classes of a script."""

    classes: Mapping[str, ast.ClassDef]
    functions: Mapping[str, ast.FunctionDef]
    names: Names
    notes: Notes


def tasks_of(node: ast.ClassDef, wait: Wait, script: Script) -> Tasks:
    """The tasks of a class of users; a set with ordered tasks is one task among others."""
    bases = [script.classes[last(one)] for one in node.bases if last(one) in script.classes]
    sets = _sets(node, script)
    in_order = [one for one in sets if _is_sequential(one)]
    found = _read([node, *bases, *(one for one in sets if one not in in_order)], script)
    weights = _listed(found, node, script)
    found.tasks = [task for task in found.tasks if task.requests]
    for one in in_order:
        inner = _read([one], script)
        inner.tasks = [task for task in inner.tasks if task.requests]
        if len(in_order) == 1 and not found.tasks:
            return Tasks(found.start + inner.start, inner.tasks, ordered=True)
        if inner.tasks:
            weight = weights.get(one.name) or _weight(one, script.names) or 1.0
            found.tasks.append(_as_one(one, inner, weight, wait, script.notes))
    return found


def last(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def assigned(node: ast.ClassDef, name: str) -> list[ast.expr]:
    """A class's assignments to a name, in their order."""
    return [
        one.value
        for one in node.body
        if isinstance(one, ast.Assign) and any(last(target) == name for target in one.targets)
    ]


def number(given: object, usual: float) -> float:
    """A weight; the ``usual`` one if it is invalid."""
    return given if isinstance(given, int | float) and 0 < given < 1e9 else usual


def with_wait(think: str | None, wait: Wait) -> str:
    """The sleep at a task's end, and the wait of the user after it."""
    slept = float((think or "0s")[:-1])
    lo, hi = (slept + one for one in wait)
    return seconds(lo) if lo == hi else f"uniform({seconds(lo)}, {seconds(hi)})"


def _sets(node: ast.ClassDef, script: Script) -> list[ast.ClassDef]:
    """The sets of tasks of a class of users: those in it, and those in its `tasks`."""
    found = [one for one in node.body if isinstance(one, ast.ClassDef)]
    for listed in assigned(node, "tasks"):
        given = listed.keys if isinstance(listed, ast.Dict) else getattr(listed, "elts", [])
        found += [script.classes[last(one)] for one in given if one and last(one) in script.classes]
    return found


def _is_sequential(node: ast.ClassDef) -> bool:
    return any(last(base) == "SequentialTaskSet" for base in node.bases)


def _read(holders: Sequence[ast.ClassDef], script: Script) -> Tasks:
    """The tasks of some classes; of methods with one name the first class's counts."""
    methods = {
        one.name: one
        for holder in reversed(holders)
        for one in holder.body
        if isinstance(one, ast.FunctionDef)
    }
    steps = Steps({**script.functions, **methods}, script.names, script.notes)
    found = Tasks()
    for one in methods.values():
        weight = _weight(one, script.names)
        if one.name == "on_start":
            found.start = steps.of(one)
        elif one.name == "on_stop":
            text = "`on_stop` left out: clients do not end before the run"
            script.notes.add(f"line {one.lineno}", text)
        elif weight is not None:
            found.tasks.append(Task(weight, steps.of(one)))
    return found


def _weight(node: ast.FunctionDef | ast.ClassDef, names: Names) -> float | None:
    for mark in node.decorator_list:
        if last(mark) == "task":
            return 1.0
        if isinstance(mark, ast.Call) and last(mark.func) == "task":
            return number(names.value(mark.args[0]) if mark.args else 1, 1.0)
    return None


def _listed(found: Tasks, node: ast.ClassDef, script: Script) -> dict[str, float]:
    """Adds the functions of the module that `tasks` lists; the weights of the sets in it."""
    steps = Steps(script.functions, script.names, script.notes)
    weights = {}
    for listed in assigned(node, "tasks"):
        if isinstance(listed, ast.Dict):
            pairs = [
                (key, number(script.names.value(value), 1.0))
                for key, value in zip(listed.keys, listed.values, strict=True)
                if key is not None
            ]
        else:
            pairs = [(one, 1.0) for one in getattr(listed, "elts", [])]
        for one, weight in pairs:
            name = last(one)
            if name in script.functions:
                found.tasks.append(Task(weight, steps.of(script.functions[name])))
            elif name in script.classes and _is_sequential(script.classes[name]):
                weights[name] = weight
            elif weight != 1.0:
                script.notes.add(f"line {one.lineno}", "the weight of a set of tasks is left out")
    return weights


def _as_one(node: ast.ClassDef, inner: Tasks, weight: float, wait: Wait, notes: Notes) -> Task:
    """A set with ordered tasks as one task, with waits between its parts."""
    for task in inner.tasks[:-1]:
        task.requests[-1].think = with_wait(task.requests[-1].think, wait)
    if "interrupt(" not in ast.unparse(node):
        text = f"users leave `{node.name}` after its last task; in Locust they would stay in it"
        notes.add(f"line {node.lineno}", text)
    return Task(weight, [*inner.start, *(one for task in inner.tasks for one in task.requests)])
