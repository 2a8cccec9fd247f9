"""In which values two workloads differ, by their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

SHOWN = 3
"""This many values are named."""

_LONGEST = 40
"""Longer values are cut."""

_LONG = re.compile(r"\d+\.\d{6,}")
"""A number with more digits than anybody gave it: that of a scale."""


def differences(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    """The keys that differ with both values, as in `arrivals.rate 3/s and 6/s`; seeds do not count.

    Empty if the tables of one are not known.
    """
    if one is None or other is None:
        return ""
    before, after = dict(_values(one)), dict(_values(other))
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    keys = [key for key in keys if key != "seed"]
    found = [f"{key} {_shown(before.get(key))} and {_shown(after.get(key))}" for key in keys]
    more = [f"{len(found) - SHOWN} more values"] if len(found) > SHOWN + 1 else found[SHOWN:]
    return ", ".join([*found[:SHOWN], *more])


def _values(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """The values below this one with their keys; tables of a list are named by their `name`."""
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield from _values(below, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        for place, table in enumerate(value, start=1):
            alone = len(value) == 1 and not table.get("name")
            yield from _values(table, "" if alone else f"{key}.{table.get('name') or place}")
    else:
        yield key, value


def _shown(value: Any) -> str:
    text = "none" if value is None else _LONG.sub(lambda of: f"{float(of[0]):.6g}", str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
