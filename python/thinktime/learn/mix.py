"""What is asked for: paths, gathered where they differ in numbers only, and their popularity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from thinktime.learn.fit import ZipfFit, zipf
from thinktime.learn.traffic import Traffic

NUMBER = re.compile(r"(?<=[/\-_=.])\d+(?=$|[/\-_.])")
NAMELESS = re.compile(r"^(?:[0-9a-fA-F-]{16,}|[^/]*@[^/]*|.{65,})$")
"""Parts of a path that stand for one thing or person among many, such as keys and addresses of
mail: such paths are not named."""

NAMED_MAX = 20
"""So many kinds of request are named; the others are gathered."""

POPULARITY_MAX = 200_000
SAFE = "/%:@!$&'()*+;=~,-._"


@dataclass(frozen=True)
class Kind:
    """Paths that differ in a number only; mostly one path."""

    name: str
    """The path, ``*`` for what differs."""

    requests: int
    share: float
    target: str
    """How a workload asks for it."""

    paths: int
    """How many different ones there are."""

    typical: bool
    """Whether ``target`` is the most popular path alone, because numbers are too sparse to be
    drawn."""


@dataclass(frozen=True)
class Mix:
    """What is asked for."""

    kinds: list[Kind]
    """The most popular first."""

    others_share: float
    """The share of requests for everything else."""

    popularity: ZipfFit | None
    """Of single paths."""

    paths: int


def learn_mix(traffic: Traffic) -> Mix:
    """Learn what is asked for; ``kinds`` is empty where no path can be named."""
    rows = traffic.raw["paths"]
    groups: dict[str, list[tuple[str, int]]] = {}
    for path, count, _ in rows:
        if path.startswith("/") and not any(map(NAMELESS.match, path.split("/"))):
            groups.setdefault(_template(path), []).append((path, count))
    totals = sorted(
        ((sum(count for _, count in members), name) for name, members in groups.items()),
        key=lambda pair: (-pair[0], pair[1]),
    )
    whole = sum(count for _, count, _ in rows) + traffic.raw["other_paths"]
    kinds = [_kind(name, groups[name], count, whole) for count, name in totals[:NAMED_MAX]]
    counts = [count for _, count, _ in rows[:POPULARITY_MAX]]
    return Mix(
        kinds=kinds,
        others_share=1 - sum(kind.share for kind in kinds),
        popularity=zipf(counts) if len(counts) > 1 else None,
        paths=len(rows),
    )


def _template(path: str) -> str:
    return NUMBER.sub("*", path)


def _kind(name: str, members: list[tuple[str, int]], count: int, whole: int) -> Kind:
    members.sort(key=lambda member: (-member[1], member[0]))
    drawn = _drawn(name, members)
    most = members[0][0] if "*" not in name or drawn is None else ""
    target = drawn or quote(most, safe=SAFE)
    return Kind(
        name=quote(name, safe=SAFE),
        requests=count,
        share=count / max(whole, 1),
        target=target,
        paths=len(members),
        typical=len(members) > 1 and drawn is None,
    )


def _drawn(name: str, members: list[tuple[str, int]]) -> str | None:
    """The target with the number drawn by Zipf's law, where numbers are dense enough."""
    if name.count("*") != 1 or len(members) < 3:
        return None
    before, after = name.split("*")
    try:
        numbers = [int(path[len(before) : len(path) - len(after) or None]) for path, _ in members]
    except ValueError:
        return None
    most = max(numbers)
    if min(numbers) < 1 or most > 2 * len(numbers) + 10:
        return None
    exponent = zipf([count for _, count in members]).exponent
    return (
        f"{quote(before, safe=SAFE)}{{zipf(n={most}, s={exponent:.4g})}}{quote(after, safe=SAFE)}"
    )
