"""The views of a result that stand above it: its theory, its checks, its charts and its HTML.

A `Result` is data and imports none of the rooms that look at it, so that each of them can be read,
tested and moved by itself. Users still have the views as attributes (`result.theory`,
`result.chart("tail")`). This module declares a slot for each view. The package's face
(`thinktime/__init__.py`) stands above all rooms and is imported before any of them; it names the
function of each slot. The function is imported when a view is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thinktime.present.picture import Picture
    from thinktime.results.finding import Finding
    from thinktime.results.result import Result
    from thinktime.theory.solution import Theory

SLOTS = ("theory", "validity", "chart", "html")
"""The functions of this module, each of which calls the one that fills its slot."""

_places: dict[str, str] = {}


def fill(**places: str) -> None:
    """Fill slots, each with the place of a function, as in `thinktime.validity:validity_of`."""
    unknown = sorted(places.keys() - set(SLOTS))
    if unknown:
        raise ValueError(f"a result has no view {', '.join(unknown)}")
    _places.update(places)


def theory(result: Result) -> Theory | str | None:
    """The exact steady state of a result's model, or why it is not available; else None."""
    found: Theory | str | None = _call("theory", result)
    return found


def validity(result: Result) -> list[Finding]:
    """The findings of the checks of a result."""
    found: list[Finding] = _call("validity", result)
    return found


def chart(result: Result, name: str) -> Picture:
    """A chart of a result as a picture."""
    found: Picture = _call("chart", result, name)
    return found


def html(result: Result) -> str:
    """A result as HTML for notebooks."""
    text: str = _call("html", result)
    return text


def _call(slot: str, *arguments: Any) -> Any:
    module, _, name = _places[slot].partition(":")
    return getattr(import_module(module), name)(*arguments)
