"""Kinds of requests: requests gathered by templates, with popularity and answers.

A kind is a method with a template, as a page or as an embedded object. It has a name in a file only
if enough users requested it and nothing in it identifies a person. All others are one kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import quote

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import _core
from thinktime.importing import literal
from thinktime.learn.bounds import USERS_MIN
from thinktime.learn.fit import ZipfFit, zipf
from thinktime.learn.kinds.private import private, public
from thinktime.learn.kinds.templates import Templates, templates
from thinktime.learn.logs.requests import METHODS, Requests
from thinktime.learn.logs.row_order import Kept

ADDRESSES_MIN = 20
"""A user is an address. If there are fewer addresses than this, and more addresses with agents, a
user is an address with an agent: then the addresses are those of proxies."""

PAGES_MAX = 30
OBJECTS_MAX = 15
"""The number of kinds that are named, the most requested; the others are one kind."""

REQUESTS_MIN = 20
"""Kinds of fewer requests are not named, but for health checks and the like."""

POPULARITY_MAX = 200_000
"""Popularity is fitted to at most this many of the most popular members."""

OTHERS = "others"
OTHER_OBJECTS = "other objects"
DENSE = 2
"""Numbers are drawn from the log's range if at least one in this many was seen."""

_OTHER = len(METHODS) - 1


@dataclass(frozen=True)
class Kind:
    """Requests that differ in variable parts only, with one method, as a page or embedded."""

    name: str
    """As in ``/item/*`` or ``POST /cart``; the name of unnamed requests begins with `OTHERS` or
    with `OTHER_OBJECTS`."""

    method: str
    """As in GET."""

    template: str
    """The path, with ``*`` for variable parts; empty for unnamed requests."""

    embedded: bool
    """Whether pages embed it."""

    requests: int
    counts: NDArray[np.int64]
    """The number of requests for each path, the most popular first."""

    highest: int
    """The largest number in its paths, if these are numbered one after another; otherwise 0."""

    instead: str = "/"
    """A path of the log to which unnamed requests go, each with a query of its own."""

    @property
    def numbered(self) -> bool:
        """Whether the numbers that a workload draws are in the log's range."""
        return self.highest > 0

    @cached_property
    def popularity(self) -> ZipfFit:
        """The popularity of its members; fitted on first use."""
        return zipf(self.counts[:POPULARITY_MAX])

    @property
    def target(self) -> str:
        """The target in a workload: one variable place is drawn by popularity, others are 1."""
        if not self.template:
            path = literal.target(self.instead)
            return f"{path}?{quote(self.name.replace(' ', '-'))}={self._drawn}"
        *parts, last = literal.target(self.template).split("*")
        if not parts:
            return last
        return "1".join(parts) + self._drawn + last

    @property
    def _drawn(self) -> str:
        if len(self.counts) < 2:
            return "1"
        law = self.popularity
        # A number beyond the largest one may not exist.
        objects = min(law.objects, self.highest) if self.numbered else law.objects
        return f"{{zipf(n={objects}, s={law.exponent:.4g})}}"


@dataclass(frozen=True)
class Kinds:
    """All kinds of a population's requests."""

    kinds: list[Kind]
    """Pages first, then embedded objects, each the most requested first, `OTHERS` at their ends."""

    of_row: Kept
    """The kind of each request."""

    hidden: int
    """The number of requests among the others because fewer than `USERS_MIN` users made them, or
    because they may identify a person."""

    @property
    def pages(self) -> int:
        """The number of kinds that are pages: the first ones."""
        return sum(not kind.embedded for kind in self.kinds)

    @property
    def popular(self) -> list[Kind]:
        """The kinds, those with the most requests first."""
        return sorted(self.kinds, key=lambda kind: -kind.requests)

    def of_program(self, name: str) -> Kinds:
        """The same, with the others named after the program: only it requests them."""
        kinds = [
            kind if kind.template else replace(kind, name=f"{kind.name} of {name}")
            for kind in self.kinds
        ]
        return replace(self, kinds=kinds)

    @property
    def existing(self) -> str | None:
        """A path of the named kind with the most requests; None if none is named."""
        named = [kind.template for kind in self.popular if kind.template and kind.method == "GET"]
        return named[0].replace("*", "1") if named else None

    def going_to(self, path: str) -> Kinds:
        """The same, with unnamed requests that go to this path."""
        kinds = [kind if kind.template else replace(kind, instead=path) for kind in self.kinds]
        return replace(self, kinds=kinds)

    def share(self, kind: Kind) -> float:
        """The share of the requests that are of this kind."""
        return kind.requests / max(sum(one.requests for one in self.kinds), 1)


def templates_of(requests: Requests) -> Templates:
    """The templates of all requested paths; 0 stands for those of all others."""
    asked = np.bincount(requests.rows["path"].to_numpy(), minlength=requests.paths.height)
    used = np.flatnonzero(asked)
    found = templates(
        requests.paths["path"].gather(used), requests.paths["object"].to_numpy()[used], asked[used]
    )
    of_path, by_words = np.zeros(len(asked), np.int64), np.zeros(len(asked), bool)
    of_path[used], by_words[used] = found.of_path, found.by_words
    return Templates(of_path, found.texts, by_words, requests.paths["path"])


