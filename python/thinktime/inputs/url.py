"""A workload made of a URL: one request, so that a first run needs no file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from thinktime import _core
from thinktime.importing.addresses import encoded
from thinktime.importing.draft import name_of
from thinktime.inputs.files import workload_of

RATE = "10/s"
"""The rate of requests if neither a rate nor clients are given."""

DURATION = "10s"
"""The length of the run if nothing else ends it."""

_SCHEMES = ("http", "https", "h3")


def is_url(given: object) -> TypeGuard[str]:
    """Whether it is a URL, and not the path of a file."""
    return isinstance(given, str) and "://" in given


def taken(
    url: str, target: str | None, given: Mapping[str, Any]
) -> tuple[_core.Workload, str, dict[str, Any]]:
    """The workload of a URL, its target, and the given options with the duration of such a run.

    The model is open, or closed if `given` has `clients`.

    Raises:
        InputError: The URL is not one of http, https or h3, or there is a second target.
    """
    if target is not None:
        raise _core.InputError(f"the URL is the target itself: leave out `target`, {target}")
    workload, origin = _workload(url, closed=given.get("clients") is not None)
    ends = any(given.get(name) is not None for name in ("duration", "requests", "precision"))
    return workload, origin, {**given} if ends else {**given, "duration": DURATION}


def _workload(url: str, *, closed: bool) -> tuple[_core.Workload, str]:
    """The workload and its target."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _core.InputError(f"{url}: is no URL") from None
    if parts.scheme.lower() not in _SCHEMES:
        raise _core.InputError(
            f"{parts.scheme}: a run without a workload file is for {', '.join(_SCHEMES)}; write a "
            "file for another protocol"
        )
    path = encoded(parts.path or "/")
    query = f"?{encoded(parts.query)}" if parts.query else ""
    many = {"model": "closed", "clients": 1} if closed else {"model": "open", "rate": RATE}
    table = {
        "name": parts.hostname or "url",
        "arrivals": many,
        **({"session": {"think": "0s"}} if closed else {}),
        "request": [{"name": name_of("GET", path), "get": path + query}],
    }
    return workload_of(table), f"{parts.scheme}://{parts.netloc}"
