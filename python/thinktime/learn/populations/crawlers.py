"""Crawlers: those that identify themselves, and those that behave as only crawlers do."""

from __future__ import annotations

import re

import numpy as np

from thinktime.learn.populations import agents
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.groups import grouped, least_of_its_own
from thinktime.learn.populations.population import LIKELY, SURE, UNSURE
from thinktime.learn.populations.streams import Flags, Floats, Ints
from thinktime.present import units

LEAST = 20
"""With at least this many requests, a user may be taken for a crawler by behaviour."""

CHANCE = 1e-6
"""The largest probability that all requests of a person lack a referrer, if most of people's have
one."""

UNREFERRED_LEAST = 100
"""Requests without a pause of half an hour, for a log without referrers."""

BROAD = 0.15
"""The share of a crawler's requests for paths that it has not requested before."""

PAUSE_S = 1800.0

SHOWN = 60
"""An agent is shown up to this length."""

MAIL = re.compile(r"[\w.+%-]+@[\w.-]+")


def declared(seen: Evidence) -> list[Draft]:
    """Users whose agents are those of crawlers."""
    rows = seen.rows_of(seen.agent_kind == agents.CRAWLER)
    if not len(rows):
        return []
    seen.free[rows] = False
    names = seen.requests.users["agent"].to_numpy()[seen.user[rows]]
    large = np.bincount(names, minlength=len(seen.requests.agents)) >= least_of_its_own(seen)
    parts = [rows[names == name] for name in np.flatnonzero(large)]
    parts.append(rows[~large[names]])
    return [_draft(seen, part, True, SURE) for part in parts if len(part)]


def hidden(seen: Evidence) -> list[Draft]:
    """Users whose agents are browsers or empty, and who go through a site as crawlers do."""
    left = seen.left
    quiet = (left >= LEAST) & (seen.referred_share <= 0.02)
    nameless = (seen.agent_kind == agents.BROWSER) | (seen.agent_kind == agents.UNKNOWN)
    quiet &= nameless
    if not quiet.any():
        return []
    usual = _usual_referrers(seen)
    objects = seen.is_object[seen.path]
    site_objects = float(objects[~quiet[seen.user]].mean()) if (~quiet[seen.user]).any() else 0.0
    rows = seen.rows_of(quiet)
    distinct = _distinct(seen, rows)
    broad = (distinct >= BROAD * left) & (distinct >= 10)
    bare = seen.share_of_users(objects) <= 0.02
    with np.errstate(divide="ignore"):
        # The probability that all of a person's pages lack a referrer, if each does independently.
        improbable = left * np.log(max(1 - usual, 1e-12)) < np.log(CHANCE)
    chosen = quiet & broad & bare & improbable
    weak = quiet & broad & bare & ~improbable & (left >= UNREFERRED_LEAST)
    weak &= _long_runs(seen, rows)
    # Without referrers the only evidence against a person is that no objects are requested.
    weak &= (distinct >= 0.5 * left) | (site_objects > 0.2)
    drafts = []
    for users, confidence in ((chosen, LIKELY), (weak, UNSURE)):
        part = seen.rows_of(users)
        if len(part):
            seen.free[part] = False
            drafts += _by_paths(seen, part, confidence)
    return drafts


def _usual_referrers(seen: Evidence) -> float:
    """The share of people's requests with a referrer: of browsers with few requests."""
    few = (seen.requests_of <= LEAST) & (seen.agent_kind == agents.BROWSER)
    return seen.referred_by(few) if seen.requests_of[few].any() else seen.referrers


def _distinct(seen: Evidence, rows: Ints) -> Floats:
    key = seen.user[rows].astype(np.uint64) << np.uint64(32) | seen.path[rows].astype(np.uint64)
    users = (np.unique(key) >> np.uint64(32)).astype(np.int64)
    return np.bincount(users, minlength=seen.users).astype(np.float64)


def _long_runs(seen: Evidence, rows: Ints) -> Flags:
    """Users with long runs without a pause: more than this many requests in each session."""
    streams, names = seen.by_user(rows)
    later = np.flatnonzero(streams.ids[1:] == streams.ids[:-1]) + 1
    pauses = np.bincount(streams.ids[later], streams.gaps > PAUSE_S, len(streams))
    found = np.zeros(seen.users, dtype=bool)
    found[names] = streams.counts / (pauses + 1) >= UNREFERRED_LEAST
    return found


def _by_paths(seen: Evidence, rows: Ints, confidence: str) -> list[Draft]:
    """A population for all that request the same templates of paths of a host."""
    streams, _ = seen.by_user(rows)
    parts = grouped(seen, streams, np.ones(len(streams), dtype=bool), by_pace=False)
    return [_draft(seen, part, False, confidence) for part in parts]


def _plain_agent(agent: str) -> str:
    """The agent without mail addresses; of a long one the part that identifies a crawler."""
    plain = MAIL.sub("...", agent)
    if len(plain) <= SHOWN:
        return plain
    mark_at = agents.crawler_mark_at(plain)
    begin = max(0, min(mark_at - SHOWN // 2, len(plain) - SHOWN))
    word = plain.find(" ", begin, mark_at + 1) if begin else 0
    begin = max(begin, word)
    return ("..." if begin else "") + plain[begin : begin + SHOWN]


def _agents_in_words(seen: Evidence, rows: Ints) -> str:
    """The agents of hidden crawlers; nothing for a log without agents."""
    if not seen.agents_logged:
        return ""
    nameless = np.unique(seen.agent_kind[seen.user[rows]] == agents.UNKNOWN)
    if len(nameless) == 2:
        return " with agents of browsers or none"
    return " without an agent" if nameless[0] else " with agents of browsers"


def _draft(seen: Evidence, rows: Ints, says_so: bool, confidence: str) -> Draft:
    streams, _ = seen.by_user(rows)
    lasting = float((streams.last - streams.first).max(initial=0.0))
    agent = seen.requests.agents[int(seen.requests.users["agent"][int(seen.user[rows[0]])])]
    thinks = streams.thinks[streams.thinks < PAUSE_S]
    interval = float(np.median(thinks)) if len(thinks) else None
    # A crawler is present while its requests are within an hour or two of each other.
    stays = lasting > 0.5 * seen.span_s and len(rows) >= 10
    who = f"agents such as `{_plain_agent(agent)}` say that they are crawlers"
    if not says_so:
        who = (
            f"{units.counted(len(streams), 'user')}{_agents_in_words(seen, rows)} asked for "
            f"{units.counted(len(rows), 'page')}, none of them found on another page, hardly one "
            "twice, and no object"
        )
    if stays:
        long = units.seconds(lasting)
        why = f"; each follows one answer with the next request, for {long}"
    else:
        why = "; they come and go"
    hands = round(len(rows) * (interval or 1.0) / max(lasting, 1e-9))
    return Draft(
        name="crawlers" if says_so else "hidden-crawlers",
        kind="crawler",
        model="closed" if stays else "partly-open",
        rows=rows,
        reason=who + why,
        would_change="users whose requests name the page before, or ask for images"
        if not says_so
        else "requests that do not wait for answers",
        confidence=LIKELY if confidence == SURE else confidence,
        clients=max(hands, 1) if stays else None,
        interval_s=interval,
        think="varied",
    )
