"""A proxy that records a visit, and the workload made from it.

    from thinktime.recording import Recorder

    with Recorder("127.0.0.1:8899") as recorder:
        ...  # send requests through recorder.url
    made = recorder.workload("journey")

Traffic passes through it unchanged. The recording becomes a workload in the same way as a HAR:
`importing.exchanges`.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from thinktime import InputError, RunError
from thinktime.importing import Imported, imported
from thinktime.importing.exchanges import a_recording
from thinktime.present.listening import listening_words
from thinktime.recording import har
from thinktime.recording.authority import Authority
from thinktime.recording.hosts import HostFilter
from thinktime.recording.journal import Journal
from thinktime.recording.message import MalformedError, host_and_port
from thinktime.recording.proxy import Proxy
from thinktime.recording.servers import Servers
from thinktime.recording.wire import PIECE_BYTES, reason

__all__ = ["Recorder"]

END_S = 5.0
"""The time that the end may take."""


class Recorder:
    """A recording proxy in a thread of its own, from when it is entered until it is stopped.

    Attributes:
        url: Its address, in the form for clients.
        authority: The certificate, as a file in PEM form, that clients of HTTPS have to trust.
        messages: For the user, the oldest first; reading one removes it.
    """

    def __init__(
        self,
        listen: str = "127.0.0.1:8899",
        *,
        targets: Sequence[str] = (),
        authority: str | Path | None = None,
        ca_file: str | Path | None = None,
        insecure: bool = False,
    ) -> None:
        """Check the arguments; it listens once it is entered.

        Args:
            listen: HOST:PORT of the proxy; port 0 takes a free one.
            targets: Only requests to these hosts are recorded and examined: a host, perhaps with a
                port, ``*.HOST`` for all below one, or a URL.
            authority: The folder of the certificate authority, for several recordings; by default
                each recording has a new one, which is gone at the end. A folder without an
                authority gets one.
            ca_file: PEM file of the servers' certificate authorities; those of this system by
                default.
            insecure: Accept any certificate of a server.

        Raises:
            InputError: One of these is wrong.
        """
        self._place = _place(listen)
        self._listen = listen
        self._wanted, self._journal = HostFilter(targets), Journal()
        self._servers = Servers(None if ca_file is None else Path(ca_file), insecure)
        self._authority = Authority(None if authority is None else Path(authority))
        self.authority = self._authority.file
        self.key_hash = self._authority.key_hash
        """The SHA-256 of the authority's public key in base64, in the form that Chromium takes."""
        self.messages: deque[str] = deque(maxlen=100)
        self.url = ""
        self._ready = threading.Event()
        self._failed: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="record", daemon=True)

    def __enter__(self) -> Recorder:
        """Listen.

        Raises:
            RunError: It cannot listen there.
        """
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            self._authority.close()
            failed = self._failed
            why = listening_words(failed) if isinstance(failed, OSError) else reason(failed)
            raise RunError(f"cannot listen on {self._listen}: {why}")
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.stop()

    def stop(self) -> None:
        """End all connections and stop listening. The recording stays here."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has just ended by itself
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(END_S)
        self._authority.close()

    @property
    def running(self) -> bool:
        """Whether it listens."""
        return self._thread.is_alive()

    @property
    def requests(self) -> int:
        """The number of recorded requests with an answer."""
        return self._journal.requests

    @property
    def pages(self) -> int:
        """The number of pages among them."""
        return self._journal.pages

    @property
    def lost(self) -> int:
        """The number of requests that were passed on, but not recorded, for lack of room."""
        return self._journal.lost

    @property
    def passed_by(self) -> list[str]:
        """The requested hosts that are not among the targets."""
        return list(self._journal.passed_by)

    def workload(self, name: str) -> Imported:
        """Make a workload from the recording so far.

        Raises:
            RunError: The recording has no usable request.
        """
        exchanges = self._journal.in_order()
        draft = a_recording(exchanges, name, "recording", "")
        if draft is None:
            raise RunError(f"no request of the {len(exchanges)} that came could be taken")
        draft.source = f"a {draft.source}"
        return imported("recording", draft)

    def har(self) -> str:
        """The recording so far as HAR 1.2, without secrets and without the answers' bodies."""
        return har.text(self._journal.in_order())

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except (OSError, UnicodeError) as error:
            self._failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        proxy = Proxy(
            self._authority, self._servers, self._wanted, self._journal, self.messages.append
        )
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        # Clients that break off in the middle are not worth a message on the terminal.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        host, port = self._place
        server = await asyncio.start_server(proxy.take, host, port, limit=PIECE_BYTES, backlog=512)
        taken = server.sockets[0].getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{taken}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        await proxy.end()


def _place(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    try:
        if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
            raise MalformedError
        return host_and_port(host)[0], int(port)
    except MalformedError:
        raise InputError(f"`{listen}` is not of the form HOST:PORT") from None
