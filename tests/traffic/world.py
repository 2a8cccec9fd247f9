"""Virtual time: scheduled calls, and processes that wait for times and for answers.

A process is a generator. It yields a float to sleep until that time; a `Request` to send it and
receive its status when it is answered; or a list of generators to run them all and continue when
the last has ended.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traffic.servers import Request, Server

Process = Generator[Any, Any, Any]
Resume = Callable[[Any], None]


class World:
    """The clock, the servers by host, and the log that they write.

    Times are in seconds since the log's beginning. Earlier events, from `begin` on, lead in: they
    are not logged, but the log begins in the midst of them.
    """

    def __init__(self, begin: float, end: float) -> None:
        self.now = begin
        self.begin = begin
        self.end = end
        self.servers: dict[str, Server] = {}
        self.rows: list[tuple[Any, ...]] = []
        self._due: list[tuple[float, int, Resume, Any]] = []
        self._events = 0
        self._users = 0
        self._sessions = 0

    def new_user(self) -> int:
        """The number of a new user, of any population."""
        self._users += 1
        return self._users

    def new_session(self) -> int:
        """The number of a new session, of any population."""
        self._sessions += 1
        return self._sessions

    def at(self, time: float, act: Resume, value: Any = None) -> None:
        """Call `act(value)` at this time; calls for one time happen in their order."""
        self._events += 1
        heapq.heappush(self._due, (time, self._events, act, value))

    def start(self, process: Process, time: float, ended: Resume | None = None) -> None:
        """Begin a process at this time; `ended` is called with its result."""
        send = process.send

        def resume(value: Any) -> None:
            try:
                wanted = send(value)
            except StopIteration as stop:
                if ended is not None:
                    ended(stop.value)
                return
            if isinstance(wanted, float):
                self.at(wanted, resume)
            elif isinstance(wanted, list):
                self._all(wanted, resume)
            else:
                self.ask(wanted, resume)

        self.at(time, resume)

    def ask(self, request: Request, resume: Resume) -> None:
        """Send a request to the server of its host."""
        self.servers[request.host].ask(request, resume)

    def run(self) -> None:
        """Run all events until the end."""
        due, end = self._due, self.end
        while due and due[0][0] < end:
            self.now, _, act, value = heapq.heappop(due)
            act(value)
        self.now = end

    def _all(self, processes: list[Process], resume: Resume) -> None:
        left = len(processes)
        if left == 0:
            self.at(self.now, resume)

        def ended(_: Any) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                resume(None)

        for process in processes:
            self.start(process, self.now, ended)
