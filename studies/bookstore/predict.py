"""The database as a model: a core, and the demand of each interaction on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mixes
from classes import GROUP_NICE
from demands import Demand

CORE = "core"
EEVDF = {
    "os": "linux-eevdf",
    # The kernel's slice grows with the machine's cores, of which this server has one.
    "scheduler": {"time_sharing": {"scaled_by_cores": False, "slice": "1400us"}},
}


TICK = "4ms"
"""The kernel's clock has 250 ticks a second, at which a turn may end."""

LIGHT = ("PESJF, nice", "PESJF, group")
"""Policies by which long requests have a small weight."""


def effective(policy: str) -> str:
    """The effect of a policy: nice and SCHED_IDLE do nothing if each backend is a group."""
    grouped = GROUP_NICE is not None
    without = ("PESJF, idle", "PESJF, nice") if grouped else ("PESJF, group",)
    return "default" if policy in without else policy


def system(demands: Mapping[str, Demand], scale: float, policy: str, kernel: bool) -> Any:
    """The system file.

    `scale` is by how much demands under load are larger than alone. Under a policy by class the
    station serves short ones first, or long ones, and in turns within a class. `kernel` has the
    core under the rules of this kernel's scheduler instead, which knows nice, and not real time.
    """
    policy = effective(policy)
    laws = {name: demand.law(scale) for name, demand in demands.items()}
    use = dict.fromkeys(demands, CORE)
    made: dict[str, Any] = {"name": f"bookstore, {policy}"}
    if not kernel:
        made["station"] = [station(laws, policy)]
    else:
        made["machine"] = [{"name": CORE, "cores": 1} | EEVDF]
        short = {"name": "short", "machine": CORE, "threads": mixes.CONNECTIONS}
        long = short | {"name": "long", "priority": 19 if policy in LIGHT else 0}
        made["service"] = [short, long]
        use = {name: "long" if name == mixes.LONG else "short" for name in demands}
    made["behaviour"] = [
        {"request": name, "steps": [
            {"delay": f"{demand.between_s}s"},
            {"use": use[name], "demand": laws[name]} if kernel else {"use": use[name]},
        ]}
        for name, demand in demands.items()
    ]  # fmt: skip
    return made


def station(laws: Mapping[str, str], policy: str) -> dict[str, Any]:
    """The core under a policy, with the law of each request's demand."""
    policy = effective(policy)
    made: dict[str, Any] = {"name": CORE, "policy": "ps", "demand": dict(laws)}
    if policy != "default":
        first = policy.startswith("PESJF")
        # Real time has turns of 100 ms; ordinary processes are preempted at the kernel's clock
        # ticks.
        made["policy"] = f"priority({TICK})" if ", " in policy else f"priority(100ms, {TICK})"
        made["priority"] = {name: 1 + ((name == mixes.LONG) == first) for name in laws}
    return made


def figures(summary: Mapping[str, Any]) -> dict[str, float]:
    """Mean response times in seconds: of all, of the short class and of the long one."""
    by_name: Mapping[str, Any] = summary["by_request"]
    sums = {"short": [0.0, 0], "long": [0.0, 0]}
    for name, one in by_name.items():
        number = one["requests"] - one["errors"]
        kind = sums["long" if name == mixes.LONG else "short"]
        if number:
            kind[0] += number * one["response_time_s"]["mean"]
            kind[1] += number
    means = {name: whole / max(number, 1) for name, (whole, number) in sums.items()}
    times = summary["response_time_s"]
    return {"mean_s": times["mean"], "p95_s": times["p95"]} | {
        f"{name}_s": mean for name, mean in means.items()
    }
