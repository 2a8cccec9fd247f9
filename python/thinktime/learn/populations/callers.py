"""Callers: programs that use an interface, each by itself or many behind one address."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations import agents, pace
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.groups import grouped, least_of_its_own
from thinktime.learn.populations.population import LIKELY, SURE, UNSURE
from thinktime.learn.populations.streams import COARSE_S, Ints, Streams
from thinktime.learn.populations.waits import Waits, waits

LEAST = 50
"""With at least this many requests, a user without a program's name is judged by behaviour."""

REFERRED = 0.02
STAYS = 0.8
"""A user present for this share of the log stays."""

OBJECTS = 0.05
"""Pages embed images and scripts: a log with at least this share of them is that of a site."""

PAUSE_S = 1800.0

OVERLAPS = 0.02
"""A user with a larger share of overlapping requests makes several at a time."""

RUN = 60.0
"""This many requests in a session are a piece of work, not a visit."""


def find(seen: Evidence) -> list[Draft]:
    """Users with agents of programs, and users with many requests and without referrers."""
    kinds = seen.agent_kind
    named = (kinds != agents.BROWSER) & (kinds != agents.UNKNOWN)
    left = seen.left
    heavy = (left >= LEAST) & (seen.referred_share <= REFERRED)
    # If no request has a referrer, a browser's requests are those of a person.
    heavy &= (kinds == agents.UNKNOWN) | ((kinds == agents.BROWSER) & _referred_usually(seen))
    nobody = (kinds == agents.UNKNOWN) & (seen.referred_share <= REFERRED)
    if not seen.agents_logged and float(seen.is_object[seen.path].mean()) >= OBJECTS:
        # In a log without agents, a missing name says nothing: on a site of pages these are people.
        nobody[:] = False
        heavy &= seen.share_of_users(seen.is_object[seen.path]) == 0
    rows = seen.rows_of((named & (seen.referred_share < 0.3)) | heavy | nobody)
    if not len(rows):
        return []
    seen.free[rows] = False
    return [_draft(seen, part) for part in _parts(seen, rows)]


def _referred_usually(seen: Evidence) -> bool:
    return seen.referred_by((seen.requests_of < LEAST) & (seen.agent_kind == agents.BROWSER)) > 0.3


def _parts(seen: Evidence, rows: Ints) -> list[Ints]:
    """The parts by host, agent, and requested paths; small ones of a host together."""
    agent = seen.requests.users["agent"].to_numpy()[seen.user[rows]].astype(np.int64)
    host = seen.requests.rows["host"].to_numpy()[rows].astype(np.int64)
    agents_there = len(seen.requests.agents)
    key = host * (agents_there + 1) + agent
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    small = count[place] < least_of_its_own(seen)
    key[small] = host[small] * (agents_there + 1) + agents_there
    order = np.argsort(key, kind="stable")
    each = np.split(rows[order], np.flatnonzero(np.diff(key[order])) + 1)
    return [part for some in each for part in _by_paths(seen, some)]


def _by_paths(seen: Evidence, rows: Ints) -> list[Ints]:
    """Parts whose users request different paths: by the first parts of the paths."""
    least = least_of_its_own(seen)
    if len(rows) < least:  # then no part has a population of its own
        return [rows]
    streams, _ = seen.by_user(rows)
    everybody = np.ones(len(streams), dtype=bool)
    parts = grouped(seen, streams, everybody, by_pace=False, first_part=True)
    large = [part for part in parts if len(part) >= least]
    small = [part for part in parts if len(part) < least]
    return large + ([np.sort(np.concatenate(small))] if small else [])


