"""Why a dispatch policy does better than others, by the figures of its servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from thinktime import _core
from thinktime.present import units
from thinktime.sweeps.curves import Row

_APART = 0.03
"""Shares that are closer than this explain nothing."""


def _hits(share: float) -> str:
    return f"its caches have {units.percent(share)} of the responses that requests need"


def _even(share: float) -> str:
    return f"its busiest server has {units.percent(share)} more load than the mean"


def _behind(share: float) -> str:
    return f"of its slowest hundredth of requests {units.percent(share)} queue behind heavy ones"


_FIGURES: Sequence[tuple[str, Callable[[float], str], int]] = (
    ("hit_ratio", _hits, 1),
    ("imbalance", _even, -1),
    ("behind_heavy", _behind, -1),
)
"""A figure, its phrase about a policy, and whether more of it is good (1) or bad (-1)."""


def reasons(rows: Mapping[str, Row], best: str, wanted: Sequence[str]) -> list[str]:
    """The reasons for a policy against those that are not wanted, and the reasons against it."""
    others = [policy for policy in rows if policy not in wanted]
    good: list[str] = []
    bad: list[str] = []
    for name, say, sign in _FIGURES:
        mine = rows[best].get(name)
        known = {one: rows[one][name] for one in others if rows[one].get(name) is not None}
        if mine is None or not known:
            continue
        for found, side in ((good, sign), (bad, -sign)):
            apart = {one: share for one, share in known.items() if side * (mine - share) > _APART}
            if apart:
                beside = [f"{units.percent(share)} under {one}" for one, share in apart.items()]
                found.append(f"{say(mine)} ({units.listed(beside)})")
    phrases = [f"Why: {_clauses(good)}."] if good else []
    if not good:
        phrases = ["Hit ratios, loads of servers and heavy requests do not explain it."]
    return phrases + ([f"Against it: {_clauses(bad)}."] if bad else [])


def dependence(wanted: Sequence[str], worse: Sequence[str]) -> list[str]:
    """What the order depends on if the URL decides under some of the policies alone.

    A workload file often guesses the number of URLs, and the order may turn round with it.
    """
    policies = [*wanted, *worse]
    by_url = [one for one in policies if one.partition("(")[0] in _by_target()]
    if not 0 < len(by_url) < len(policies):
        return []
    return [
        f"The order depends on the number of URLs and on caches: under {units.listed(by_url)} the "
        "URL decides the server, so few URLs with most of the demand gather at one server, and "
        "files that do not fit into one cache are spread over all. Vary both, too; the study of "
        "ClubWeb (docs/studies-clubweb.md) has both orders."
    ]


@cache
def _by_target() -> frozenset[str]:
    """The names of the dispatch policies that need the target of a request."""
    listed = _core.dispatch_policies()
    return frozenset(usage.partition("(")[0] for usage, _, needs, _ in listed if "targets" in needs)


def _clauses(parts: Sequence[str]) -> str:
    return "; ".join(parts)
