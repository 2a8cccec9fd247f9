"""Keys of workload files in their short form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from thinktime import _core

_INNER = ("arrivals", "session")
"""Tables of a population whose keys may be given without the table."""


def whole(key: str, populations: Sequence[str]) -> str:
    """A key of a workload file in full: the short form is `population.visitors.rate`.

    A key that the population itself does not have is sought in its tables `arrivals` and `session`.
    Raises InputError for a key of the file's own tables if these belong to its ``populations``.
    """
    first, *parts = key.split(".")
    if first in _keys("population") - {"name"} and any(populations):
        raise _core.InputError(
            f"{key}: this workload has populations, whose keys have their names, as in "
            f"`population.{populations[0]}.{key}`"
        )
    if first != "population" or len(parts) < 2:
        return key
    name, inner, *_ = parts
    if inner in _keys("population") and (len(parts) > 2 or inner == "name"):
        return key
    table = next((one for one in _INNER if inner in _keys(one)), None)
    return key if table is None else ".".join([first, name, table, *parts[1:]])


@cache
def _keys(table: str) -> frozenset[str]:
    """The keys of a table of a population, or of `population` itself."""
    schema = json.loads(_core.schema("workload"))
    own = _properties(schema, schema["properties"]["population"]["items"])
    return frozenset(own if table == "population" else _properties(schema, own[table]))


def _properties(schema: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    """The properties of a part of the schema that is given by its name."""
    found: dict[str, Any] = schema["$defs"][one["$ref"].rpartition("/")[2]]["properties"]
    return found
