"""The facts that diagrams show of a population: its sessions' origin, requests and loop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.present import units

if TYPE_CHECKING:
    from thinktime import Workload
    from thinktime._core import Population as Known
    from thinktime._core_types import (
        ArrivalsTable,
        ClientsTable,
        ObjectsTable,
        PopulationTable,
        RequestTable,
        SessionTable,
    )

END = "end"
"""The name that `next` has for the end of a journey."""


@dataclass(frozen=True)
class Kind:
    """A kind of request that sessions choose; objects of pages do not count."""

    name: str
    share: float | None
    """Its share of the requests that sessions choose; None if not known beforehand."""

    first: float = 0.0
    """The share of the sessions whose journey begins here."""

    following: Sequence[tuple[str, float]] = ()
    """Its followers, with probabilities; empty if the next request is drawn independently."""

    facts: Sequence[str] = ()
    """Its think time, objects, and treatment of failures, in words."""


@dataclass(frozen=True)
class Population:
    """A population: its drawn facts, in words."""

    name: str
    model: str
    """`open`, `closed` or `partly-open`."""

    comes: Sequence[str]
    """The origin of its sessions, the most important first."""

    kinds: Sequence[Kind]
    chooses: str
    """The rule that decides which request comes next, if it is not drawn."""

    think: str
    """A session's activity between two requests; empty if it has only one."""

    leaves: str
    """The time when a session leaves; empty if none ever does."""

    limits: Sequence[str] = ()
    """The limits that hold requests back before they are sent."""

    @property
    def is_journey(self) -> bool:
        """Whether the next request depends on the session's state."""
        return any(one.following for one in self.kinds)

    @property
    def loops(self) -> bool:
        """Whether a session sends more than one request."""
        return self.model != "open"


def populations_of(workload: Workload) -> list[Population]:
    """All populations of a workload."""
    return [_population(one, one.table) for one in workload.populations]


def _population(known: Known, table: PopulationTable) -> Population:
    return Population(
        known.name,
        known.model,
        _comes(known, table["arrivals"]),
        _kinds(known, table),
        _chooses(table),
        _think(known, table["session"]),
        _leaves(known, table),
        _limits(table["clients"]),
    )


def _comes(known: Known, arrivals: ArrivalsTable) -> list[str]:
    process = arrivals["process"]
    if known.model == "closed":
        found = [units.counted(known.clients or 0, "client")]
        return [*found, _file(process)] if process.startswith("trace") else found
    what = "requests" if known.model == "open" else "sessions"
    rate = known.session_rate
    found = [] if rate is None or not math.isfinite(rate) else [units.rate(rate, f"{what}/s")]
    found.append(_process(process))
    if arrivals["profile"] != "constant":
        found.append(f"the rate over time: {units.law(arrivals['profile'])}")
    return found


def _process(process: str) -> str:
    if process.startswith("trace"):
        return _file(process)
    known = {"poisson": "Poisson arrivals", "even": "evenly spaced"}
    kind = "arrivals" if process.partition("(")[0] in ("mmpp", "map", "batches") else "gaps"
    return known.get(process, f"{kind} {units.law(process)}")


def _file(process: str) -> str:
    return f"as in {process.partition('(')[2].rpartition(')')[0].partition(',')[0]}"


def _kinds(known: Known, table: PopulationTable) -> list[Kind]:
    """The kinds that sessions choose, in the order of the file."""
    names, tables = known.request_names, {one["name"]: one for one in table["request"]}
    steps = _shares(known, table)
    follows = any(one["next"] is not None for one in tables.values())
    first = table["session"]["first"] or ({names[0]: 1.0} if follows and names else {})
    found = []
    for place, name in enumerate(names):
        one = tables.get(name)  # none without tables, where each request is GET /
        share = None if steps is None else steps[place]
        if share is None or share > 0 or name in first:
            following = {} if one is None else one["next"] or {}
            kept = sorted((pair for pair in following.items() if pair[1] > 0), key=_falling)
            facts = [] if one is None else _facts(one)
            found.append(Kind(name, share, first.get(name, 0.0), kept, facts))
    return found


