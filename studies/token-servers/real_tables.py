"""The table of a real server: what was measured in each way, and what the model predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import real_ways
import ways

from thinktime.explain.token_server import TokenServerFit

FIGURES = {
    "throughput": "throughput",
    "first_mean": "first token, mean",
    "first_p99": "first token, p99",
    "gap_p99": "between tokens, p99",
    "response_mean": "response, mean",
    "response_p99": "response, p99",
}
SHORT = ("first_mean", "first_p99", "response_mean")
"""Those of the short table."""

RANGE = (0.025, 0.975)
"""The shares of simulated studies below the ends of the range that a measured figure may have."""

Seen = dict[str, ways.Seen]


def figures(
    plan: real_ways.Plan,
    rounds: Sequence[real_ways.Round],
    simulated: Callable[[TokenServerFit], real_ways.Ask],
    simulations: int,
) -> Iterator[dict[str, Any]]:
    """The figures of each way, means over the rounds.

    Of single requests the prediction is of the measured arrivals and tokens; else it is the mean of
    studies with other ones, of which 95 % are in the range.
    """
    models = [simulated(one.fit) for one in rounds]
    real = [real_ways.seen(plan, one.results) for one in rounds]
    with TemporaryDirectory(prefix="thinktime-") as folder:
        again = [
            real_ways.seen(plan, real_ways.repeated(plan, one, model, Path(folder)))
            for one, model in zip(rounds, models, strict=True)
        ]
    studies = [_study(plan, models, trial) for trial in range(1, simulations + 1)]
    for way, name in product(real[0], FIGURES):
        others = [float(np.mean(_values(study, way, name))) for study in studies]
        same = _values(again, way, name) if way in again[0] else others
        measured = _values(real, way, name)
        yield {
            "load": plan.load, "rate": plan.rate, "way": way, "limit": real[0][way].limit,
            "figure": name, "measured": float(np.mean(measured)), "rounds": measured,
            "predicted": float(np.mean(same)),
            "range": [float(np.quantile(others, end)) for end in RANGE],
        }  # fmt: skip


def _study(plan: real_ways.Plan, models: Sequence[real_ways.Ask], trial: int) -> list[Seen]:
    """All rounds on the models, with arrivals and tokens of their own."""
    found = []
    for at, model in enumerate(models):
        seed = 1000 * trial + at
        given = plan.workloads
        found.append(real_ways.seen(plan, {way: model(given[way], seed) for way in given}))
    return found


def _values(rounds: Sequence[Seen], way: str, name: str) -> list[float]:
    return [float(getattr(one[way], name)) for one in rounds]


def lines(whole: dict[str, Any]) -> Iterator[str]:
    """The lines of the table, in Markdown."""
    yield "| way | figure | measured | in each round | predicted | off | 95 % of studies |"
    yield "|---|---|---|---|---|---|---|"
    for one in whole["ways"]:
        name, real, ours = one["figure"], one["measured"], one["predicted"]
        limit = "" if one["limit"] is None else f", {one['limit']}"
        rounds = ", ".join(shown(name, value) for value in one["rounds"])
        low, high = (shown(name, end) for end in one["range"])
        yield (
            f"| {one['way']}{limit} | {FIGURES[name]} | {shown(name, real)} | {rounds} "
            f"| {shown(name, ours)} | {100 * (ours / real - 1):+.0f} % | {low} to {high} |"
        )


def summary(whole: dict[str, Any]) -> Iterator[str]:
    """The lines of a short table, in Markdown: a row for each way, measured and predicted."""
    names = [FIGURES[name] for name in SHORT]
    yield "| way | " + " | ".join(f"{name}: measured | predicted" for name in names) + " |"
    yield "|---" * (1 + 2 * len(names)) + "|"
    for way in dict.fromkeys(one["way"] for one in whole["ways"]):
        figures = {one["figure"]: one for one in whole["ways"] if one["way"] == way}
        cells = [
            shown(name, figures[name][key]) for name in SHORT for key in ("measured", "predicted")
        ]
        yield f"| {way} | " + " | ".join(cells) + " |"


def shown(name: str, value: float) -> str:
    """A figure with its unit."""
    return f"{value:.1f}/s" if name == "throughput" else f"{float(f'{1e3 * value:.3g}'):,.10g} ms"
