"""Further findings that a reader of a log should know before trusting the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from thinktime.learn.populations import agents
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence, among
from thinktime.learn.populations.outages import outages_s
from thinktime.learn.populations.people import SHARED_FROM
from thinktime.learn.populations.population import Finding
from thinktime.learn.populations.streams import Ints
from thinktime.learn.starts.coverage import Coverage, silences
from thinktime.present import units

HEAVY = 0.1
"""An address with at least this share of people's requests is heavy."""

ERRORS = 0.05
ENOUGH = 2000
"""With fewer requests, overload is not judged."""

EDGES = 0.05
PAUSE_S = 1800.0


def findings(seen: Evidence, drafts: list[Draft]) -> tuple[Finding, ...]:
    """All findings, in the order of reading."""
    if not len(seen):
        return ()
    rows = _together([draft.rows for draft in drafts if not draft.programs], len(seen))
    rules = RULES if seen.requests.populations is None else OF_RESULTS
    return tuple(finding for rule in rules for finding in rule(seen, rows))


def _together(parts: list[Ints], rows: int) -> Ints:
    """The rows of all parts, in order."""
    if len(parts) == 1:
        return parts[0]
    there = np.zeros(rows, dtype=bool)
    for part in parts:
        there[part] = True
    return np.flatnonzero(there)


def _requests_of(seen: Evidence, people: Ints) -> Ints:
    """The number of people's requests of each user."""
    if len(people) == len(seen):
        return seen.requests_of
    return np.bincount(seen.user[people], minlength=seen.users)