def _draft(seen: Evidence, rows: Ints) -> Draft:
    streams, _ = seen.by_user(rows)
    staying = (streams.last - streams.first >= STAYS * seen.span_s) & (streams.counts >= 20)
    stay = float(streams.counts[staying].sum()) / len(rows)
    if pace.held(streams).any():
        found = pace.of(seen, rows)
        model, why, confidence = "closed", found.reason, found.confidence
        return _made(rows, model, why, confidence, found.clients, found.interval_s, found.think)
    waiting = waits(streams, PAUSE_S)
    if stay >= 0.9 and _one_at_a_time(streams, waiting, int(staying.sum())):
        return _workers(seen, rows, streams, waiting)
    if _by_intervals(seen, streams):
        found = pace.of(seen, rows)
        draft = _made(rows, "closed", found.reason, LIKELY, len(streams), found.interval_s)
        draft.think, draft.name = found.think, "readers"
        return draft
    each = len(rows) / max(_sessions(streams), 1)
    if stay >= 0.5:
        return _made(
            *(rows, "open"),
            f"{_who(len(streams))} all the time, with gaps as irregular as those of independent "
            "requests, and their sessions cannot be distinguished",
            UNSURE,
        )
    if each < 1.5:
        often = float((streams.counts > 1).mean())
        # An hourly client is seen once in a log of one hour.
        clear = each < 1.2 and often < 0.1 and seen.span_s >= 4 * PAUSE_S and len(streams) >= 200
        who = "1 user, who makes" if len(streams) == 1 else f"{len(streams):,} users, who make"
        text = f"{who} hardly ever a second request within half an hour"
        return _made(rows, "open", text, SURE if clear else LIKELY)
    if each >= RUN:
        hands = _under_way(streams)
        came = "1 user" if len(streams) == 1 else f"{len(streams)} users"
        text = f"{came} came for {each:.0f} requests without a pause, {hands:.3g} of them under "
        text += "way at a time, and left: programs that go through their work"
        return _made(rows, "closed", text, UNSURE, max(len(streams), round(hands)))
    who = "1 user comes and goes" if len(streams) == 1 else f"{len(streams):,} users come and go"
    text = f"{who}, with several requests in a session"
    return _made(rows, "partly-open", text, LIKELY if 2 < each < 20 else UNSURE)


def _by_intervals(seen: Evidence, streams: Streams) -> bool:
    """Whether users with few requests each return after the same time, as readers of feeds do."""
    step = seen.resolution_s
    gaps = streams.gaps
    if len(gaps) < 30 or (streams.counts > 1).sum() < 5:
        return len(streams) > 1 and bool(
            (seen.agent_kind[seen.user[streams.rows[:1]]] == agents.FEED_READER).all()
        )
    low, middle, high = np.quantile(gaps, [0.1, 0.5, 0.9])
    return bool(high < 1.3 * low + step and middle > 4 * step)


def _one_at_a_time(streams: Streams, waiting: Waits, staying: int) -> bool:
    """Whether each user waits for answers; unless shown otherwise, several quick ones do."""
    if waiting.confidence != UNSURE or staying < 2:
        return bool(waiting.waits) and waiting.confidence != UNSURE
    seldom = np.median(streams.overlaps) < OVERLAPS and np.median(pace.busy(streams)) < 1
    return waiting.waits is not False and bool(seldom)


def _workers(seen: Evidence, rows: Ints, streams: Streams, waiting: Waits) -> Draft:
    """Users who stay and make one request after another: a closed population."""
    spread = float(streams.counts.std() / streams.counts.mean())
    # Users with arrivals of their own have rates of their own; clones have the same rate.
    low, high = np.quantile(streams.gaps, [0.1, 0.9])
    exponential = low < 2 * seen.resolution_s or 10 < high / low < 50
    clones = len(streams) >= 3 and spread < 0.25
    confidence = LIKELY if clones and not exponential else UNSURE
    if waiting.waits:
        confidence = waiting.confidence
    who, ask = ("1 user is", "asks") if len(streams) == 1 else (f"{len(streams)} users are", "ask")
    text = (
        f"{who} there for the whole log, at nearly the same rate, and {ask} for one thing after "
        "another"
    )
    if waiting.waits is None and seen.resolution_s >= COARSE_S:
        text += f", as far as stamps in steps of {seen.resolution_s:g} s show"
    interval = float(np.median(streams.thinks[streams.thinks < PAUSE_S]))
    return _made(rows, "closed", text, confidence, len(streams), max(interval, 0.0), "varied")


def _under_way(streams: Streams) -> float:
    """The mean number of requests in progress while a user is present: clients, at any addresses.

    At least one; without durations it is not known.
    """
    there = float(streams.last.max() - streams.first.min())
    if streams.duration is None or there <= 0:
        return 1.0
    return max(float(streams.duration.sum()) / there, 1.0)


def _sessions(streams: Streams) -> int:
    return len(streams) + int((streams.gaps > PAUSE_S).sum())


def _who(users: int) -> str:
    return "1 user asks" if users == 1 else f"{users:,} users ask"


def _made(
    rows: Ints,
    model: str,
    reason: str,
    confidence: str,
    clients: int | None = None,
    interval_s: float | None = None,
    think: str | None = None,
) -> Draft:
    changes = {
        "open": "requests that wait for answers",
        "closed": "requests that overlap, or clients that come and go",
        "partly-open": "users who stay, or who ask only once",
    }
    return Draft(
        name="callers" if model != "closed" else "workers",
        kind="callers" if model != "closed" else "loop",
        model=model,
        rows=rows,
        reason=reason,
        would_change=changes[model],
        confidence=confidence,
        clients=clients,
        interval_s=interval_s,
        think=think,
    )
