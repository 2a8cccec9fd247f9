"""Tasks of a class of Locust users: its own, those of its sets, and their weights.

Source: https://docs.locust.io/en/stable/tasksets.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from thinktime.importing.draft import Request
from thinktime.importing.locust.classes import Script, last
from thinktime.importing.locust.literals import Names
from thinktime.importing.locust.tasks import Steps
from thinktime.importing.locust.waits import Wait, wait_of, wait_of_bounds, with_wait

DEPTH_MAX = 10
"""Sets within sets that are nested deeper are left out."""

STARTS = ("__init__", "on_start")


@dataclass
class Task:
    """A user's actions between two waits, their weight, and the wait after them."""

    weight: float
    requests: list[Request]
    wait: Wait


@dataclass
class Tasks:
    """Users' actions at first, and then again and again."""

    start: list[Request] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    ordered: bool = False
    """Whether the tasks follow one another in their order; otherwise weights choose each."""


@dataclass
class Reader:
    """Reads the sets of tasks of one class of users."""

    script: Script
    steps: Steps

    def of(
        self,
        node: ast.ClassDef,
        around: Mapping[str, ast.FunctionDef],
        wait: Wait = (0.0, 0.0),
        depth: int = 0,
    ) -> Tasks:
        """The tasks of a user or of a set; a set with ordered tasks is one task among others.

        ``around`` are the methods of the classes that the set stands in, and ``wait`` is that of
        the user, which a set without its own has, whatever the set around it has.
        """
        of_user = wait
        given = self.script.assigned(node, "wait_time")
        old = [self.script.assigned(node, name) for name in ("min_wait", "max_wait")]
        if given is not None:
            wait = wait_of(given, self.script.names, self.script.notes)
        elif any(old):
            wait = wait_of_bounds(old, self.script.names, self.script.notes)
        of_user = of_user if depth else wait
        self.script.own_names(node)
        functions = {**around, **self.script.methods(node)}
        found = Tasks()
        found.start = self._start(node, functions)
        found.tasks = list(self._own(node, functions, wait))
        inner = list(self._sets(node)) if depth < DEPTH_MAX else []
        for one, weight in inner:
            alone = len(inner) == 1 and not found.tasks
            self._join(found, one, self.of(one, functions, of_user, depth + 1), weight, alone=alone)
        is_sequential = "SequentialTaskSet" in self.script.bases(node)
        found.ordered = is_sequential or (found.ordered and len(inner) == 1)
        found.tasks = [task for task in found.tasks if task.requests]
        return found

    def _start(self, node: ast.ClassDef, functions: Mapping[str, ast.FunctionDef]) -> list[Request]:
        own = self.script.methods(node)
        starts = [own[name] for name in STARTS if name in own]
        if one := own.get("on_stop"):
            text = "`on_stop` left out: clients do not end before the run"
            self.script.notes.add(f"line {one.lineno}", text)
        return [one for start in starts for one in self.steps.of(start, functions, is_start=True)]

    def _own(
        self, node: ast.ClassDef, functions: Mapping[str, ast.FunctionDef], wait: Wait
    ) -> Iterator[Task]:
        """The methods that are tasks, and the functions that `tasks` lists."""
        for name, method in self.script.methods(node).items():
            own = _weight(method, self.script.names)
            if own is not None and name not in STARTS:
                yield Task(own, self.steps.of(method, functions), wait)
        for one, weight in self._listed(node):
            function = functions.get(last(one)) or self.script.functions.get(last(one))
            if function is not None:
                yield Task(weight, self.steps.of(function, functions), wait)
            elif last(one) not in self.script.classes:
                text = f"the task `{ast.unparse(one)[:60]}` is left out: it is not of this script"
                self.script.notes.add(f"line {one.lineno}", text)

    def _sets(self, node: ast.ClassDef) -> Iterator[tuple[ast.ClassDef, float]]:
        """The sets of tasks of a class, with their weights: those in it, and its `tasks`."""
        for holder in self.script.line_of(node):
            for one in holder.body:
                if isinstance(one, ast.ClassDef):
                    yield one, _weight(one, self.script.names) or 1.0
        for listed, weight in self._listed(node):
            if last(listed) in self.script.classes:
                yield self.script.classes[last(listed)], weight

    def _listed(self, node: ast.ClassDef) -> list[tuple[ast.expr, float]]:
        """The parts of `tasks`, which is a list, or a table of weights."""
        given = self.script.assigned(node, "tasks")
        before_1_0 = self.script.assigned(node, "task_set")
        if given is None and before_1_0 is not None:
            return [(before_1_0, 1.0)]
        if isinstance(given, ast.Dict):
            return [
                (one, _number(self.script.names.value(weight)))
                for one, weight in zip(given.keys, given.values, strict=True)
                if one is not None
            ]
        return [(one, 1.0) for one in getattr(given, "elts", [])]

    def _join(
        self, found: Tasks, node: ast.ClassDef, inner: Tasks, weight: float, *, alone: bool
    ) -> None:
        """Add the tasks of a set to those of its holder."""
        notes, place = self.script.notes, f"line {node.lineno}"
        leaves = "interrupt(" in ast.unparse(node)
        if alone:
            found.start += inner.start
            found.tasks, found.ordered = inner.tasks, inner.ordered
        elif inner.ordered and inner.tasks:
            if not leaves:
                text = f"users leave `{node.name}` after its last task; in Locust they would stay"
                notes.add(place, f"{text} in it")
            found.tasks.append(_as_one(inner, weight))
        elif inner.tasks:
            text = f"the tasks of `{node.name}` are chosen beside those of its user, one at a time"
            stays = "until `interrupt()`" if leaves else "for ever"
            notes.add(place, f"{text}; in Locust users stay in it {stays}")
            whole = sum(task.weight for task in inner.tasks)
            for task in inner.tasks:
                task.weight *= weight / whole
            inner.tasks[0].requests[:0] = inner.start
            found.tasks += inner.tasks


def _number(given: object) -> float:
    """A weight; 1 if it is invalid."""
    return given if isinstance(given, int | float) and 0 < given < 1e9 else 1.0


def _weight(node: ast.FunctionDef | ast.ClassDef, names: Names) -> float | None:
    for mark in node.decorator_list:
        if last(mark) == "task":
            return 1.0
        if isinstance(mark, ast.Call) and last(mark.func) == "task":
            return _number(names.value(mark.args[0]) if mark.args else 1)
    return None


def _as_one(inner: Tasks, weight: float) -> Task:
    """A set with ordered tasks as one task, with waits between its parts."""
    for task in inner.tasks[:-1]:
        task.requests[-1].think = with_wait(task.requests[-1].think, task.wait)
    requests = [*inner.start, *(one for task in inner.tasks for one in task.requests)]
    return Task(weight, requests, inner.tasks[-1].wait)
