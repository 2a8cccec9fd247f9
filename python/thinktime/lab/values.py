"""The valid values of a LAB file; each function raises ValueError with the right form."""

from __future__ import annotations

import re
import shlex
from typing import Any
from urllib.parse import urlsplit

from thinktime import Distribution, InputError

NAME = re.compile(r"[a-z][a-z0-9-]{0,11}")
PROGRAM = re.compile(r"[a-z][a-z0-9-]{0,39}")
BITS = {
    "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9,
    "B/s": 8.0, "kB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9,
}  # fmt: skip
"""The bits a second of each unit of a rate."""
TIME = r"(?:ns|us|µs|ms|s|min|h)?"
SIZE = r"(?:B|kB|MB|KiB|MiB)?"
EVENTS = r"/(?:ms|s|min|h)"


def name(said: Any) -> str:
    """The name of a host, which is a part of the names of namespaces and devices."""
    if not isinstance(said, str) or not NAME.fullmatch(said):
        raise ValueError("a name has 1 to 12 small letters, digits and hyphens, a letter first")
    return said


def program(said: Any) -> str:
    """The name of a server, a run or a hostile client, which also names a file or a folder."""
    if not isinstance(said, str) or not PROGRAM.fullmatch(said) or said in ("logs", "lab"):
        raise ValueError("a name has 1 to 40 small letters, digits and hyphens, a letter first")
    return said


def text(said: Any) -> str:
    """Any text that is not empty."""
    if not isinstance(said, str) or not said:
        raise ValueError('give a text, as in "..."')
    return said


def whole(said: Any) -> int:
    """A number from 0 on."""
    if isinstance(said, bool) or not isinstance(said, int) or not 0 <= said < 1 << 63:
        raise ValueError("give a whole number, 0 or more")
    return said


def port(said: Any) -> int:
    """A port."""
    if isinstance(said, bool) or not isinstance(said, int) or not 1 <= said <= 65535:
        raise ValueError("give a port, 1 to 65535")
    return said


def pair(said: Any) -> tuple[str, str]:
    """Two names."""
    if not isinstance(said, list) or len(said) != 2 or said[0] == said[1]:
        raise ValueError('give the names of two hosts, as in ["clients", "server"]')
    return name(said[0]), name(said[1])


def words(said: Any) -> tuple[str, ...]:
    """The words of a command, as a list or as one text that is split like a shell's."""
    if isinstance(said, str):
        said = shlex.split(said)
    if not isinstance(said, list) or not said or not all(isinstance(one, str) for one in said):
        raise ValueError('give a command, as in "thinktime serve server.toml" or a list of words')
    return tuple(said)


def arguments(said: Any) -> tuple[str, ...]:
    """Like `words`, and possibly empty."""
    return words(said) if said else ()


def _number(said: Any, unit: str, example: str) -> float:
    spelt = str(said).strip()
    if isinstance(said, bool) or not re.fullmatch(rf"[0-9.]+(?:e[+-]?\d+)?\s*{unit}", spelt):
        raise ValueError(f"found {said!r}, wanted {example}")
    try:
        return Distribution(f"const({spelt})").mean
    except InputError as error:
        raise ValueError(str(error)) from None


def time(said: Any) -> float:
    """A time in seconds; a bare number is seconds."""
    return _number(said, TIME, "a time such as 250ms or 1.5s")


def seconds(said: Any) -> float:
    """A time, at most an hour."""
    found = time(said)
    if found > 3600:
        raise ValueError("is longer than an hour")
    return found


def size(said: Any) -> float:
    """A size in bytes, at least that of the largest packet: a smaller one lets no packet pass."""
    found = _number(said, SIZE, "a size such as 64kB or 1MB")
    if not 1500 <= found <= 1e9:
        raise ValueError("a buffer has 1500 B, a packet's size, to 1000 MB")
    return found


def share(said: Any) -> float:
    """A probability below 1."""
    found = _number(said, "%?", "a share such as 1% or 0.01")
    if found >= 1:
        raise ValueError("a share is less than 100 %: nothing would come through")
    return found


def rate(said: Any) -> float:
    """Events a second."""
    return _number(said, EVENTS, "a rate such as 100/s")


def bytes_a_second(said: Any) -> float:
    """The rate of a link."""
    found = re.fullmatch(r"([0-9.]+(?:e[+-]?\d+)?)\s*([kMG]?(?:bit|B)/s)", str(said).strip())
    try:
        bits = float(found[1]) * BITS[found[2]] if found else 0.0
    except ValueError:
        bits = 0.0
    if not 8e3 <= bits <= 1e11:
        raise ValueError("give a rate, as in 10Mbit/s: 8kbit/s to 100Gbit/s")
    return bits / 8


def target(said: Any) -> str:
    """A URL whose host is one of the lab's."""
    if not isinstance(said, str) or "://" not in said or not urlsplit(said).hostname:
        raise ValueError('give a URL with a host of the lab, as in "http://server:8080"')
    return said


def place(said: Any) -> tuple[str, int]:
    """A host and a port; port 0 if it names no port."""
    host, _, number = str(said).partition(":")
    if not isinstance(said, str) or not NAME.fullmatch(host) or not (number or "0").isdigit():
        raise ValueError('give a host of the lab and a port, as in "server:8080"')
    return host, port(int(number)) if number else 0
