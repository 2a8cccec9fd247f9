"""People: all users without another known kind."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.pace_spread import spread_between
from thinktime.learn.populations.population import LIKELY, SURE, UNSURE
from thinktime.learn.populations.streams import Flags, Floats, Ints, Streams
from thinktime.learn.populations.waits import waits
from thinktime.present import units

PAUSE_S = 1800.0
"""A longer pause ends a session."""

BOTH = 0.05
"""If a smaller share of the users of a host request others, too, the host's users are a
population."""

LARGE = 0.02
EDGE = 0.1
"""The share of the log that counts as near its beginning, if that is less than a pause."""

STAYS = 0.8
"""A user present for this share of the log, at its beginning and its end, stays."""

RESIDENT, STAYING = 0.02, 0.5
"""From this share of the requests on, users who stay may be a population beside visitors; from the
other one on, other users may be no visitors."""

SOON = 0.25
"""Visitors are there for less than this share of the log."""

ONE_PERSON, BURSTS = 0.7, 2.5
"""The least share of chained pages, and the bound of unevenness, of one person behind an address;
see `_chained` and `_bursts`."""

CUT = 0.5
"""If this share of sessions may be cut off by the log's edges, the verdict is unsure."""

ONCE = 1.2
"""Sessions of fewer pages are single requests."""

UNLIKE = 0.2
"""If this share of the spread of pauses lies between users, there may be several kinds of people;
tabs and shared addresses alone give less than half of it."""

MOVED = 0.4
"""If users change their addresses, a user's first page has a referrer on the site as often as later
ones; otherwise it hardly ever has. From this ratio on they may change them."""

MOVED_LEAST = 100
"""With fewer first pages that is not judged."""

SHARED_FROM = 3
"""From this many browsers on, an address is not one person's home."""


def find(seen: Evidence) -> list[Draft]:
    """The rows that are left, by their sites."""
    rows = np.flatnonzero(seen.free)
    seen.free[rows] = False
    return [_draft(seen, part) for site in _sites(seen, rows) for part in _kinds(seen, site)]


def _kinds(seen: Evidence, rows: Ints) -> list[Ints]:
    """Visitors, and users who stay: the latter are clients, and no long sessions of the former.

    In one population, sessions as long as the log would have to begin within it, and more of them
    at a higher rate would not be there together. Those who stay are told only if others come and go
    soon, and if each is one person.
    """
    streams, _ = seen.by_user(rows)
    staying = _staying(seen, streams)
    stay = float(streams.counts[staying].sum()) / len(rows)
    if stay < RESIDENT or np.count_nonzero(~staying) < MOVED_LEAST:
        return [rows]
    lasts_s = (streams.last - streams.first)[~staying]
    soon = float(np.quantile(lasts_s, 0.99)) < SOON * seen.span_s
    if not soon or _chained(seen, streams, staying) < ONE_PERSON:
        return [rows]
    if _bursts(seen, streams, staying) >= BURSTS:
        return [rows]
    there = staying[streams.ids]
    return [np.sort(streams.rows[~there]), np.sort(streams.rows[there])]


def _sites(seen: Evidence, rows: Ints) -> list[Ints]:
    """Rows by host, if users do not go from one to another; otherwise all in one."""
    if len(seen.requests.hosts) < 2 or not len(rows):
        return [rows] if len(rows) else []
    hosts = seen.requests.rows["host"].to_numpy()[rows].astype(np.int64)
    pairs = np.unique(hosts << 32 | seen.user[rows].astype(np.int64))
    hosts_of = np.bincount(pairs & 0xFFFFFFFF, minlength=seen.users)
    several = (hosts_of[pairs & 0xFFFFFFFF] > 1).astype(np.float64)
    shared = np.bincount(pairs >> 32, several) / np.maximum(np.bincount(pairs >> 32), 1)
    large = np.bincount(hosts) >= LARGE * len(rows)
    own = [host for host in np.flatnonzero(large) if shared[host] < BOTH]
    parts = [rows[hosts == host] for host in own]
    parts.append(rows[~np.isin(hosts, own)])
    return [part for part in parts if len(part)]


