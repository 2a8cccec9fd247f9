"""The parameters of a public function as its docstring describes them, under `Args:`.

Commands make help of them, and the server for assistants descriptions.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from thinktime.inputs import arguments

_ENTRY = re.compile(r"^ {4}(\w+): ", re.MULTILINE)
_REFERENCE = re.compile(r"As in `(\w+)`")


def first_sentence(function: Callable[..., Any], name: str) -> str:
    """The first sentence about a parameter; empty if the docstring does not name it."""
    sentence, point, _ = about(function, name).partition(". ")
    return sentence + point.strip()


def about(function: Callable[..., Any], name: str) -> str:
    """All that is said of a parameter, in one line; `As in` refers to another function."""
    entry = _entries(function).get(name, "")
    if reference := _REFERENCE.match(entry):
        return about(arguments.public(reference[1]), name)
    return entry


def summary(function: Callable[..., Any]) -> str:
    """The docstring without its sections, in one line."""
    text = inspect.cleandoc(function.__doc__ or "")
    before = re.split(r"^(?:Args|Returns|Raises):\n", text, maxsplit=1, flags=re.MULTILINE)[0]
    return " ".join(before.split())


@cache
def _entries(function: Callable[..., Any]) -> dict[str, str]:
    """The entries under `Args:`, each in one line."""
    after = inspect.cleandoc(function.__doc__ or "").partition("Args:\n")[2]
    _, *parts = _ENTRY.split(after.partition("\n\n")[0])
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: " ".join(text.split()) for name, text in pairs}
