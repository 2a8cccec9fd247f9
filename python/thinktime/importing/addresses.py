"""URLs split into an origin, for `run --target`, and a target, for the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from thinktime.importing import marks
from thinktime.importing.draft import Body, Request, name_of, plain
from thinktime.importing.notes import Notes
from thinktime.importing.secrets import without_secrets

SCHEMES = ("http", "https")
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "h2c": 80}
URL_MAX = 16_000
"""Longer URLs are left out."""

_KEPT = "!$%&'()*+,-./:;=?@_~[]|^`\\"
"""Characters that may stand in a target. Braces are excluded: they would begin a distribution."""


@dataclass(frozen=True)
class Address:
    """A request's address: its origin, empty if left open, and its target."""

    origin: str
    target: str


def request_at(
    found: Address, method: str, title: str, fields: dict[str, str], body: Body | None, place: str
) -> Request:
    """A request to an address; without a title it is named after its method and its target."""
    name = title.strip() or name_of(method, marks.without(found.target))
    about = f"{place.capitalize()}."
    return Request(
        plain(name), method, found.target, fields, body, found.origin, place, about=about
    )  # fmt: skip


def address(url: str, place: str, notes: Notes, schemes: Sequence[str] = SCHEMES) -> Address | None:
    """The address of a URL, or of the part after the host in one; None, and a note, if invalid."""
    url = url.strip()
    if len(url) > URL_MAX:
        notes.add(place, f"the URL has {len(url)} characters, at most {URL_MAX} are taken")
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        # Not repeated, here and below: it may contain a password.
        notes.add(place, "the URL cannot be read")
        return None
    if not parts.scheme and not parts.netloc:
        return Address("", target(parts.path, parts.query, place, notes))
    if parts.scheme.lower() not in schemes:
        kind = parts.scheme or "a URL without a scheme"
        notes.add(place, f"not for {kind[:20]}: only {' and '.join(schemes)} are taken")
        return None
    if not re.fullmatch(r"[A-Za-z0-9._:-]+", host):
        notes.add(place, "the URL has no host that can be asked")
        return None
    if parts.username or parts.password:
        notes.add(place, "the name and the password in the URL are left out")
    host = f"[{host}]" if ":" in host else host
    port = None if port == DEFAULT_PORTS.get(parts.scheme.lower()) else port
    origin = f"{parts.scheme.lower()}://{host}" + (f":{port}" if port else "")
    return Address(origin, target(parts.path, parts.query, place, notes))


def target(path: str, query: str, place: str, notes: Notes) -> str:
    """A target: in visible ASCII, without braces and without secrets in its query."""
    path = encoded(path if path.startswith("/") else f"/{path}")
    if not query:
        return path
    return f"{path}?{encoded(without_secrets(query, place, notes))}"


def encoded(text: str) -> str:
    """A text with all characters percent-encoded that cannot stand in a target."""
    return quote(text, safe=_KEPT, errors="replace")


def one_origin(
    requests: Iterable[Request], notes: Notes, *, telling: Iterable[Request] = ()
) -> tuple[str, list[Request]]:
    """The origin that most requests go to, and those that go there; the others are noted.

    A workload has one target. If there are ``telling`` requests, as the pages of a visit are,
    their origin is taken.
    """
    given = list(requests)
    counts = Counter(one.origin for one in (list(telling) or given) if one.origin)
    main = counts.most_common(1)[0][0] if counts else ""
    kept = []
    for one in given:
        if one.origin in ("", main):
            kept.append(one)
        else:
            notes.add(one.place, f"goes to {one.origin}; a workload has one target")
    return main, kept
