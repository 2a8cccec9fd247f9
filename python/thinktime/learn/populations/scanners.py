"""Scanners: programs that look for paths that do not exist."""

from __future__ import annotations

import numpy as np

from thinktime.learn.populations import agents
from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.evidence import Evidence, among
from thinktime.learn.populations.population import LIKELY, SURE
from thinktime.learn.populations.streams import Flags, Floats, Ints
from thinktime.present import units

LEAST = 5
MISSED = 0.5
"""The share of a scanner's requests that are not found, or refused."""

THEIRS = 0.8
"""A path that is never found belongs to scanners if they make this share of its requests."""

PAUSE_S = 1800.0


def find(seen: Evidence) -> list[Draft]:
    """Users most of whose requests are not found, on several paths; and their paths."""
    # 401 and 403 are answers to people, too, who then log in.
    missing = among(seen.status, 400, 403, 404, 405, 410) & seen.free
    if not missing.any():
        return []
    share = seen.share_of_users(missing)
    count = seen.left
    clear = (share >= MISSED) & (count >= LEAST)
    clear &= _unlikely(share, count, max(3 * _others(seen, missing, share), 0.05), seen.users)
    clear &= _several(seen, missing) >= 3
    clear |= (seen.agent_kind == agents.SCANNER) & (count > 0)
    if not clear.any():
        return []
    paths = seen.requests.paths.height
    all_of = np.bincount(seen.path, minlength=paths)
    lost = np.bincount(seen.path[missing], minlength=paths) >= 0.95 * all_of
    theirs = np.bincount(seen.path[clear[seen.user]], minlength=paths) >= THEIRS * all_of
    suspect = (lost & theirs)[seen.path] & seen.free
    rest = (np.bincount(seen.user[suspect], minlength=seen.users) >= MISSED * count) & (count > 0)
    rows = seen.rows_of(clear | rest)
    seen.free[rows] = False
    return [_draft(seen, rows, float(missing[rows].mean()), float(missing.mean()))]


def _draft(seen: Evidence, rows: Ints, found: float, usual: float) -> Draft:
    streams, _ = seen.by_user(rows)
    lasting = float(np.median(streams.last - streams.first))
    stays = lasting > 0.5 * seen.span_s
    thinks = streams.thinks[streams.thinks < PAUSE_S]
    return Draft(
        name="scanners",
        kind="scanner",
        model="closed" if stays else "partly-open",
        rows=rows,
        reason=f"{units.percent(found)} of the requests of {units.counted(len(streams), 'user')} "
        f"found nothing (of all requests {units.percent(usual)}), on "
        f"{units.counted(len(np.unique(seen.path[rows])), 'path')}; "
        f"{'the user was' if len(streams) == 1 else 'half of the users were'} gone after "
        f"{units.seconds(lasting)}",
        would_change="users who leave" if stays else "users who stay",
        confidence=SURE if not stays and len(streams) >= 5 else LIKELY,
        clients=len(streams) if stays else None,
        interval_s=max(float(np.median(thinks)), 0.0) if len(thinks) else None,
        think="varied",
    )


def _unlikely(share: Floats, count: Ints, usual: float, users: int) -> Flags:
    """Whether no user of this many would miss this often by chance.

    Chernoff's bound: of n requests at least the share s misses with a probability of at most
    exp(-n D), D the divergence of s from the usual share; here once in 150 logs.
    """
    usual = min(usual, 0.4)
    share = np.clip(share, usual, 1 - 1e-9)
    divergence = share * np.log(share / usual) + (1 - share) * np.log((1 - share) / (1 - usual))
    return np.asarray(count * divergence > np.log(max(users, 1)) + 5)


def _others(seen: Evidence, missing: Flags, share: Floats) -> float:
    """The share of unsuspected users' requests that are not found."""
    innocent = (share < MISSED)[seen.user]
    return float(missing[innocent].mean()) if innocent.any() else 0.0


def _several(seen: Evidence, missing: Flags) -> Ints:
    """The number of paths of each user that were not found."""
    rows = np.flatnonzero(missing)
    key = seen.user[rows].astype(np.uint64) << np.uint64(32) | seen.path[rows].astype(np.uint64)
    users = (np.unique(key) >> np.uint64(32)).astype(np.int64)
    return np.bincount(users, minlength=seen.users)
