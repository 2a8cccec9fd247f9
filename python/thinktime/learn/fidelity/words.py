"""Fidelity in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.learn.fidelity.systems import POLICIES, SIZES
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.learn.fidelity import Fidelity
    from thinktime.learn.fidelity.difference import Difference

NAMED = 0.25
"""Ingredients with at least this share of a difference are named."""

NAMED_MOST = 2

SEED_MATTERS = 0.05
"""From this standard deviation of the work from seed to seed on, it is mentioned."""

NUMBER_MATTERS = 0.02
"""The same for the number of requests, from replay to replay."""

WIDE = 100
"""A larger ratio is reported only as larger than this."""

UNTOLD_SHOWN = 3

HOUR_S = 3600.0
"""A shorter stretch is the whole log."""

SERVERS = {"fcfs": "an FCFS server", "ps": "a PS server", "srpt": "an SRPT server"}
FIGURES = {"mean": "a mean response time", "p99": "a p99"}

RATES = {
    "requests_per_s": "it sends a number of requests",
    "sessions_per_s": "it begins a number of sessions",
    "load": "it brings an amount of work",
}
PEAKS = {
    "peak_1s": "the busiest second",
    "peak_10s": "the busiest ten seconds",
    "peak_1min": "the busiest minute",
}

NAMES = {
    "requests_per_s": "requests a second",
    "sessions_per_s": "sessions a second",
    "load": "work a second",
    **{peak: words.removeprefix("the ") for peak, words in PEAKS.items()},
    **{f"{policy}_{one}": f"{policy.upper()}, {one}" for policy in POLICIES for one in FIGURES},
    **{size: f"cache of {size.partition('_')[2]} %" for size in SIZES},
}
"""The name of each figure."""

VARIATIONS = {
    "swing": "changes of the rate from ten minutes to ten minutes",
    "minutes": "changes of the rate from minute to minute",
    "bursts": "bursts within a minute",
    "rushes": "bursts within ten seconds",
    "instants": "bursts within a second",
}

LESS = {
    "number": "it sends fewer requests",
    **{name: f"it lacks {words}" for name, words in VARIATIONS.items()},
    "work_law": "its responses are too small or vary too little",
    "work_mix": "it sends too few of the requests that bring much work",
    "work_order": "its requests with much work do not come together",
    "popularity": "it asks for too many different things, or too seldom for the popular ones",
    "sizes": "its popular targets are too large",
    "order": "it lacks soon repeated requests for a thing",
}
"""By ingredient: the features that only the log has."""

MORE = {
    "number": "it sends more requests",
    **{name: f"it has more {words} than the log" for name, words in VARIATIONS.items()},
    "work_law": "its responses are too large or vary too much",
    "work_mix": "it sends too many of the requests that bring much work",
    "work_order": "its requests with much work come together more than the log's",
    "popularity": "it asks for too few different things, or too often for the popular ones",
    "sizes": "its popular targets are too small",
    "order": "its repeated requests for a thing come sooner than in the log",
}
"""By ingredient: the features that only the learned workload has."""


def sentences(of: Fidelity) -> list[str]:
    """The remarks, the most important first."""
    if not of.differences:
        few = units.counted(of.requests, "request")
        stretch = "busiest hour" if of.length_s >= HOUR_S else "log"
        return [f"the {stretch} has {few}: too few to compare the learned workload with"]
    found = [_of_server(of, policy) for policy in POLICIES]
    found += [_of_caches(of), _of_rates(of), _of_peaks(of)]
    phrases = [sentence for sentences in found for sentence in sentences]
    doubts = _of_untold(of)
    if doubts:
        doubts += [*_of_largest(of), *_of_numbers(of), *_of_seed(of)] or [_of_queues(of)]
    else:
        doubts = _of_seed(of)
    return [_in_short(of), *phrases, *doubts, *_of_sizes(of), *_of_chance(of)]


def _in_short(of: Fidelity) -> str:
    wrong = sum(one.wrong for one in of.differences.values())
    untold = sum(one.untold for one in of.differences.values())
    requests = units.counted(of.requests, "request")
    stretch = f"the log's {requests} of {units.seconds(of.length_s)}"
    if wrong:
        figures = units.counted(wrong, "figure")
        return f"compared with {stretch}, the learned workload differs in {figures}"
    if untold:
        differ = "differs beyond its bound" if untold == 1 else "differ beyond their bounds"
        return (
            f"whether the learned workload stands in for {stretch} cannot be told from it: "
            f"{units.counted(untold, 'figure')} of servers and caches {differ}, "
            "and replays of the learned workload from one another by as much"
        )
    beyond = any(not one.good for one in of.differences.values())
    bound = "by more than chance" if beyond else "beyond its bound"
    return f"the learned workload stands in for {stretch}: no figure differs {bound}"


def _of_server(of: Fidelity, policy: str) -> list[str]:
    wrong = [one for one in of.differences.values() if one.wrong and one.system == policy]
    if not wrong:
        return []
    phrases = " and ".join(f"{FIGURES[one.figure]} {_ratio(one)}" for one in wrong)
    worst = max(wrong, key=lambda one: abs(one.difference))
    return [f"on {SERVERS[policy]} the learned workload has {phrases}: {_missing(worst)}"]


def _of_caches(of: Fidelity) -> list[str]:
    wrong = [one for one in of.differences.values() if one.in_points and one.wrong]
    if not wrong:
        return []
    worst = max(wrong, key=lambda one: abs(one.difference))
    size = worst.name.partition("_")[2]
    return [
        f"an LRU cache of {size} % of the bytes has a hit ratio {_points(worst)} the log's: "
        f"{_missing(worst)}"
    ]


def _of_rates(of: Fidelity) -> list[str]:
    wrong = {name: of.differences[name] for name in RATES if of.differences[name].wrong}
    return [f"{RATES[name]} {_ratio(one)}" for name, one in wrong.items()]


def _of_peaks(of: Fidelity) -> list[str]:
    wrong = {name: of.differences[name] for name in PEAKS if of.differences[name].wrong}
    return [
        f"in {PEAKS[name]} it sends {one.learned:.0f} requests, the log {one.log:.0f}"
        for name, one in wrong.items()
    ]


def _of_sizes(of: Fidelity) -> list[str]:
    """The remark that sizes are not their targets' own, as the file says."""
    if of.demands != "varied sizes":
        return []
    return [
        "answers of one path, and the work that they bring here, differ in size from request to "
        "request; in the workload file each target has one size"
    ]


