"""Workloads of the bookstore: the mixes of the presets, with SQL instead of pages.

The order of interactions is that of `thinktime workload show bookstore-browsing` and its two
sisters, and is written nowhere else. The actions of each are in interactions.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Any

from thinktime import workload

HERE = Path(__file__).parent
MIXES = ("browsing", "shopping", "ordering")
LONG = "best-sellers"
"""The class of requests that is expected to be long; all others are short."""

CONNECTIONS = 50
REQUESTS_PER_SESSION = 5.0
MODELS = ("closed", "partly open", "open")


def interactions(books: int) -> dict[str, dict[str, Any]]:
    """The statements of each interaction on a store with this number of books, by name."""
    text = (HERE / "interactions.toml").read_text("utf-8")
    return tomllib.loads(Template(text).safe_substitute(books=books))


def transitions(mix: str) -> dict[str, dict[str, float]]:
    """The followers of each interaction of a mix, with their shares."""
    preset = tomllib.loads(workload.text(f"bookstore-{mix}"))
    return {one["name"]: one["next"] for one in preset["request"]}


@cache
def shares(mix: str) -> Mapping[str, float]:
    """The long-run share of each interaction, by iteration until nothing changes."""
    after = transitions(mix)
    now = dict.fromkeys(after, 1 / len(after))
    for _ in range(2000):
        # Half of it stays in place, so that cycles converge.
        then = {name: share / 2 for name, share in now.items()}
        for name, share in now.items():
            for other, part in after[name].items():
                then[other] += share * part / 2
        now = then
    whole = sum(now.values())
    return MappingProxyType({name: share / whole for name, share in now.items()})


def population(
    model: str, mix: str, books: int, customers: Path, *, rate: float = 1.0, users: int = 50
) -> dict[str, Any]:
    """A workload of one kind of users: closed, partly open or open.

    `rate` is in requests a second in the open model and in sessions in the partly open one; load
    and think time are set afterwards. `customers` is a file with a column `customer`, of which
    each session has a row.
    """
    asked, after, share = interactions(books), transitions(mix), shares(mix)
    session: dict[str, Any] = {"data": [str(customers)], "rows": "random"}
    requests = [{"name": name} | asked[name] for name in after]
    if model == "open":
        arrivals: dict[str, Any] = {"model": "open", "rate": f"{rate}/s"}
        for one in requests:
            one["weight"] = share[one["name"]]
    elif model == "closed":
        arrivals = {"model": "closed", "clients": users}
        session |= {"think": "exp(1s)"}
        for one in requests:
            one["next"] = after[one["name"]]
    else:
        # Continuing users follow the mix; new users begin anywhere in it.
        stay = 1 - 1 / REQUESTS_PER_SESSION
        arrivals = {"model": "partly-open", "rate": f"{rate}/s"}
        session |= {"think": "exp(200ms)", "first": _whole(share)}
        for one in requests:
            following = {name: part * stay for name, part in after[one["name"]].items()}
            one["next"] = _whole(following | {"end": 1 - stay})
    clients = {"connections": CONNECTIONS}
    return {
        "arrivals": arrivals, "session": session, "clients": clients, "request": requests,
    }  # fmt: skip


def workload_of(model: str, mix: str, books: int, customers: Path, **given: Any) -> dict[str, Any]:
    """The same as a whole workload file."""
    return {"name": f"bookstore, {mix}, {model}"} | population(
        model, mix, books, customers, **given
    )


def by_class(mix: str, books: int, customers: Path, rate: float) -> dict[str, Any]:
    """Open users in two populations, so that each class has a pool of connections of its own.

    Poisson arrivals that are split at random are Poisson arrivals, so this is the open workload.
    """
    populations = []
    for name in ("short", "long"):
        one = population("open", mix, books, customers)
        kinds = [kind for kind in one["request"] if (kind["name"] == LONG) == (name == "long")]
        part = sum(kind["weight"] for kind in kinds)
        one["request"] = kinds
        one["arrivals"]["rate"] = f"{rate * part}/s"
        one["clients"] = {"connections": CONNECTIONS // 2}
        populations.append({"name": name} | one)
    return {"name": f"bookstore, {mix}, pools by class", "population": populations}


def single(name: str, books: int, customers: Path) -> dict[str, Any]:
    """One user who requests one kind of interaction without end, to measure its demand."""
    session = {"data": [str(customers)], "rows": "random", "think": "1ms"}
    request = {"name": name} | interactions(books)[name]
    return {
        "name": name,
        "arrivals": {"model": "closed", "clients": 1},
        "session": session,
        "clients": {"connections": 1},
        "request": [request],
    }


def round_trips(asked: Mapping[str, Any]) -> int:
    """The number of waits for the database in an interaction."""
    statements: Sequence[str] = asked.get("transaction", ())
    return len(statements) + 2 if statements else 1


def _whole(parts: Mapping[str, float]) -> dict[str, float]:
    """Shares that sum to 1 to the last digit."""
    whole = sum(parts.values())
    return {name: part / whole for name, part in parts.items()}
