"""Options in messages as the user types them.

Commands call the same functions as Python programs, whose messages name options as Python does:
before a colon, or in backticks, as in `unix_socket`.
"""

from __future__ import annotations

import re
from typing import Any

import thinktime
from thinktime import _core

_OF_FILE = re.compile(r"\S+:\d+: |[^\s`:]*[./][^\s`]*(: | = )")
"""The beginnings of messages that are about the key of a file."""

_ONLY_HERE = {"json", "quiet"}
"""Options of the command line alone: in messages these names mean something else."""

_OTHERWISE_CALLED = {"explain"}
"""Commands whose function has another name; its arguments have the names of the options."""

_done: list[Any] = []
"""The running command, whose options messages name."""


def begin(command: Any) -> None:
    """Note the running command."""
    _done[:] = [command]


def _words() -> dict[str, str]:
    """The typed words of the running command's options, by name."""
    found = {}
    for command in _done:
        known = {name for name, _, _ in _core.options("run")}
        has_function = callable(getattr(thinktime, command.name or "", None))
        has_function = has_function or command.name in _OTHERWISE_CALLED
        for one in command.params:
            long = [word for word in one.opts if word.startswith("--")]
            if long and one.name not in _ONLY_HERE and (has_function or one.name in known):
                found[one.name] = long[0]
    return found


def as_typed(message: str) -> str:
    """The message with the command's options as typed, as in `--unix-socket`."""
    words = _words()
    if not words or _OF_FILE.match(message):
        return message
    names = "|".join(words)
    begun = re.sub(rf"^({names})(?=: | = )", lambda found: words[found[1]], message)
    return re.sub(rf"`({names})`", lambda found: f"`{words[found[1]]}`", begun)