def _of_queues(of: Fidelity) -> str:
    """Why no verdict is possible, if none of the other reasons applies."""
    return (
        f"{units.seconds(of.length_s)} are too short: a few moments with many users, or with "
        "repeated targets, decide"
    )


def _of_seed(of: Fidelity) -> list[str]:
    """Whether the work depends on the seed, because popular targets draw their sizes."""
    apart = of.differences["load"].apart
    if of.demands != "sizes" or apart < SEED_MATTERS:
        return []
    return [
        f"its work a second differs by {apart * 100:.0f} % from seed to seed: the seed draws the "
        "sizes of popular targets"
    ]


def _of_chance(of: Fidelity) -> list[str]:
    """Numbers of arrivals beyond their bound whose distance is within that of replays."""
    unsure = [one for one in of.differences.values() if not (one.good or one.wrong or one.untold)]
    if not unsure:
        return []
    names = ", ".join(NAMES.get(one.name, one.name) for one in unsure)
    return [
        f"further apart, but by no more than replays of the learned workload differ from one "
        f"another: {names}"
    ]


def _of_untold(of: Fidelity) -> list[str]:
    """Figures without a verdict, those with the widest chance first."""
    untold = [one for one in of.differences.values() if one.untold]
    widest = sorted(untold, key=lambda one: -one.chance / one.within)
    shown = [_apart(one) for one in widest[:UNTOLD_SHOWN]]
    rest = len(widest) - len(shown)
    shown += [f"{rest} more"] if rest else []
    return [f"nothing can be told of {units.listed(shown)}"] if shown else []


def _apart(one: Difference) -> str:
    """A difference, and its part due to chance."""
    name = NAMES.get(one.name, one.name)
    if one.in_points:
        return f"{name} ({_points(one)} the log's; by chance up to {one.chance * 100:.0f})"
    times = f"{1 + one.chance:.0f}" if one.chance < WIDE else f"more than {WIDE}"
    chance = f"{one.chance * 100:.0f} %" if one.chance < 1 else f"{times} times"
    return f"{name} ({_ratio(one)}; by chance up to {chance})"


def _of_largest(of: Fidelity) -> list[str]:
    """The remark that one request decides the log's own figures, if that prevents a verdict."""
    tried = [one for one in of.differences.values() if one.without_largest is not None]
    decided = [one for one in tried if abs(one.without_largest or 0.0) > one.within]
    if not decided:
        return []
    most = max(decided, key=lambda one: abs(one.without_largest or 0.0))
    change = most.without_largest or 0.0
    where = "shorter" if change < 0 else "longer"
    return [
        "one request decides: without the work of its largest the log itself would have "
        f"{FIGURES[most.figure]} {abs(change) * 100:.0f} % {where} on {SERVERS[most.system]}"
    ]


def _of_numbers(of: Fidelity) -> list[str]:
    """The remark that so short a time has few sessions."""
    number = of.differences["requests_per_s"]
    if number.apart < NUMBER_MATTERS:
        return []
    return [
        f"its number of requests in {units.seconds(of.length_s)} differs by "
        f"{number.apart * 100:.0f} % from replay to replay: this time has too few sessions"
    ]


def _ratio(one: Difference) -> str:
    """As in `12 % below the log's`; large ones as in `4.0 times the log's`."""
    if one.difference >= 1:
        return f"{1 + one.difference:.1f} times the log's"
    if one.difference <= -1 + 1 / WIDE:
        return "next to nothing beside the log's"
    if one.difference <= -0.8:
        return f"{1 / max(1 + one.difference, 1e-6):.0f} times below the log's"
    where = "below" if one.difference < 0 else "above"
    return f"{abs(one.difference) * 100:.0f} % {where} the log's"


def _points(one: Difference) -> str:
    """As in `5 points below`."""
    where = "below" if one.difference < 0 else "above"
    return f"{abs(one.difference) * 100:.0f} points {where}"


def _missing(one: Difference) -> str:
    words = LESS if one.difference < 0 else MORE
    named = [name for name, share in one.missing.items() if share >= NAMED][:NAMED_MOST]
    return "; and ".join(words[name] for name in named) or "no single ingredient closes the gap"
