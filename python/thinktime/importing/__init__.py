"""Workloads made from existing files: recordings, commands, descriptions, other tools' scripts.

    from pathlib import Path
    from thinktime.importing import import_file

    made = import_file("shop.har")
    Path("shop.toml").write_text(made.text)

Nothing of a foreign file is run, and no file that it names is read but the modules of a script of
k6, beside it or in a folder that the user names. Each kind is a file of this folder, which reads it
into a `draft.Draft`; `workload_text` makes the text, and `keys` alone knows how the keys of
requests are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from thinktime import InputError
from thinktime.importing import parsers, workload_text
from thinktime.importing.draft import Draft, all_of

__all__ = ["KINDS", "Imported", "import_file", "import_text", "imported"]

KINDS = {
    "har": "HAR 1.2, a browser's recording",
    "curl": "curl command lines",
    "openapi": "OpenAPI 3 or Swagger 2.0, as JSON or YAML",
    "postman": "a Postman collection 2.1",
    "k6": "a script of k6",
    "locust": "a script of Locust",
    "jmeter": "a test plan of JMeter",
    "artillery": "a script of Artillery, as YAML or JSON",
    "gatling": "a simulation of Gatling in Java, Kotlin or Scala",
    "conversations": "conversations with language models, as JSON or JSON lines",
}
"""What can be imported. Each is a module of this folder with a function ``draft``."""

WITH_MODULES = ("k6",)
"""The kinds whose files name others that are read."""

STREAMED = "conversations"
"""The kind that is read in pieces, so that its files may be larger than memory."""

MEGABYTES = {"har": 128, "postman": 64, "jmeter": 32, "openapi": 32, STREAMED: 135}
"""The number of characters that are read of each kind; of other kinds `SCRIPT_MEGABYTES`."""

SCRIPT_MEGABYTES = 8
HEAD_CHARACTERS = 1 << 20
"""A file shows its kind within this many characters."""

_JSON_KEYS = (("har", "log"), ("openapi", "openapi"), ("openapi", "swagger"), ("postman", "item"),
              ("artillery", "scenarios"), ("conversations", "conversations"),
              ("conversations", "conversation"), ("conversations", "messages"))  # fmt: skip
_SIGNS = (
    ("jmeter", r"<jmeterTestPlan\b"),
    ("k6", r"\bfrom\s+['\"]k6(?:/[\w/]+)?['\"]|require\(\s*['\"]k6(?:/[\w/]+)?['\"]\s*\)"),
    ("locust", r"^\s*(?:from\s+locust\b|import\s+locust\b)"),
    ("openapi", r"^['\"]?(?:openapi|swagger)['\"]?\s*:"),
    ("gatling", r"^\s*import\s+(?:static\s+)?io\.gatling\."),
    ("artillery", r"^['\"]?scenarios['\"]?\s*:"),
    ("curl", r"^\s*(?:\$\s+)?curl(?:\.exe)?\s"),
    # A script whose modules import those of k6.
    ("k6", r"^\s*export\s+(?:default\b|(?:const|let|var)\s+options\b)"),
    (STREAMED, r"\A\s*\[[\s\S]*[\"'](?:conversations?|messages)[\"']\s*:\s*\["),
)


@dataclass(frozen=True)
class Imported:
    """What an import has made.

    Attributes:
        kind: The kind of the source, a key of `KINDS`.
        text: The workload file.
        notes: The omitted parts, each with its place and the reason.
        requests: The number of kinds of requests, objects of pages not counted.
        objects: The number of kinds of objects that pages embed.
        origin: Scheme and host that the source asks, for ``thinktime run --target``; empty if it
            leaves that open.
    """

    kind: str
    text: str
    notes: list[str]
    requests: int
    objects: int
    origin: str


def import_file(
    file: str | Path,
    kind: str | None = None,
    folder: str | Path | None = None,
    characters_per_token: float | None = None,
) -> Imported:
    """Make a workload of a file, or of standard input for ``-``.

    Args:
        file: The file; at most 128 MiB, but for conversations, of which a file may have any size.
        kind: A key of `KINDS`; by default it is found from the content.
        folder: For a script of k6, the folder that holds it and its modules, which are read; by
            default that of the script.
        characters_per_token: For conversations, by which the lengths of their texts are divided, to
            estimate their tokens; 0.1 to 100, 4 by default.

    Raises:
        InputError: The file cannot be read, its kind is unknown, it has nothing usable, or
            ``folder`` or ``characters_per_token`` does not fit; the message names the file and, if
            known, the line.
    """
    name = str(file)
    if not _is_streamed(name, kind):
        return import_text(parsers.data(name), name, kind, folder, characters_per_token)
    of_kind = _of_kind(STREAMED, folder, characters_per_token)
    read: Callable[..., Draft] = import_module(f"{__name__}.{STREAMED}").draft_of_stream
    with parsers.opened(name) as stream:
        return imported(STREAMED, read(stream, name, Path(name).name[:200], **of_kind))


def _is_streamed(name: str, kind: str | None) -> bool:
    if name == "-" or kind not in (None, STREAMED):
        return False
    return kind == STREAMED or _kind_or_none(parsers.head(name, HEAD_CHARACTERS)) == STREAMED


def import_text(
    data: bytes,
    file: str,
    kind: str | None = None,
    folder: str | Path | None = None,
    characters_per_token: float | None = None,
) -> Imported:
    """Make a workload of what a file holds; ``file`` is its name, for messages and comments.

    Raises:
        InputError: As `import_file`.
    """
    if kind is not None and kind not in KINDS:
        raise InputError(f"unknown kind `{kind}`: known are {', '.join(KINDS)}")
    text = parsers.text(data, file)
    kind = kind or _kind_of(text, file)
    most = MEGABYTES.get(kind, SCRIPT_MEGABYTES)
    if len(text) > most * 1_000_000:
        raise InputError(f"{file}: is too large: of {kind} at most {most} MB are read")
    of_kind = _of_kind(kind, folder, characters_per_token)
    read: Callable[..., Draft] = import_module(f"{__name__}.{kind}").draft
    name = "standard input" if file == "-" else Path(file).name[:200]
    try:
        draft = read(text, file, name, **of_kind)
    except RecursionError:
        raise InputError(f"{file}: is nested too deeply") from None
    return imported(kind, draft)


def _of_kind(
    kind: str, folder: str | Path | None, characters_per_token: float | None
) -> dict[str, Any]:
    """The arguments that only some kinds have.

    Raises:
        InputError: One of them is not for this kind.
    """
    found: dict[str, Any] = {}
    if folder is not None:
        if kind not in WITH_MODULES:
            said = f"is for a script of k6, whose modules are read, not for {kind}"
            raise InputError(f"--folder: {said}")
        found["folder"] = Path(folder)
    if characters_per_token is not None:
        if kind != STREAMED:
            raise InputError(f"--characters-per-token: is for {STREAMED}, not for {kind}")
        found["characters_per_token"] = characters_per_token
    return found


def imported(kind: str, draft: Draft) -> Imported:
    """The workload of a draft; ``kind`` names its source in words."""
    whole = workload_text.workload(draft)
    requests = sum(len(one.requests) for one in draft.populations)
    objects = sum(len(all_of(one)) for one in draft.populations) - requests
    return Imported(kind, whole, list(draft.notes), requests, objects, draft.origin)


def _kind_of(text: str, file: str) -> str:
    found = _kind_or_none(text[:HEAD_CHARACTERS])
    if found is None:
        known = "; ".join(f"{kind} ({about})" for kind, about in KINDS.items())
        raise InputError(f"{file}: its kind is not found; say it as `--from`: {known}")
    return found


def _kind_or_none(head: str) -> str | None:
    if head.lstrip().startswith("{"):
        keys = dict.fromkeys(_top_keys(head))
        for kind, key in _JSON_KEYS:
            if key in keys:
                return kind
    return next((kind for kind, sign in _SIGNS if re.search(sign, head, re.MULTILINE)), None)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:]')


def _top_keys(head: str) -> list[str]:
    """The keys of the outermost object of a JSON text whose end may be missing."""
    found, depth, last = [], 0, ""
    for token in _TOKEN.finditer(head):
        mark = token[0]
        depth += (mark in "{[") - (mark in "}]")
        if mark == ":" and depth == 1:
            found.append(last.strip('"'))
        last = mark
    return found
