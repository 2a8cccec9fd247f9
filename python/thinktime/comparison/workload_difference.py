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
    found = list(_differences({**one, "seed": None}, {**other, "seed": None}, ""))
    more = [f"{len(found) - SHOWN} more"] if len(found) > SHOWN + 1 else found[SHOWN:]
    return ", ".join([*found[:SHOWN], *more])


def _differences(one: Any, other: Any, key: str) -> Iterator[str]:
    if one == other:
        return
    first, second = _tables(one), _tables(other)
    if first is None or second is None:
        if isinstance(one, Mapping) or isinstance(other, Mapping):
            yield f"{key} in the {'second' if one is None else 'first'} alone"
        else:
            yield f"{key} {_shown(one)} and {_shown(other)}"
        return
    alone = list(first) == list(second) == [""]  # one population without a name
    for name in {**first, **second}:
        named = f"{key}.{name}" if name else f"{key} (without a name)"
        below = "" if alone else named if key else name
        yield from _differences(first.get(name), second.get(name), below)


def _tables(value: Any) -> Mapping[str, Any] | None:
    """The values of a table by key, or tables of a list by their names; None for other values."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        return {str(one.get("name", place)): one for place, one in enumerate(value, start=1)}
    return None


def _shown(value: Any) -> str:
    text = "none" if value is None else _LONG.sub(lambda of: f"{float(of[0]):.6g}", str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
