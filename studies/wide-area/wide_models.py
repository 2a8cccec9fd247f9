"""The links, workloads and servers of the study, as models and as labs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import user_models

HERE = Path(__file__).parent
SIZES = {"2 kB": 2_000, "50 kB": 50_000, "1 MB": 1_000_000}
"""Responses, in bytes."""

RATES = {"2 kB": 60, "50 kB": 30, "1 MB": 2}
"""Requests a second, of each size: a small load for the machine."""

DELAYS_MS = (10, 50, 200)
"""One way."""

LOSSES = (0, 1, 3)
"""In percent."""

CONGESTION_CONTROL = "reno"

PREDICTED, QUICK_PREDICTED = 20_000, 2_000
"""Requests of a simulated cell; of the quick study fewer."""


@dataclass(frozen=True)
class Link:
    """The properties of a link."""

    delay_ms: float
    loss: float
    """In percent."""

    def table(self) -> dict[str, Any]:
        """As a table of a system file or, with `between`, of a LAB file."""
        found: dict[str, Any] = {}
        if self.delay_ms:
            found["delay"] = f"{self.delay_ms:g}ms"
        if self.loss:
            found["loss"] = f"{self.loss:g}%"
        return found


LINKS = [Link(delay, loss) for delay in DELAYS_MS for loss in LOSSES]

CONDITIONS = {"LAN": Link(0, 0), "good WAN": Link(25, 1), "poor WAN": Link(50, 4)}
"""Of Figure 4: round trips of 0, 50 and 100 ms."""

MODELS = ("open", "partly open", "closed")
USERS = 200
SERVER = "server"
RATE = 1.25e6
"""Bytes a second that the server of Figure 4 sends."""

FILES = (
    "truncated(mix(0.93: lognormal(mu=7.881, sigma=1.339), 0.07: pareto(shape=1.177, scale=3558)),"
    " lo=75, hi=1e6)"
)
"""Their sizes: the law of the study of static files, cut off at 1 MB."""


def run_name(size: str) -> str:
    """The name of a size's run, as in 'of-50kb'."""
    return f"of-{size.replace(' ', '').lower()}"


def transfers(names: Sequence[str] = tuple(SIZES)) -> dict[str, Any]:
    """The workload of responses of these sizes, over a connection each."""
    return {
        "name": " and ".join(names),
        "arrivals": {"model": "open", "rate": f"{sum(RATES[name] for name in names)}/s"},
        "clients": {"connections": "per-request"},
        "request": [
            {
                "name": name.replace(" ", ""), "get": f"/{name.replace(' ', '')}",
                "weight": RATES[name], "size": f"{SIZES[name]}B",
            }
            for name in names
        ],
    }  # fmt: skip


def quick_server() -> dict[str, Any]:
    """A server that takes hardly any time."""
    station = {"name": SERVER, "policy": "ps", "servers": 100, "demand": "0.1ms"}
    return {"name": "a quick server", "station": [station]}


def users(model: str) -> dict[str, Any]:
    """The workload of a model in Figure 4; its rate or think time is still to be set by a load."""
    return (
        {"name": f"wide area, {model}"}
        | user_models.users(model, USERS)
        | {
            "clients": {"connections": "per-request"},
            "request": [{"name": "file", "get": "/file/{zipf(n=3000, s=0.6)}", "size": FILES}],
        }
    )


def file_server(policy: str) -> dict[str, Any]:
    """A server whose work for a response is proportional to its size."""
    station = {"name": SERVER, "policy": policy, "demand": f"size / {RATE:g}B/s"}
    return {"name": f"static files, {policy}", "station": [station]}


def behind(link: Link, system: dict[str, Any]) -> dict[str, Any]:
    """The system, with the link before it."""
    if link == Link(0, 0):
        return system
    table = {"name": "wan", **link.table(), "congestion_control": CONGESTION_CONTROL}
    return system | {"link": [table]}


def toml(tables: dict[str, Any]) -> str:
    """A file of plain tables and lists of tables."""
    simple = {key: value for key, value in tables.items() if not isinstance(value, (dict, list))}
    lines = [f"{key} = {json.dumps(value)}" for key, value in simple.items()]
    for name, value in tables.items():
        for one in value if isinstance(value, list) else [value] if name not in simple else []:
            head = f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            lines += [head, *(f"{key} = {json.dumps(inner)}" for key, inner in one.items())]
    return "\n".join(lines) + "\n"


LAB = """name = "wide area"
seed = {seed}
congestion_control = "{control}"

[[host]]
name = "users"
[[host]]
name = "site"

[[link]]
between = ["users", "site"]
{link}

[[server]]
name = "web"
host = "site"
command = "thinktime serve system.toml --workload served.toml --listen 0.0.0.0:8080"
ready = 8080
"""

RUN = """
[[run]]
name = "{name}"
host = "users"
workload = "{name}.toml"
target = "http://site:8080"
options = "--duration {duration}s --warmup {warmup}s --drain 120s"
"""


def lab(link: Link, runs: Sequence[str], duration_s: float, warmup_s: float, seed: int) -> str:
    """The LAB file; it expects `system.toml`, `served.toml` and a workload a run beside it."""
    table = "\n".join(f"{key} = {json.dumps(value)}" for key, value in link.table().items())
    text = LAB.format(seed=seed, control=CONGESTION_CONTROL, link=table)
    return text + "".join(
        RUN.format(name=name, duration=duration_s, warmup=warmup_s) for name in runs
    )


@dataclass(frozen=True)
class Point:
    """A point of Figure 4."""

    condition: str
    model: str
    policy: str
    load: float

    @property
    def name(self) -> str:
        """The form in which it is kept."""
        return f"{self.condition}, {self.model}, {self.policy}, {self.load:g}"


def points(loads: Sequence[float], policies: Sequence[str] = ("ps", "srpt")) -> Iterator[Point]:
    """All points at these loads."""
    for condition in CONDITIONS:
        for model in MODELS:
            for policy in policies:
                yield from (Point(condition, model, policy, load) for load in loads)
