"""Requests written as tables of a workload file: only this file knows those keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from thinktime.importing.draft import Body, Request
from thinktime.importing.toml import quoted, value

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
"""Methods that have a key of their own."""

WITHOUT_BODY = ("GET", "HEAD")
"""Methods that take a body only if the method is spelt out."""

BODY_KEYS = {"text": "body", "json": "json", "form": "form", "multipart": "multipart"}


def request_keys(request: Request) -> Iterator[tuple[str, str]]:
    """The keys and values of a request's method, target and body."""
    bare = request.body is None or request.method not in WITHOUT_BODY
    if request.method in METHODS and bare:
        yield request.method.lower(), quoted(request.target)
    else:
        yield "method", quoted(request.method)
        yield "target", quoted(request.target)
    if request.body is not None:
        yield _body(request.body)


def _body(body: Body) -> tuple[str, str]:
    return BODY_KEYS[body.kind], value(body.value)


def headers(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The key and value for header fields, of a request or of all clients."""
    if given:
        yield "headers", value(given)


def bearer_hint() -> str:
    """A line, as a comment, for users whose source sent a bearer token."""
    return 'bearer = "env:TOKEN"'


def basic_hint() -> str:
    """A line, as a comment, for users whose source sent a name and a password."""
    return 'basic = "env:USER_AND_PASSWORD"'
