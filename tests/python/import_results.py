"""Helpers of the tests of imports."""

from __future__ import annotations

import tomllib
from typing import Any

import thinktime as tt
from thinktime.importing import Imported, import_text


def imported(text: str | bytes, file: str = "source", kind: str | None = None) -> Imported:
    """The import of a text; its file must be right TOML, and load."""
    data = text.encode() if isinstance(text, str) else text
    made = import_text(data, file, kind)
    loads(made)
    return made


def table(made: Imported) -> dict[str, Any]:
    """The content of the workload file."""
    return tomllib.loads(made.text)


def requests(made: Imported) -> dict[str, dict[str, Any]]:
    """Its requests by name, for a workload without populations."""
    return {one["name"]: one for one in table(made)["request"]}


def loads(made: Imported) -> tt.Workload:
    """The whole workload."""
    return tt.Workload(made.text, "made.toml")
