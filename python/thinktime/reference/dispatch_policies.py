"""The table of dispatch policies in the docs, made of the program's list of them.

`python -m thinktime.reference.dispatch_policies docs/clusters.md` writes it anew; a test holds both
together.
"""

from __future__ import annotations

import sys
from pathlib import Path

from thinktime import _core

HEAD = "| policy | where a request goes | needs | source |"
NOTHING = "nothing more"


def table() -> str:
    """The table in Markdown, without a line break at its end."""
    lines = [HEAD, "|---|---|---|---|"]
    for usage, summary, needs, source in _core.dispatch_policies():
        said = f"{summary[0].upper()}{summary[1:]}."
        told = ", ".join(needs) or NOTHING
        lines.append(f"| `{usage}` | {said} | {told} | {source} |")
    return "\n".join(lines)


def renewed(page: str) -> str:
    """The text of a page with its table replaced by the new one.

    Raises ValueError if it has none.
    """
    before, head, behind = page.partition(HEAD)
    if not head:
        raise ValueError(f"the page has no table that begins with {HEAD}")
    _, end, after = behind.partition("\n\n")
    return before + table() + end + after


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8")
