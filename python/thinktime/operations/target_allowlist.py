"""The servers that this process may send load to, if its user has limited them.

A program that lets others choose workloads and targets, as `thinktime mcp` does, names them once.
`run` asks before each run, and so do sweeps and searches, which consist of runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from thinktime import _core

_TARGET = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+]*)://(?:[^\s/\\@?#\[\]]*@)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>\d{1,5}))?"
    r"(?P<path>/[^\s\\@#]*)?",
    re.IGNORECASE,
)
"""A plain url. Readers of urls disagree about others, as about those with a backslash."""

_PORTS = {
    **dict.fromkeys(("http", "h2c", "ws"), 80),
    **dict.fromkeys(("https", "h3", "wss"), 443),
    **dict.fromkeys(("postgresql", "postgres"), 5432),
    **dict.fromkeys(("redis", "valkey"), 6379),
}

ELSEWHERE = ("on", "resolve", "proxy", "unix_socket", "link", "sources", "leave_rows")
"""Options of runs that lead packets or files elsewhere than the target says."""

_limits: list[frozenset[str]] = []


def limit(targets: Iterable[str]) -> None:
    """Allow these targets alone from now on; none if there are none.

    Raises:
        InputError: One is not written as a url with a host.
    """
    _limits[:] = [frozenset(map(origin, targets))]


def origin(target: str) -> str:
    """The scheme, host and port of a target.

    Raises:
        InputError: It is not a plain url, as http://127.0.0.1:8080.
    """
    found = _TARGET.fullmatch(target)
    if found is None:
        raise _core.InputError(
            f"target: `{target}` is no plain address: write SCHEME://HOST:PORT, as "
            "http://127.0.0.1:8080, without a blank, a backslash or a second @"
        )
    scheme, host = found["scheme"].lower(), found["host"].lower()
    return f"{scheme}://{host}:{int(found['port'] or _PORTS.get(scheme, 0))}"


def check(workload: _core.Workload, target: str, options: Mapping[str, Any]) -> None:
    """Check that a run stays within the limits, if there are any.

    Raises:
        InputError: The target, another server that the workload names, or an option that leads
            elsewhere is not allowed.
    """
    if not _limits:
        return
    (allowed,) = _limits
    for name in ELSEWHERE:
        if options.get(name):
            raise _core.InputError(f"{name}: leads elsewhere than to an allowed target")
    for what, url in [("target", target), *servers(workload)]:
        if origin(url) not in allowed:
            listed = ", ".join(sorted(allowed)) or "none"
            raise _core.InputError(
                f"{what}: `{url}` is not allowed here: the user allows targets at the start of the "
                f"server, as by `thinktime mcp --allow {origin(url)}`; allowed: {listed}"
            )


def servers(workload: _core.Workload) -> Iterator[tuple[str, str]]:
    """The servers besides the target that a workload names: each with the name of its key."""
    yield from _urls(dict(workload.tables), "workload")


def _urls(table: Any, place: str) -> Iterator[tuple[str, str]]:
    """Values of keys `url` and `shared`: shared variables, and the givers of tokens."""
    if isinstance(table, Mapping):
        for name, value in table.items():
            if name in ("url", "shared") and isinstance(value, str):
                yield f"{place}.{name}", value
            else:
                yield from _urls(value, f"{place}.{name}")
    elif isinstance(table, list):
        for one in table:
            yield from _urls(one, place)
