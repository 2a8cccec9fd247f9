"""What is odd about the files of a log, as the reader reports them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from thinktime.present import units

ALIKE_LEAST = 100
"""Files with at least this many lines do not have equal sizes by chance."""


def printable(text: str) -> str:
    """A text of a log with a question mark for each character that would move the cursor."""
    return "".join(one if one.isprintable() else "?" for one in text)


_EXAMPLE = re.compile(r"(\(|as in )`(?!--)[^`]*`")
"""An example of a value; not that of an option, which says how to read a file."""


def doubts(files: list[dict[str, Any]]) -> list[str]:
    """What else the lines could mean, each once, with the option that decides.

    The first file's example of a value stands for those of the others, as of logs by the day.
    """
    found: dict[str, str] = {}
    for doubt in (doubt for file in files for doubt in file["doubts"]):
        found.setdefault(_EXAMPLE.sub(r"\1", doubt), printable(doubt))
    return list(found.values())


def mostly_bad(files: list[dict[str, Any]]) -> Iterator[str]:
    """Say of files in which lines that are no requests outnumber those that are."""
    for file in files:
        bad = sum(count for _, count, *_ in file["bad"])
        if bad > file["entries"] + file["dropped"]:
            yield (
                f"{units.count(bad)} of {units.counted(file['lines'], 'line')} of {file['name']} "
                f"are no requests as `{file['format']}` has them, and are in no figure"
            )


def alike(files: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Files that are probably the same; not those whose lines may all have equal sizes."""
    known: dict[tuple[int, int], str] = {}
    for file in files:
        size = (file["lines"], file["bytes"])
        many = file["lines"] >= ALIKE_LEAST and file["bytes"] % file["lines"]
        if size in known and many:
            yield known[size], file["name"]
        known[size] = file["name"]
