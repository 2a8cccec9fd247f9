"""The tables and pictures of the measurements."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import models

sys.path.insert(0, str(models.HERE.parent))

import marks
from chart import LineChart

SIZES = {"small": (0, 9_999), "medium": (10_000, 99_999), "large": (100_000, 10_000_000)}
"""Files by their sizes in bytes."""

PARTS = ("measured", "predicted")
FAIR, SRPT = "nginx, fair", "SRPT"
STATEMENTS = [
    ("mean, open over closed, fair", "mean_s", ("open", FAIR), ("closed", FAIR)),
    *(
        (f"mean, fair over SRPT, {model}", "mean_s", (model, FAIR), (model, SRPT))
        for model in ("open", "partly open", "closed")
    ),
    ("p99, fair over SRPT, open", "p99_s", ("open", FAIR), ("open", SRPT)),
    *(
        (f"files from 100 kB, SRPT over fair, {model}", "large", (model, SRPT), (model, FAIR))
        for model in ("open", "partly open", "closed")
    ),
]
"""Ratios: a text, the kind of times, the numerator, and the denominator."""


def write(folder: Path, found: Mapping[str, Any]) -> None:
    """Write `tables.md` and the figures into a folder."""
    text = (
        f"Mean size {found['mean_size'] / 1000:.1f} kB, C² {found['cv2']:.1f}; "
        f"{found['seconds']:g} s a run. Times in milliseconds: measured / predicted."
    )
    marks.put(folder / "README.md", statements(found))
    lines = ["# Static files behind a thin link: all figures", "", text, "", *cells(found), ""]
    (folder / "tables.md").write_text("\n".join(lines), "utf-8")
    (folder / "figures").mkdir(exist_ok=True)
    for model in sorted({"open", "closed"} & {row["model"] for row in found["cells"]}):
        _figure(found, model, folder / "figures" / f"{model}.svg")


def statements(found: Mapping[str, Any]) -> list[str]:
    """The paper's statements, as ratios of response times at the highest load."""
    load = max(row["load"] for row in found["cells"])
    rows = {(row["model"], row["server"]): row for row in found["cells"] if row["load"] == load}
    head = f"| at a load of {load:g} | measured | predicted | predicted, in the long run |"
    lines = [head, "|---" * 4 + "|"]
    for text, figure, over, under in STATEMENTS:
        if {over, under} <= set(rows):
            parts = (*PARTS, "long_run")
            ratios = [_ratio(rows[over][part][figure], rows[under][part][figure]) for part in parts]
            lines.append(f"| {text} | {' | '.join(ratios)} |")
    return lines


def _ratio(over: float | None, under: float | None) -> str:
    """Of two times; a short run may have no file of a size."""
    return f"{over / under:.2f}" if over and under else "-"


def cells(found: Mapping[str, Any]) -> list[str]:
    """A line for each cell."""
    head = ("users", "server", "load", "mean", "median", "p99", "below 10 kB", "10 to 100 kB",
            "from 100 kB",
            "generator late, p99")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in found["cells"]:
        parts = [row["model"], row["server"], f"{row['load']:g}"]
        for name in ("mean_s", "p50_s", "p99_s", *SIZES):
            parts.append(f"{_ms(row['measured'][name])} / {_ms(row['predicted'][name])}")
        parts.append(_ms(row["measured"]["lateness_p99_s"]))
        lines.append("| " + " | ".join(parts) + " |")
    return lines


def _ms(seconds: float | None) -> str:
    if seconds is None:
        return "none"
    return f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:,.0f}"


def _figure(found: Mapping[str, Any], model: str, path: Path) -> None:
    """Mean response times over the load, measured and predicted."""
    chart = LineChart(
        f"Static files, {model}", "load of the link", "mean response time (ms)", y_log=True
    )
    for style, which in enumerate((FAIR, SRPT)):
        rows = [row for row in found["cells"] if (row["model"], row["server"]) == (model, which)]
        for part in PARTS:
            chart.line(
                f"{which}, {part}", [row["load"] for row in rows],
                [1e3 * row[part]["mean_s"] for row in rows],
                dashed=part == "predicted", style=style,
            )  # fmt: skip
    chart.save(path)
