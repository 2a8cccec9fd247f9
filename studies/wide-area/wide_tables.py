"""The tables and pictures of the results."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import wide_models as models

sys.path.insert(0, str(models.HERE.parent))

import marks
from chart import LineChart

GOOD = 0.2
"""A prediction that is off by no more than this share counts as good."""

LOADS = (0.8, 0.9)
"""The loads of Figure 4's table, and the measured ones among them."""


def link_name(link: models.Link) -> str:
    """The form in which it is kept."""
    return f"{link.delay_ms:g} ms, {link.loss:g} %"


def cell_name(link: models.Link, size: str) -> str:
    """The form in which it is kept."""
    return f"{link_name(link)}, {size}"


def write(folder: Path, found: Mapping[str, Any]) -> None:
    """Write `tables.md` and the figures into a folder, and the first table into its README."""
    lines = cells(found)
    marks.put(folder / "README.md", [*lines, "", said_of_cells(found), "", *figure_4(found)])
    text = ["# TCP over wide areas: all figures", "", "Times in milliseconds.", "", *lines, ""]
    text += [*all_points(found), ""]
    (folder / "tables.md").write_text("\n".join(text), "utf-8")
    (folder / "figures").mkdir(exist_ok=True)
    for condition in models.CONDITIONS:
        if any(name.startswith(f"{condition},") for name in found.get("points predicted", {})):
            _figure(found, condition, folder / "figures" / f"{condition.replace(' ', '-')}.svg")


def ratios(found: Mapping[str, Any]) -> dict[str, float]:
    """By cell, the predicted mean divided by the measured one."""
    predicted = found.get("predicted", {})
    return {
        cell_name(link, size): predicted[cell_name(link, size)]["mean_s"] / one["mean_s"]
        for link, size, one in _measured(found)
        if cell_name(link, size) in predicted
    }


def _measured(found: Mapping[str, Any]) -> list[tuple[models.Link, str, dict[str, Any]]]:
    there = found.get("measured", {})
    return [
        (link, size, there[link_name(link)][models.run_name(size)])
        for link in models.LINKS if link_name(link) in there
        for size in models.SIZES
    ]  # fmt: skip


def cells(found: Mapping[str, Any]) -> list[str]:
    """A line for each cell."""
    head = ("delay, loss", "size", "requests", "measured", "predicted", "ratio",
            "p99, measured", "p99, predicted")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    measured = {cell_name(link, size): one for link, size, one in _measured(found)}
    share = ratios(found)
    for link in models.LINKS:
        for size in models.SIZES:
            name = cell_name(link, size)
            predicted, one = found.get("predicted", {}).get(name), measured.get(name)
            if predicted is None:
                continue
            parts = [link_name(link), size]
            parts += [f"{one['requests']:,}" if one else "-", _mean(one), _ms(predicted["mean_s"])]
            parts += [f"{share[name]:.2f}" if name in share else "-"]
            parts += [_ms(one["p99_s"]) if one else "-", _ms(predicted["p99_s"])]
            lines.append("| " + " | ".join(parts) + " |")
    return lines


def said_of_cells(found: Mapping[str, Any]) -> str:
    """The number of well predicted cells."""
    share = ratios(found)
    good = [name for name, ratio in share.items() if abs(1 / ratio - 1) <= GOOD]
    others = [f"{name}: {ratio:.2f}" for name, ratio in share.items() if name not in good]
    text = f"{len(good)} of {len(share)} cells were measured within {100 * GOOD:.0f} % of what is"
    text += " predicted."
    return text + (f" The others: {'; '.join(others)}." if others else "")


def figure_4(found: Mapping[str, Any]) -> list[str]:
    """Open against closed under each condition, at the measured loads."""
    head = ("condition", "load", "policy", "open", "partly open", "closed", "open over closed",
            "measured: open", "partly open", "closed", "open over closed")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for condition in models.CONDITIONS:
        for load, policy in itertools.product(LOADS, ("ps", "srpt")):
            parts = [condition, f"{load:g}", policy.upper()]
            for kind in ("points predicted", "points measured"):
                parts += _row(found.get(kind, {}), condition, policy, load)
            if parts[3] != "-":
                lines.append("| " + " | ".join(parts) + " |")
    return lines


def _row(there: Mapping[str, Any], condition: str, policy: str, load: float) -> list[str]:
    names = [models.Point(condition, model, policy, load).name for model in models.MODELS]
    means = [there[name]["mean_s"] if name in there else None for name in names]
    opened, _, closed = means
    ratio = f"{opened / closed:.2f}" if opened and closed else "-"
    return [*(_ms(mean) for mean in means), ratio]


def all_points(found: Mapping[str, Any]) -> list[str]:
    """A line for each point of Figure 4."""
    head = ("condition, users, policy, load", "predicted", "its load", "measured",
            "predicted on the same sample path", "generator late, p99")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    measured = found.get("points measured", {})
    for name, one in found.get("points predicted", {}).items():
        real = measured.get(name)
        parts = [name, _mean(one), f"{one['load']:.3f}", _mean(real)]
        parts += [_mean(real.get("beside")) if real else "-"]
        parts += [_ms(real["lateness_p99_s"]) if real else "-"]
        lines.append("| " + " | ".join(parts) + " |")
    return lines


def _mean(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return "-"
    half = f" ± {_ms(one['ci95_s'])}" if one["ci95_s"] else ""
    return _ms(one["mean_s"]) + half


def _ms(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:,.0f}"


def _figure(found: Mapping[str, Any], condition: str, path: Path) -> None:
    """Mean response times over the load: predicted lines, measured points."""
    chart = LineChart(
        f"Static files, {condition}", "load of the server", "mean response time (ms)", y_log=True
    )
    for kind in ("points predicted", "points measured"):
        style = 0
        for model in models.MODELS:
            for policy in ("ps", "srpt"):
                begin = f"{condition}, {model}, {policy}, "
                there = found.get(kind, {}).items()
                line = [(float(name[len(begin) :]), one["mean_s"]) for name, one in there
                        if name.startswith(begin)]  # fmt: skip
                if line:
                    chart.line(
                        f"{model}, {policy.upper()}, {kind.split()[1]}",
                        [x for x, _ in line], [1e3 * y for _, y in line],
                        dashed=kind == "points predicted", style=style,
                    )  # fmt: skip
                style += 1
    chart.save(path)
