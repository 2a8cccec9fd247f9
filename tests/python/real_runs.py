"""Real runs on a machine that may be busy.

No test may depend on a quiet machine: a run that the machine made late is a right result of the
program, if the program reports it. A test's statements about times hold for the runs without such a
report; its statements about counts hold for all.
"""

from __future__ import annotations

import socketserver
from collections.abc import Iterable
from http.server import ThreadingHTTPServer
from typing import NoReturn

from skips import busy

import thinktime as tt

LATE = "the generator itself was late"
WAITED = "the generator waited for a core"
"""The beginning of such a report."""
BUSY = 3
"""The status of a command whose run the machine made late."""


def complaint(result: tt.Result) -> str | None:
    """The program's report of its own lateness, whether or not it spoils the result."""
    said = [*result.summary["warnings"], result.untrusted or ""]
    return next((one for one in said if one.startswith((LATE, WAITED))), None)


def skip_if_late(results: Iterable[tt.Result], found: str) -> NoReturn:
    """Skip a test with the program's report of its lateness; without one, fail with the finding."""
    said = [one for one in map(complaint, results) if one is not None]
    assert said, found
    busy(said[0])


def trusted_or_late(result: tt.Result) -> bool:
    """Whether only lateness spoils a result."""
    return result.untrusted is None or result.untrusted.startswith(LATE)


def ended_well(status: int, said: str, wanted: int = 0) -> bool:
    """Whether a command ended as it should, or says that its run was late."""
    return status == wanted or (status == BUSY and LATE in " ".join(said.split()))


class TcpServer(socketserver.ThreadingTCPServer):
    """A thread for each connection; no connection in the queue is lost.

    Python's own limit is 5. The kernel drops connections beyond it, and the client's tries anew
    after seconds.
    """

    request_queue_size = 1024
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients leave when they like."""


class HttpServer(TcpServer, ThreadingHTTPServer):
    """The same, of HTTP."""
