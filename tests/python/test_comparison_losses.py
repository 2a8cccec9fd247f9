"""Comparisons with results of which little or nothing succeeded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.comparison.comparison import compare
from thinktime.comparison.estimate import Estimate, Missing, rate_of_counts
from thinktime.comparison.table import notes

SYSTEM = tt.System('name = "s"\n[[station]]\nname = "c"\ndemand = "exp(8ms)"\n')
WORK = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = "60/s"\n[[request]]\nname = "a"\n'


@pytest.mark.parametrize(("number", "ends"), [(0, (0.0, 3.689)), (5, (1.624, 11.668))])
def test_few_successes_of_many_requests_have_poissons_interval(
    number: int, ends: tuple[float, float]
) -> None:
    """The ends are those of Garwood's tables."""
    counts = np.zeros(100)
    counts[:number] = 1
    places, lengths = np.arange(100) / 100, np.full(100, 0.01)
    found = rate_of_counts(places, counts, lengths, 2000.0)
    assert isinstance(found, Estimate)
    assert (found.value, found.low, found.high) == (
        pytest.approx(number),
        pytest.approx(ends[0], abs=0.03),
        pytest.approx(ends[1], abs=0.03),
    )
    assert isinstance(rate_of_counts(places, counts, lengths, 6.0), Missing)


def test_a_total_loss_breaks_a_limit_of_throughput(tmp_path: Path) -> None:
    lost = WORK + 'timeout = "1us"\ncancel = "always"\n'
    for name, text in (("before", WORK), ("after", lost)):
        tt.simulate(tt.Workload(text), SYSTEM, requests=2000, output=tmp_path / name)
    ends = [str(tmp_path / name) for name in ("before", "after")]
    done = CliRunner().invoke(app, ["compare", *ends, "--fail-if", "throughput < -5%"])
    assert done.exit_code == 1
    assert "broken: throughput fell" in " ".join(done.output.split())


def test_figures_whose_common_part_is_taken_out_are_named() -> None:
    """Without rows that of the mean is not known, and that of the throughput is."""
    made = [
        tt.simulate(tt.Workload(WORK), SYSTEM, requests=20_000, seed=3, rows=rows)
        for rows in ("none", "none")
    ]
    found = compare(*made)
    paired = {name for name, one in found.changes.items() if getattr(one, "paired", False)}
    said = [note for note in notes(found) if "common part" in note]
    assert paired == {"throughput"}
    assert said == [
        "Both results had the same arrivals: their common part is taken out of the differences of "
        "throughput."
    ]
