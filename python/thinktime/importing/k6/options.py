"""The options of a k6 script: those whose values only a run would show are named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinktime.importing.javascript.values import is_unknown, whole
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import table

_READ = ("executor", "exec", "duration", "stages", "rate", "timeUnit", "startRate", "vus",
         "startVUs", "iterations", "maxRedirects")  # fmt: skip
_TABLES = ("scenarios", "thresholds")


def options(given: Any, notes: Notes) -> dict[str, Any]:
    """The options as a table, without values that are not known; each of these is noted."""
    if given is None:
        return {}
    held = whole(given)
    if not isinstance(held, dict):
        text = "are left out: their value is known only in a run; users and times are defaults here"
        notes.add("options", text)
        return {}
    for name in _TABLES:
        if name in held and not isinstance(held[name], dict):
            notes.add("options", f"`{name}` is left out: its value is known only in a run")
    _name_unknown(held, "options", notes)
    for name, one in table(held.get("scenarios")).items():
        if isinstance(one, dict):
            _name_unknown(one, f"scenario {name}", notes)
        else:
            notes.add(
                f"scenario {name}", "its options are known only in a run: defaults stand here"
            )
    return held


def _name_unknown(given: Mapping[str, Any], place: str, notes: Notes) -> None:
    for name in _READ:
        if name in given and is_unknown(given[name]):
            what = "a part of it" if isinstance(given[name], list) else "its value"
            notes.add(place, f"`{name}` is left out: {what} is known only in a run")
