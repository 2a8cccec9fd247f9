"""`mix`: whether the populations whose arrivals end did so long before the run did.

Learned starts end with their log, and a health check never does. Most requests of a longer run are
then those of the others, and its figures are not those of the workload.
"""

from __future__ import annotations

from thinktime import _core
from thinktime.inputs.dicts import toml_of
from thinktime.present import units
from thinktime.results.finding import FINE, SPOILT, Finding, Unseen
from thinktime.validity.evidence import Evidence

NAME = "mix"

CHANGED = 0.10
"""A share of the requests that changes by no more than this changes no figure of all by much."""

_LONGER = 1.1
"""A population ended early if the run lasts this many times as long."""


def check(seen: Evidence) -> Finding | None:
    """The share of populations that end, until then and in the whole run."""
    if len(seen.populations) < 2 or seen.workload.arrivals_end_s is not None:
        return None  # alone, or nobody continues
    ends_s, end_s = _ends_s(seen), seen.window[1]
    if not ends_s:
        return None
    if seen.summary.get("by_population") is None or not seen.summary.get("requests"):
        raise Unseen("the requests of each population are not known")
    early_s = {name: at for name, at in ends_s.items() if end_s > _LONGER * at}
    shares = {name: _shares(seen, name, at / end_s) for name, at in early_s.items()}
    lost = {name: then - now for name, (then, now) in shares.items() if then - now > CHANGED}
    if not lost:
        return Finding(NAME, FINE, "no population ended so early that others make the figures")
    name = max(lost, key=lambda one: lost[one])
    (then, now), at = shares[name], units.seconds(early_s[name])
    return Finding(
        NAME,
        SPOILT,
        f"`{name}` has no arrivals after {at}, and the run lasted until {units.seconds(end_s)}: it "
        f"made {units.percent(then)} of the requests until then, and makes {units.percent(now)} of "
        "all",
        f"end the run with it: `--duration {early_s[name]:.0f}s`",
    )


def _ends_s(seen: Evidence) -> dict[str, float]:
    """When the arrivals of populations end, of those that do."""
    found = {}
    for one in seen.populations:
        arrivals = {name: text for name, text in one["arrivals"].items() if text is not None}
        if arrivals["model"] == "closed":
            continue
        alone = {"name": one["name"], "arrivals": arrivals | {"model": "open"}}
        end_s = _core.Workload(toml_of(alone), "", seen.workload.files).arrivals_end_s
        if end_s is not None:
            found[one["name"]] = end_s
    return found


def _shares(seen: Evidence, name: str, part: float) -> tuple[float, float]:
    """The share of a population in the requests of the first `part` of a run, and of all.

    The others are taken to ask at the same rate throughout.
    """
    now = seen.share_of([one["name"] == name for one in seen.populations])
    return now / (now + (1.0 - now) * part), now
