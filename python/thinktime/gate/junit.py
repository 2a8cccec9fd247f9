"""JUnit XML, in the part of it that GitLab, GitHub's actions and Jenkins agree on.

GitLab takes `classname` for the name of the suite and the text of `failure` and `error`, and
ignores all but the first of two cases of one name; others show `message`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from thinktime.gate.cases import Case, Suite

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"failed": "failure", "undecided": "error"}
_TYPES = {"failed": "not met", "undecided": "cannot tell"}


def document(suites: Sequence[Suite]) -> str:
    """The text of the file."""
    cases = [case for suite in suites for case in suite.cases]
    time_s = sum(suite.time_s for suite in suites)
    root = Xml.Element("testsuites", _counts("thinktime", cases, time_s))
    abouts: dict[str, int] = {}
    for suite in suites:
        about = _unique(suite.about, abouts)
        part = Xml.SubElement(root, "testsuite", _counts(suite.name, suite.cases, suite.time_s))
        used: dict[str, int] = {}
        for place, case in enumerate(suite.cases):
            # The time of the suite is that of its first case, so that times add up.
            time = suite.time_s if place == 0 else 0.0
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
