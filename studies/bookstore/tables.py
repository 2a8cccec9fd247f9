"""The tables and pictures of the measurements."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import mixes
from store_cells import Cell

sys.path.insert(0, str(mixes.HERE.parent))

import marks
from chart import LineChart

POLICIES = ("default", "PESJF", "PELJF")
STATEMENTS = [
    ("open over closed, default scheduling", ("open", "default"), ("closed", "default")),
    ("open over closed, PELJF", ("open", "PELJF"), ("closed", "PELJF")),
    ("PELJF over PESJF, open", ("open", "PELJF"), ("open", "PESJF")),
    ("PELJF over PESJF, partly open", ("partly open", "PELJF"), ("partly open", "PESJF")),
    ("PELJF over PESJF, closed", ("closed", "PELJF"), ("closed", "PESJF")),
    ("default over PESJF, open", ("open", "default"), ("open", "PESJF")),
    ("default over PESJF, closed", ("closed", "default"), ("closed", "PESJF")),
]
"""Ratios of mean response times: a text, the numerator, and the denominator."""


def write(folder: Path, found: Mapping[str, Any]) -> None:
    """Write `tables.md` and the figures into a folder."""
    marks.put(folder / "README.md", [*means(found), "", *statements(found)])
    lines = ["# The bookstore: all figures", "", *about(found), "", *demands(found), ""]
    lines += [*cells(found), "", *replays(found), ""]
    (folder / "tables.md").write_text("\n".join(lines), "utf-8")
    (folder / "figures").mkdir(exist_ok=True)
    for model in mixes.MODELS:
        _figure(found, model, folder / "figures" / f"{model.replace(' ', '-')}.svg")


def policies_of(chosen: Iterable[Cell]) -> list[str]:
    """Those of the paper that are among these cells."""
    there = {one.policy for one in chosen}
    return [policy for policy in POLICIES if policy in there]


def means(found: Mapping[str, Any]) -> list[str]:
    """Mean response times at the highest load: corrected for the seen load, and predicted."""
    load = max(row["load"] for row in found["cells"])
    chosen = [row for row in found["cells"] if row["load"] == load and not row["pools"]]
    there = {(row["model"], row["policy"]): row for row in chosen}
    lines = [f"| mean at a load of {load:g} | {' | '.join(mixes.MODELS)} |", "|---" * 4 + "|"]
    for policy in dict.fromkeys(row["policy"] for row in chosen):
        cells = [_mean(there.get((model, policy))) for model in mixes.MODELS]
        lines.append(f"| {policy} | {' | '.join(cells)} |")
    return lines


def _mean(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    return f"{_ms(middle(row['runs'], corrected))} ({_ms(row['long_run']['mean_s'])})"


def statements(found: Mapping[str, Any]) -> list[str]:
    """The paper's statements, as ratios of mean response times at the highest load."""
    load = max(row["load"] for row in found["cells"])
    rows = {
        (row["model"], row["policy"]): row
        for row in found["cells"] if row["load"] == load and not row["pools"]
    }  # fmt: skip
    head = (f"at a load of {load:g}", "measured", "at just that load", "predicted",
            "predicted, in the long run")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for text, over, under in STATEMENTS:
        if {over, under} <= set(rows):
            above, below = rows[over], rows[under]
            ratios = [
                middle(above["runs"], kind) / middle(below["runs"], kind)
                for kind in (measured, corrected, predicted)
            ]
            ratios.append(above["long_run"]["mean_s"] / below["long_run"]["mean_s"])
            lines.append(f"| {text} | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |")
    return lines


def measured(run: Mapping[str, Any]) -> float:
    """The mean response time of a run, in seconds."""
    return float(run["mean_s"])


def predicted(run: Mapping[str, Any]) -> float:
    """The station's times for its sample path at the requested load."""
    return float(run["predicted"])


def corrected(run: Mapping[str, Any]) -> float:
    """The measurement, times the model's ratio of the requested load to the seen one."""
    return float(run["mean_s"] * run["predicted"] / run["predicted_seen"])


def middle(runs: Iterable[Mapping[str, Any]], kind: Callable[[Mapping[str, Any]], float]) -> float:
    """The median, which one overloaded run does not distort."""
    return median(kind(run) for run in runs)