def _draft(seen: Evidence, rows: Ints) -> Draft:
    streams, _ = seen.by_user(rows)
    paged = _of_pages(seen, rows, streams)
    sessions = len(paged) + int((paged.gaps > PAUSE_S).sum())
    each = len(paged.rows) / sessions
    staying = _staying(seen, streams)
    stay = float(streams.counts[staying].sum()) / len(rows)
    chained = _chained(seen, streams, staying) if stay >= STAYING else 1.0
    bursts = _bursts(seen, streams, staying) if stay >= STAYING else 1.0
    about = units.counted(len(streams), "user")
    if (moved := _moved(seen, paged)) and stay < STAYING:
        about += (
            f"; but {units.percent(moved)} of users' first pages were found on another page of the "
            "site: "
        )
        about += "addresses seem to change from page to page, and sessions cannot be told"
        model = "open" if each < ONCE else "partly-open"
        return _people(rows, model, about, "something that names the user in each line", UNSURE)
    if stay >= 0.8 and chained >= ONE_PERSON and bursts < BURSTS:
        return _closed(seen, rows, streams, staying, stay, chained)
    if stay >= STAYING:
        text = f"{len(streams):,} addresses with their agents are there all the time, but what "
        text += "they ask for is not one person's: many people come and go behind them"
        sure = LIKELY if chained < 0.9 or bursts > 4 else UNSURE
        return _people(rows, "partly-open", text, "an address for each user", sure)
    return _visitors(seen, rows, paged, sessions, stay, about, alone=len(streams) == 1)


def _visitors(
    seen: Evidence,
    rows: Ints,
    paged: Streams,
    sessions: int,
    stay: float,
    about: str,
    *,
    alone: bool,
) -> Draft:
    """People who come and go."""
    each = len(paged.rows) / sessions
    if each < ONCE:
        sure = SURE if each < 1.1 and sessions >= 500 else UNSURE
        if sure == SURE and not seen.agents_logged:
            sure = LIKELY
        asks = "asks" if alone else "ask"
        about += f", who hardly ever {asks} for a second page within half an hour"
        return _people(rows, "open", about, "sessions of several pages", sure)
    sure = LIKELY if each < 1.5 or sessions < 200 or seen.span_s < 4 * PAUSE_S else SURE
    unlike = spread_between(paged, PAUSE_S, seen.resolution_s)
    if stay > 0.1 or unlike >= UNLIKE or (sure == SURE and not seen.agents_logged):
        sure = LIKELY
    if sessions < 30:
        sure = UNSURE
    does = "comes, asks for several pages, and goes"
    about += f", who {does if alone else 'come, ask for several pages, and go'}"
    # At any moment this many are in progress, and so also at the log's begin and at its end.
    under_way = float(paged.gaps[paged.gaps <= PAUSE_S].sum()) / max(seen.span_s, 1e-9)
    if 2 * under_way > CUT * sessions:
        sure = UNSURE
        about += "; but the log's begin or end may cut most of their sessions"
    if unlike >= UNLIKE:
        about += (
            f"; {units.percent(unlike)} of the spread of their pauses lies between users: there "
            "may be several kinds of people among them, each with a pace of its own"
        )
    return _people(rows, "partly-open", about, "users who stay for the whole log", sure)


def _of_pages(seen: Evidence, rows: Ints, streams: Streams) -> Streams:
    """The streams of pages alone; of all requests, if there are no pages among them."""
    if not seen.is_object.any():
        return streams
    pages = rows[~seen.is_object[seen.path[rows]]]
    if len(pages) in (0, len(rows)):
        return streams
    return seen.by_user(pages)[0]


