"""The phases of an Artillery script as arrivals.

Source: https://www.artillery.io/docs/reference/test-script#phases---load-phases
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from thinktime.importing.notes import Notes
from thinktime.importing.parsers import items, table
from thinktime.importing.scenarios import Arrivals, Level, by_levels

PHASES_MAX = 200
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_TAKEN = ("name", "duration", "arrivalRate", "rampTo", "arrivalCount", "pause")


def time_s(given: Any) -> float:
    """A time of Artillery in seconds: a number of them, or a text as `2m` and `500ms`."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given) if 0 <= given < 1e9 else 0.0
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(ms|[smhd])?[a-z]*\s*", str(given))
    return float(found[1]) * _UNITS_S[found[2] or "s"] if found else 0.0


def arrivals(given: Any, notes: Notes) -> Arrivals:
    """Users who arrive evenly, by the rates of the phases."""
    levels: list[Level] = []
    for number, one in enumerate(map(table, items(given)[:PHASES_MAX]), 1):
        place = f"phase {one.get('name') or number}"
        for key in one:
            if key not in _TAKEN:
                what = "`concurrency` of clients is near it" if key == "maxVusers" else "unknown"
                notes.add(place, f"`{key}: {one[key]}` is left out: {what}")
        levels.append(_level(one, place, notes))
    why = (
        "Users arrive at the rates of the phases, evenly, whatever the answers, so the model is "
        "open, or partly open if a user sends several requests."
    )
    return by_levels(levels, "even", why, "phases", notes)


def _level(one: Mapping[str, Any], place: str, notes: Notes) -> Level:
    """The duration of a phase in seconds, and its rates at the begin and at the end."""
    if "pause" in one:
        return time_s(one["pause"]), 0.0, 0.0
    lasts = time_s(one.get("duration"))
    if lasts <= 0:
        notes.add(place, "its `duration` is no time: the phase is left out")
        return 0.0, 0.0, 0.0
    if "arrivalCount" in one:
        rate = _number(one["arrivalCount"], place, notes) / lasts
        return lasts, rate, rate
    first = _number(one.get("arrivalRate", 0), place, notes)
    return lasts, first, _number(one["rampTo"], place, notes) if "rampTo" in one else first


def _number(given: Any, place: str, notes: Notes) -> float:
    text = str(given).strip()
    if re.fullmatch(r"\d{1,7}(?:\.\d{1,9})?", text):
        return float(text)
    notes.add(place, f"the rate `{text[:60]}` is no number: 0 is taken")
    return 0.0
