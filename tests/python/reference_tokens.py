"""A second implementation of a server of tokens, step by step, in whole nanoseconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

UNLIMITED = 10**18


@dataclass(eq=False)
class Asked:
    """A request: when it comes, the tokens of its prompt and of its response."""

    at: int
    prompt: int
    output: int
    given: list[int] = field(default_factory=list)
    """When it was given its tokens; empty if it was refused."""

    read: int = 0
    """The tokens of prompt and response that the server has read."""

    room: int = 0
    """The memory that it has."""

    reads: bool = True
    """Whether it has not caught up since it joined the batch."""

    @property
    def known(self) -> int:
        """The tokens of its prompt and of its response so far."""
        return self.prompt + len(self.given)


@dataclass(frozen=True)
class Server:
    """The keys of a server of tokens, times in nanoseconds."""

    step: int
    request: int
    prompt_token: int
    batch: int
    chunk: int = UNLIMITED
    memory: int = UNLIMITED


def serve(server: Server, asked: Sequence[Asked]) -> int:
    """Fill in when each request was given its tokens; return the number of preemptions."""
    coming = deque(one for one in asked if one.prompt + one.output - 1 <= server.memory)
    line, batch, now, preemptions = deque[Asked](), list[Asked](), 0, 0
    while coming or line or batch:
        if not line and not batch:
            now = coming[0].at
            line.append(coming.popleft())
        lost = _make_room(server, line, batch)
        preemptions += lost
        work, budget = [], server.chunk
        for one in batch:
            budget = _plan(one, work, budget)
        while not lost and line and len(batch) < server.batch and budget > 0:
            if line[0].known > server.memory - sum(other.room for other in batch):
                break
            one = line.popleft()
            one.room, one.reads = one.known, True
            batch.append(one)
            budget = _plan(one, work, budget)
        now += server.step + server.request * len(work)
        now += server.prompt_token * sum(some for one, some in work if one.reads)
        for one, some in work:
            one.read += some
            if one.read == one.known:
                one.reads = False
                one.given.append(now)
        batch = [one for one in batch if len(one.given) < one.output]
        while coming and coming[0].at < now:
            line.append(coming.popleft())
    return preemptions


def _make_room(server: Server, line: deque[Asked], batch: list[Asked]) -> int:
    """Room for the tokens given in the last step, the first admitted first."""
    lost = 0
    for one in list(batch):
        while one in batch and one.room < one.known:
            if sum(other.room for other in batch) < server.memory:
                one.room += 1
                continue
            last = batch.pop()
            last.read = last.room = 0
            line.appendleft(last)
            lost += 1
    return lost


def _plan(one: Asked, work: list[tuple[Asked, int]], budget: int) -> int:
    """Give a request its part in the step; return how many tokens of prompts it may still read."""
    missing = one.known - one.read
    some = min(missing, budget) if one.reads else missing
    if some:
        work.append((one, some))
    return budget - some if one.reads else budget
