"""Requests written as tables of a workload file: only this file knows those keys.

All texts of a draft are foreign, so that they are written by `literal`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from thinktime.importing import literal
from thinktime.importing.draft import Body, Request
from thinktime.importing.toml import quoted, value

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
"""Methods that have a key of their own."""

WITHOUT_BODY = ("GET", "HEAD")
"""Methods that take a body only if the method is spelt out."""

FORMS = ("form", "multipart")
BODY_KEYS = {"text": "body", "json": "json", "form": "form", "multipart": "multipart"}


def request_keys(request: Request, *, names: bool) -> Iterator[tuple[str, str]]:
    """The keys and values of a request's method, target and body, or of its exchange.

    ``names`` is whether its session has values.
    """
    for name, held in request.exchange.items():
        is_sent = name == "send"
        yield name, value(literal.sent(held) if is_sent else literal.held(held, names=names))
    if request.exchange:
        return
    bare = request.body is None or request.method not in WITHOUT_BODY
    target = quoted(literal.target(request.target))
    if request.method in METHODS and bare:
        yield request.method.lower(), target
    else:
        yield "method", quoted(request.method)
        yield "target", target
    if request.body is not None:
        yield _body(request.body, names)


def _body(body: Body, names: bool) -> tuple[str, str]:
    given = literal.held(body.value, names=names)
    if body.kind in FORMS:  # the names of fields are literal in any case
        given = dict(zip(body.value, given.values(), strict=True))
    return BODY_KEYS[body.kind], value(given)


def headers(given: Mapping[str, str], *, names: bool) -> Iterator[tuple[str, str]]:
    """The key and value for header fields, of a request or of all clients."""
    if given:
        held = {name: literal.text(text, names=names) for name, text in given.items()}
        yield "headers", value(held)


def bearer_hint() -> str:
    """A line, as a comment, for users whose source sent a bearer token."""
    return 'bearer = "env:TOKEN"'


def basic_hint() -> str:
    """A line, as a comment, for users whose source sent a name and a password."""
    return 'basic = "env:USER_AND_PASSWORD"'
