"""A Ray cluster: one that is started and ended on this machine, or an existing one."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from thinktime import _core
from thinktime.distributed.authentication import lets_anybody_in

LOCAL = "ray"
"""Names a cluster of this machine alone, for the duration of the command."""

AUTO = "auto"
"""Names the cluster that this machine belongs to."""

_CLIENT = "ray://"
_TOKEN = Path.home() / ".ray" / "auth_token"
"""The places where Ray looks for a token."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_TQDM": "0",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
}
"""No telemetry, and no output that does not concern the user: the last two suppress Ray's lines
about nodes and processes that died, which it prints whatever `log_to_driver` says. Ray's own log
files have them."""

_LOCAL = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_worker_niceness": "0",
}
"""Ray then listens on 127.0.0.1 alone, on any operating system; and its processes have our
priority. Its default is nice 15: a generator would be late as soon as another program ran."""

SURROUNDINGS = _QUIET | _LOCAL
"""The environment of a cluster on this machine."""


@dataclass(frozen=True)
class Node:
    """A node of the cluster."""

    id: str
    address: str
    cores: float


@dataclass(frozen=True)
class Cluster:
    """A connected cluster."""

    on: str
    """The name that the user gave."""

    @property
    def nodes(self) -> Sequence[Node]:
        """The live nodes with a core, by address."""
        import ray

        alive = [one for one in ray.nodes() if one["Alive"] and one["Resources"].get("CPU", 0) >= 1]
        all_ = [Node(one["NodeID"], one["NodeManagerAddress"], one["Resources"]["CPU"])
                for one in alive]  # fmt: skip
        return sorted(all_, key=lambda node: (node.address, node.id))


def checked(on: str) -> str:
    """The name of a cluster, if valid.

    Raises InputError if it is not one, or Ray is not installed.
    """
    client = on.startswith(_CLIENT) and on.removeprefix(_CLIENT).rpartition(":")[2].isdigit()
    if on not in (LOCAL, AUTO) and not client:
        raise _core.InputError(
            f"on: `{on}` is no cluster: `{LOCAL}` is one on this machine for the time of the "
            f"command, `{_CLIENT}HOST:PORT` or `{AUTO}` a running one"
        )
    if find_spec("ray") is None:
        raise _core.InputError(
            "on: Ray is not installed: pip install 'thinktime[ray]', on each node"
        )
    return on


@contextmanager
def connected(on: str) -> Iterator[Cluster]:
    """Connect to a cluster, and leave it again; one that was started here is ended.

    Args:
        on: `ray`, `auto` or `ray://HOST:PORT`.

    Raises:
        InputError: if that names no cluster, or Ray is not installed.
        RunError: if there is no such cluster.
    """
    checked(on)
    os.environ.update(_QUIET)
    if on == LOCAL:
        for name, value in SURROUNDINGS.items():
            os.environ.setdefault(name, value)
    if "ray" in sys.modules and sys.modules["ray"].is_initialized():
        yield Cluster(on)  # the caller's, which ends it
        return
    if on != LOCAL:
        _take_token()
    import ray

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the error is reported below
            _connect(ray, on)
    except Exception as error:  # Ray raises errors of many kinds
        why = str(error).strip().splitlines() or [type(error).__name__]
        token = "" if on == LOCAL else "; one that wants a token needs it here"
        raise _core.RunError(f"no Ray cluster at `{on}`: {why[0]}{token}") from None
    try:
        yield Cluster(on)
    finally:
        ray.shutdown()


def _take_token() -> None:
    """Let Ray show the local token: its client does not by itself, nor for RAY_ADDRESS."""
    names = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
    found = any(name in os.environ for name in names) or _TOKEN.is_file()
    if found and "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"


def _connect(ray: Any, on: str) -> None:
    quiet: dict[str, Any] = {"logging_level": "critical", "log_to_driver": False}
    if on == LOCAL:
        ray.init(address="local", include_dashboard=False, **quiet)
        return
    address = os.environ.get("RAY_ADDRESS", AUTO) if on == AUTO else on
    ray.init(address=on, **quiet)
    if address.startswith(_CLIENT):
        _silence_client()
    _warn_of_open_cluster(ray, address)


def _silence_client() -> None:
    """Let Ray's client show none of the other end's log lines."""
    with suppress(ImportError, AttributeError):  # another version may have it elsewhere
        from ray.util.client import ray as client

        client.get_context().client_worker.log_client.disable_logs()
    for name in ("ray", "ray.util.client.logsclient"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _warn_of_open_cluster(ray: Any, address: str) -> None:
    """Anybody who reaches a cluster without authentication can run anything on its nodes.

    If the cluster's mode is unknown, this machine's mode stands for it, which Ray knows by now.
    """
    is_open = lets_anybody_in(ray, address)
    if is_open is None:
        is_open = os.environ.get("RAY_AUTH_MODE", "disabled") == "disabled"
    if is_open:
        print("warning: the Ray cluster has no authentication (RAY_AUTH_MODE): anybody who "
              "reaches it can run programs on its nodes", file=sys.stderr)  # fmt: skip
