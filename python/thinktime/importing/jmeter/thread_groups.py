"""Thread groups of JMeter, also those of common plugins, as arrivals.

Sources: https://jmeter.apache.org/usermanual/component_reference.html#Open_Model_Thread_Group and
https://jmeter-plugins.org/wiki/ConcurrencyThreadGroup/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing.draft import seconds
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element
from thinktime.importing.scenarios import profile

CLIENTS_MAX = 10_000_000
_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass
class Group:
    """A thread group: its keys of arrivals, the reason for them, and its duration in seconds."""

    arrivals: dict[str, Any]
    why: str
    duration_s: float = 0.0
    session: dict[str, Any] = field(default_factory=dict)


Reader = Callable[[Element, Mapping[str, str], str, Notes], Group | None]


def _whole(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,8}", text) else 0


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text) else 0.0


def _closed(element: Element, asked: str, place: str, notes: Notes) -> Group:
    clients = _whole(asked)
    why = f"the thread group `{element.attributes.get('testname', '')}` has {clients} threads"
    if not 1 <= clients <= CLIENTS_MAX:
        notes.add(place, f"its number of threads is {asked!r}: 1 is taken")
        clients, why = 1, "1 client is a default to be changed"
    return Group({"model": "closed", "clients": clients}, why)


def _plain(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group:
    found = _closed(element, given.get("ThreadGroup.num_threads", ""), place, notes)
    ramp = given.get("ThreadGroup.ramp_time", "")
    if ramp not in ("", "0", "1"):
        notes.add(place, f"the ramp-up of {ramp} s is left out: all clients are there at once")
    if given.get("ThreadGroup.scheduler") == "true":
        found.duration_s = _whole(given.get("ThreadGroup.duration", ""))
        if _number(delay := given.get("ThreadGroup.delay", "")):
            notes.add(place, f"its delay of {delay} s at the start is left out")
    if given.get("ThreadGroup.delayedStart") == "true":
        notes.add(place, "threads that are made only when they are needed are there at once")
    return found


def _on_error(given: Mapping[str, str], found: Group, place: str, notes: Notes) -> None:
    """What a thread does after a sampler that failed."""
    action = given.get("ThreadGroup.on_sample_error", "continue")
    if action == "startnextloop" and found.arrivals["model"] != "open":
        found.session["on_error"] = "end"
    elif action not in ("", "continue"):
        notes.add(place, f"`{action[:40]}` after an error is left out: clients continue")


def _levels(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group:
    """The Concurrency Thread Group of a plugin: a number of threads that is kept."""
    found = _closed(element, given.get("TargetLevel", ""), place, notes)
    hold = _number(given.get("Hold", ""))
    found.duration_s = hold * (60.0 if given.get("Unit", "M") == "M" else 1.0)
    if _number(given.get("RampUp", "")):
        notes.add(place, "its ramp-up is left out: all clients are there at once")
    return found


def _arrivals(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group | None:
    """The Arrivals Thread Group of a plugin: a rate."""
    a_minute = given.get("Unit", "M") == "M"
    level = _number(given.get("TargetLevel", ""))
    if level <= 0:
        return None
    if _number(given.get("RampUp", "")):
        notes.add(place, "its ramp-up is left out: the rate is there at once")
    rate = level / 60 if a_minute else level
    hold_s = _number(given.get("Hold", "")) * (60.0 if a_minute else 1.0)
    why = f"Threads begin at {rate:.9g}/s, whatever the answers, so the model is open."
    return Group({"model": "partly-open", "rate": f"{rate:.9g}/s"}, why, hold_s)


def _stepping(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group:
    found = _closed(element, given.get("ThreadGroup.num_threads", ""), place, notes)
    notes.add(place, "its steps are left out: all clients are there at once")
    return found


def _ultimate(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group:
    """The Ultimate Thread Group of a plugin: rows of threads that start and end."""
    tables = [
        one for one in element.children if "threadgroupdata" in one.attributes.get("name", "")
    ]
    rows = [[cell.text.strip() for cell in row.children] for one in tables for row in one.children]
    threads = sum(_whole(row[0]) for row in rows if row)
    notes.add(place, "the times of its rows are left out: all clients are there at once")
    return _closed(element, str(threads), place, notes)


_WORD = re.compile(r"(\w+)\s*\(([^()]*)\)")


def _open(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group | None:
    """JMeter's own Open Model Thread Group: a schedule of rates, with lines between them."""
    text = given.get("OpenModelThreadGroup.schedule", "")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    rates: list[float] = []
    stages: list[dict[str, Any]] = []
    kinds: set[str] = set()
    for word, inside in _WORD.findall(text):
        at = rates[-1] if rates else 0.0
        if word == "rate":
            rates.append(_rate(inside))
            if stages and not stages[-1]["fixed"]:
                stages[-1]["target"] = rates[-1]
            stages.append({"duration": "0s", "target": rates[-1], "fixed": True})
        elif word in ("random_arrivals", "even_arrivals", "pause"):
            level = 0.0 if word == "pause" else at
            if word == "pause":
                stages.append({"duration": "0s", "target": 0.0, "fixed": True})
            lasts = seconds(_time_s(inside))
            stages.append({"duration": lasts, "target": level, "fixed": word == "pause"})
            if word == "pause":
                stages.append({"duration": "0s", "target": at, "fixed": True})
            kinds |= {word} - {"pause"}
    rate = max(rates, default=0.0)
    if rate <= 0 or not kinds:
        return None
    lasts_s = sum(float(one["duration"][:-1]) for one in stages)
    found: dict[str, Any] = {"model": "partly-open", "rate": f"{rate:.9g}/s"}
    if kinds == {"even_arrivals"}:
        found["process"] = "even"
    elif len(kinds) > 1:
        notes.add(place, "even arrivals of a part of its schedule are taken as random ones")
    if any(one["target"] != rate for one in stages):
        found["profile"] = _profile(stages, rate)
    why = f"Threads begin at the rates of a schedule, at most {rate:.9g}/s, whatever the answers, "
    return Group(found, f"{why}so the model is open.", lasts_s)


