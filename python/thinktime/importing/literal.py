"""Foreign text, which is sent as it stands: its braces hold no draws.

In a workload file `{zipf(n=9, s=1)}` is a draw, and `{empirical(FILE)}` reads a file for it. The
text of a recording, a command or a log means neither.
"""

from __future__ import annotations

import re
from typing import Any

BRACE = "{brace()}"
"""The notation for a brace itself, as in `{brace()}zipf(n=9, s=1)}`."""

_OPENING = re.compile(r"\{(?=\w+\()")
"""A brace that may begin a draw; other braces are themselves, as in JSON."""


def text(given: str, *, names: bool = False) -> str:
    """A foreign text, for a header field, a body or a field of a form.

    If sessions have values, a name in braces would be one of them.
    """
    given = _OPENING.sub(BRACE, given)
    return _NAME.sub(BRACE, given) if names else given


_NAME = re.compile(r"\{(?=[A-Za-z][\w -]*\})")
"""A brace around what may be the name of a value."""

_NOT_SENT = re.compile(r"[\\\x00-\x1f\x7f]|\{(?=\w)")


def sent(given: str) -> str:
    """A foreign text for `send`, in which backslashes begin the codes of bytes."""
    return _NOT_SENT.sub(lambda one: _CODES.get(one[0], f"\\x{ord(one[0]):02x}"), given)


_CODES = {"\\": "\\\\", "{": "\\{", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def held(given: Any, *, names: bool = False) -> Any:
    """A foreign value of JSON: its texts, and its keys."""
    match given:
        case str():
            return text(given, names=names)
        case dict():
            return {text(name, names=names): held(one, names=names) for name, one in given.items()}
        case list():
            return [held(one, names=names) for one in given]
    return given


def target(given: str) -> str:
    """A foreign target, in which braces are percent-encoded."""
    return given.replace("{", "%7B").replace("}", "%7D")
