"""The populations of a log: people, and programs of several kinds, recognised by behaviour.

A log's rows go through a list of rules, one file each. A rule claims the rows of its kind and gives
their model; rows that no rule claims are people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from thinktime.learn.logs.requests import Requests
from thinktime.learn.populations import (
    beats,
    bursts,
    callers,
    crawlers,
    log_names,
    loops,
    people,
    scanners,
)
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.findings import findings
from thinktime.learn.populations.groups import FEW
from thinktime.learn.populations.population import (
    LIKELY,
    SURE,
    UNSURE,
    Finding,
    Population,
    Populations,
)
from thinktime.present import units

__all__ = ["Finding", "Population", "Populations", "tell_apart"]

RULES: list[Callable[[Evidence], list[Draft]]] = [
    crawlers.declared,
    scanners.find,
    beats.find,
    bursts.find,
    loops.of_users,
    crawlers.hidden,
    loops.of_paths,
    callers.find,
    people.find,
]
"""The rules in order: those by name or without doubt come first."""

MOST = 40
"""The largest number of populations of a log; the smallest of a kind beyond it are combined."""

PATHS = 5

HOLED = 0.5
"""If this share of a log's time has no line, sessions are cut and the behaviour of programs is
hidden."""


def tell_apart(requests: Requests, *, programs: bool = True) -> Populations:
    """Label each row of a log with its population, and describe the populations.

    Populations come in the order people, then programs, the largest first. Every row has one.
    Without ``programs`` all are taken as people. Populations that the log itself names are kept.
    """
    seen = Evidence(requests)
    rules = RULES if programs else [people.find]

    def judge(some: Evidence) -> list[Draft]:
        return [draft for rule in rules for draft in rule(some)] if len(some) else []

    told = requests.populations is not None
    drafts = log_names.find(requests, judge) if told else judge(seen)
    drafts = _few(drafts)
    drafts.sort(key=lambda draft: (draft.programs, -len(draft.rows)))
    labels = np.zeros(len(seen), dtype=np.uint16)
    for number, draft in enumerate(drafts[1:], 1):
        labels[draft.rows] = number
    names = _names([draft.name for draft in drafts])
    found = findings(seen, drafts)
    _doubt(drafts, found)
    populations = tuple(_described(seen, *both) for both in zip(names, drafts, strict=True))
    return Populations(labels, populations, found)


def _doubt(drafts: list[Draft], found: tuple[Finding, ...]) -> None:
    """Make verdicts unsure if most of the log is missing."""
    missing = max((one.share for one in found if one.name == "holes"), default=0.0)
    if missing < HOLED:
        return
    for draft in drafts:
        draft.confidence = UNSURE
        does = "hides what they did then" if draft.programs else "cuts sessions"
        draft.reason += (
            f"; but {units.percent(missing)} of the log's time has no line, which {does}"
        )


def _few(drafts: list[Draft]) -> list[Draft]:
    """The same, with small ones of a kind and model joined if there are too many."""
    drafts = sorted(drafts, key=lambda draft: -len(draft.rows))
    kept: list[Draft] = []
    homes: dict[tuple[str, str], Draft] = {}
    joined: Counter[tuple[str, str]] = Counter()
    for draft in drafts:
        of = draft.kind, draft.model
        home = homes.get(of)
        if len(kept) >= MOST and home is not None:
            home.rows = np.concatenate((home.rows, draft.rows))
            home.clients = (home.clients or 0) + (draft.clients or 0) or None
            joined[of] += 1
            continue
        kept.append(draft)
        homes[of] = draft
    for of, more in joined.items():
        home = homes[of]
        number = units.count(more + 1)
        home.reason = f"{number} small ones of a kind together; of the largest one, {home.reason}"
    return kept


def _confidence(draft: Draft) -> str:
    """The rule's confidence: with few requests unsure, with up to ten times as many not sure."""
    if len(draft.rows) < FEW:
        return UNSURE
    if len(draft.rows) < 10 * FEW and draft.confidence == SURE:
        return LIKELY
    return draft.confidence


def _names(names: list[str]) -> list[str]:
    many = Counter(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if many[name] == 1 or seen[name] == 1 else f"{name}-{seen[name]}")
    return found


def _described(seen: Evidence, name: str, draft: Draft) -> Population:
    rows = draft.rows
    every = seen.requests.rows["host"]
    hosts = (every[:1] if len(seen.requests.hosts) == 1 else every.gather(rows)).unique()
    return Population(
        name=name,
        kind=draft.kind,
        model=draft.model,
        confidence=_confidence(draft),
        reason=draft.reason,
        would_change=draft.would_change,
        requests=len(rows),
        users=seen.users_of(rows),
        clients=draft.clients if draft.model == "closed" else None,
        interval_s=draft.interval_s,
        think=draft.think,
        host=seen.requests.hosts[int(hosts[0])] if len(hosts) == 1 else "",
        paths=_paths(seen, rows) if draft.programs else (),
    )


def _paths(seen: Evidence, rows: np.ndarray) -> tuple[str, ...]:
    """The most frequent paths of programs; a sample is enough."""
    sample = seen.path[rows[:: max(len(rows) // 2000, 1)]]
    templates = seen.templates(sample).value_counts(sort=True)
    return tuple(templates.to_series(0).head(PATHS).to_list())
