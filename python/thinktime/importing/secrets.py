"""Secrets that must not be written into a file: passwords and tokens, recognized by their names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote_plus

from thinktime import _core
from thinktime.importing.marks import is_open
from thinktime.importing.notes import Notes

REMOVED = "REMOVED"
"""The substitute for a secret."""


def is_secret(name: str) -> bool:
    """Whether a header field, a parameter or a key of this name is likely to hold a secret.

    JSON may have halves of characters in a name, which no text of Rust holds.
    """
    return _core.is_secret(name.encode("utf-8", "replace").decode())


def without_secrets(query: str, place: str, notes: Notes, where: str = "URL") -> str:
    """A query, or a form sent as a ``body``, with the values of secrets replaced."""
    parts = []
    for part in query.split("&"):
        name, mark, given = part.partition("=")
        plain = unquote_plus(name)
        if given and is_secret(plain) and not is_open(given):
            notes.add(place, f"the value of `{plain}` in the {where} is replaced by {REMOVED}")
            given = REMOVED
        parts.append(name + mark + given)
    return "&".join(parts)


def masked(held: Any, place: str, notes: Notes) -> Any:
    """The content of a body, a JSON text or a form, with the values of secrets replaced."""
    if isinstance(held, list):
        return [masked(one, place, notes) for one in held]
    if not isinstance(held, dict):
        return held
    found = {}
    for name, one in held.items():
        if is_secret(name) and _holds_something(one) and not is_open(one):
            notes.add(place, f"the value of `{name}` in the body is replaced by {REMOVED}")
            found[name] = _removed(one)
        else:
            found[name] = masked(one, place, notes)
    return found


def masked_pairs(
    pairs: Iterable[tuple[str, str]], place: str, notes: Notes
) -> list[tuple[str, str]]:
    """The fields of a form with the values of secrets replaced."""
    return [(name, str(masked({name: value}, place, notes)[name])) for name, value in pairs]


def variable(name: str, held: str, place: str, notes: Notes) -> str:
    """The text for a variable: nothing of it if its name suggests a secret.

    Nor if it is ``REMOVED`` already; then the omission is noted here, at its place of use.
    """
    if not held or not (is_secret(name) or held == REMOVED):
        return held
    notes.add(place, f"the value of the variable `{name}` is replaced by {REMOVED}")
    return REMOVED


def masked_json(text: str, place: str, notes: Notes) -> str:
    """A JSON text with the values of secrets replaced; a text without secrets is unchanged.

    A text that is not JSON is unchanged, too, unless it is nested too deeply to examine.
    """
    changed = False

    def without(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # All objects pass here, also those of a key that occurs twice.
        nonlocal changed
        kept = [(name, masked({name: one}, place, notes)[name]) for name, one in pairs]
        changed = changed or kept != pairs
        return dict(kept)

    try:
        held = json.loads(text, object_pairs_hook=without)
        return json.dumps(held, ensure_ascii=False) if changed else text
    except ValueError:
        return text
    except RecursionError:
        notes.add(place, "the body is left out: it is nested too deeply")
        return ""


def _holds_something(held: Any) -> bool:
    if isinstance(held, dict | list):
        return any(map(_holds_something, held.values() if isinstance(held, dict) else held))
    return held is not None and held != ""


def _removed(held: Any) -> Any:
    """A secret reduced to its form."""
    match held:
        case dict():
            return {name: _removed(one) for name, one in held.items()}
        case list():
            return [_removed(one) for one in held]
        case str() | int() | float() if held != "":
            return REMOVED
    return held
