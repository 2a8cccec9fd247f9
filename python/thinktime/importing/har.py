"""HAR 1.2, the format in which developer tools of browsers and recording proxies save a visit.

Source: http://www.softwareishard.com/blog/har-12-spec/
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from thinktime import InputError
from thinktime.importing.draft import Draft, stem
from thinktime.importing.exchanges import Exchange, PostedBody, a_recording
from thinktime.importing.notes import Notes
from thinktime.importing.parsers import from_json, items, table, words


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a recording: its pages, one after the other, with their objects.

    Raises:
        InputError: It is not JSON, not HAR, or has no request that could be sent.
    """
    log = table(table(from_json(text, file)).get("log"))
    if not isinstance(log.get("entries"), list):
        raise InputError(f"{file}: is no HAR: it has no list `log.entries`")
    entries = [table(one) for one in log["entries"]]
    measured = any(table(one.get("timings")) for one in entries)
    exchanges = (_exchange(one, measured) for one in entries)
    by = words(table(log.get("creator")).get("name"))
    notes = Notes()
    found = a_recording(exchanges, stem(name), "HAR", by, notes)
    if found is None:
        said = f"no request of the {len(entries)} entries could be taken{notes.reasons()}"
        raise InputError(f"{file}: {said}")
    found.source = f"{name} ({found.source})"
    return found


def _exchange(one: dict[str, Any], measured: bool) -> Exchange:
    """The exchange of an entry; ``measured`` says whether the recording has timings at all."""
    asked, answer = table(one.get("request")), table(one.get("response"))
    fields = list(_pairs(asked, "headers"))
    if items(asked.get("cookies")) and "cookie" not in {name.lower() for name, _ in fields}:
        fields.append(("Cookie", "in a list of its own"))
    took, status = one.get("time"), answer.get("status")
    return Exchange(
        method=words(asked.get("method")),
        url=words(asked.get("url")),
        fields=fields,
        status=status if isinstance(status, int) else -1,
        begun_s=_time(words(one.get("startedDateTime"))),
        took_s=took / 1000 if isinstance(took, int | float) and 0 <= took < 1e9 else 0.0,
        media=words(table(answer.get("content")).get("mimeType")),
        posted=_posted(table(asked.get("postData")), asked.get("bodySize")),
        page=words(one.get("pageref")),
        sets_cookies="set-cookie" in {name.lower() for name, _ in _pairs(answer, "headers")},
        upgraded="_webSocketMessages" in one,
        cached=_is_cached(one, measured),
        location=words(answer.get("redirectURL")) or _location(answer),
    )


def _is_cached(one: dict[str, Any], measured: bool) -> bool:
    """Whether it came from a cache, or from a service worker: Chrome and Safari say so.

    Firefox leaves the timings empty, which others do for all entries.
    """
    by_firefox = measured and one.get("timings") == {} and not one.get("serverIPAddress")
    by_safari = words(one.get("_fetchType")) in ("Memory Cache", "Disk Cache", "Service Worker")
    return "_fromCache" in one or by_safari or by_firefox


def _location(answer: dict[str, Any]) -> str:
    fields = (value for name, value in _pairs(answer, "headers") if name.lower() == "location")
    return next(fields, "")


def _pairs(given: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    """Names and values of a list of fields."""
    for one in map(table, items(given.get(name))):
        yield words(one.get("name")), words(one.get("value"))


def _posted(given: dict[str, Any], size: Any) -> PostedBody:
    text, media = words(given.get("text")), words(given.get("mimeType"))
    if given.get("encoding") or "\ufffd" in text:
        return PostedBody(media, None)
    if text and media.lower().startswith("multipart/"):
        return PostedBody.of(text.encode(errors="replace"), media)
    parameters = [table(one) for one in items(given.get("params"))]
    pairs = _pairs({"kept": [one for one in parameters if "fileName" not in one]}, "kept")
    files = [words(one.get("name")) for one in parameters if "fileName" in one]
    missing = size if isinstance(size, int) and not text and not parameters else 0
    return PostedBody(media, text, list(pairs), [] if text else files, max(missing, 0))


def _time(text: str) -> float | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
