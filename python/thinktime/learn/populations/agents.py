"""Programs that identify themselves, by agents' names.

Most names are those of the package `crawler-user-agents`, a list that many people maintain.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

BROWSER, UNKNOWN, PROGRAM, LIBRARY, MONITOR, FEED_READER, CRAWLER, SCANNER = range(8)
"""The kinds of agents: a browser; nothing, or a word without meaning; a program that has a name of
its own; a library or tool with which programs are written; a monitor or health check; a reader of
feeds; a crawler; a scanner for holes."""

TAGS = {
    "http-library": LIBRARY,
    "browser-automation": LIBRARY,
    "monitoring": MONITOR,
    "feed-reader": FEED_READER,
    "scanner": SCANNER,
}
"""The meaning of the list's tags. Programs with any other tag, or none, are crawlers."""

WORDS = {
    MONITOR: (
        "healthcheck|kube-probe|googlehc|pingdom|uptime|statuscake|nagios|check_http|zabbix"
        "|prometheus|blackbox|monitor|consul health|probe/"
    ),
    FEED_READER: "feed|rss",
    LIBRARY: (
        "curl/|wget|python-|python/|aiohttp|httpclient|http-client|httpx|libwww|lwp|java/|ruby"
        "|perl|okhttp|axios|node-fetch|undici|guzzle|postman|insomnia|resty|reqwest"
    ),
    PROGRAM: "mirall|webdav|davfs|davx5|dav/|gvfs|rclone|syncthing",
    CRAWLER: r"bot\b|bot/|crawl|spider|slurp|archiv|scrapy|validator|facebookexternalhit|\+http",
}
"""Words, in small letters, that identify programs and that the list lacks."""

PEOPLE = "cubot"
"""Phones whose names contain such a word."""

BROWSERS = r"^(Mozilla|Opera)/\d.*\("
"""Every browser has this in its name. A program with a name of its own does not."""


def kinds_of(agents: pl.Series) -> NDArray[np.uint8]:
    """The kind of each of the agents, by its name: one of the numbers above."""
    small = agents.str.to_lowercase()
    found = np.full(len(agents), PROGRAM, dtype=np.uint8)
    found[_has(agents, BROWSERS)] = BROWSER
    found[(agents.str.len_chars() <= 2).to_numpy()] = UNKNOWN
    human = _has(small, PEOPLE)
    for kind, words in reversed(WORDS.items()):
        found[_has(small, words) & ~human] = kind
    listed = np.flatnonzero(_any(agents, [pattern for pattern, _ in _list()]))
    if not len(listed):
        return found
    left = agents[listed]
    kinds = np.full(len(listed), CRAWLER, dtype=np.uint8)
    for tag, kind in TAGS.items():
        patterns = [pattern for pattern, tags in _list() if tag in tags]
        kinds[_any(left, patterns) & (kinds == CRAWLER)] = kind
    found[listed] = kinds
    return found


def crawler_mark_at(agent: str) -> int:
    """The place in a crawler's agent that identifies it; 0 if only the list does."""
    found = re.search(WORDS[CRAWLER], agent.lower())
    return found.start() if found else 0


def _has(texts: pl.Series, pattern: str) -> NDArray[np.bool_]:
    return texts.str.contains(pattern).fill_null(False).to_numpy()


def _any(agents: pl.Series, patterns: list[str]) -> NDArray[np.bool_]:
    if not patterns:
        return np.zeros(len(agents), dtype=bool)
    try:
        return _has(agents, "|".join(f"(?:{one})" for one in patterns))
    except pl.exceptions.PolarsError:
        # The list is written for Python's expressions, which can do more than these.
        whole = re.compile("|".join(patterns))
        return np.array([bool(whole.search(one)) for one in agents.to_list()], dtype=bool)


def _list() -> list[tuple[str, list[str]]]:
    """The patterns of the list, each with its tags."""
    from crawleruseragents import CRAWLER_USER_AGENTS_DATA

    return [(one["pattern"], one.get("tags", [])) for one in CRAWLER_USER_AGENTS_DATA]
