"""Expectations of Artillery as checks.

Source: https://www.artillery.io/docs/reference/extensions/expect
"""

from __future__ import annotations

import re
from typing import Any

from thinktime.importing import checks
from thinktime.importing.checks import Condition
from thinktime.importing.draft import Request
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import table, words

_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d{1,9}\])*")
_FIELD = re.compile(r"[\w-]{1,80}")


def check(request: Request, kind: str, held: Any, place: str, notes: Notes) -> None:
    """Give a request the check that an expectation is, or note that it is left out."""
    text = held if isinstance(held, str | int | float) else ""
    found = _condition(kind, held)
    checks.add(request, f"{kind} {text}".strip(), [found] if found else [], place, notes)


def _condition(kind: str, held: Any) -> Condition | None:
    statuses = held if isinstance(held, list) else [held]
    match kind:
        case "statusCode" if all(re.fullmatch(r"[1-5]\d\d", words(one)) for one in statuses):
            numbers = [int(words(one)) for one in statuses]
            return "status", {"is": numbers if len(numbers) > 1 else numbers[0]}
        case "contentType" if held in ("json", "application/json"):
            return "header:Content-Type", {"contains": "application/json"}
        case "contentType" if isinstance(held, str):
            return "header:Content-Type", {"contains": held}
        case "hasProperty" | "notHasProperty" if _PATH.fullmatch(words(held)):
            return f"json:$.{held}", {"missing": True} if kind == "notHasProperty" else {}
        case "hasHeader" if _FIELD.fullmatch(words(held)):
            return f"header:{held}", {}
        case "headerEquals" if isinstance(held, list) and len(held) == 2:
            name = words(held[0])
            return (f"header:{name}", {"is": words(held[1])}) if _FIELD.fullmatch(name) else None
        case "match":
            return _match(table(held))
    return None


def _match(given: dict[str, Any]) -> Condition | None:
    """`{json: PATH, value: TEXT}`: what a path leads to is this value."""
    path, value = words(given.get("json")), given.get("value")
    if not _PATH.fullmatch(path.removeprefix("$.")) or not isinstance(value, str | int | float):
        return None
    return f"json:$.{path.removeprefix('$.')}", {"is": words(value) if value is True else value}
