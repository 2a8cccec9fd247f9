"""Files for pipelines: a JUnit file with a test case an objective, and a Markdown summary.

from thinktime import gate

files = gate.files(junit="junit.xml", markdown="summary.md")
files.write(*gate.of_result(result))
"""

from __future__ import annotations

from thinktime.gate.cases import Case, Suite
from thinktime.gate.files import Files, files
from thinktime.gate.summaries import (
    Summaries,
    of_capacity,
    of_comparisons,
    of_failure,
    of_result,
    of_sweep,
)

__all__ = [
    "Case",
    "Files",
    "Suite",
    "Summaries",
    "files",
    "of_capacity",
    "of_comparisons",
    "of_failure",
    "of_result",
    "of_sweep",
]
