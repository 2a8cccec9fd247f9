"""Labs of the study: each is made, runs, and is taken away."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import wide_models as models

import thinktime as tt

sys.path.insert(0, str(Path(__file__).parents[1]))

import labs


def measured(
    link: models.Link,
    system: dict[str, Any],
    served: tt.Workload,
    runs: Mapping[str, tt.Workload],
    duration_s: float,
    warmup_s: float = 0.0,
    seed: int = 1,
) -> dict[str, dict[str, Any]]:
    """The response times of each run, by its name."""
    with tempfile.TemporaryDirectory(prefix="wide-area-") as name:
        folder = Path(name)
        (folder / "system.toml").write_text(models.toml(system), "utf-8")
        (folder / "served.toml").write_text(served.to_toml(), "utf-8")
        for run, workload in runs.items():
            (folder / f"{run}.toml").write_text(workload.to_toml(), "utf-8")
        text = models.lab(link, list(runs), duration_s, warmup_s, seed)
        (folder / "lab.toml").write_text(text, "utf-8")
        said = labs.run(folder / "lab.toml", folder / "out")
        return {run: _figures(folder / "out" / run, said) for run in runs}


def _figures(result: Path, said: str) -> dict[str, Any]:
    if not (result / "summary.json").exists():
        raise SystemExit(f"{result.name}: no result: {said}")
    return figures(tt.Result.load(result))


def figures(result: tt.Result) -> dict[str, Any]:
    """Response times of a result, in seconds."""
    summary = result.summary
    times = summary["response_time_s"]
    return {
        "requests": summary["requests"],
        "errors": summary["errors"],
        "mean_s": times["mean"],
        "ci95_s": times["ci95"],
        "p50_s": times["p50"],
        "p99_s": times["p99"],
        "lateness_p99_s": summary["lateness_s"]["p99"],
    }
