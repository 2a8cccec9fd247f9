"""What is asked for: paths, gathered where they differ in numbers only, and their popularity.

A path that is asked for by several methods is as many kinds of request.
"""

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
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
"""Those that a workload file has a key for; the others are gathered with what is not named."""

BODIED = ("POST", "PUT", "PATCH")
BODILESS = "The log does not tell bodies: without a `body` an empty one is sent."
SAFE = "/:@!$&'()*+;=~,-._"
TYPICAL = "The most popular of such paths."
HIDDEN = "Numbers that may stand for persons are not told: these are none of the log's."


@dataclass(frozen=True)
class Kind:
    """Paths that differ in a number only; mostly one path."""

    name: str
    """The path, ``*`` for what differs; after its method where that is not GET."""

    method: str
    """As in GET."""

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
    groups: dict[tuple[str, str], list[tuple[str, int]]] = {}
    popular: dict[str, int] = {}
    for path, method, count in rows:
        popular[path] = popular.get(path, 0) + count
        plain = unquote(unquote(path))
        if method in METHODS and plain.startswith("/") and not NAMELESS.search(plain):
            groups.setdefault((method, NUMBER.sub("*", plain)), []).append((plain, count))
    totals = sorted(
        ((sum(count for _, count in members), what) for what, members in groups.items()),
        key=lambda pair: (-pair[0], pair[1][1], pair[1][0]),
    )
    whole = sum(popular.values()) + traffic.raw["other_paths"]
    kinds = [_kind(*what, groups[what], count, whole) for count, what in totals[:NAMED_MAX]]
    counts = sorted(popular.values(), reverse=True)[:POPULARITY_MAX]
    return Mix(
        kinds=kinds,
        others_share=1 - sum(kind.share for kind in kinds),
        popularity=zipf(counts) if len(counts) > 1 else None,
        paths=len(popular),
    )


def _kind(method: str, name: str, members: list[tuple[str, int]], count: int, whole: int) -> Kind:
    members.sort(key=lambda member: (-member[1], member[0]))
    drawn = _drawn(name, members)
    most = members[0][0]
    hidden = drawn is None and any(
        part == "*" and not YEAR.fullmatch(told)
        for part, told in zip(name.split("/"), most.split("/"), strict=True)
    )
    path = quote(name, safe=SAFE)
    notes = [
        HIDDEN if hidden else TYPICAL if drawn is None and len(members) > 1 else "",
        BODILESS if method in BODIED else "",
    ]
    return Kind(
        name=path if method == "GET" else f"{method} {path}",
        method=method,
        requests=count,
        share=count / max(whole, 1),
        target=_hidden(name, members) if hidden else drawn or quote(most, safe=SAFE),
        paths=len(members),
        note=" ".join(filter(None, notes)),
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
