"""The destinations of a command's messages: the page, metrics, and pushes to a collector."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp

from thinktime.monitor import metrics
from thinktime.monitor.checks import Cores
from thinktime.monitor.frames import Message, Setting
from thinktime.monitor.live_page import Subject
from thinktime.monitor.otlp import Pusher
from thinktime.monitor.site import Site
from thinktime.present import page as pages

_TAKEN_S = 10.0


class Publisher:
    """One command, and its viewers."""

    def __init__(self, setting: Setting, say: Callable[[str], None]) -> None:
        """`say` sends the command a word."""
        self._setting = setting
        self._say = say
        process = os.getppid() if setting.run.here else None
        self._subject = Subject(setting.run, cores=Cores(process))
        self._site = Site(setting.token, self._document, self._stop)
        where = setting.otlp
        self._pusher = None if where is None else Pusher(where, setting.otlp_headers, self._subject)
        self._over = False
        self._stopping = False
        self._message_came = asyncio.Event()

    def sites(self) -> Iterator[tuple[ASGIApp, int]]:
        """The servers, each with the descriptor of its listener."""
        if self._setting.page is not None:
            yield self._site.app(self._setting.hosts), self._setting.page
        if self._setting.metrics is not None:
            yield metrics.app(self._subject, self._setting.hosts), self._setting.metrics

    async def take(self, message: Message) -> None:
        """Process a message."""
        kind, thing = message
        if kind == "over":
            self._over = True
            self._say(f"viewers {len(self._site.viewers)}")
        elif kind == "page":
            self._site.finish(thing)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._site.taken.wait(), _TAKEN_S)
            self._say("taken")
        else:
            self._subject.take(message)
            if kind == "moment" and self._pusher is not None:
                self._pusher.take(thing[0].spans)
            self._message_came.set()

    async def show(self) -> None:
        """Draw the state for viewers, again and again, until it is cancelled.

        Messages that came during a drawing are drawn together. Half of the time nothing is drawn.
        """
        while True:
            await self._message_came.wait()
            self._message_came.clear()
            if self._site.viewers and self._site.final is None:
                begun = time.monotonic()
                self._site.show(self._news())
                await asyncio.sleep(time.monotonic() - begun)

    async def push(self) -> None:
        """Push metrics to the collector, again and again, until it is cancelled."""
        if self._pusher is not None:
            await self._pusher.run()

    async def end(self) -> None:
        """No more messages come: push the last state."""
        if self._pusher is not None:
            await self._pusher.once()

    def _stop(self) -> None:
        if not self._over:
            self._stopping = True
            self._say("stop")

    def _news(self) -> dict[str, Any]:
        page = self._subject.page()
        return {
            "main": pages.main_of(page),
            "title": page.tab,
            "share": self._subject.share,
            "stopping": self._stopping,
        }

    def _document(self) -> str:
        return pages.render_live(self._subject.page(), self._subject.share, self._stopping)
