"""The recording of a visit, by a browser or by our proxy, and the workload made from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urljoin

from thinktime.importing import content
from thinktime.importing.addresses import address, one_origin
from thinktime.importing.draft import Body, Draft, Request, a_visit, method_of, name_of, seconds
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import masked_pairs

QUIET_S = 1.0
"""A request after a silence this long is not an object of the page any more."""

REDIRECTS = (301, 302, 303, 307, 308)
"""The statuses of responses that lead to another address."""

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods of objects; a request that changes something is its own step of the visit."""


@dataclass
class PostedBody:
    """The body of a recorded request.

    Attributes:
        media: Its media type, with parameters; empty if it has none.
        text: The body; None if it is not a text.
        pairs: The fields of a form, if the recording has them instead of a text.
        files: The names of the form's fields that were files, which are not recorded.
        missing: The number of sent bytes that the recording lacks.
    """

    media: str = ""
    text: str | None = ""
    pairs: list[tuple[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    missing: int = 0

    @classmethod
    def of(cls, data: bytes, media: str) -> PostedBody:
        """The body made of these bytes; a form in parts is taken apart."""
        if media.lower().startswith("multipart/"):
            found = content.parts(data, media)
            return cls(media, None) if found is None else cls(media, "", *found)
        try:
            return cls(media, data.decode())
        except UnicodeDecodeError:
            return cls(media, None)


@dataclass
class Exchange:
    """A recorded request, and its answer.

    Attributes:
        url: The whole URL.
        fields: Names and values of the request's header fields.
        status: That of the response; 0 if there was no whole response, -1 if unknown.
        begun_s: The time of sending, in seconds since 1970; None if unknown.
        took_s: From then to the end of the response, in seconds.
        media: The media type of the response.
        page: The page that it belongs to, if the recording names it.
        sets_cookies: Whether the response sets one.
        upgraded: Whether it changed to another protocol than HTTP, as a WebSocket does.
        cached: Whether it came from a browser's cache.
        location: The address to which the response redirects, perhaps a relative one.
    """

    method: str
    url: str
    fields: list[tuple[str, str]]
    status: int
    begun_s: float | None
    took_s: float
    media: str = ""
    posted: PostedBody = field(default_factory=PostedBody)
    page: str = ""
    sets_cookies: bool = False
    upgraded: bool = False
    cached: bool = False
    location: str = ""

    @property
    def leads_to(self) -> str:
        """The URL to which the response redirects; empty if it does not."""
        if self.status not in REDIRECTS or not self.location:
            return ""
        try:
            return urldefrag(urljoin(self.url, self.location)).url
        except ValueError:
            return ""

    @property
    def is_page(self) -> bool:
        """Whether it is a page, and not an object of a page.

        Browsers tell the difference: a frame, or the substitute for a missing image, is HTML too.
        """
        return "html" in self.media and self._asked_for in ("", "document")

    @property
    def is_object(self) -> bool:
        """Whether a browser marks it as a part of a page, and not as a call of a script."""
        return self._asked_for not in ("", "document", "empty")

    @property
    def _asked_for(self) -> str:
        asked = {name.lower(): value.lower() for name, value in self.fields}
        return asked.get("sec-fetch-dest", "")


@dataclass
class _Entry:
    """An exchange that is carried over, with its times in seconds since 1970."""

    request: Request
    url: str
    leads_to: str
    page: str
    begun_s: float
    ended_s: float
    is_page: bool
    is_object: bool
    uses_cookies: bool


def a_recording(
    exchanges: Iterable[Exchange], name: str, kind: str, by: str, notes: Notes | None = None
) -> Draft | None:
    """The workload of a recording: its pages, one after the other, with their objects.

    None if none of the exchanges can be used; ``notes`` then say why. ``kind`` and ``by`` describe
    the recorder.
    """
    notes = Notes() if notes is None else notes
    found = (_entry(one, f"entry {number}", notes) for number, one in enumerate(exchanges, 1))
    entries = [one for one in found if one is not None]
    if not entries:
        return None
    entries.sort(key=lambda one: one.begun_s)
    pages = [one.request for one in entries if one.is_page and not one.leads_to]
    origin, kept = one_origin((one.request for one in entries), notes, telling=pages)
    taken = set(kept)
    steps = _steps([one for one in entries if one.request in taken])
    population = a_visit(_pages(steps), "a recording of one visit, page after page")
    if any(one.uses_cookies for one in entries):
        population.session["cookies"] = True
    source = f"{kind}, {len(entries)} requests{f', recorded by {by}' if by else ''}"
    return Draft(name, source, [population], notes, origin)


def _entry(one: Exchange, place: str, notes: Notes) -> _Entry | None:
    if one.url.startswith("data:"):
        return None
    why = _why_left_out(one)
    if why:
        notes.add(place, f"left out: {why}")
        return None
    found = address(one.url, place, notes)
    if one.begun_s is None:
        notes.add(place, "left out: it has no `startedDateTime` that is a time")
    method = method_of(one.method or "GET")
    if method is None:
        notes.add(place, "left out: its method is no method of HTTP")
    if one.begun_s is None or found is None or method is None:
        return None
    fields = content.headers(one.fields, place, notes, recorded=True)
    body = _body(one.posted, fields, place, notes)
    request = Request(name_of(method, found.target), method, found.target, fields, body)
    request.origin, request.place = found.origin, place
    status = f" with {one.status}" if one.status > 0 else ""
    request.about = f"{place.capitalize()}: answered{status} in {one.took_s:.3g} s."
    if "event-stream" in one.media:
        notes.add(
            place, "its answer is a stream, which may not end: `stream` and `timeout` bound it"
        )
    cookies = one.sets_cookies or "cookie" in {name.lower() for name, _ in one.fields}
    ended_s = one.begun_s + one.took_s
    return _Entry(
        request,
        urldefrag(one.url).url,
        one.leads_to,
        one.page,
        one.begun_s,
        ended_s,
        one.is_page,
        one.is_object,
        cookies,
    )


def _why_left_out(one: Exchange) -> str:
    if one.cached:
        return "it came from the browser's cache"
    if one.status == 0:
        return "it had no answer (blocked, given up, or from a cache)"
    if one.upgraded or one.status == 101:
        return "a WebSocket, which has keys of its own (`send`)"
    return ""


def _body(posted: PostedBody, fields: dict[str, str], place: str, notes: Notes) -> Body | None:
    if posted.missing:
        notes.add(place, f"a body of {posted.missing} bytes is not in the recording")
        return None
    if posted.text is None:
        notes.add(place, "the body is left out: it is no text")
        return None
    if posted.files:
        notes.add(place, "the files of the form are left out: the recording does not have them")
    if posted.pairs and not posted.text:
        in_parts = posted.media.lower().startswith("multipart/")
        pairs = masked_pairs(posted.pairs, place, notes)
        return content.of_parts(pairs, fields) if in_parts else content.of_fields(pairs, fields)
    if posted.text and posted.media and not content.content_type(fields):
        fields |= content.headers([("Content-Type", posted.media)], place, notes)
    return content.body(posted.text, fields, place, notes)


def _steps(entries: Sequence[_Entry]) -> list[list[_Entry]]:
    """Entries by their page, its base first."""
    steps: list[list[_Entry]] = []
    busy_until_s = 0.0
    for one in entries:
        quiet = one.begun_s >= busy_until_s + QUIET_S
        if quiet or not steps or one.request.method not in SAFE or _begins(one, steps[-1][0]):
            steps.append([])
        steps[-1].append(one)
        busy_until_s = max(busy_until_s, one.ended_s)
    return steps


def _begins(one: _Entry, base: _Entry) -> bool:
    """Whether a request begins a step after that of ``base``.

    The page behind a redirect begins one: what follows are its objects. If the recording does not
    name its page, every page begins a step. So does every request after
    one that was not a page, because calls of an interface have no objects, unless the browser marks
    it as an object.
    """
    if base.leads_to and base.leads_to == one.url:
        return True
    if one.page or base.page:
        return one.page != base.page
    return one.is_page or not (base.is_page or one.is_object)


def _pages(steps: Sequence[list[_Entry]]) -> list[Request]:
    """The bases, with their objects and the think time to the next one."""
    objects: dict[tuple[str, str], list[Request]] = {}
    bases = []
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        base, *others = step
        for other in others:
            # An object of several pages is one kind of request.
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