def _profile(stages: list[dict[str, Any]], rate: float) -> str:
    start, rest = stages[0]["target"], stages[1:]
    timed = [one for one in rest if one["duration"] != "0s"]
    if timed and all(one["target"] == timed[0]["target"] for one in rest):
        rest = timed[:1]  # a profile keeps its last value
    return profile(start / rate, rest, rate)


def _rate(text: str) -> float:
    """The rate a second of `10/min`, `2 / sec`."""
    parts = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*/\s*(ms|s|m|h|d)\w*\s*", text)
    if parts is None:
        return 0.0
    return float(parts[1]) / (0.001 if parts[2] == "ms" else _UNITS_S[parts[2]])


def _time_s(text: str) -> float:
    """The seconds of `1 min 30 sec`; a bare number is in seconds."""
    parts = re.findall(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h|d|$)", text.strip())
    by = {**_UNITS_S, "ms": 0.001, "": 1.0}
    return sum(float(number) * by[unit] for number, unit in parts)


GROUPS: dict[str, Reader] = {
    "ThreadGroup": _plain,
    "OpenModelThreadGroup": _open,
    "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup": _levels,
    "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup": _arrivals,
    "kg.apc.jmeter.threads.SteppingThreadGroup": _stepping,
    "kg.apc.jmeter.threads.UltimateThreadGroup": _ultimate,
}
"""The reader of each kind of group; None if its numbers cannot be read."""


def read(element: Element, given: Mapping[str, str], place: str, notes: Notes) -> Group | None:
    """The arrivals of a group with these properties; None, and a note, if they are unknown."""
    found = GROUPS[element.tag](element, given, place, notes)
    if found is None:
        notes.add(place, "left out: its schedule or its rate cannot be read")
        return None
    _on_error(given, found, place, notes)
    return found
