"""What a URL gives, fetched once: a first workload with a page and its objects, or one request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from thinktime import InputError, RunError, __version__
from thinktime.importing import Imported, imported
from thinktime.importing.addresses import SCHEMES, address, one_origin
from thinktime.importing.draft import DEFAULT_RATE, Draft, Population, name_of
from thinktime.importing.draft import Request as Kind
from thinktime.importing.notes import Notes

BYTES_MAX = 5_000_000
SECONDS_MAX = 20.0
OBJECTS_MAX = 200

_CHARSETS = ("utf-8", "utf-16", "us-ascii", "iso-8859-", "windows-125", "koi8-", "gb", "big5",
    "shift_jis", "euc-",
)  # fmt: skip
"""Beginnings of accepted character sets' names. Python has others that take endless time."""

Made = TypeVar("Made")

_LINKS = frozenset(
    ["stylesheet", "icon", "preload", "modulepreload", "apple-touch-icon", "manifest"]
)
_SOURCES = {
    "script": "src",
    "img": "src",
    "source": "src",
    "video": "poster",
    "iframe": "src",
    "embed": "src",
    "input": "src",
}


def import_page(url: str) -> Imported:
    """Make a workload of a URL: of a page with the objects that its HTML names, else one request.

    Raises:
        InputError: The URL is not one of http or https.
        RunError: The page is not available: the reason is in the message.
    """
    if urlsplit_scheme(url) not in SCHEMES:
        raise InputError(f"{url}: a URL begins with http:// or https://")
    if "@" in urlsplit(url).netloc:
        raise InputError("the URL has a user or a password in it, which are not sent: leave it out")
    draft = _within_time(lambda: _looked_at(url), url)
    return imported("a URL", draft)


def _looked_at(url: str) -> Draft:
    final, media, body = _fetched(url)
    draft = page_draft(final, body) if "html" in media else _api_draft(final, media)
    if final != url:
        draft.notes.add("the URL", "it leads to another one, which is taken")
    return draft


def _api_draft(url: str, media: str) -> Draft:
    """The workload of a URL that is no page, such as an answer of an API."""
    draft = _draft(url)
    (request,) = draft.populations[0].requests
    request.name = name_of("GET", request.target)
    request.about = (
        f"It is no page but {media}: one request. `thinktime import` takes more of an API."
    )
    return draft


def _within_time(work: Callable[[], Made], url: str) -> Made:
    """The result of the work, if it ends in time.

    Servers that send a byte now and then, look-ups, and pages of nothing but tags can take for
    ever.
    """
    ended: list[Made | BaseException] = []

    def tried() -> None:
        try:
            ended.append(work())
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=tried, daemon=True)
    thread.start()
    thread.join(SECONDS_MAX)
    if not ended:
        raise RunError(f"{url}: is not there after {SECONDS_MAX:g} s")
    if isinstance(ended[0], BaseException):
        raise ended[0]
    return ended[0]


def page_draft(url: str, html: str) -> Draft:
    """The workload of a page whose HTML is known.

    Raises:
        InputError: The URL is invalid.
    """
    draft = _draft(url)
    (page,) = draft.populations[0].requests
    objects = list(_objects(url, html, draft.notes))
    _, page.objects = one_origin(objects, draft.notes, telling=[page])
    page.about = (
        f"The page, with the {len(page.objects)} objects that its HTML names. A draw decides which "
        "of them a visit requests. Requests of scripts and style sheets are not seen here."
    )
    return draft


def _draft(url: str) -> Draft:
    """The workload of one request for a URL.

    Raises:
        InputError: The URL is invalid.
    """
    notes = Notes()
    found = address(url, "the page", notes)
    if found is None:
        raise InputError(f"{url}: {next(iter(notes), 'is no URL')}")
    request = Kind("page", "GET", found.target, origin=found.origin, place="the page")
    why = (
        "Open: people arrive by themselves, whatever the server does. The rate is a default to be "
        'changed. For visits of several pages: model = "partly-open", and `next` and `think`.'
    )
    population = Population({"model": "open", "rate": DEFAULT_RATE}, why, [request])
    host = urlsplit(url).hostname or "page"
    return Draft(host, f"a look at {found.origin}", [population], notes, found.origin)


