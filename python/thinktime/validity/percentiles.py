"""`percentiles`: which percentiles are known, and what the others need.

The rule is that of `results/independent_requests.py`, by which tables, objectives and comparisons
show a percentile or leave it out. So none that is shown is in doubt, and this check names the
others.
"""

from __future__ import annotations

import math

from thinktime.present import units
from thinktime.present.percentile import NEEDED, backed
from thinktime.results import independent_requests
from thinktime.results.finding import FINE, Finding, NoData
from thinktime.validity.evidence import Evidence

NAME = "percentiles"

WANTED = "p99"
"""If this one is known, nothing that most readers look for is missing."""


_ROOM = 1.1
"""A run as long as needed on average is too short half of the time."""


def check(seen: Evidence) -> Finding | None:
    """The percentiles that are known, of those that a table shows.

    Raises:
        NoData: if the p99 is not known.
    """
    if seen.succeeded <= 0:
        raise NoData("no request succeeded")
    if seen.summary.get(independent_requests.KEY) is None:
        raise NoData("the run is too short to tell how alike its response times are")
    worth = independent_requests.worth(seen.summary, seen.succeeded)
    known = [name for name in seen.percentiles if backed(name, worth)]
    missing = [name for name in seen.percentiles if name not in known]
    words = (
        f"{units.counted(seen.succeeded, 'request')} with a response time are worth about "
        f"{units.count(round(worth))} independent ones"
    )
    if known:
        words += f", enough for {units.listed(known)}"
    if not missing:
        return Finding(NAME, FINE, words)
    words += f": {units.listed(missing)} {'is' if len(missing) == 1 else 'are'} not known"
    if WANTED not in missing:
        return Finding(NAME, FINE, words)
    needed = NEEDED[WANTED]
    longer = f"run about {times_longer(worth)} times as long"
    raise NoData(f"{words}; {WANTED} needs {units.count(needed)}: {longer}")


def times_longer(worth: float) -> str:
    """How many times as long a run must be to know p99, as objectives say it, too.

    Args:
        worth: Its number of independent requests, which is too small.
    """
    times = NEEDED[WANTED] / max(worth, 1.0)
    return units.count(math.ceil(times)) if times > 2 else units.number(_ROOM * times, 2)
