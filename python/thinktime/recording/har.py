"""A recording as HAR 1.2, with secrets replaced as in a workload file.

Source: http://www.softwareishard.com/blog/har-12-spec/
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from thinktime import __version__
from thinktime.importing.content import content_type
from thinktime.importing.exchanges import Exchange, PostedBody
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import REMOVED, is_secret, masked, masked_json, without_secrets

_UNKNOWN = -1
"""The values of HAR for unknown sizes and times."""


def text(exchanges: Iterable[Exchange]) -> str:
    """The whole file."""
    creator = {"name": "thinktime", "version": __version__}
    entries = [_entry(one) for one in exchanges]
    log = {"version": "1.2", "creator": creator, "pages": [], "entries": entries}
    return json.dumps({"log": log}, ensure_ascii=False, indent=1) + "\n"


def _entry(one: Exchange) -> dict[str, Any]:
    url = _without_secrets(one.url)
    begun = datetime.fromtimestamp(one.begun_s or 0.0, UTC)
    took_ms = round(one.took_s * 1000, 3)
    posted = one.posted
    size = posted.missing or len((posted.text or "").encode())
    cookie = [{"name": "Set-Cookie", "value": REMOVED}] if one.sets_cookies else []
    return {
        "startedDateTime": begun.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "time": took_ms,
        "request": {
            "method": one.method, "url": url, "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": _named(_fields(one)), "queryString": _named(_query(url)),
            "headersSize": _UNKNOWN, "bodySize": size, **_post_data(posted, one),
        },
        "response": {
            "status": one.status, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": cookie, "redirectURL": _without_secrets(one.location),
            "headersSize": _UNKNOWN, "bodySize": _UNKNOWN,
            "content": {"size": _UNKNOWN, "mimeType": one.media},
        },
        "cache": {},
        "timings": {"send": 0, "wait": took_ms, "receive": 0},
    }  # fmt: skip


def _named(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _without_secrets(url: str) -> str:
    """A URL without the values of secrets, a user's name and password, and its fragment."""
    base, mark, query = url.partition("#")[0].partition("?")
    scheme, slashes, rest = base.partition("//")
    host, slash, path = rest.partition("/")
    if slashes:
        host = host.rpartition("@")[2]
    return scheme + slashes + host + slash + path + mark + without_secrets(query, "", Notes())


def _query(url: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(url).query, keep_blank_values=True)


def _fields(one: Exchange) -> Iterator[tuple[str, str]]:
    for name, value in one.fields:
        if name.lower() == "cookie":
            yield name, REMOVED
        elif is_secret(name):
            scheme = value.partition(" ")[0]
            known = scheme.lower() in ("basic", "bearer")
            yield name, f"{scheme} {REMOVED}" if known else REMOVED
        elif name.lower() == "referer":
            yield name, _without_secrets(value)
        else:
            yield name, value


def _post_data(posted: PostedBody, one: Exchange) -> dict[str, Any]:
    if posted.missing or posted == PostedBody():
        return {}
    if posted.text is None:
        found: dict[str, Any] = {"text": "", "encoding": "base64", "comment": "no text: not kept"}
    elif posted.text:
        found = {"text": _masked(posted.text, content_type(dict(one.fields)))}
    else:
        pairs = [(name, str(masked({name: value}, "", Notes())[name]))
                 for name, value in posted.pairs]  # fmt: skip
        files = [{"name": name, "fileName": ""} for name in posted.files]
        found = {"params": [*_named(pairs), *files]}
    return {"postData": {"mimeType": posted.media, **found}}


def _masked(given: str, media: str) -> str:
    if given.lstrip()[:1] in ("{", "["):
        return masked_json(given, "", Notes())
    if media == "application/x-www-form-urlencoded":
        return without_secrets(given, "", Notes())
    return given
