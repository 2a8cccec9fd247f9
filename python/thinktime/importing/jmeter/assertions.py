"""Assertions of JMeter as checks.

Source: https://jmeter.apache.org/usermanual/component_reference.html#Response_Assertion
"""

from __future__ import annotations

import re
from typing import Any

from thinktime.importing import checks
from thinktime.importing.checks import Condition
from thinktime.importing.draft import Request
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element

ASSERTIONS = ("ResponseAssertion", "DurationAssertion")

_PARTS = {"Assertion.response_code": "status", "Assertion.response_data": "body"}
_CONTAINS, _EQUALS, _SUBSTRING, _OR = 2, 8, 16, 32
"""Bits of the kind of a response assertion; 1 is a pattern for the whole, 4 negates it."""


def take(element: Element, request: Request, place: str, notes: Notes) -> None:
    """Give a request the check that an assertion is, or note that it is left out."""
    given = {one.attributes.get("name", ""): one for one in element.children}
    texts = {name: one.text.strip() for name, one in given.items()}
    if element.tag == "DurationAssertion":
        most = texts.get("DurationAssertion.duration", "")
        whole = re.fullmatch(r"[1-9]\d{0,8}", most)
        found: list[Condition] = [("time", {"most": f"{most}ms"})] if whole else []
    else:
        found = _response(given, texts)
    checks.add(request, element.attributes.get("testname", ""), found, place, notes)


def _response(given: dict[str, Element], texts: dict[str, str]) -> list[Condition]:
    if texts.get("Assertion.scope", "parent") not in ("", "parent", "all"):
        return []  # about a variable, or about the parts of a page
    part = _PARTS.get(texts.get("Assertion.test_field", ""))
    kind = texts.get("Assertion.test_type", "")
    # JMeter itself spells the first name like this.
    holder = given.get("Asserion.test_strings") or given.get("Assertion.test_strings")
    wanted = [one.text for one in holder.children] if holder is not None else []
    unlike = texts.get("Assertion.assume_success") == "true" or any("${" in one for one in wanted)
    if part is None or not wanted or unlike or not re.fullmatch(r"\d{1,2}", kind):
        return []
    return _held(part, int(kind), wanted)


def _held(part: str, kind: int, wanted: list[str]) -> list[Condition]:
    either, kind = bool(kind & _OR), kind & ~_OR
    held: dict[str, Any] = {}
    if kind == _EQUALS and (either or len(wanted) == 1):
        numbers = part == "status" and all(re.fullmatch(r"[1-9]\d\d", one) for one in wanted)
        values = [int(one) if numbers else one for one in wanted]
        held = {"is": values[0] if len(values) == 1 else values}
    elif kind == _SUBSTRING and len(wanted) == 1:
        held = {"contains": wanted[0]}
    elif kind == _CONTAINS and len(wanted) == 1 and re.fullmatch(r"[\w \-/<>=\"':,.]+", wanted[0]):
        held = {"matches": wanted[0]}  # other patterns have another meaning in other engines
    return [(part, held)] if held else []