def urlsplit_scheme(url: str) -> str:
    """The scheme of a URL in small letters; empty if it is invalid."""
    try:
        return urlsplit(url).scheme.lower()
    except ValueError:
        return ""


def _objects(url: str, html: str, notes: Notes) -> Iterator[Kind]:
    reader = _Reader()
    reader.feed(html)
    base = _joined(url, reader.base) or url
    seen: set[str] = set()
    for line, link in reader.links:
        whole = _joined(base, link).partition("#")[0]
        if whole in seen or urlsplit_scheme(whole) not in SCHEMES:
            continue
        seen.add(whole)
        place = f"line {line}"
        if len(seen) > OBJECTS_MAX:
            notes.add(place, f"more than {OBJECTS_MAX} objects: the others are left out")
            return
        found = address(whole, place, notes)
        if found is not None:
            yield Kind(
                name_of("GET", found.target), "GET", found.target, origin=found.origin, place=place
            )


def _joined(base: str, link: str) -> str:
    """The target of a link; empty if it cannot be read."""
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return ""


class _Reader(HTMLParser):
    """Collects the objects that browsers load by themselves, with the lines."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[int, str]] = []
        self.base = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        link = given.get(_SOURCES.get(tag, ""), "")
        if tag == "link" and _LINKS & set(given.get("rel", "").lower().split()):
            link = given.get("href", "")
        elif tag == "base" and not self.base:
            self.base = given.get("href", "")
        elif tag == "input" and given.get("type", "").lower() != "image":
            return
        if link:
            self.links.append((self.getpos()[0], link))


class _OnlyToTheWeb(HTTPRedirectHandler):
    """Follows at most ten redirects, to http and https only."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit_scheme(newurl) not in SCHEMES:
            raise HTTPError(newurl, code, "redirected to what is not http or https", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> OpenerDirector:
    return build_opener(_OnlyToTheWeb)


def _fetched(url: str) -> tuple[str, str, str]:
    """The final URL, the media type, and the text; within the limits of size and time."""
    end = time.monotonic() + SECONDS_MAX
    fields = {"User-Agent": f"thinktime/{__version__}", "Accept": "text/html,*/*;q=0.8"}
    try:
        with _opener().open(Request(url, headers=fields), timeout=SECONDS_MAX) as answer:
            data = _within_limits(answer, url, end)
            charset = (answer.headers.get_content_charset() or "utf-8").lower()
            packed = answer.headers.get("Content-Encoding", "identity")
            media = answer.headers.get_content_type()
            final = answer.geturl()
    except HTTPError as error:
        error.close()
        raise RunError(f"{url}: answers with status {error.code} ({error.reason})") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        why = getattr(why, "strerror", None) or why
        raise RunError(f"{url}: cannot be had: {why}") from None
    if packed.strip().lower() != "identity":
        raise RunError(f"{url}: is packed ({packed[:20]}) without a request for it")
    try:
        return final, media, data.decode(_known(charset), errors="replace")
    except LookupError:
        return final, media, data.decode("utf-8", errors="replace")


def _known(charset: str) -> str:
    """A character set in use on pages; UTF-8 for any other."""
    return charset if charset.startswith(_CHARSETS) and charset.isprintable() else "utf-8"


def _within_limits(answer: Any, url: str, end: float) -> bytes:
    data = b""
    while part := answer.read1(65536):
        data += part
        if len(data) > BYTES_MAX:
            raise RunError(f"{url}: has more than {BYTES_MAX:,} bytes")
        if time.monotonic() > end:
            raise RunError(f"{url}: is not there after {SECONDS_MAX:g} s")
    return data
