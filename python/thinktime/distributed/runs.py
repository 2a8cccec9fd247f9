"""`run` from the machines of a cluster."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from thinktime import _core
from thinktime.distributed import clocks, rows_on_nodes
from thinktime.distributed.conductor import Conductor, Member
from thinktime.distributed.connection import Cluster, connected
from thinktime.distributed.generator import (
    FILES,
    Assignment,
    Generator,
    GeneratorDescription,
    LinkSetup,
)
from thinktime.distributed.parcel import Parcel, contents

_ON_LOSS = ("stop", "continue")
_NOT_FOR_EACH = ("on", "generators", "on_loss", "rows", "leave_rows")
"""Options that do not concern one of several generators."""

_READY_S = 60.0
"""The time that a cluster may take to make room and to start generators."""

_CLOSE_S = 10.0
"""The time that generators may take to remove their copied files and links."""

_Done = TypeVar("_Done")


def run_on_cluster(
    workload: _core.Workload,
    target: str,
    options: str,
    demands: _core.System | None,
    run: Callable[[_core.Gathering], _Done],
    crossing: LinkSetup | None = None,
) -> tuple[_Done, list[Any]]:
    """Let generators make the load, on the cluster that the options name.

    Args:
        workload: The workload.
        target: Where the server listens; each node must reach it by this url.
        options: Those of `run`, in JSON; `on`, `generators`, `on_loss` and `leave_rows` say where
            and how.
        demands: The system whose demands the requests carry, if they do.
        run: Gathers the reports, and returns the result.
        crossing: The way over a link, which each generator makes on its node.

    Returns:
        The result, and with a link its record by each generator, None for one that was lost.

    Raises:
        InputError: if an option is wrong, or a generator finds something wrong.
        RunError: if there is no such cluster, it has no room, or a node cannot reach the target.
    """
    given = json.loads(options)
    if workload.replays:
        raise _core.InputError("on: a log is replayed by one generator: its requests are not "
                               "divided yet")  # fmt: skip
    if "precision" in given:
        raise _core.InputError("precision: it ends a run of one generator; give several of them a "
                               "duration")  # fmt: skip
    on_loss = given.get("on_loss", _ON_LOSS[0])
    if on_loss not in _ON_LOSS:
        raise _core.InputError(f"on_loss = {on_loss}: must be one of {', '.join(_ON_LOSS)}")
    folder = None
    if "leave_rows" in given and given.get("rows") != "none":
        folder = rows_on_nodes.checked(given["leave_rows"])
    with ExitStack() as stack:
        cluster = stack.enter_context(connected(given["on"]))
        gathering = _core.Gathering(workload, options, given.get("generators", len(cluster.nodes)))
        assignment = Assignment(
            Parcel.of(workload), target, _own(given), gathering.shares,
            None if demands is None else Parcel.of(demands), contents(given, FILES),
            None if folder is None else _leaving(folder, gathering.generators, given.get("rows")),
            crossing,
        )  # fmt: skip
        members = stack.enter_context(_started(cluster, gathering.generators))
        conductor = Conductor(members, assignment, gathering, on_loss == "continue")
        with _causes():
            conductor.prepare()
        conductor.begin()
        done = run(conductor.gathering)
        return done, [] if crossing is None else [_crossed(member) for member in members]


def _crossed(member: Member) -> Any:
    """The record of a generator's link; None if the generator is lost."""
    import ray

    try:
        return None if member.lost else ray.get(member.handle.crossed.remote(), timeout=_READY_S)
    except Exception:  # whatever the error, the run has its figures, and says that the link ended
        return None


def _own(options: dict[str, Any]) -> str:
    """The options of each generator."""
    return json.dumps({name: value for name, value in options.items() if name not in _NOT_FOR_EACH})


def _leaving(folder: str, generators: int, rows: str | None) -> rows_on_nodes.RowsOnNodes:
    """Rows go to a folder that is the run's own."""
    run = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{secrets.token_hex(4)}"
    return rows_on_nodes.RowsOnNodes(f"{folder.rstrip('/')}/{run}", generators, rows)


@contextmanager
def _causes() -> Iterator[None]:
    """Turns a generator's exception into the one that `run` would raise here."""
    try:
        yield
    except Exception as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, _core.InputError | _core.RunError):
            raise type(cause)(*cause.args) from None
        raise


@contextmanager
def _started(cluster: Cluster, number: int) -> Iterator[list[Member]]:
    """The generators: one on each node, or equally many on each; none at the end."""
    from ray.util.placement_group import placement_group, remove_placement_group

    nodes = cluster.nodes
    if not nodes:
        raise _core.RunError("no node of the cluster has a core for a generator")
    used = min(number, len(nodes))
    group = placement_group([{"CPU": 1}] * used, strategy="STRICT_SPREAD")
    handles: list[Any] = []
    try:
        if not group.wait(_READY_S):
            raise _core.RunError(f"the cluster has no free core on {used} of its nodes")
        handles += _placed(group, number, used)
        addresses = {node.id: node.address for node in nodes}
        yield [_member(handle, place, addresses) for place, handle in enumerate(handles)]
    finally:
        _end(handles)
        remove_placement_group(group)


def _end(handles: Sequence[Any]) -> None:
    """Release them, after they have removed their copied files."""
    import ray

    closing = [handle.close.remote() for handle in handles]
    try:
        if closing:
            ray.wait(closing, num_returns=len(closing), timeout=_CLOSE_S)
    finally:
        for handle in handles:
            ray.kill(handle)


def _placed(group: Any, number: int, used: int) -> Iterator[Any]:
    import ray
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    # Calls come at the same time: one for each part, and those that ask or stop.
    share = int(1000 / -(-number // used)) / 1000
    actor = ray.remote(num_cpus=share, max_concurrency=16)(Generator)
    for place in range(number):
        where = PlacementGroupSchedulingStrategy(group, place % used)
        yield actor.options(scheduling_strategy=where).remote()


def _member(handle: Any, place: int, addresses: Mapping[str, str]) -> Member:
    import ray

    def ask() -> int:
        found: int = ray.get(handle.clock_ns.remote(), timeout=_READY_S)
        return found

    about: GeneratorDescription = ray.get(handle.about.remote(), timeout=_READY_S)
    address = addresses.get(about.node, about.node)
    if about.version != _core.__version__:
        raise _core.RunError(f"the node {address} has Thinktime {about.version}, and this is "
                             f"{_core.__version__}: install the same on all")  # fmt: skip
    offset = clocks.offset(ask, about.boot)
    return Member(handle, f"{address}/{place}", address, about, offset)
