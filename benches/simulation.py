"""Speed of simulation beside other simulators, on the same models, in the same run, on one core.

Each tool simulates each model in a fresh process: one run cold, then `--runs` more, whose median
counts. All are pinned to one core. A run takes some seconds; the models follow one another and the
tools take turns within a model, so that a ratio compares neighbours in time. The mean response
time over the runs stands beside the exact one, to show that the tools simulate the same thing.

The peers are installed at the first use below `target/peers`: Python packages by pip, SSJ by Maven
where a JDK and Maven are there. One that cannot be had is named with the reason, and left out.

    .venv/bin/python benches/simulation.py [--requests N] [--runs N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any

from peers.exact import mean_response
from peers.models import MODELS
from peers.tools import TOOLS, Tool, UnavailableError

COLD_DIFFERS = 1.1
"""From this ratio of times on the first run is reported separately."""


def main() -> None:
    """Measure and print."""
    options = _options()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    commands, lacking = _prepare([tool for tool in TOOLS if tool.name in options.tools])
    rows: list[dict[str, Any]] = []
    for model in options.models:
        for tool, command in commands:
            rows.append(_measure(tool, command, model, options))
            _note(f"{model}: {tool.name} {rows[-1].get('million_per_s', '-')}")
    _ratios(rows)
    _print(rows, options)
    for name, reason in lacking.items():
        print(f"{name} cannot be had here: {reason}")
    if options.json:
        Path(options.json).write_text(json.dumps({"rows": rows, "lacking": lacking}, indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, help="of every run, instead of the tool's own size")
    parser.add_argument("--runs", type=int, default=3, help="runs that count, after the cold one")
    parser.add_argument("--json", help="write all figures there")
    names = [tool.name for tool in TOOLS]
    parser.add_argument("--tools", nargs="+", choices=names, default=names)
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    return parser.parse_args()


def _prepare(tools: list[Tool]) -> tuple[list[tuple[Tool, list[str]]], dict[str, str]]:
    commands: list[tuple[Tool, list[str]]] = []
    lacking: dict[str, str] = {}
    for tool in tools:
        try:
            commands.append((tool, tool.prepare()))
        except UnavailableError as error:
            lacking[tool.name] = str(error)
    return commands, lacking


def _measure(
    tool: Tool, command: list[str], model: str, options: argparse.Namespace
) -> dict[str, Any]:
    """A row of the table: the rates in million requests a second, and the measured mean."""
    row: dict[str, Any] = {"model": model, "tool": tool.name}
    try:
        report = tool.report(command, model, options.requests, options.runs)
    except UnavailableError as error:
        return row | {"failed": str(error)}
    row |= report | {"model": model}
    if "not_offered" in report:
        return row
    pairs = zip(report["requests"], report["seconds"], strict=True)
    cold, *warm = [count / seconds / 1e6 for count, seconds in pairs]
    means = report["means"]
    spread = statistics.stdev(means) / len(means) ** 0.5 if len(means) > 1 else None
    return row | {
        "million_per_s": statistics.median(warm or [cold]),
        "cold_million_per_s": cold,
        "mean_s": statistics.fmean(means),
        "mean_error_s": spread,
        "exact_s": mean_response(MODELS[model]),
    }


def _ratios(rows: list[dict[str, Any]]) -> None:
    """Add to each row the speed-up of Thinktime."""
    ours = {row["model"]: row.get("million_per_s") for row in rows if row["tool"] == "Thinktime"}
    for row in rows:
        own, other = ours.get(row["model"]), row.get("million_per_s")
        if own and other:
            row["ratio"] = own / other


def _print(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    print(f"million requests a second on one core, median of {options.runs} warm runs")
    print(
        f"\n{'model':<29}{'tool':<11}{'M/s':>9}{'cold':>9}{'ours/peer':>11}"
        f"{'mean ms':>19}{'exact ms':>10}"
    )
    for model in options.models:
        title = MODELS[model].title
        for row in (row for row in rows if row["model"] == model):
            print(f"{title:<29}{row['tool']:<11}{_figures(row)}")
            title = ""
    print()
    for tool in (tool for tool in TOOLS if tool.name in options.tools):
        found = {row["version"] for row in rows if row["tool"] == tool.name and "version" in row}
        print(f"{' '.join([tool.name, *found])}: {tool.note}")


def _figures(row: dict[str, Any]) -> str:
    if "million_per_s" not in row:
        return f"        - {row.get('not_offered') or 'failed: ' + row['failed']}"
    rate, cold = row["million_per_s"], row["cold_million_per_s"]
    shown = f"{cold:.3g}" if max(rate / cold, cold / rate) >= COLD_DIFFERS else ""
    ratio = f"{row['ratio']:.3g}" if "ratio" in row else ""
    error = row["mean_error_s"]
    spread = "" if error is None else f" ± {error * 1e3:.2f}"
    mean = f"{row['mean_s'] * 1e3:.2f}{spread}"
    return f"{rate:>9.3g}{shown:>9}{ratio:>11}{mean:>19}{row['exact_s'] * 1e3:>10.2f}"


def _note(text: str) -> None:
    """Show the progress on a terminal."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
