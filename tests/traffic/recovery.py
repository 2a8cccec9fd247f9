"""How well populations are distinguished in logs with known senders.

    PYTHONPATH=tests .venv/bin/python -m traffic.recovery [NAME ...] [--seed S] [--scale X]
        [--variants N]

Names may be patterns. With `--variants` the logs are N random ones, drawn from the seed on. For
each log: the share of its requests on the wrong side, the share that are people's among programs'
or the other way round, and the verdicts that are wrong, with how sure they were. Nothing but this
file uses both what makes the logs and what learns from them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

import numpy as np

from thinktime.learn.logs.requests import Requests
from thinktime.learn.populations import Populations, tell_apart
from traffic.requests import columns_of
from traffic.scenarios import SCENARIOS, scenario
from traffic.scene import Made
from traffic.variants import variant

PEOPLE = "people"


@dataclass(frozen=True)
class Recovery:
    """The recovered populations of one log."""

    wrong: float
    """The share of requests in a learned population whose majority is of another true one."""

    wrong_side: float
    """The same, of people's requests among programs', or the other way round."""

    verdicts: list[tuple[str, str, str, str]]
    """Wrong models: the learned population, its model, its confidence, and the true model."""

    missed: list[str]
    """True populations that are the majority of no learned one."""

    found: Populations
    took_s: float

    @property
    def wrong_and_sure(self) -> int:
        """The number of wrong verdicts that are called sure."""
        return sum(one[2] == "sure" for one in self.verdicts)


def recovery_of(table: Any, facts: dict[str, Any]) -> Recovery:
    """Tell the populations of a log apart, and compare them with the truth."""
    columns = columns_of(table, facts)
    line = columns.pop("line").to_numpy()
    requests = Requests(**columns)
    begun = time.perf_counter()
    found = tell_apart(requests)
    took_s = time.perf_counter() - begun
    truth = table["population"].cast(str).to_numpy()[line]
    return compared(truth, facts["populations"], found, took_s)


def compared(
    truth: np.ndarray, facts: dict[str, Any], found: Populations, took_s: float = 0.0
) -> Recovery:
    """Match each learned population with the true one of most of its requests."""
    names, true = np.unique(truth, return_inverse=True)
    table = np.zeros((len(found.populations), len(names)), dtype=np.int64)
    np.add.at(table, (found.labels, true), 1)
    best = table.argmax(1)
    own = table[np.arange(len(table)), best]
    people = np.array([facts[name]["kind"] == PEOPLE for name in names])
    others = np.where(people[None, :] != people[best][:, None], table, 0)
    verdicts = [
        (one.name, one.model, one.confidence, facts[names[at]]["model"])
        for one, at in zip(found.populations, best, strict=True)
        if one.model != facts[names[at]]["model"]
    ]
    missed = [str(name) for at, name in enumerate(names) if at not in best]
    whole = max(int(table.sum()), 1)
    wrong, wrong_side = 1 - own.sum() / whole, others.sum() / whole
    return Recovery(float(wrong), float(wrong_side), verdicts, missed, found, took_s)


def row_of(name: str, made: Made, found: Recovery) -> str:
    """One row of the table."""
    verdicts = ", ".join(f"{a}: {b} ({c}), not {d}" for a, b, c, d in found.verdicts)
    populations = ", ".join(
        f"{one.name} {one.requests / len(found.found.labels):.0%} {one.model} ({one.confidence})"
        for one in found.found.populations
    )
    figures = [
        f"{made.truth.facts['lines']}",
        f"{found.wrong:.2%}",
        f"{found.wrong_side:.2%}",
        f"{made.truth.inseparable():.2%}",
    ]
    return " | ".join(["", name, *figures, verdicts, populations, f"{found.took_s:.2f}", ""])


def logs(given: argparse.Namespace) -> Iterator[tuple[str, Made]]:
    """The requested logs, with their names."""
    if given.variants:
        for seed in range(given.seed, given.seed + given.variants):
            yield f"variant {seed}", variant(seed)
        return
    for name in SCENARIOS:
        if any(fnmatch(name, wanted) for wanted in given.names):
            yield name, scenario(name, given.seed, given.scale)


def main() -> None:
    """Print a Markdown table, and its totals."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["*"], help="scenarios, or patterns of names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="of the usual span of each log")
    parser.add_argument("--variants", type=int, default=0, help="so many logs drawn by seeds")
    given = parser.parse_args()
    heads = ["scenario", "lines", "wrong", "people for programs", "inseparable", "wrong verdicts"]
    print(" | ".join(["", *heads, "found", "s", ""]).strip())
    print("|---" * (len(heads) + 2) + "|")
    all_found = []
    for name, made in logs(given):
        found = recovery_of(made.truth.table, made.truth.facts)
        all_found.append(found)
        print(row_of(name, made, found).strip(), flush=True)
    verdicts = sum(len(one.verdicts) for one in all_found)
    sure = sum(one.wrong_and_sure for one in all_found)
    side = sum(one.wrong_side > 0.02 for one in all_found)
    print(
        f"\n{len(all_found)} logs: {side} with more than 2 % of the requests on the wrong side, "
        f"{verdicts} wrong verdicts, {sure} of them called sure"
    )


if __name__ == "__main__":
    main()
