"""`benches/explain_three.py` measures servers of its own, and prints the findings of `explain`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "benches" / "explain_three.py"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("demo", "The demo's server, ten clients, closed"),
        ("nginx", "nginx, a file of 64 KiB, open"),
        ("database", "PostgreSQL, a sum of 5,000 rows by an index, open"),
    ],
)
def test_each_server_is_told_of(name: str, title: str) -> None:
    """A model, or the reason for its absence; the machine may be busy."""
    done = subprocess.run(
        [sys.executable, str(BENCH), "--seconds", "4", "--only", name],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if "is not installed" in done.stdout:
        pytest.skip(done.stdout.strip())
    told = [line for line in done.stdout.splitlines() if line.startswith(f"**{title}")]
    assert len(told) == (1 if name == "demo" else 2), done.stdout
    for line in told:
        assert "matches the measurement" in line or "o model is shown: " in line
