"""Settings of JMeter's HTTP samplers beside their request: what is carried over, and what not.

Source: https://jmeter.apache.org/usermanual/component_reference.html#HTTP_Request
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from thinktime.importing import content
from thinktime.importing.draft import Body, Request, seconds
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import Element
from thinktime.importing.redirects import Redirects
from thinktime.importing.secrets import masked_pairs, without_secrets

REDIRECTS = 20
"""The redirects that JMeter follows by default if a sampler follows any."""

_READ = frozenset(
    ["path", "domain", "port", "protocol", "method", "postBodyRaw", "DO_MULTIPART_POST",
     "follow_redirects", "auto_redirects", "use_keepalive", "response_timeout", "contentEncoding",
     "concurrentPool", "implementation", "BROWSER_COMPATIBLE_MULTIPART"]
)  # fmt: skip
"""Settings that are read elsewhere, or change nothing that is sent."""

_WORDS = {
    "image_parser": "embedded resources are left out: a page is a request with `objects`",
    "concurrentDwn": "",
    "embedded_url_re": "",
    "connect_timeout": "the timeout of the connection is left out: `timeout` is for the whole",
    "md5": "the response is not kept as a hash",
}


def take(given: Mapping[str, str], request: Request, redirects: Redirects, notes: Notes) -> None:
    """Give a request its timeout and its redirects, and note the other settings of its sampler."""
    place = request.place
    follows = given.get("HTTPSampler.follow_redirects") == "true"
    follows |= given.get("HTTPSampler.auto_redirects") == "true"
    redirects.add(request, REDIRECTS if follows else 0)
    timeout = given.get("HTTPSampler.response_timeout", "")
    if re.fullmatch(r"[1-9]\d{0,8}", timeout):
        request.timeout = seconds(int(timeout) / 1000)
    elif timeout not in ("", "0"):
        notes.add(place, f"the timeout {timeout!r} is left out: it is no number")
    charset = given.get("HTTPSampler.contentEncoding", "")
    if charset.lower() not in ("", "utf-8", "utf8", "us-ascii"):
        notes.add(place, f"the encoding `{charset[:40]}` is left out: texts are sent in UTF-8")
    for name, held in given.items():
        kind, _, setting = name.partition(".")
        if kind != "HTTPSampler" or setting in _READ or held in ("", "false", "0"):
            continue
        if text := _WORDS.get(setting, f"the setting `{setting[:40]}` is left out"):
            notes.add(place, text)


def files(element: Element, fill: Callable[[str], str], place: str, notes: Notes) -> None:
    """Notes the files that a sampler sends, which are not read here."""
    for holder in element.children:
        if holder.attributes.get("name") != "HTTPsampler.Files":
            continue
        for row in (row for rows in holder.children for row in rows.children):
            given = {one.attributes.get("name", ""): fill(one.text.strip()) for one in row.children}
            path, name = given.get("File.path", ""), given.get("File.paramname", "")
            if path:
                key = f'multipart = {{ {name} = {{ file = "..." }} }}' if name else "body_file"
                notes.add(place, f"the file `{path[:100]}` is left out: name it by `{key}`")


Argument = tuple[str, str, bool]
"""The name and the value of a parameter, and whether JMeter encodes them."""


def query(arguments: list[Argument]) -> str:
    """Parameters as JMeter puts them behind a URL."""
    return "&".join(
        urlencode([(name, held)]) if encodes else f"{name}={held}" if name else held
        for name, held, encodes in arguments
    )


def form(
    arguments: list[Argument], fields: dict[str, str], place: str, notes: Notes, *, in_parts: bool
) -> Body | None:
    """The body of a form; values that JMeter sends as they are, are encoded in the plan already."""
    pairs = [(name, held) for name, held, _ in arguments]
    if in_parts:
        return content.of_parts(masked_pairs(pairs, place, notes), fields)
    if all(encodes for _, _, encodes in arguments):
        return content.of_fields(masked_pairs(pairs, place, notes), fields)
    if not content.content_type(fields):
        content.set_type(fields, "application/x-www-form-urlencoded")
    text = without_secrets(query(arguments), place, notes, "body")
    return content.body(text, fields, place, notes)
