"""Arguments of public functions, checked against their signatures before any work begins."""

from __future__ import annotations

import builtins
import inspect
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import ModuleType, NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin

from thinktime import _core

_Taken = ParamSpec("_Taken")
_Given = TypeVar("_Given")

Time = float | str
"""Seconds, or a text with a unit such as `250ms`."""

_SAID_ELSEWHERE = {"workload", "system", "demands", "vary", "what"}
"""Parameters whose readers can report errors more precisely."""

_RANGES = {"request": (0, 2**32 - 1), "attempt": (1, 2**32 - 1)}
_RANGE = (0, 2**63 - 1)
"""The ranges of whole numbers, of some names and of all others: files have none above 2^63 - 1."""

_LARGEST = 2.0**63
"""No option has a larger number: it is that of nanoseconds in the longest simulation."""

_STANDS = {"Result": ("kind", "summary", "workload")}
"""By class, the attributes of objects that may stand for one of it."""

_KINDS = {
    bool: ((bool,), "true or false"),
    float: ((Real,), "a number"),
    str: ((str,), "a text"),
    os.PathLike: ((os.PathLike,), "a path"),
    Mapping: ((Mapping,), "a dict"),
    NoneType: ((NoneType,), "None"),
}
"""By the type in an annotation, the accepted classes and their name in messages."""


_face: list[ModuleType] = []
"""The modules for names that a module imports for types only."""


def look_names_up_in(face: ModuleType) -> None:
    """Look up names that modules import for types only in this module.

    The module is the face of the package. It stands above all rooms and so must register itself.
    """
    _face[:] = [face]


def public(name: str) -> Any:
    """What the package offers by a name."""
    return getattr(_face[0], name)


def checked(function: Callable[_Taken, _Given]) -> Callable[_Taken, _Given]:
    """A function that raises InputError if an argument does not fit its annotation.

    The message names the parameter, its right form and the given one.
    """

    @wraps(function)
    def call(*args: _Taken.args, **kwargs: _Taken.kwargs) -> _Given:
        try:
            given = inspect.signature(function).bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # it reports missing and surplus arguments
        for name, value in given.items():
            _check_text(value, name)
        for name, kind in _kinds(function).items():
            if name in given and (wrong := _misfit(given[name], kind, name)) is not None:
                raise _core.InputError(wrong)
        return function(*args, **kwargs)

    return call


def check_number(name: str, value: object) -> None:
    """Refuse a number of an option that is not finite, or beyond all use.

    Raises:
        InputError: it is one of these.
    """
    if not isinstance(value, float):
        return
    if not math.isfinite(value):
        raise _core.InputError(f"{name}: must be a finite number, not {value}")
    if abs(value) > _LARGEST:
        raise _core.InputError(f"{name}: must be a smaller number, not {value:g}")


def _check_text(value: Any, name: str) -> None:
    """Refuse a text, or a path, that no file can have as its name or its content."""
    try:
        if isinstance(value, str | os.PathLike):
            os.fsencode(value)
    except UnicodeEncodeError:
        raise _core.InputError(f"{name}: holds bytes that are no text in UTF-8") from None


def _kinds(function: Callable[..., Any]) -> dict[str, Any]:
    """The meaning of a function's annotations, for the checked parameters."""
    found = meanings(function)
    return {name: kind for name, kind in found.items() if name not in _SAID_ELSEWHERE}


@cache
def meanings(function: Callable[..., Any]) -> dict[str, Any]:
    """The meaning of a function's annotations, by parameter."""
    names = _Names(getattr(inspect.unwrap(function), "__globals__", {}))
    return {
        one.name: eval(one.annotation, {}, names)
        for one in inspect.signature(function).parameters.values()
        if one.annotation is not one.empty and one.kind is not one.VAR_KEYWORD
    }


class _Names(dict[str, Any]):
    """Names of a module, including those that it imports for types only."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return next((getattr(one, name) for one in _face if hasattr(one, name)), _UncheckedModule)


class _UncheckedModuleType(type):
    def __getattr__(cls, name: str) -> Any:
        return Any


class _UncheckedModule(metaclass=_UncheckedModuleType):
    """A module that is imported for types only; its values are not checked."""


def _misfit(value: Any, kind: Any, name: str) -> str | None:
    """The error of a value, in words; None if it is right."""
    if kind is Any:
        return None
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if any(_fits(value, one, name) for one in kinds):
        return None
    listed = [one for one in kinds if get_origin(one) is Sequence and _is_list(value)]
    for one in listed:
        (part,) = get_args(one)
        for number, each in enumerate(value, start=1):
            if (found := _misfit(each, part, f"{name}[{number}]")) is not None:
                return found
    wanted = list(dict.fromkeys(_called(one, name, value) for one in kinds if one is not NoneType))
    read = ""
    if "a Result" in wanted and "a path" not in wanted and isinstance(value, str | os.PathLike):
        read = ": `thinktime.Result.load` reads one from its directory"
    return f"{name}: must be {' or '.join(wanted)}, not {_short(value)}{read}"


def _fits(value: Any, kind: Any, name: str) -> bool:
    origin = get_origin(kind) or kind
    if origin is int:
        least, most = _RANGES.get(name, _RANGE)
        return _is(value, Integral) and least <= value <= most
    if origin is Sequence:
        (part,) = get_args(kind)
        return _is_list(value) and all(_misfit(one, part, name) is None for one in value)
    if origin is Callable:
        return callable(value)
    standing = _STANDS.get(origin.__name__, ())
    if standing and all(hasattr(value, one) for one in standing):
        return True
    return any(_is(value, one) for one in _kind(origin)[0])


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _is(value: Any, kind: type) -> bool:
    """Whether it is of a kind; true and false are not numbers, those of numpy are."""
    if hasattr(value, "dtype") and getattr(value, "size", 0) == 1:
        value = value.item()
    return isinstance(value, kind) and (not isinstance(value, bool) or kind is bool)


def _kind(origin: type) -> tuple[tuple[type, ...], str]:
    for one, described in _KINDS.items():
        if issubclass(origin, one):
            return described
    return (origin,), f"a {origin.__name__}"


def _called(kind: Any, name: str, value: Any) -> str:
    origin = get_origin(kind) or kind
    if origin is int:
        least, most = _RANGES.get(name, _RANGE)
        all_of_it = name in _RANGES or (_is(value, Integral) and value > most)
        return (
            f"a whole number from {least} to {most}" if all_of_it else "a whole number, 0 or more"
        )
    if origin is Sequence:
        return "a list"
    return "a function" if origin is Callable else _kind(origin)[1]


def _short(value: Any) -> str:
    """A short value as files write it; the type of any other."""
    if isinstance(value, bool | int | float | str) and len(written := json.dumps(value)) <= 60:
        return written
    return "None" if value is None else type(value).__name__
