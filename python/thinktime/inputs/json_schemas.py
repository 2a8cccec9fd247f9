"""The parameters of public functions as JSON Schema, made of signatures and docstrings."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from thinktime.inputs import docstrings
from thinktime.inputs.arguments import meanings

_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    Path: "string",
    Mapping: "object",
}
"""The JSON types of plain values."""

DIRECTORIES = {"Result"}
"""Classes whose values are given by the directory that has them."""


def of(*functions: Callable[..., Any], but: Iterable[str] = ()) -> dict[str, Any]:
    """The schema of an object whose members are the parameters of functions.

    Args:
        functions: The functions; of two parameters with one name the first counts.
        but: Parameters that are left out. Those that JSON cannot give are left out as well.
    """
    left, members, required = set(but), dict[str, Any](), list[str]()
    for function in functions:
        kinds = meanings(function)
        for name, one in inspect.signature(function).parameters.items():
            kind = of_kind(kinds[name]) if name in kinds else None
            if kind is None or name in left or name in members:
                continue
            members[name] = kind | _default(one) | _about(function, name)
            if one.default is one.empty and NoneType not in parts(kinds[name]):
                required.append(name)
    whole = {"type": "object", "properties": members, "additionalProperties": False}
    return whole | ({"required": required} if required else {})


def of_kind(kind: Any) -> dict[str, Any] | None:
    """The schema of an annotation's values; None if JSON cannot give them."""
    found = [schema for one in parts(kind) if (schema := _of_one(one)) is not None]
    different = [one for place, one in enumerate(found) if one not in found[:place]]
    if len(different) < 2:
        return different[0] if different else None
    if all(set(one) == {"type"} for one in different):
        return {"type": [one["type"] for one in different]}
    return {"anyOf": different}


def parts(kind: Any) -> tuple[Any, ...]:
    """The kinds of which an annotation allows any."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _of_one(kind: Any) -> dict[str, Any] | None:
    origin = get_origin(kind) or kind
    if origin is NoneType:
        return None
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    if origin is Sequence:
        items = of_kind(get_args(kind)[0])
        return None if items is None else {"type": "array", "items": items}
    if getattr(origin, "__name__", "") in DIRECTORIES:
        return {"type": "string"}
    return {"type": _TYPES[origin]} if origin in _TYPES else None


def _default(one: inspect.Parameter) -> dict[str, Any]:
    if one.default in (one.empty, None, ()):
        return {}
    try:
        return {"default": json.loads(json.dumps(one.default))}
    except TypeError:
        return {}


def _about(function: Callable[..., Any], name: str) -> dict[str, str]:
    text = docstrings.about(function, name)
    return {"description": text} if text else {}
