"""The library that draws charts, cut into scripts that each take only a moment.

It is plotly.js as published: one script of a megabyte, which a browser reads and runs in one piece,
while the page does not react. Its modules stand there in the order of their first run, each in a
function that keeps its result. So the library can be cut between any two modules, if each script
runs its own modules: the next script finds them made. Names shared by the scripts are global then.
"""

from __future__ import annotations

import functools
import re
from importlib import resources

_NAME = "plotly-basic.min.js"
_BEGIN = '"use strict";var Plotly=(()=>{'
_END = re.compile(r"return ([\w$]+)\(\);\}\)\(\);")
_MODULE = re.compile(r"(?<=\);)var ([\w$]+)=W\(")
_UNUSED = ("lw",)
"""Modules that never run: remnants of maps, which this edition of the library lacks."""

_STEP = "a=n(r),a&&a.then)return a.then(i)"
_RESTING = "a=n(r),a&&a.then||e.length&&(a=Plotly.rest&&Plotly.rest(r)))return a.then(i)"
"""Between the steps of a drawing `Plotly.rest` is called, which may return a promise to wait
for."""

_MOST = 45_000
"""The length in characters at which a script ends: it takes some ten milliseconds to read and
run."""


@functools.cache
def scripts() -> tuple[str, ...]:
    """The library in scripts, to be run in order; `Plotly` is there after the last."""
    return cut(resources.files("thinktime.present").joinpath("assets", _NAME).read_text("utf-8"))


def cut(text: str) -> tuple[str, ...]:
    """The scripts of an edition of the library.

    Raises:
        ValueError: The edition cannot be cut in this way.
    """
    head, _, body = text.partition(_BEGIN)
    end = _END.search(body)
    if end is None or body.count(_STEP) != 1:
        raise ValueError(f"{_NAME}: this edition of plotly.js is built differently")
    licence = head[: head.index("*/") + 2]
    notes, _, _ = body[end.end() :].partition("window.Plotly")
    parts = _parts(body[: end.start()].replace(_STEP, _RESTING))
    last = f"{parts[-1]}var Plotly={end[1]}();\n{notes.strip()}"
    return (f"{licence}\n{parts[0]}", *parts[1:-1], last)


def _parts(body: str) -> list[str]:
    """Whole modules, up to a number of characters, followed by the calls that run them."""
    modules = [(found.start(), found[1]) for found in _MODULE.finditer(body)]
    parts, begin, names = [], 0, list[str]()
    for (_, name), (end, _) in zip(modules, [*modules[1:], (len(body), "")], strict=True):
        names.append(name)
        if end - begin > _MOST or end == len(body):
            runs = "".join(f"{one}();" for one in names if one not in _UNUSED)
            parts.append(f'"use strict";{body[begin:end]}{runs}')
            begin, names = end, []
    return parts