def replays(found: Mapping[str, Any]) -> list[str]:
    """The share of its times that a run's own arrivals and CPU times explain, by policy."""
    lines = [
        "| policy | runs | replayed over measured, median | smallest | largest |",
        "|---" * 5 + "|",
    ]
    for policy in dict.fromkeys(row["policy"] for row in found["cells"]):
        ratios = [
            run["replay"]["replayed_s"] / run["replay"]["measured_s"]
            for row in found["cells"] if row["policy"] == policy for run in row["runs"]
        ]  # fmt: skip
        parts = (median(ratios), min(ratios), max(ratios))
        lines.append(f"| {policy} | {len(ratios)} | {' | '.join(f'{one:.2f}' for one in parts)} |")
    return lines


def about(found: Mapping[str, Any]) -> list[str]:
    """The store, in a sentence; and the untried policies, if any."""
    size = found["size"]
    left_out = "; ".join(found.get("left_out", ()))
    told = f" Left out, as only root may schedule so: {left_out}." if left_out else ""
    return [
        f"{size['books']:,} books, {size['customers']:,} customers, {size['bytes'] / 1e6:.0f} MB; "
        f"the {found['mix']} mix; mean demand {1e3 * found['mean_s']:.2f} ms, "
        f"C² {found['cv2']:.1f}; demands under load were {found['scale']:.2f} of those alone at "
        f"the end; {found['seconds']:g} s a run at the highest load.{told}"
    ]


def demands(found: Mapping[str, Any]) -> list[str]:
    """A line for each interaction, and the start-up cost of a new connection."""
    shares = mixes.shares(found["mix"])
    head = ("interaction", "share", "CPU time alone", "besides", "first ten requests, in excess")
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, one in found["demands"].items():
        times = (1e3 * one[which] for which in ("mean_s", "between_s", "planning_s"))
        shown = " | ".join(f"{each:.2f} ms" for each in times)
        lines.append(f"| {name} | {100 * shares[name]:.2f} % | {shown} |")
    each_s = sum(one["planning_s"] for one in found["demands"].values())
    return [
        *lines, "",
        f"A connection that has asked for all of them has taken {1e3 * each_s:.1f} ms of CPU time "
        f"more than its demands; {mixes.CONNECTIONS} connections take "
        f"{mixes.CONNECTIONS * each_s:.2f} s.",
    ]  # fmt: skip


def cells(found: Mapping[str, Any]) -> list[str]:
    """A line for each cell: mean response times in milliseconds, measured and predicted."""
    head = ("users", "policy", "load asked", "core busy", "all runs", "with backends", "mean",
            "predicted", "at the core's load", "kernel model", "short", "predicted", "long",
            "predicted", "at the database", "replayed", "switches a request")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in found["cells"]:
        seen, told = row["measured"], row["predicted"]
        kernel = row.get("kernel", {}).get("mean_s")
        policy = row["policy"] + (", pools by class" if row["pools"] else "")
        runs = [f"{one['cpu_load']:.2f}: {_ms(one['mean_s'])}" for one in row["runs"]]
        loads = (f"{seen['cpu_load']:.2f}", "; ".join(runs), f"{seen['backends_load']:.2f}")
        parts = [row["model"], policy, f"{row['load']:g}", *loads]
        parts += [_ms(one["mean_s"]) for one in (seen, told, row["predicted_seen"])]
        parts.append("" if kernel is None else _ms(kernel))
        for name in ("short_s", "long_s"):
            parts += [_ms(seen[name]), _ms(told[name])]
        parts += [_ms(seen["replay"][name]) for name in ("measured_s", "replayed_s")]
        parts.append(f"{seen['switches'] / max(seen['requests'], 1):.2f}")
        lines.append("| " + " | ".join(parts) + " |")
    return lines


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{1e3 * seconds:,.0f} ms"


def _figure(found: Mapping[str, Any], model: str, path: Path) -> None:
    """Mean response times over the load: each run, and the predicted curves."""
    chart = LineChart(
        f"Bookstore, {model}", "load of the database's core", "mean response time (ms)", y_log=True
    )
    curves = found["curves"]
    for style, policy in enumerate(POLICIES):
        runs = [
            run for row in found["cells"]
            if (row["model"], row["policy"], row["pools"]) == (model, policy, False)
            for run in row["runs"]
        ]  # fmt: skip
        if policy in curves[model]:
            # matplotlib leaves out what is no number.
            times = [math.nan if one is None else 1e3 * one for one in curves[model][policy]]
            chart.line(
                f"{policy}, predicted", curves["loads"], times,
                dashed=True, style=style, marks=False,
            )  # fmt: skip
        if runs:
            chart.line(
                f"{policy}, a run", [run["cpu_load"] for run in runs],
                [1e3 * run["mean_s"] for run in runs], style=style, joined=False,
            )  # fmt: skip
    chart.save(path)