def one_address(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """A proxy hides its users, or one address has many people."""
    if not len(people):
        return
    address, requests = seen.requests.users["address"].to_numpy(), _requests_of(seen, people)
    counts = np.bincount(address, requests)
    share = float(counts.max()) / len(people)
    browsers = int(np.count_nonzero(requests[address == counts.argmax()]))
    if share > 0.9 and len(people) >= 1000:
        yield Finding(
            "one address",
            f"one address has {units.percent(share)} of people's lines: a proxy hides the users, "
            "and sessions cannot be distinguished; let it log the users' addresses "
            "(X-Forwarded-For)",
            share,
        )
    elif share > HEAVY and browsers >= SHARED_FROM and len(people) >= 1000:
        yield Finding(
            "heavy address",
            f"one address makes {units.percent(share)} of people's requests, by {browsers} "
            "agents: many people are behind it, so their sessions seem longer than they are",
            share,
        )


def shared_addresses(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Addresses with several agents: some of their users have the same one."""
    if not len(people):
        return
    addresses, requests = seen.requests.users["address"].to_numpy(), _requests_of(seen, people)
    agents_of = np.bincount(addresses[requests > 0], minlength=int(addresses.max()) + 1)
    shared = agents_of[addresses] >= SHARED_FROM
    share = float(requests[shared].sum() / len(people))
    if share > HEAVY and (agents_of >= SHARED_FROM).sum() > 1:
        yield Finding(
            "shared addresses",
            f"{(agents_of >= SHARED_FROM).sum():,} addresses with {SHARED_FROM} or more agents "
            f"make {units.percent(share)} of people's requests: users of the same browser behind "
            "one count as one, so sessions seem fewer and longer than they were",
            share,
        )


def holes(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Times without a line that are too long for chance: lost lines, or an absent server."""
    if len(seen) < 200 or not seen.span_s:
        return
    lost = Coverage(seen.span_s, silences(seen.time, seen.span_s))
    if lost.mostly_lost:
        long_s = np.diff(lost.lost).ravel()
    else:
        long_s = outages_s(seen.time, seen.resolution_s, seen.span_s)
    if len(long_s):
        missing = float(long_s.sum()) / seen.span_s
        left_out = "; the workload file leaves these times out: its rates are those of the rest"
        yield Finding(
            "holes",
            f"{units.counted(len(long_s), 'time')} without a line, {units.percent(missing)} of "
            f"the log, the longest of {units.seconds(float(long_s.max()))}: lines were lost, or "
            f"the server did not answer{left_out if lost.mostly_lost else ''}",
            missing,
        )


def bunches(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Stamps of a collector rather than of requests."""
    step = seen.resolution_s
    if seen.bunch_s or (step > 1 and len(seen)):
        yield Finding(
            "bunched stamps",
            f"stamps come every {max(seen.bunch_s, step):g} s, with many requests each: they are a "
            "collector's, and nothing within that time can be told",
            1.0,
        )


def errors(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Answers of 500 or more, no answer, or clients that gave up."""
    failed = (seen.status >= 499) | (seen.status == 0)
    share = float(failed.mean())
    if share >= ERRORS and len(seen) >= 200:
        refused = float(among(seen.status, 499, 502, 503, 504).mean())
        yield Finding(
            "errors",
            f"{units.percent(share)} of the requests failed ({units.percent(refused)} gave up or "
            "were refused): retries add to the requests",
            share,
        )


def away(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Short times in which nearly all requests fail, as during a release."""
    parts = min(len(seen) // 100, 200)
    if parts < 10:
        return
    refused = among(seen.status, 0, 502, 503, 504)
    if not refused.any():
        return
    place = np.minimum((seen.time / max(seen.span_s, 1e-9) * parts).astype(np.int64), parts - 1)
    count = np.bincount(place, minlength=parts)
    failed = np.bincount(place, refused, parts) / np.maximum(count, 1)
    out = (failed > 0.3) & (count >= 20)
    if 0 < out.mean() < 0.2:
        yield Finding(
            "away",
            f"in {out.sum()} of {parts} parts of the log more than three of ten requests were "
            "refused: the server was away, or full",
            float(out.mean()),
        )


def overload(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Times in which answers take much longer, or are refused, and many are in progress.

    By people's requests, if they are enough: a program with slow requests is no overload.
    """
    if seen.duration is None or len(seen) < ENOUGH:
        return
    time, duration = seen.time, seen.duration
    if len(people) >= ENOUGH:
        time, duration = time[people], duration[people]
    parts = min(len(time) // 200, 100)
    place = np.minimum((time / max(seen.span_s, 1e-9) * parts).astype(np.int64), parts - 1)
    count = np.maximum(np.bincount(place, minlength=parts), 1)
    taken = np.bincount(place, duration, parts) / count
    usual = float(np.median(taken))
    slow = (taken > 3 * usual) & (count > 20)
    share = float(slow[place].mean())
    if share > 0.01 and usual > 0 and float(taken.max()) > 5 * usual:
        yield Finding(
            "overload",
            f"for {units.percent(slow.mean())} of the log answers took "
            f"{taken[slow].mean() / usual:.1f} times as long as usual: the server was overloaded, "
            "and what people did then is not what they would do",
            share,
        )


def edges(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """Users who were present at the beginning or the end of the log: their sessions are cut."""
    if not len(people):
        return
    streams, _ = seen.by_user(people)
    counts, first, last = streams.counts, streams.first, streams.last
    near = min(PAUSE_S, 0.1 * seen.span_s)
    end = seen.span_s - near
    cut = ((first < near) & (last > near)) | ((last > end) & (first < end))
    # A user who is there all the time is not a visitor, or is several.
    cut &= last - first < 0.5 * seen.span_s
    share = float(counts[cut].sum()) / len(people)
    # A log that is long compared with its sessions cuts few of them.
    if share > EDGES and np.average(last - first, weights=counts) > 0.05 * seen.span_s:
        yield Finding(
            "cut by the edges",
            f"users who make {units.percent(share)} of people's requests were there near the "
            "log's begin or end: their sessions are longer than the log shows",
            share,
        )


def no_agents(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """No agents are logged: users are addresses."""
    if len(people) and not seen.agents_logged:
        yield Finding(
            "no agents",
            "the log does not say which program asked (User-Agent): users are told apart by their "
            "addresses, and programs from people by what they do alone",
            1.0,
        )


def nameless(seen: Evidence, people: Ints) -> Iterator[Finding]:
    """No referrers are logged."""
    browsers = seen.requests_of[seen.agent_kind == agents.BROWSER].sum() / len(seen)
    if browsers > 0.2 and seen.referrers < 0.02:
        yield Finding(
            "no referrers",
            "no request says on which page it was found: crawlers that call themselves browsers "
            "can hardly be told from people",
            float(browsers),
        )


RULES: list[Callable[[Evidence, Ints], Iterator[Finding]]] = [
    one_address,
    shared_addresses,
    holes,
    bunches,
    overload,
    away,
    errors,
    edges,
    no_agents,
    nameless,
]

OF_RESULTS = [holes, bunches, overload, away, errors, edges]
"""Own results give the session of each request: no user is hidden there."""
