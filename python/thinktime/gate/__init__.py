"""Files for pipelines: a JUnit file with a test case an objective, and a Markdown summary.

from thinktime import gate
from thinktime.report import report_of

files = gate.files(junit="junit.xml", markdown="summary.md")
files.write([report_of(result)])
"""

from __future__ import annotations

from thinktime.gate.files import Files, files

__all__ = ["Files", "files"]