def _falling(pair: tuple[str, float]) -> float:
    return -pair[1]


def _shares(known: Known, table: PopulationTable) -> list[float] | None:
    """The shares of the requests that sessions choose; None if not known beforehand."""
    if _chooses(table):
        return None
    whole = math.fsum(known.steps)
    return [one / whole for one in known.steps] if math.isfinite(whole) and whole > 0 else None


def _chooses(table: PopulationTable) -> str:
    script = table["session"]["script"]
    if script is not None:
        return f"the script {script} decides which comes next"
    process = table["arrivals"]["process"]
    if process.startswith("trace(") and "column" not in process:
        return f"each comes {_file(process)}"
    return ""


def _facts(request: RequestTable) -> list[str]:
    found = []
    if request["think"] is not None:
        found.append(f"thinks {units.law(str(request['think']))}")
    if request["objects"] is not None:
        found.append(_objects(request["objects"]))
    if request["timeout"] is not None:
        found.append(f"gives up after {units.law(str(request['timeout']))}")
    if request["retry"] is not None:
        attempts = request["retry"]["attempts"]
        unlimited = attempts == "unlimited"
        found.append("tries again without limit" if unlimited else f"up to {attempts} attempts")
    if request["hedge"] is not None:
        found.append(f"a copy after {units.law(str(request['hedge']['after']))}")
    return found


def _objects(objects: ObjectsTable) -> str:
    """As in 'geometric(8) objects: image 60 %, script 40 %'."""
    whole = math.fsum(objects["of"].values()) or 1.0
    most = sorted(objects["of"].items(), key=_falling)
    shares = ", ".join(f"{name} {percent(share / whole)}" for name, share in most)
    return f"{units.law(str(objects['count']))} objects: {shares}"


def _think(known: Known, session: SessionTable) -> str:
    if known.model == "open":
        return ""
    if session["script"] is not None:
        return "thinks as its script says"
    law = session["think"]
    if law is None or (known.think is not None and known.think.mean == 0):
        return "asks again at once"
    return f"thinks {units.law(str(law))}"


def _leaves(known: Known, table: PopulationTable) -> str:
    """The rule by which closed sessions begin anew."""
    session = table["session"]
    whens = []
    if session["requests"] is not None:
        whens.append(f"after {units.law(str(session['requests']))} requests")
    if session["lasts"] is not None:
        whens.append(f"after {units.law(str(session['lasts']))}")
    if session["on_error"] == "end":
        whens.append("when a request has failed")
    when = " or ".join(whens)
    if known.model == "open":
        return "leaves when answered"
    ends = any((one["next"] or {}).get(END, 0) > 0 for one in table["request"])
    if known.model == "closed":
        return f"begins anew {when}".strip() if when or ends else ""
    if session["script"] is not None:
        return f"leaves when its script ends{' or ' + when if when else ''}"
    return f"leaves {when}".strip()


def _limits(clients: ClientsTable | None) -> list[str]:
    found: list[str] = []
    if clients is None:
        return found
    if clients["concurrency"] is not None:
        found.append(f"at most {units.count(clients['concurrency'])} in flight, others wait")
    if isinstance(clients["connections"], int):
        found.append(f"over at most {units.count(clients['connections'])} connections")
    if clients["waiting"] is not None:
        found.append(f"with {units.count(clients['waiting'])} waiting, others fail")
    if clients["breaker"] is not None:
        found.append(f"a breaker opens for {units.law(str(clients['breaker']['open']))}")
    return found


def percent(share: float) -> str:
    """A probability, as in '70 %'."""
    text = units.percent(share)
    return text if share == 0 or share >= 0.001 else "under 0.1 %"
