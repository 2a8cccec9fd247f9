"""Populations that the log itself names: the rows are given, and their behaviour is judged."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from thinktime.learn.logs.own_results import pages_of
from thinktime.learn.logs.requests import Requests
from thinktime.learn.logs.row_order import stable_order
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.population import LIKELY, UNSURE
from thinktime.learn.populations.streams import Ints
from thinktime.present import units

Judge = Callable[[Evidence], list[Draft]]
"""A function that separates populations."""

MOSTLY = 0.8
"""A verdict on a smaller share of a population's pages is not without doubt."""

STAYS = 0.8
"""A session that lasts for this share of the log stays."""

STAYING = 0.5
"""The least share of a closed population's pages in sessions that stay."""

ONCE = 1.2
"""Sessions of fewer pages are single requests."""


def find(requests: Requests, judge: Judge) -> list[Draft]:
    """The populations that the log names, each judged for itself by its pages.

    If ``judge`` separates one of them into parts, the verdict on the largest part counts.
    """
    assert requests.populations is not None
    of_row = requests.rows["population"].to_numpy()
    order = stable_order(of_row).astype(np.int64)
    numbers, begins = np.unique(of_row[order], return_index=True)
    drafts = []
    for number, rows in zip(numbers.tolist(), np.split(order, begins[1:]), strict=True):
        pages = pages_of(replace(requests, rows=requests.rows[rows]))
        found = max(judge(Evidence(pages)), key=lambda draft: len(draft.rows))
        if len(found.rows) < MOSTLY * len(pages):
            found.confidence = UNSURE
        name = plain_name(requests.populations[int(number)]) or found.name
        drafts.append(replace(_by_sessions(found, pages, requests.span_s), name=name, rows=rows))
    return drafts


def plain_name(name: str) -> str:
    """A name in the form for a workload file: letters, digits, `-` and `_`, and no key of [slo].

    That of a result is one already, unless another program wrote the rows.
    """
    plain = "".join(one if one.isalnum() or one in "-_" else " " for one in name)
    plain = "-".join(plain.split())
    taken = plain in ("errors", "check") or re.match("(page_)?p[0-9]", plain) is not None
    return f"population-{plain}" if taken else plain


def _by_sessions(draft: Draft, pages: Requests, span_s: float) -> Draft:
    """The same, corrected if it contradicts the log's sessions.

    Each page of a session waits for the one before: sessions of several pages are no open
    population, and sessions that come and go no closed one.
    """
    user = pages.rows["user"].to_numpy()
    time_s = pages.rows["time_ns"].to_numpy() * 1e-9
    counts = np.bincount(user)
    there = counts > 0
    sessions, each = int(there.sum()), len(user) / int(there.sum())
    staying = _there_s(user, time_s, len(counts)) >= STAYS * span_s
    stays = float(counts[staying & there].sum()) / len(user)
    model = "open" if each < ONCE else "closed" if stays >= STAYING else "partly-open"
    if model == draft.model:
        return replace(draft, clients=sessions) if model == "closed" else draft
    many = "1 session" if sessions == 1 else f"{sessions:,} sessions"
    pace_words = f"{many} of {each:.2f} pages, as the log says: "
    does, changes = {
        "open": ("each asks once", "sessions of several pages"),
        "closed": (
            f"{units.percent(stays)} of the pages are of those that stay",
            "sessions that end",
        ),
        "partly-open": ("they come, ask several times and go", "sessions that stay"),
    }[model]
    return replace(
        draft, kind="callers", model=model, reason=pace_words + does, would_change=changes,
        confidence=UNSURE if sessions < 30 and model != "closed" else LIKELY,
        clients=sessions if model == "closed" else None, interval_s=None, think=None,
    )  # fmt: skip


def _there_s(user: Ints, time_s: NDArray[np.float64], users: int) -> NDArray[np.float64]:
    """The duration of each session, from the first page to the last."""
    first, last = np.full(users, np.inf), np.full(users, -np.inf)
    np.minimum.at(first, user, time_s)
    np.maximum.at(last, user, time_s)
    there_s: NDArray[np.float64] = last - first
    return there_s
