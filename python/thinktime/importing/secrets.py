"""What must not be written into a file: passwords and tokens, told by the names they go by."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote_plus

from thinktime.importing.notes import Notes

REMOVED = "REMOVED"
"""What stands in the place of a secret."""

_SECRET = re.compile(
    r"authori[sz]ation|authenticat|token|secret|api[-_]?key|passw|passphrase|credential|signature"
    r"|[cx]srf|jwt|sess(?:ion)?[-_]?id|(?:^|[-_.])(?:auth|sig|pwd|otp)(?:$|[-_.])",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether a header field, a parameter or a key of this name is likely to hold a secret."""
    return bool(_SECRET.search(name))


def without_secrets(query: str, place: str, notes: Notes) -> str:
    """A query, or a form as it is sent, with the values of secrets replaced."""
    parts = []
    for part in query.split("&"):
        name, mark, given = part.partition("=")
        plain = unquote_plus(name)
        if given and is_secret(plain):
            notes.add(place, f"the value of `{plain}` in the URL is replaced by {REMOVED}")
            given = REMOVED
        parts.append(name + mark + given)
    return "&".join(parts)


def masked(held: Any, place: str, notes: Notes) -> Any:
    """What a recorded body held, a JSON text or a form, with the values of secrets replaced."""
    if isinstance(held, list):
        return [masked(one, place, notes) for one in held]
    if not isinstance(held, dict):
        return held
    found = {}
    for name, one in held.items():
        if is_secret(name) and isinstance(one, str | int | float) and one != "":
            notes.add(place, f"the value of `{name}` in the body is replaced by {REMOVED}")
            found[name] = REMOVED
        else:
            found[name] = masked(one, place, notes)
    return found
