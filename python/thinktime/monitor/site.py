"""The page's server: everybody with its token sees the state, and may stop the command.

Other pages cannot ask for it (only this page contains the token, and a request under a foreign name
is refused), nothing is cached, and no script runs except the two that are part of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

VIEWERS_MAX = 32
_ALIVE_S = 15.0
"""The time between messages that detect a viewer who is gone."""

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
}


class KnownHosts:
    """Refuses requests under a name that is not this machine's.

    A foreign name that was made to lead here (DNS rebinding) brings pages that may read the answers
    to their requests.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        """Names besides `localhost` and plain addresses, which need no look-up."""
        self._app = app
        self._hosts = {"localhost", *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._knows(Request(scope).headers.get("host", "")):
            refusal = PlainTextResponse("421: no site of this name is here\n", 421)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _knows(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        if not name or not port.isdigit():
            name = host
        name = name.lower().removeprefix("[").removesuffix("]")
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(name)
            return True
        return name in self._hosts


@dataclass(eq=False)
class Viewer:
    """A viewer: it has only the newest page, whatever happened meanwhile."""

    newest: str | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, text: str) -> None:
        """Replace a page that was not sent yet."""
        self.newest = text
        self.changed.set()

    async def events(self) -> AsyncIterator[str]:
        """Server-sent events, at the viewer's pace."""
        yield "retry: 1000\n\n"
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), _ALIVE_S)
            text, self.newest = self.newest, None
            self.changed.clear()
            yield ": alive\n\n" if text is None else f"data: {text}\n\n"


class Site:
    """The page, its events, and its button."""

    def __init__(self, token: str, draw: Callable[[], str], stop: Callable[[], None]) -> None:
        """`draw` returns the whole page as it is now, `stop` ends the watched command."""
        self._token = token.encode()
        self._draw = draw
        self._stop = stop
        self.viewers: set[Viewer] = set()
        self.final: str | None = None
        self._taken = 0
        self.taken = asyncio.Event()
        self._wanted = 0

    def app(self, hosts: Iterable[str]) -> ASGIApp:
        """As an application."""
        routes = [
            Route("/{token}/", self._page),
            Route("/{token}/events", self._events),
            Route("/{token}/stop", self._stopped, methods=["POST"]),
        ]
        site = Starlette(routes=routes, middleware=[Middleware(KnownHosts, hosts=hosts)])
        site.router.redirect_slashes = False  # a missing page is not redirected
        return site

    def show(self, state: dict[str, Any]) -> None:
        """Send all viewers the state."""
        text = json.dumps(state)
        for viewer in self.viewers:
            viewer.show(text)

    def finish(self, page: str) -> None:
        """From now on this is the page; viewers are told to take it."""
        self.final = page
        self._wanted = len(self.viewers)
        self.show({"over": True})
        if self._wanted == 0:
            self.taken.set()

    def _knows(self, request: Request) -> bool:
        return hmac.compare_digest(request.path_params["token"].encode(), self._token)

    async def _page(self, request: Request) -> Response:
        if not self._knows(request):
            return _refusal()
        if self.final is None:
            return HTMLResponse(self._draw(), headers=HEADERS)
        self._taken += 1
        if self._taken >= self._wanted:
            self.taken.set()
        return HTMLResponse(self.final, headers=HEADERS)

    async def _events(self, request: Request) -> Response:
        if not self._knows(request):
            return _refusal()
        if len(self.viewers) >= VIEWERS_MAX:
            return PlainTextResponse(f"503: {VIEWERS_MAX} look on already\n", 503)
        viewer = Viewer()
        if self.final is not None:
            viewer.show(json.dumps({"over": True}))
        return StreamingResponse(
            self._while_it_looks(viewer), media_type="text/event-stream", headers=HEADERS
        )

    async def _while_it_looks(self, viewer: Viewer) -> AsyncIterator[str]:
        self.viewers.add(viewer)
        try:
            async for event in viewer.events():
                yield event
        finally:
            self.viewers.discard(viewer)

    async def _stopped(self, request: Request) -> Response:
        if not self._knows(request):
            return _refusal()
        self._stop()
        return PlainTextResponse("it is being stopped\n", 202, headers=HEADERS)


def _refusal() -> Response:
    return PlainTextResponse("404: there is nothing here\n", 404, headers=HEADERS)
