"""`mix`: whether the populations whose arrivals end did so long before the run did.

Learned starts end with their log, and a health check never does. Most requests of a longer run are
then those of the others, and its figures are not those of the workload.
"""

from __future__ import annotations

from thinktime import _core
from thinktime.inputs.dicts import toml_of
from thinktime.present import units
from thinktime.results.finding import FINE, SPOILT, Finding, NoData
from thinktime.validity.evidence import Evidence

NAME = "mix"

CHANGED = 0.10
"""A share of the requests that changes by no more than this changes no figure of all by much."""

_LONGER = 1.1
"""A population ended early if the run lasts this many times as long."""


def check(seen: Evidence) -> Finding | None:
    """The share of populations that end until then, and in the whole run.

    Raises:
        NoData: if the requests of each population are not known.
    """
    if len(seen.populations) < 2 or seen.workload.arrivals_end_s is not None:
        return None  # alone, or nobody continues
    ends_s, (begin_s, end_s) = _ends_s(seen), seen.window
    if not ends_s:
        return None
    if seen.summary.get("by_population") is None or end_s <= begin_s:
        raise NoData("the requests of each population are not known")
    early_s = {name: at for name, at in ends_s.items() if end_s > _LONGER * at}
    shares = {name: _shares(seen, name, at) for name, at in early_s.items()}
    lost = {name: then - now for name, (then, now) in shares.items() if then - now > CHANGED}
    if not lost:
        return Finding(NAME, FINE, "no population ended so early that others make the figures")
    name = max(lost, key=lambda one: lost[one])
    (then, now), at = shares[name], units.seconds(early_s[name])
    return Finding(
        NAME,
        SPOILT,
        f"`{name}` has no arrivals after {at}, and the run lasted until {units.seconds(end_s)}: it "
        f"makes {units.percent(then)} of the requests until then, and {units.percent(now)} of all",
        f"end the run with it: `--duration {early_s[name]:.0f}s`",
    )


def _ends_s(seen: Evidence) -> dict[str, float]:
    """When the arrivals of populations end, of those that do."""
    ends = {one.name: arrivals_end_s(seen, one) for one in seen.workload.populations}
    return {name: at for name, at in ends.items() if at is not None}


def arrivals_end_s(seen: Evidence, one: _core.Population) -> float | None:
    """When the arrivals of one population end; None if they never do."""
    arrivals = {name: text for name, text in one.table["arrivals"].items() if text is not None}
    if arrivals["model"] == "closed":
        return None
    if arrivals["profile"] == "constant":
        del arrivals["profile"]  # the default, which a replayed log may not have
    alone = {"name": one.name or "alone", "arrivals": arrivals | {"model": "open"}}
    return _core.Workload(toml_of(alone), "", seen.workload.files).arrivals_end_s


def _shares(seen: Evidence, name: str, at_s: float) -> tuple[float, float]:
    """The share of a population in the requests until its end, and of all.

    Its rate until then is the planned one or, if that is unknown, as of a replayed log, the counted
    one.
    """
    now = seen.share_of([one["name"] == name for one in seen.populations])
    begin_s, end_s = seen.window
    many = float(seen.summary["requests"]) / seen.replications
    others = (1.0 - now) * many / (end_s - begin_s)
    own = {one.name: one.request_rate for one in seen.workload.populations}[name]
    if own is None:
        own = now * many / (at_s - begin_s) if at_s > begin_s else 0.0
    return own / (own + others) if own else 0.0, now
