"""A command's options, in the form that the compiled half takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.inputs import arrivals
from thinktime.inputs.arguments import check_number
from thinktime.present.sanitize import is_text

_FILES = {"ca_file", "certificate", "key", "unix_socket"}
"""Options that name files."""

_GO_WITH = {"generators": "on", "on_loss": "on", "leave_rows": "on"}
"""Options that have an effect only with another one."""


def options_json(command: str, values: Mapping[str, Any]) -> str:
    """The given options of a command, as JSON.

    Raises:
        InputError: One is a number that is not finite, or not a text: JSON has neither.
    """
    given = {name: values[name] for name, _, _ in _core.options(command) if name in values}
    given |= {name: arrivals.noted(given[name]) for name in arrivals.KEYS if name in given}
    for name in _FILES & given.keys():
        if given[name] not in (None, ""):
            given[name] = str(Path(given[name]).absolute())  # for a repetition in any folder
    if given.get("proxy") == "":
        del given["proxy"]  # no proxy, whatever the environment says
    for name, value in given.items():
        check_number(name, value)
        texts = value if isinstance(value, list | tuple) else [value]
        if not all(is_text(one) for one in texts if isinstance(one, str)):
            # Not repeated: it may be a proxy's password.
            raise _core.InputError(f"{name}: holds bytes that are no text in UTF-8")
    kept = {name: value for name, value in given.items() if not _is_absent(value)}
    for name, other in _GO_WITH.items():
        if name in kept and other not in kept:
            raise _core.InputError(f"{name}: goes with `{other}`, which names a cluster")
    return json.dumps(kept, default=_plain)


def _is_absent(value: object) -> bool:
    return value is None or value is False or (isinstance(value, list | tuple) and not value)


def _plain(value: Any) -> Any:
    """A number of numpy as Python's, a sequence as a list."""
    if hasattr(value, "item"):
        return value.item()
    return list(value) if isinstance(value, Sequence) else str(value)
