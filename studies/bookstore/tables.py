"""The tables and pictures of what was measured."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mixes

sys.path.insert(0, str(mixes.HERE.parent))

import marks
from chart import LineChart

POLICIES = ("default", "PESJF", "PELJF")
PARTS = ("measured", "predicted")
STATEMENTS = [
    ("open over closed, default scheduling", ("open", "default"), ("closed", "default")),
    ("open over closed, PELJF", ("open", "PELJF"), ("closed", "PELJF")),
    ("PELJF over PESJF, open", ("open", "PELJF"), ("open", "PESJF")),
    ("PELJF over PESJF, partly open", ("partly open", "PELJF"), ("partly open", "PESJF")),
    ("PELJF over PESJF, closed", ("closed", "PELJF"), ("closed", "PESJF")),
    ("default over PESJF, open", ("open", "default"), ("open", "PESJF")),
    ("default over PESJF, closed", ("closed", "default"), ("closed", "PESJF")),
]
"""Ratios of mean response times: a text, whose time is divided, and by whose."""


def write(folder: Path, found: Mapping[str, Any]) -> None:
    """Write `tables.md` and the figures into a folder."""
    marks.put(folder / "README.md", statements(found))
    lines = ["# The bookstore: all figures", "", *about(found), "", *demands(found), ""]
    lines += [*cells(found), ""]
    (folder / "tables.md").write_text("\n".join(lines), "utf-8")
    (folder / "figures").mkdir(exist_ok=True)
    for model in ("open", "closed"):
        _figure(found, model, folder / "figures" / f"{model}.svg")


def statements(found: Mapping[str, Any]) -> list[str]:
    """What the paper says, as ratios of mean response times at the highest load."""
    load = max(row["load"] for row in found["cells"])
    rows = {
        (row["model"], row["policy"]): row
        for row in found["cells"] if row["load"] == load and not row["pools"]
    }  # fmt: skip
    head = f"| at a load of {load:g} | measured | predicted | predicted, in the long run |"
    lines = [head, "|---" * 4 + "|"]
    for text, over, under in STATEMENTS:
        if {over, under} <= set(rows):
            parts = (*PARTS, "long_run")
            ratios = [rows[over][part]["mean_s"] / rows[under][part]["mean_s"] for part in parts]
            lines.append(f"| {text} | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |")
    return lines


def about(found: Mapping[str, Any]) -> list[str]:
    """What the store was, in a sentence; and which policies were not tried, if any."""
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
    """A line for each interaction, and what a new connection costs before it is as fast."""
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
    head = ("users", "policy", "load asked", "core busy", "with backends", "mean", "predicted",
            "at the core's load", "kernel model", "short", "predicted", "long",
            "predicted", "switches a request")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in found["cells"]:
        seen, told = row["measured"], row["predicted"]
        kernel = row.get("kernel", {}).get("mean_s")
        policy = row["policy"] + (", pools by class" if row["pools"] else "")
        loads = (seen["cpu_load"], seen["backends_load"])
        parts = [row["model"], policy, f"{row['load']:g}", *(f"{one:.2f}" for one in loads)]
        parts += [_ms(one["mean_s"]) for one in (seen, told, row["predicted_seen"])]
        parts.append("" if kernel is None else _ms(kernel))
        for name in ("short_s", "long_s"):
            parts += [_ms(seen[name]), _ms(told[name])]
        parts.append(f"{seen['switches'] / max(seen['requests'], 1):.2f}")
        lines.append("| " + " | ".join(parts) + " |")
    return lines


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{1e3 * seconds:,.0f} ms"


def _figure(found: Mapping[str, Any], model: str, path: Path) -> None:
    """Mean response times over the load, measured and predicted."""
    chart = LineChart(
        f"Bookstore, {model}", "load of the database's core", "mean response time (ms)", y_log=True
    )
    for style, policy in enumerate(POLICIES):
        rows = [
            row for row in found["cells"]
            if (row["model"], row["policy"], row["pools"]) == (model, policy, False)
        ]  # fmt: skip
        for part in PARTS if rows else ():
            chart.line(
                f"{policy}, {part}", [row["load"] for row in rows],
                [1e3 * row[part]["mean_s"] for row in rows],
                dashed=part == "predicted", style=style,
            )  # fmt: skip
    chart.save(path)
