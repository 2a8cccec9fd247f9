"""What the tests of imports share."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

import thinktime as tt
from thinktime.importing import Imported, import_text

NEW_KEYS = "headers|json|form|multipart|method|target|bearer|basic"
_UNKNOWN = re.compile(rf"unknown key `(?:{NEW_KEYS})`|body: goes with `post`")


def imported(text: str | bytes, file: str = "source", kind: str | None = None) -> Imported:
    """What is made of a text; its file must be right TOML, and load."""
    data = text.encode() if isinstance(text, str) else text
    made = import_text(data, file, kind)
    loads_but_for_new_keys(made.text)
    return made


def table(made: Imported) -> dict[str, Any]:
    """What the workload file says."""
    return tomllib.loads(made.text)


def requests(made: Imported) -> dict[str, dict[str, Any]]:
    """Its requests by name, of a workload without populations."""
    return {one["name"]: one for one in table(made)["request"]}


def loads_but_for_new_keys(text: str) -> tt.Workload:
    """The workload; without some keys in versions that have not got them yet."""
    try:
        return tt.Workload(text, "made.toml")
    except tt.InputError as error:
        if not _UNKNOWN.search(str(error)):
            raise
    plain = re.sub(r"^method +=.*\ntarget +=", "get =", text, flags=re.MULTILINE)
    plain = re.sub(r"^(?:headers|json|form|multipart) *=.*\n", "", plain, flags=re.MULTILINE)
    held = tomllib.loads(plain)
    bodies = [one for one in held.get("request", []) if "body" in one]
    if any(not {"post", "put", "patch"} & set(one) for one in bodies):
        plain = re.sub(r"^body +=.*\n", "", plain, flags=re.MULTILINE)
    return tt.Workload(plain, "made.toml")


def loads(made: Imported) -> tt.Workload:
    """The whole workload; skips where its keys are not known yet."""
    try:
        return tt.Workload(made.text, "made.toml")
    except tt.InputError as error:
        if _UNKNOWN.search(str(error)):
            pytest.skip(f"the workload file has not got this key yet: {error}")
        raise
