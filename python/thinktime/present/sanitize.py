"""Foreign text, such as names and servers' answers, made safe for display."""

from __future__ import annotations

import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Codes that steer a terminal, turn the direction of the text, or are not characters at all."""

_HALF = re.compile("[\ud800-\udfff]")


def harmless(text: str) -> str:
    """Text with a sign in place of each character that has an effect beyond its display.

    Blanks, tabs and ends of lines stay.
    """
    return _STEERING.sub("\ufffd", text)


def in_one_line(text: str) -> str:
    """The same in one line, as names in tables need it."""
    return harmless(" ".join(text.split()))


def is_text(text: str) -> bool:
    """Whether it has no half of a character, which Python makes from bytes that are not UTF-8."""
    return _HALF.search(text) is None
