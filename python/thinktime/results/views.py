"""The views of a result that stand above it: its theory, its checks, its charts and its HTML.

A `Result` is data and imports none of the rooms that look at it, so that each of them can be read,
tested and moved by itself. Users have the views as attributes all the same (`result.theory`,
`result.chart("tail")`): this module declares a slot a view, and the package's face
(`thinktime/__init__.py`), which stands above all rooms and is imported before any of them, says
which function fills it. The function is imported when a view is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

SLOTS = ("theory", "validity", "chart", "html")
"""Functions that take a result: `theory` gives its exact steady state, or why there is none;
`validity` its findings; `chart`, which also takes a name, a figure; `html` a text."""

_functions: dict[str, str] = {}


def fill(**functions: str) -> None:
    """Fill slots, each with the place of a function, as in `thinktime.validity:validity_of`."""
    unknown = functions.keys() - set(SLOTS)
    if unknown:
        raise ValueError(f"results have no view {', '.join(sorted(unknown))}")
    _functions.update(functions)


def view(slot: str) -> Callable[..., Any]:
    """The function that fills a slot."""
    module, _, name = _functions[slot].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