def _moved(seen: Evidence, paged: Streams) -> float:
    """The share of users' first pages with a referrer on the site; 0 if that is by chance.

    It leaves out those near the log's beginning, whose users were there before, and those with the
    referrer `/`: search engines give only that, too.
    """
    late = paged.starts[paged.first > min(PAUSE_S, EDGE * seen.span_s)]
    if len(late) < MOVED_LEAST or not len(paged.inner):
        return 0.0
    root = seen.requests.paths["path"].index_of("/")
    referrer = seen.requests.rows["referrer"].gather(paged.rows)
    found_on = referrer.fill_null(seen.requests.paths.height).to_numpy()

    def shares(of: Ints) -> Floats:
        """The shares of these pages by the page of the site that is their referrer."""
        count = np.bincount(found_on[of], minlength=seen.requests.paths.height + 1)[:-1]
        if root is not None:
            count[root] = 0
        return count / len(of)

    others = shares(paged.inner)
    # Another site's page may have the path of one here, but other pages here do not have it as
    # referrer.
    firsts = float(np.minimum(shares(late), others).sum())
    return firsts if firsts >= MOVED * others.sum() and others.sum() >= BOTH else 0.0


def _staying(seen: Evidence, streams: Streams) -> Flags:
    lasts = (streams.last - streams.first) >= STAYS * seen.span_s
    return np.asarray(lasts & (streams.counts >= 10))


def _chained(seen: Evidence, streams: Streams, staying: Flags) -> float:
    """How often a page has the one before it as referrer, if it has any.

    For one person that is nearly always so; for several behind one address seldom. Without
    referrers, users with more than a page in five seconds are taken for several, unless no page
    comes before the answer to the one before.
    """
    page = ~seen.is_object[seen.path[streams.rows]] & staying[streams.ids]
    ids, rows = streams.ids[page], streams.rows[page]
    after = np.flatnonzero(ids[1:] == ids[:-1]) + 1
    told = after[seen.referred[rows[after]]]
    if len(told) <= 0.05 * len(rows):
        if waits(seen.by_user(rows)[0], PAUSE_S).waits:
            return 1.0
        (middle,) = streams.quantiles(streams.gaps, 0.5)
        return float((middle[staying] > 5.0).mean())
    found = seen.requests.rows["referrer"].gather(rows[told]).to_numpy()
    return float((found == seen.path[rows[told - 1]]).mean())


def _bursts(seen: Evidence, streams: Streams, staying: Flags) -> float:
    """The unevenness of the requests of users who stay.

    Visits with pauses between them are more uneven than independent requests, which have 1.
    """
    found = streams.dispersion[staying]
    found = found[np.isfinite(found)]
    return float(np.median(found)) if len(found) else 1.0


def _closed(
    seen: Evidence,
    rows: Ints,
    streams: Streams,
    staying: Flags,
    stay: float,
    chained: float,
) -> Draft:
    clients = int(staying.sum())
    longest = np.zeros(len(streams))
    inner = np.flatnonzero(streams.ids[1:] == streams.ids[:-1]) + 1
    np.maximum.at(longest, streams.ids[inner], streams.gaps)
    away = float(np.median(longest[staying])) if clients else 0.0
    sure = LIKELY if stay >= 0.9 and clients >= 5 and chained >= 0.9 else UNSURE
    if (
        sure == LIKELY
        and stay >= 0.95
        and clients >= 20
        and seen.span_s > 4 * PAUSE_S
        and away < 0.1 * seen.span_s
    ):
        sure = SURE
    if not seen.referrers:
        sure = LIKELY if sure == SURE else sure
    who = units.counted(len(streams), "user")
    who = who if len(streams) == 1 else f"{clients} of {who}"
    does = ("is", "makes") if clients == 1 else ("are", "make")
    text = (
        f"{who} {does[0]} there for the whole log, and {does[1]} {units.percent(stay)} of the "
        "requests"
    )
    if _shared(seen, rows) > 0.5:
        sure = UNSURE
        text += "; most of them share an address with others: they may be many people behind few"
    draft = _people(rows, "closed", text, "users who come and go", sure)
    draft.clients = clients
    return draft


def _shared(seen: Evidence, rows: Ints) -> float:
    """The share of the requests from addresses with several agents."""
    there = np.unique(seen.user[rows])
    addresses = seen.requests.users["address"].to_numpy()
    agents_of = np.bincount(addresses[there], minlength=int(addresses.max()) + 1)
    return float((agents_of[addresses[seen.user[rows]]] >= SHARED_FROM).mean())


def _people(rows: Ints, model: str, reason: str, change: str, confidence: str) -> Draft:
    return Draft("people", "people", model, rows, reason, change, confidence, programs=False)
