"""JUnit XML, in the part of it that GitLab, GitHub's actions and Jenkins agree on.

GitLab takes `classname` for the name of the suite and the text of `failure` and `error`, and
ignores all but the first of two cases of one name; others show `message`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from thinktime.present.report import Case, Report

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"failed": "failure", "undecided": "error"}
_TYPES = {"failed": "not met", "undecided": "cannot tell"}


def document(reports: Sequence[Report]) -> str:
    """The text of the file."""
    cases = [case for one in reports for case in one.all_cases]
    time_s = sum(one.time_s for one in reports)
    root = Xml.Element("testsuites", _counts("thinktime", cases, time_s))
    abouts: dict[str, int] = {}
    for one in reports:
        about = _unique(one.about, abouts)
        part = Xml.SubElement(root, "testsuite", _counts(one.name, one.all_cases, one.time_s))
        used: dict[str, int] = {}
        for place, case in enumerate(one.all_cases):
            # The time of the suite is that of its first case, so that times add up.
            time = one.time_s if place == 0 else 0.0
            _add(part, about, case, _unique(case.name, used), time)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _counts(name: str, cases: Sequence[Case], time_s: float) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {
        "name": _clean(name),
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failed")),
        "errors": str(outcomes.count("undecided")),
        "skipped": "0",
        "time": f"{time_s:.3f}",
    }


def _add(suite: Xml.Element, of: str, case: Case, name: str, time_s: float) -> None:
    about = {"classname": _clean(of), "name": _clean(name), "time": f"{time_s:.3f}"}
    element = Xml.SubElement(suite, "testcase", about)
    words = _clean(case.words)
    if case.outcome == "passed":
        if words:
            Xml.SubElement(element, "system-out").text = words
        return
    found = {"message": " ".join(words.split()), "type": _TYPES[case.outcome]}
    Xml.SubElement(element, _ELEMENTS[case.outcome], found).text = words


def _unique(name: str, used: dict[str, int]) -> str:
    used[name] = used.get(name, 0) + 1
    return name if used[name] == 1 else f"{name} ({used[name]})"


def _clean(text: str) -> str:
    """Text without characters that XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)
