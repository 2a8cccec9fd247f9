"""One request on its path to a server, and the answer on its path back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing.exchanges import SAFE
from thinktime.recording import message
from thinktime.recording.bodies import BodyPrefix, passed
from thinktime.recording.message import Fields, Framing, Request, Response
from thinktime.recording.wire import BrokenError, TooLongError, Wire

SWITCHING_PROTOCOLS = 101


@dataclass
class Passage:
    """A request that goes to a server, and its answer.

    Attributes:
        client: The connection of the client.
        request: Its head.
        target: Its target at the server.
        fields: The header fields that are passed on.
        framing: The end of its body.
        body: The kept part of it.
        answer: The head of the answer, once it has come.
        is_whole: Whether all of the answer has been passed on.
        last: Whether both connections end after it.
        ends_server: Whether the one to the server ends after it.
    """

    client: Wire
    request: Request
    target: str
    fields: Fields
    framing: Framing
    body: BodyPrefix = field(default_factory=BodyPrefix)
    answer: Response | None = None
    is_whole: bool = False
    last: bool = False
    ends_server: bool = False

    @property
    def may_repeat(self) -> bool:
        """Whether it may be sent again, after a server has vanished silently."""
        return self.answer is None and self.framing == 0 and self.request.method in SAFE

    @property
    def changed(self) -> bool:
        """Whether both sides speak another protocol now."""
        return self.answer is not None and self.answer.status == SWITCHING_PROTOCOLS

    async def run(self, server: Wire) -> None:
        """Pass the request on to a server, and the answer back.

        Raises:
            MalformedError, TooLongError: The request breaks the rules.
            BrokenError: One of the connections ended too early, or the answer breaks the rules.
        """
        asking = asyncio.ensure_future(self._ask(server))
        answering = asyncio.ensure_future(self._answered(server))
        try:
            await self._both(server, asking, answering)
        finally:
            for task in (asking, answering):
                task.cancel()
            # None of them continues after this, and their errors were reported.
            await asyncio.gather(asking, answering, return_exceptions=True)

    async def _both(
        self, server: Wire, asking: asyncio.Future[None], answering: asyncio.Future[None]
    ) -> None:
        await asyncio.wait({asking, answering}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            # The answer came before the body was there, which nobody will read any more.
            answering.result()
            self.last = True
            return
        failed = asking.exception()
        if failed is not None and getattr(failed, "wire", None) is not server:
            raise failed
        if failed is not None:
            self.last = True  # the server may have said why it reads no more
        elif not answering.done():
            gone = self.client.watch()
            both: set[asyncio.Future[Any]] = {answering, gone}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() and (gone.exception() or not gone.result()):
                raise BrokenError(self.client, "the client has gone")
        await answering

    async def _ask(self, server: Wire) -> None:
        upgrade = self.request.upgrade
        more = [("Connection", "Upgrade"), ("Upgrade", upgrade)] if upgrade else []
        start = f"{self.request.method} {self.target} HTTP/1.{self.request.minor}"
        await server.send(message.written(start, [*self.fields, *more]))
        await passed(self.client, server, self.framing, self.body)

    async def _answered(self, server: Wire) -> None:
        try:
            await self._answer(server)
        except message.MalformedError as error:
            raise BrokenError(server, str(error)) from None
        except TooLongError:
            raise BrokenError(server, "its answer has a line or a head that is too long") from None

    async def _answer(self, server: Wire) -> None:
        while True:
            answer = await message.response(server)
            if answer.status >= 200 or answer.status == SWITCHING_PROTOCOLS:
                break
            if self.request.minor == 1:
                await self.client.send(_head_of(answer, answer.passed_on()))
        if answer.status == SWITCHING_PROTOCOLS:
            await self._change(answer)
            return
        framing = message.framing_of_answer(answer, self.request.method)
        self.ends_server = (
            framing == "to the end" or answer.minor == 0 or answer.lists("connection", "close")
        )
        self.last = self.last or framing == "to the end" or _wants_end(self.request)
        self.answer = answer
        fields = answer.passed_on()
        if self.last:
            fields.append(("Connection", "close"))
        await self.client.send(_head_of(answer, fields))
        await passed(server, self.client, framing)
        self.is_whole = True

    async def _change(self, answer: Response) -> None:
        if not self.request.upgrade:
            raise message.MalformedError("it changes the protocol without being asked to")
        self.answer = answer
        named = [("Connection", "Upgrade"), ("Upgrade", ", ".join(answer.values("upgrade")))]
        await self.client.send(_head_of(answer, [*answer.passed_on(), *named]))
        self.is_whole = True


def _wants_end(request: Request) -> bool:
    # Connections of HTTP/1.0 end with the answer, even if they ask to stay: that is always right.
    return request.minor == 0 or request.lists("connection", "close")


def _head_of(answer: Response, fields: Fields) -> bytes:
    return message.written(f"HTTP/1.1 {answer.status} {answer.reason}", fields)


async def tunnel(one: Wire, other: Wire) -> None:
    """Pass bytes both ways, unexamined, until both sides have ended."""
    both = [asyncio.ensure_future(_pump(one, other)), asyncio.ensure_future(_pump(other, one))]
    try:
        await asyncio.gather(*both)
    except BrokenError:
        pass  # one side has gone: so does the other
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)


async def _pump(source: Wire, sink: Wire) -> None:
    while data := await source.some():
        await sink.send(data)
    await sink.finish()
