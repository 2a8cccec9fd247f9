"""HAR 1.2, what browsers' developer tools and recording proxies save of a visit.

Source: http://www.softwareishard.com/blog/har-12-spec/
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from thinktime import InputError
from thinktime.importing import content
from thinktime.importing.addresses import address, one_origin
from thinktime.importing.draft import (
    Body,
    Draft,
    Request,
    a_visit,
    method_of,
    name_of,
    seconds,
    stem,
)
from thinktime.importing.notes import Notes
from thinktime.importing.reading import from_json, items, table, words
from thinktime.importing.secrets import masked

QUIET_S = 1.0
"""A request that nothing came before for so long is no object of the page any more."""

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods of objects; what changes something is a step of the visit by itself."""


@dataclass
class Entry:
    """One recorded request, with its times in seconds since 1970."""

    request: Request
    page: str
    begun_s: float
    ended_s: float
    is_page: bool
    sets_cookies: bool


def draft(text: str, file: str, name: str) -> Draft:
    """The workload of a recording: its pages, one after the other, with their objects.

    Raises:
        InputError: It is no JSON, no HAR, or has no request that could be sent.
    """
    log = table(table(from_json(text, file)).get("log"))
    if not isinstance(log.get("entries"), list):
        raise InputError(f"{file}: is no HAR: it has no list `log.entries`")
    notes = Notes()
    entries = []
    for number, one in enumerate(log["entries"], 1):
        entry = _entry(table(one), f"entry {number}", notes)
        if entry is not None:
            entries.append(entry)
    if not entries:
        raise InputError(f"{file}: no request of the {len(log['entries'])} entries could be taken")
    entries.sort(key=lambda one: one.begun_s)
    pages = [one.request for one in entries if one.is_page]
    origin, kept = one_origin((one.request for one in entries), notes, telling=pages)
    taken = set(kept)
    steps = _steps([one for one in entries if one.request in taken])
    population = a_visit(_pages(steps), "a recording of one visit, page after page")
    if any(one.sets_cookies for one in entries):
        population.session["cookies"] = True
    by = words(table(log.get("creator")).get("name"))
    source = f"{name} (HAR, {len(entries)} requests{f', recorded by {by}' if by else ''})"
    return Draft(stem(name), source, [population], notes, origin)


def _entry(one: dict[str, Any], place: str, notes: Notes) -> Entry | None:
    asked, answer = table(one.get("request")), table(one.get("response"))
    url, status = words(asked.get("url")), answer.get("status")
    if url.startswith("data:"):
        return None
    if "_fromCache" in one:
        notes.add(place, "left out: it came from the browser's cache")
        return None
    if status == 0:
        notes.add(place, "left out: it had no answer (blocked, given up, or from a cache)")
        return None
    if "_webSocketMessages" in one or status == 101:
        notes.add(place, "left out: a WebSocket, which has keys of its own (`send`)")
        return None
    begun_s = _time(words(one.get("startedDateTime")))
    found = address(url, place, notes)
    if begun_s is None:
        notes.add(place, "left out: it has no `startedDateTime` that is a time")
    method = method_of(words(asked.get("method")) or "GET")
    if method is None:
        notes.add(place, "left out: its method is none of HTTP")
    if begun_s is None or found is None or method is None:
        return None
    pairs = [(table(h).get("name", ""), table(h).get("value", "")) for h in _list(asked, "headers")]
    fields = content.headers(pairs, place, notes, recorded=True)
    body = _body(table(asked.get("postData")), fields, place, notes)
    request = Request(name_of(method, found.target), method, found.target, fields, body)
    request.origin, request.place = found.origin, place
    took = one.get("time")
    took_s = took / 1000 if isinstance(took, int | float) and 0 <= took < 1e9 else 0.0
    request.about = f"{place.capitalize()}: answered with {words(status)} in {took_s:.3g} s."
    has = {words(table(h).get("name")).lower() for h in _list(answer, "headers")}
    cookies = "set-cookie" in has or "cookie" in {str(name).lower() for name, _ in pairs}
    is_page = "html" in words(table(answer.get("content")).get("mimeType"))
    return Entry(request, words(one.get("pageref")), begun_s, begun_s + took_s, is_page, cookies)


def _list(given: dict[str, Any], name: str) -> list[Any]:
    return items(given.get(name))


def _time(text: str) -> float | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _body(posted: dict[str, Any], fields: dict[str, str], place: str, notes: Notes) -> Body | None:
    text, media = words(posted.get("text")), words(posted.get("mimeType"))
    if posted.get("encoding") or "\ufffd" in text:
        notes.add(place, "the body is left out: it is no text")
        return None
    pairs = [
        (words(table(p).get("name")), words(table(p).get("value"))) for p in _list(posted, "params")
    ]
    if not text and pairs:
        if any("fileName" in table(p) for p in _list(posted, "params")):
            notes.add(place, "the files of the form are left out: the recording does not have them")
            pairs = [
                pair
                for pair, p in zip(pairs, _list(posted, "params"), strict=True)
                if "fileName" not in table(p)
            ]
        if media.startswith("multipart/"):
            return content.of_parts(pairs, fields)
        made = content.of_fields(pairs, fields)
        return Body(made.kind, masked(made.value, place, notes))
    if text and media and not content.content_type(fields):
        fields |= content.headers([("Content-Type", media)], place, notes)
    return content.body(text, fields, place, notes, recorded=True)


def _steps(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Entries by the page that they belong to, its base first."""
    steps: list[list[Entry]] = []
    busy_until_s = 0.0
    for one in entries:
        new = (
            not steps
            or one.page != steps[-1][0].page
            or one.begun_s >= busy_until_s + QUIET_S
            or one.request.method not in SAFE
        )
        if new:
            steps.append([])
        steps[-1].append(one)
        busy_until_s = max(busy_until_s, one.ended_s)
    return steps


def _pages(steps: Sequence[list[Entry]]) -> list[Request]:
    """The bases, with their objects and the think time to the next one."""
    objects: dict[tuple[str, str], list[Request]] = {}
    bases = []
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        base, *others = step
        for other in others:
            # An object that several pages ask for is one kind of request.
            known = objects.setdefault((other.request.method, other.request.target), [])
            same = next((one for one in known if one.same(other.request)), None)
            if same is None:
                same = other.request
                known.append(same)
            base.request.objects.append(same)
        if after is not None:
            gap_s = after[0].begun_s - max(one.ended_s for one in step)
            base.request.think = seconds(max(round(gap_s, 3), 0.0))
        if others:
            base.request.about += f" Its objects ({len(others)}) are drawn from these."
        bases.append(base.request)
    return bases