def find_kinds(
    requests: Requests,
    found: Templates,
    embedded: NDArray[np.bool_],
    counted: NDArray[np.bool_],
    least_users: int = USERS_MIN,
) -> Kinds:
    """Gather requests to kinds; kinds with fewer than ``least_users`` users are not named.

    ``embedded`` says of each request whether it is part of a page, ``counted`` whether it counts:
    retries do not.
    """
    by_kind = _core.RequestsByKind(
        requests.rows.select("path", "method", "user"),
        pl.DataFrame({"embedded": embedded, "counted": counted}),
        pl.DataFrame({"template": found.of_path.astype(np.uint32)}),
    )
    asked = pl.DataFrame(by_kind.by_code())["requests"].to_numpy().astype(np.int64)
    candidates = np.argsort(-asked, kind="stable")[: 4 * (PAGES_MAX + OBJECTS_MAX)]
    candidates = candidates[asked[candidates] > 0]
    many = _asked_by_many(requests, by_kind, candidates, least_users)
    chosen, hidden = _chosen(candidates, asked, many, found.texts)
    pages = [code for code in chosen if code % 2 == 0]
    objects = [code for code in chosen if code % 2 == 1]
    return _kinds_asked_for(requests, found.texts, (pages, objects), by_kind, asked, hidden)


def _asked_by_many(
    requests: Requests,
    by_kind: _core.RequestsByKind,
    candidates: NDArray[np.int64],
    least_users: int,
) -> set[int]:
    """The candidates that at least ``least_users`` users requested."""
    address = requests.users["address"].to_numpy()
    used = np.bincount(requests.rows["user"].to_numpy(), minlength=len(address)) > 0
    shared = np.count_nonzero(np.bincount(address[used])) < min(ADDRESSES_MIN, int(used.sum()))
    who: pl.DataFrame | None = requests.users.select("address")
    if shared:
        alone = "user" in requests.users.columns
        who = requests.users.select(address="user") if alone else None
    codes = candidates.tolist()
    many = by_kind.by_many(codes, least_users, who)
    return {code for code, enough in zip(codes, many, strict=True) if enough}


def _chosen(
    candidates: NDArray[np.int64], asked: NDArray[np.int64], many: set[int], texts: list[str]
) -> tuple[list[int], int]:
    """The named kinds, and the number of requests for those that must not be named."""
    chosen: list[int] = []
    left, hidden = [PAGES_MAX, OBJECTS_MAX], 0
    for code in candidates.tolist():
        text, method = texts[code // 2 // len(METHODS)], code // 2 % len(METHODS)
        known = public(text)
        if not text or not (known or (code in many and not _tells(text))):
            hidden += int(asked[code])
        elif left[code % 2] and method != _OTHER and (known or asked[code] >= REQUESTS_MIN):
            chosen.append(code)
            left[code % 2] -= 1
    return chosen, hidden


def _tells(text: str) -> bool:
    """Whether a template has a part that may identify a person."""
    parts = text.split("/")
    return any(
        not part.startswith("*") and private(part, before)
        for before, part in zip(["", *parts], parts, strict=False)
    )


def _kinds_asked_for(
    requests: Requests,
    texts: list[str],
    chosen: tuple[list[int], list[int]],
    by_kind: _core.RequestsByKind,
    asked: NDArray[np.int64],
    hidden: int,
) -> Kinds:
    """The kinds with their figures, without those that were not requested.

    ``chosen`` are the codes of those that have names, pages and embedded objects.
    """
    codes = [*chosen[0], -2, *chosen[1], -1]
    rest = asked.copy()
    rest[[*chosen[0], *chosen[1]]] = 0
    of_rest = {-2: int(rest[::2].sum()), -1: int(rest[1::2].sum())}
    there = [code for code in codes if (asked[code] if code >= 0 else of_rest[code])]
    place = {code: at for at, code in enumerate(there)}
    of_code = np.full(len(asked), -1, np.int32)
    for code, at in place.items():
        if code >= 0:
            of_code[code] = at
    found = by_kind.kinds(pl.DataFrame({"kind": of_code}), place.get(-2, -1), place.get(-1, -1))
    members = [pl.DataFrame(table) for table in by_kind.members(found, len(place))]
    kinds = []
    for at, code in enumerate(place):
        method = METHODS[code // 2 % len(METHODS)] if code >= 0 else "GET"
        text = texts[code // 2 // len(METHODS)] if code >= 0 else ""
        embedded = bool(code % 2)
        ids, counts = _most_first(members[at])
        name = OTHER_OBJECTS if embedded else OTHERS
        if text:
            name = text if method == "GET" else f"{method} {text}"
            name += " (embedded)" if embedded and code - 1 in place else ""
        highest = _highest(requests, text, ids)
        kinds.append(Kind(name, method, text, embedded, int(counts.sum()), counts, highest))
    found_kinds = Kinds(kinds, pl.DataFrame(found)["kind"].to_numpy(), hidden)
    return found_kinds.going_to(found_kinds.existing or "/")


def _most_first(members: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The paths of a kind and the number of requests for each, the most popular first."""
    counts = members["requests"].to_numpy().astype(np.int64)
    order = np.argsort(-counts, kind="stable")
    return members["path"].to_numpy()[order].astype(np.int64), counts[order]


def _highest(requests: Requests, text: str, ids: NDArray[np.int64]) -> int:
    """The largest number of a template with one variable place, which is a number from 1 on.

    0 if the place has other words, or if the numbers are not dense enough.
    """
    if text.count("*") != 1 or len(ids) < 2:
        return 0
    before, after = text.split("*")
    paths = requests.paths["path"].gather(ids)
    numbers = paths.str.strip_prefix(before).str.strip_suffix(after).cast(int, strict=False)
    low, highest = numbers.min(), numbers.max()
    if numbers.null_count() or not (isinstance(low, int) and isinstance(highest, int)) or low < 1:
        return 0
    return highest if highest <= DENSE * len(ids) + 10 else 0
