"""URLs that stand for several, as curl writes them: sets `{a,b}`, ranges `[1-3]` and `[a-e:2]`.

Source: https://curl.se/docs/manpage.html#URL
"""

from __future__ import annotations

import re
from itertools import islice, product

URLS_MAX = 100
"""At most this many URLs of a pattern are taken."""

LONG = re.compile(r"(?<!\\)\[\d*-?\d{19}")
"""The beginning of a range with a bound that has no 64 bits, which curl refuses."""

COUNT_MAX = 10**9
"""Larger numbers of URLs are not counted."""

_GLOB = re.compile(
    r"\\(?P<literal>[\[\]{}])|\{(?P<set>[^{}]+)\}"
    r"|\[(?P<lo>\d{1,18})-(?P<hi>\d{1,18})(?::(?P<step>\d{1,18}))?\]"
    r"|\[(?P<first>[a-z])-(?P<last>[a-z])(?::(?P<by>\d{1,9}))?\]",
    re.IGNORECASE,
)


def expanded(url: str) -> tuple[list[str], int]:
    """The first URLs that a pattern stands for, and the number of all, at most `COUNT_MAX`.

    The last part varies first. A pattern that is wrong is a text.
    """
    choices: list[list[str]] = []
    at, count = 0, 1
    for found in _GLOB.finditer(url):
        made, many = _choices(found)
        choices += [[url[at : found.start()]], made or [found[0]]]
        count = min(count * max(many, 1), COUNT_MAX)
        at = found.end()
    choices.append([url[at:]])
    return list(islice(map("".join, product(*choices)), URLS_MAX)), count


def _choices(found: re.Match[str]) -> tuple[list[str], int]:
    """The first choices of a part, which suffice for the first URLs, and the number of all."""
    if found["literal"]:
        return [found["literal"]], 1
    if found["set"]:
        made = found["set"].split(",")
        return made[:URLS_MAX], len(made)
    if found["lo"]:
        width = len(found["lo"]) if found["lo"].startswith("0") else 0
        numbers = range(int(found["lo"]), int(found["hi"]) + 1, int(found["step"] or 1) or 1)
        return [f"{number:0{width}}" for number in numbers[:URLS_MAX]], len(numbers)
    first, last = found["first"], found["last"]
    codes = range(ord(first), ord(last) + 1, int(found["by"] or 1) or 1)
    return (list(map(chr, codes)), len(codes)) if first.isupper() == last.isupper() else ([], 0)
