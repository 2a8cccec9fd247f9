"""All checks, in display order."""

from __future__ import annotations

from collections.abc import Callable

from thinktime.results.finding import UNSEEN, Finding, NoData
from thinktime.validity import (
    arrivals,
    counts,
    failures,
    generator,
    learned_model,
    link,
    load,
    mix,
    percentiles,
    profile,
    punctuality,
    steadiness,
    think_times,
    warm_up,
)
from thinktime.validity.evidence import Evidence

Check = Callable[[Evidence], Finding | None]
"""A check. It returns None for results of another kind, and raises `NoData` if it lacks data."""

CHECKS: dict[str, Check] = {
    learned_model.NAME: learned_model.check,
    generator.NAME: generator.check,
    link.NAME: link.check,
    punctuality.NAME: punctuality.check,
    arrivals.NAME: arrivals.check,
    think_times.NAME: think_times.check,
    load.NAME: load.check,
    mix.NAME: mix.check,
    profile.NAME: profile.check,
    warm_up.NAME: warm_up.check,
    steadiness.NAME: steadiness.check,
    counts.NAME: counts.check,
    failures.NAME: failures.check,
    percentiles.NAME: percentiles.check,
}
"""The checks by the names that docs/validity.md explains."""


def judge(seen: Evidence) -> list[Finding]:
    """The verdict of each check on a result, in the order of `CHECKS`."""
    found = []
    for name, check in CHECKS.items():
        try:
            one = check(seen)
        except NoData as why:
            one = Finding(name, UNSEEN, str(why))
        if one is not None:
            found.append(one)
    return found
