"""What is asked for: paths, gathered where they differ in numbers only, and their popularity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from thinktime.learn.fit import ZipfFit, zipf
from thinktime.learn.traffic import Traffic

NUMBER = re.compile(r"(?<=[/\-_=.])\d+(?=$|[/\-_.])")
YEAR = re.compile(r"(?:19|20)\d\d")
NAMELESS = re.compile(
    r"""[@=;?+\s:~]                         # mail, parameters, words that were looked for, people
    | (?i:key|token|secret|auth|session|password)s?/[^/]
    | \d{7}                               # telephone numbers, cards
    | \d+\.\d+\.\d+\.\d+                 # addresses
    | (?=[^./_-]*\d)(?=[^./_-]*[A-Za-z])[A-Za-z0-9]{16}  # keys
    | (?=[^./_-]*[a-z])(?=[^./_-]*[A-Z])[A-Za-z0-9]{20}
    | [^/]{65}""",
    re.VERBOSE,
)
"""What in a path stands for one thing or person among many: such paths are not named."""

NAMED_MAX = 20
"""So many kinds of request are named; the others are gathered."""

POPULARITY_MAX = 200_000
SAFE = "/:@!$&'()*+;=~,-._"
TYPICAL = "The most popular of such paths."
HIDDEN = "Numbers that may stand for persons are not told: these are none of the log's."


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

    note: str
    """What is to be known of the target; empty for nothing."""


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
        plain = unquote(unquote(path))
        if plain.startswith("/") and not NAMELESS.search(plain):
            groups.setdefault(NUMBER.sub("*", plain), []).append((plain, count))
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


def _kind(name: str, members: list[tuple[str, int]], count: int, whole: int) -> Kind:
    members.sort(key=lambda member: (-member[1], member[0]))
    drawn = _drawn(name, members)
    most = members[0][0]
    hidden = drawn is None and any(
        part == "*" and not YEAR.fullmatch(told)
        for part, told in zip(name.split("/"), most.split("/"), strict=True)
    )
    return Kind(
        name=quote(name, safe=SAFE),
        requests=count,
        share=count / max(whole, 1),
        target=_hidden(name, members) if hidden else drawn or quote(most, safe=SAFE),
        paths=len(members),
        note=HIDDEN if hidden else TYPICAL if drawn is None and len(members) > 1 else "",
    )


def _hidden(name: str, members: list[tuple[str, int]]) -> str:
    """The target with a number that is none of the log's: it may stand for a person."""
    if name.count("*") != 1 or len(members) < 3:
        return quote(name.replace("*", "1"), safe=SAFE)
    return _with_zipf(name, len(members), members)


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
    return _with_zipf(name, most, members)


def _with_zipf(name: str, most: int, members: list[tuple[str, int]]) -> str:
    before, after = (quote(part, safe=SAFE) for part in name.split("*"))
    exponent = zipf([count for _, count in members]).exponent
    return f"{before}{{zipf(n={most}, s={exponent:.4g})}}{after}"
