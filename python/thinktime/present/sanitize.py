"""Foreign text, such as names and what servers said, as it may be shown."""

from __future__ import annotations

import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What steers a terminal, turns the direction of what follows, or is no character at all."""

_HALF = re.compile("[\ud800-\udfff]")


def harmless(text: str) -> str:
    """Text in which a sign stands for each character that would do more than be seen.

    Blanks, tabs and ends of lines stay.
    """
    return _STEERING.sub("\ufffd", text)


def in_one_line(text: str) -> str:
    """The same in one line, as a name has to be that stands in a table."""
    return harmless(" ".join(text.split()))


def is_text(text: str) -> bool:
    """Whether there is no half of a character in it, as Python makes of bytes that are no UTF-8."""
    return _HALF.search(text) is None
