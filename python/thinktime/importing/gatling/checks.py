"""Checks of Gatling: conditions on a response, and values that the session takes from it.

Source: https://docs.gatling.io/concepts/checks/
"""

from __future__ import annotations

import re
from typing import Any

from thinktime.importing import checks
from thinktime.importing.checks import Condition
from thinktime.importing.draft import Request
from thinktime.importing.gatling.syntax import Call
from thinktime.importing.gatling.values import Names
from thinktime.importing.session_values import Values
from thinktime.importing.takes import is_part

_PARTS = {"jsonPath": "json", "regex": "regex", "header": "header", "headerRegex": ""}
_WHOLE = {"status": "status", "bodyString": "body", "bodyLength": "", "currentLocation": ""}
_VERBS = ("is", "in", "within", "not", "exists", "notExists", "isNull", "saveAs", "lt", "lte",
          "lessThan", "lessThanOrEqual", "find", "optional", "name")  # fmt: skip


def take(request: Request, given: Any, names: Names, values: Values, place: str) -> None:
    """Give a request what one check of it is, or note that it is left out."""
    chain = given.chain() if isinstance(given, Call) else []
    if not chain:
        values.notes.add(place, "a check is left out: it is no chain of calls")
        return
    place = f"line {chain[0].line}"
    first, verbs = chain[0], {one.name: one.given for one in chain[1:]}
    text = names.text(first.given[0]) if first.given else None
    source = _source(first.name, text)
    label = " ".join([first.name, *([text] if text else [])])
    is_known = all(name in _VERBS for name in verbs) and not verbs.get("find")
    if "saveAs" in verbs:
        name = names.text(verbs["saveAs"][0]) if verbs["saveAs"] else None
        if source and name and is_known:
            values.take(request, name, source, place)
        else:
            what = f"the value `{name}` is left out: `{first.name}` is nothing that `take` knows"
            values.notes.add(place, what)
        verbs = {k: v for k, v in verbs.items() if k not in ("saveAs", "find", "optional")}
        if not verbs:
            return
    found = _condition(first.name, source, text, verbs, names) if is_known else None
    label = (names.text(verbs["name"][0]) if verbs.get("name") else None) or label
    checks.add(request, label, [found] if found else [], place, values.notes)


def _source(kind: str, text: str | None) -> str:
    """The part of a response, as in the file; empty if the file has no such part."""
    if kind in _PARTS and text is not None and "#{" not in text:
        return f"{_PARTS[kind]}:{text}" if _PARTS[kind] else ""
    return _WHOLE.get(kind, "")


def _condition(
    kind: str, source: str, text: str | None, verbs: dict[str, list[Any]], names: Names
) -> Condition | None:
    verb = next((one for one in verbs if one not in ("find", "name", "optional")), "exists")
    given = [names.value(one) for one in verbs.get(verb, [])]
    if kind == "substring" and text is not None and verb == "exists":
        return "body", {"contains": text}
    if kind == "responseTimeInMillis" and verb in ("lt", "lte", "lessThan", "lessThanOrEqual"):
        whole = given and isinstance(given[0], int | float)
        return ("time", {"most": f"{given[0]:.9g}ms"}) if whole else None
    if not is_part(source) or any("#{" in str(one) or one is None for one in given):
        return None
    if kind == "header" and not re.fullmatch(r"header:[\w-]+", source):
        return None
    match verb:
        case "exists":
            return source, {}
        case "notExists" | "isNull":
            return source, {"missing": True}
        case "is" | "in" | "within" if given:
            return source, {"is": given if len(given) > 1 else given[0]}
    return None
