"""The options of k6 as arrivals: the users, their number, and their duration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thinktime.importing.draft import DEFAULT_RATE, seconds
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import items, table

PIECES = 10
"""A ramp from stage to stage becomes this many steps."""

STAGES_MAX = 200
_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_SILENT = frozenset(
    [
        "executor",
        "exec",
        "duration",
        "stages",
        "rate",
        "timeUnit",
        "startRate",
        "vus",
        "startVUs",
        "preAllocatedVUs",
        "maxVUs",
        "gracefulStop",
        "gracefulRampDown",
        "tags",
        "iterations",
        "maxDuration",
        "thresholds",
        "scenarios",
        "summaryTrendStats",
        "maxRedirects",
    ]
)


@dataclass
class Scenario:
    """One scenario: the keys of its arrivals, and the reasons for them."""

    name: str
    function: str
    arrivals: dict[str, Any]
    why: str
    duration_s: float = 0.0


def scenarios(options: Mapping[str, Any], notes: Notes) -> Iterator[Scenario]:
    """The scenarios of a script; the one of its simple options if it names none."""
    for name in options:
        if name not in _SILENT:
            notes.add("options", f"`{name}` is left out")
    named = table(options.get("scenarios"))
    if not named:
        yield _scenario("", {**options, "executor": _executor(options)}, notes)
    for name, given in named.items():
        place = f"scenario {name}"
        for key in table(given):
            if key not in _SILENT:
                notes.add(place, f"`{key}` is left out")
        yield _scenario(str(name), table(given), notes)


def _executor(options: Mapping[str, Any]) -> str:
    if "stages" in options:
        return "ramping-vus"
    return "constant-vus" if "duration" in options else "shared-iterations"


def _scenario(name: str, given: Mapping[str, Any], notes: Notes) -> Scenario:
    place = f"scenario {name}" if name else "options"
    executor = str(given.get("executor"))
    function = given.get("exec")
    stages = [table(one) for one in items(given.get("stages"))][:STAGES_MAX]
    duration = time_s(given.get("duration")) or sum(time_s(one.get("duration")) for one in stages)
    found = Scenario(name, function if isinstance(function, str) else "default", {}, "", duration)
    if executor in ("constant-arrival-rate", "ramping-arrival-rate"):
        _open(found, executor, given, stages, place, notes)
    else:
        _closed(found, executor, given, stages, place, notes)
    return found


def _closed(
    found: Scenario,
    executor: str,
    given: Mapping[str, Any],
    stages: list[dict[str, Any]],
    place: str,
    notes: Notes,
) -> None:
    clients = _count(given.get("vus"), 0)
    if stages:
        targets = [_count(one.get("target"), 0) for one in stages]
        clients = max([*targets, _count(given.get("startVUs"), 0)])
        notes.add(place, f"the stages are left out: all of the {clients} clients are there at once")
    if executor not in _KNOWN:
        notes.add(place, f"the executor `{executor}` is not known: it is taken as closed")
    if "iterations" in given:
        count = given["iterations"]
        notes.add(place, f"`iterations: {count}` is left out: `--requests` or `--duration` ends")
    reason = "the script says how many" if clients else "1 client is the default of k6"
    found.arrivals = {"model": "closed", "clients": clients or 1}
    found.why = f"Closed: `{executor}` waits for each answer before it continues; {reason}."


_KNOWN = ("constant-vus", "ramping-vus", "shared-iterations", "per-vu-iterations")


def _open(
    found: Scenario,
    executor: str,
    given: Mapping[str, Any],
    stages: list[dict[str, Any]],
    place: str,
    notes: Notes,
) -> None:
    unit_s = time_s(given.get("timeUnit")) or 1.0
    start = _number(given.get("startRate")) if executor.startswith("ramping") else 0.0
    rate = _number(given.get("rate"))
    if executor.startswith("ramping"):
        rate = max([start, *(_number(one.get("target")) for one in stages)])
    if rate <= 0:
        notes.add(place, "its rate is no number above 0: 1 a second is taken")
        rate, stages = unit_s, []
    found.arrivals = {"model": "partly-open", "rate": f"{rate / unit_s:.9g}/s"}
    found.arrivals["process"] = "even"
    if most := _count(given.get("maxVUs"), 0) or _count(given.get("preAllocatedVUs"), 0):
        notes.add(place, f"at most {most} iterations are under way in k6, which drops what is "
                         f"beyond; `[clients] concurrency = {most}, waiting = 0` bounds requests "
                         "so")  # fmt: skip
    if executor.startswith("ramping") and stages:
        found.arrivals["profile"] = profile(start / rate, stages, rate)
        if len(stages) > 1:
            notes.add(place, f"each stage is taken as {PIECES} steps of the rate")
    found.why = (
        f"Iterations begin at the rate of the script, evenly, whatever the answers (`{executor}`), "
        "so the model is open, or partly open if an iteration has several requests."
    )


def profile(start: float, stages: list[dict[str, Any]], rate: float) -> str:
    """Stages as factors of the largest rate; ``start`` is the factor at their beginning."""
    parts = [(time_s(one.get("duration")), _number(one.get("target")) / rate) for one in stages]
    if len(parts) == 1 and parts[0][0] > 0:
        over = seconds(parts[0][0])
        return f"ramp(from={start:.9g}, to={parts[0][1]:.9g}, over={over})"
    steps: dict[float, float] = {}
    at = 0.0
    for lasts, target in parts:
        pieces = 1 if start == target or lasts <= 0 else PIECES
        for piece in range(pieces):
            middle = start + (target - start) * (piece + 0.5) / pieces
            steps[round(at + lasts * piece / pieces, 6)] = target if pieces == 1 else middle
        at, start = at + lasts, target
    steps[round(at, 6)] = start
    reason = list(steps.items())
    kept = [one for at, one in enumerate(reason) if at == 0 or one[1] != reason[at - 1][1]]
    return f"steps({', '.join(f'{seconds(begin)}: {level:.6g}' for begin, level in kept)})"


Level = tuple[float, float, float]
"""A time in seconds, and the rates at its begin and at its end."""


@dataclass
class Arrivals:
    """The keys of the table of arrivals, the reason for them, and their duration in seconds."""

    keys: dict[str, Any]
    why: str
    duration_s: float
    levels: Sequence[Level] = ()
    """The rates that they were made of, if they are open."""

    def until(self, end_s: float) -> Arrivals:
        """The same within a longer run: nobody arrives behind their duration."""
        rest_s = end_s - self.duration_s
        if not self.levels or rest_s <= 0:
            return self
        levels = [*self.levels, (rest_s, 0.0, 0.0)]
        return by_levels(levels, self.keys["process"], self.why, "", Notes())


def by_levels(
    levels: Sequence[Level], process: str, why: str, place: str, notes: Notes
) -> Arrivals:
    """Arrivals whose rate changes so, for this reason; at a default if no rate is above 0."""
    duration_s = sum(level[0] for level in levels)
    rate = max((max(level[1:]) for level in levels), default=0.0)
    if rate <= 0:
        keys: dict[str, Any] = {"model": "partly-open", "rate": DEFAULT_RATE}
        unknown = "The source gives no rate: this one is a default to be changed."
        return Arrivals(keys, unknown, duration_s)
    keys = {"model": "partly-open", "rate": f"{rate:.9g}/s", "process": process}
    if len({one for level in levels for one in level[1:]}) == 1:
        return Arrivals(keys, why, duration_s, levels)
    stages: list[dict[str, Any]] = []
    now = levels[0][1]
    for lasts, first, last in levels:
        if first != now:  # a jump takes no time
            stages.append({"duration": 0, "target": first})
        stages.append({"duration": seconds(lasts), "target": last})
        now = last
    keys["profile"] = profile(levels[0][1] / rate, stages, rate)
    if len(stages) > 1 and any(level[1] != level[2] for level in levels):
        notes.add(place, f"each ramp is taken as {PIECES} steps of the rate")
    return Arrivals(keys, why, duration_s, levels)


def time_s(given: Any) -> float:
    """A time of k6, as in ``1m30s``, in seconds; 0 if invalid. Bare numbers are ms."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return given / 1000 if 0 <= given < 1e12 else 0.0
    parts = (
        re.findall(r"(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)", given) if isinstance(given, str) else []
    )
    return sum(float(number) * _UNITS_S[unit] for number, unit in parts)


def _number(given: Any) -> float:
    plain = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if plain and 0 < given < 1e9 else 0.0


def _count(given: Any, usual: int) -> int:
    return given if isinstance(given, int) and 0 < given <= 10_000_000 else usual
