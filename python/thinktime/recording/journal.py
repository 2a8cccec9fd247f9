"""The recording, within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field

from thinktime.importing.exchanges import Exchange, PostedBody
from thinktime.recording.bodies import BodyPrefix
from thinktime.recording.hosts import Origin
from thinktime.recording.message import Fields
from thinktime.recording.passage import Passage

BYTES_MAX = 256 * 1024 * 1024
"""The most bytes of a recording; later exchanges are only passed on."""

EXCHANGE_BYTES = 1024
"""The size of an exchange without its contents."""


@dataclass
class Journal:
    """The exchanges of a recording, in the order in which they ended.

    Attributes:
        requests: The number of answered ones.
        pages: The number of pages among these.
        lost: The number of exchanges for which there was no room.
        passed_by: Requested servers that are not recorded.
    """

    requests: int = 0
    pages: int = 0
    lost: int = 0
    passed_by: dict[str, None] = field(default_factory=dict)
    _exchanges: list[Exchange] = field(default_factory=list)
    _bytes: int = 0

    def add(self, exchange: Exchange) -> None:
        """Record an exchange, if there is room."""
        texts = [exchange.url, exchange.posted.text or ""]
        texts += [part for pair in exchange.fields + exchange.posted.pairs for part in pair]
        size = EXCHANGE_BYTES + sum(map(len, texts))
        if self._bytes + size > BYTES_MAX:
            self.lost += 1
            return
        self._bytes += size
        self._exchanges.append(exchange)
        if exchange.status > 0:
            self.requests += 1
            self.pages += exchange.is_page

    def pass_by(self, origin: Origin) -> None:
        """Note a requested server that is not recorded."""
        if len(self.passed_by) < 1000:
            self.passed_by[origin.authority] = None

    def in_order(self) -> list[Exchange]:
        """The exchanges in the order in which they began."""
        return sorted(self._exchanges, key=lambda one: one.begun_s or 0.0)


def exchange(origin: Origin, passage: Passage, begun_s: float, took_s: float) -> Exchange:
    """An exchange for the journal: without a whole answer it was given up.

    ``begun_s`` is in seconds since 1970.
    """
    answer = passage.answer if passage.is_whole else None
    media = answer.values("content-type") if answer else []
    return Exchange(
        method=passage.request.method,
        url=f"{origin}{passage.target}",
        fields=passage.fields,
        status=answer.status if answer else 0,
        # As precise as in a HAR, so that both become the same.
        begun_s=round(begun_s, 3),
        took_s=round(took_s, 3),
        media=media[0] if media else "",
        posted=_posted(passage.fields, passage.body),
        sets_cookies=answer is not None and bool(answer.values("set-cookie")),
        upgraded=passage.changed,
        location=next(iter(answer.values("location") if answer else []), ""),
    )


def _posted(fields: Fields, body: BodyPrefix) -> PostedBody:
    known = {name.lower(): value for name, value in fields}
    media = known.get("content-type", "")
    if not body.data:
        return PostedBody()
    if not body.is_whole:
        return PostedBody(media, missing=body.size)
    if known.get("content-encoding", "identity").lower() != "identity":
        return PostedBody(media, None)
    return PostedBody.of(bytes(body.data), media)
