"""A workload between a foreign file and ours: all kinds of files are read into one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from thinktime.importing.notes import Notes

DEFAULT_RATE = "1/s"
NAME_MAX = 60
OBJECTIVES = ("mean", "p50", "p90", "p95", "p99", "p99.9")
"""The keys of objectives for response times."""

RESERVED = "end"
"""The name that ends journeys."""


@dataclass(frozen=True)
class Body:
    """A body: a text, the value of a JSON text, or the fields of a form, also in parts."""

    kind: Literal["text", "json", "form", "multipart"]
    value: Any


@dataclass(eq=False)
class Request:
    """One kind of request; two are the same only if they are the same object.

    Attributes:
        name: Made of letters, digits, ``-`` and ``_``; `named` makes names differ.
        origin: Its scheme and host; empty if the source leaves that open.
        place: Its place in the source.
        think: The think time after it, as a distribution.
        draws: The marks in its texts, and what each stands for: a law, or a value of the session.
        timeout: The wait for its response, as a distribution; empty for that of all clients.
        next: Its followers, with shares; None is the end of the session.
        exchange: Its keys in the file instead of a method with its target, as `send` or `grpc`.
        objects: The objects that are requested after its answer.
        about: A comment.
        checks: The conditions on the response, by the names of checks, as in the file.
        take: The values that the session takes from the response, as in the file.
        stream: The form of a response that is a stream of events, as in the file; empty for none.
        tokens: The laws of the tokens of its prompt and its output, as in the file.
    """

    name: str
    method: str = "GET"
    target: str = "/"
    headers: dict[str, str] = field(default_factory=dict)
    body: Body | None = None
    origin: str = ""
    place: str = ""
    think: str | None = None
    draws: dict[str, str] = field(default_factory=dict)
    timeout: str = ""
    exchange: dict[str, Any] = field(default_factory=dict)
    next: list[tuple[Request | None, float]] = field(default_factory=list)
    objects: list[Request] = field(default_factory=list)
    about: str = ""
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    take: dict[str, str] = field(default_factory=dict)
    stream: str = ""
    tokens: dict[str, str] = field(default_factory=dict)

    def same(self, other: Request) -> bool:
        """Whether both send the same request in the same way."""
        return self._wire_parts() == other._wire_parts()

    def _wire_parts(self) -> tuple[Any, ...]:
        return (self.method, self.target, self.headers, self.body, self.exchange)


@dataclass
class Population:
    """Users of one kind.

    Attributes:
        arrivals: The keys of the table: ``model``, and ``rate`` or ``clients``, and so on.
        why: The reason for this model, and the origin of the numbers.
        first: The beginning of sessions; by default the first request.
        weights: The weight of each request, if none has a ``next``.
        session: Further keys of the table of sessions.
        connections: How long connections are used, or their number; empty for the default.
        hints: Lines that stand as comments below ``[clients]``.
    """

    arrivals: dict[str, Any]
    why: str
    requests: list[Request]
    name: str = ""
    first: list[tuple[Request, float]] = field(default_factory=list)
    weights: dict[Request, float] = field(default_factory=dict)
    session: dict[str, Any] = field(default_factory=dict)
    connections: str | int = ""
    hints: list[str] = field(default_factory=list)


@dataclass
class Draft:
    """A whole workload.

    Attributes:
        source: Its source, in words.
        options: Options of ``thinktime run`` that the source speaks for, as in ``--duration 30s``.
        slo: The objectives, by their keys in the file.
    """

    name: str
    source: str
    populations: list[Population]
    notes: Notes
    origin: str = ""
    options: str = ""
    slo: dict[str, str] = field(default_factory=dict)


@dataclass
class Step:
    """A request, and the sleeps after it as bounds in seconds."""

    request: Request
    lo_s: float = 0.0
    hi_s: float = 0.0

    def think(self) -> str:
        """The think time; two random sleeps are taken as one between the sums of their bounds."""
        if self.lo_s == self.hi_s:
            return seconds(self.lo_s)
        return f"uniform({seconds(self.lo_s)}, {seconds(self.hi_s)})"


def method_of(text: str) -> str | None:
    """A method of HTTP in capitals; None if the text is not one."""
    found = text.strip().upper()
    return found if re.fullmatch(r"[A-Z][A-Z-]{0,39}", found) else None


def plain(text: str) -> str:
    """A name of letters, digits, ``-`` and ``_`` only, as keys of files and sweeps require."""
    found = re.sub(r"[^A-Za-z0-9_]+", "-", text)[: 4 * NAME_MAX].strip("-")
    return found[:NAME_MAX].strip("-") or "request"


def stem(file: str) -> str:
    """The name of a workload, from its file's name without the ending."""
    return file.rpartition(".")[0] or file


def name_of(method: str, target: str) -> str:
    """A name for a nameless request: its path, and its method unless that is GET."""
    path = re.sub(r"%[0-9A-Fa-f]{2}", "-", target.partition("?")[0])
    path = re.sub(r"\{[^}]*\}", "", path).strip("/")
    words = path or "home"
    return plain(words if method == "GET" else f"{method.lower()}-{words}")


def named(requests: Iterable[Request]) -> None:
    """Make the names differ."""
    given = {RESERVED}
    counts: dict[str, int] = {}
    for request in requests:
        name = plain(request.name)
        while name in given:
            counts[request.name] = counts.get(request.name, 1) + 1
            name = f"{plain(request.name)}-{counts[request.name]}"
        given.add(name)
        request.name = name


def with_names(populations: Sequence[Population]) -> None:
    """Make the names of populations differ."""
    given: set[str] = set()
    for number, population in enumerate(populations, 1):
        name = plain(population.name)
        population.name = name if name not in given else f"{name}-{number}"
        given.add(population.name)


def in_order(requests: Sequence[Request]) -> None:
    """Let each request follow the one before it, and the session end after the last."""
    for request, after in zip(requests, [*requests[1:], None], strict=True):
        request.next = [(after, 1.0)]


def seconds(given: float) -> str:
    """A time as in files, to the microsecond."""
    text = f"{given:.6f}".rstrip("0").rstrip(".")
    return f"{text}s"


def a_visit(requests: Sequence[Request], why: str, think: str = "0s") -> Population:
    """Requests of one visit in their order: partly open, or open if there is only one."""
    asked = "The source does not give the rate: this one is a default to be changed."
    if len(requests) == 1:
        arrivals = {"model": "open", "rate": DEFAULT_RATE}
        return Population(arrivals, f"Open: {why}, of one request. {asked}", list(requests))
    in_order(requests)
    arrivals = {"model": "partly-open", "rate": DEFAULT_RATE}
    text = f"Partly open: {why}. Visitors arrive by themselves, go through it, and leave. {asked}"
    for request in requests:
        request.think = request.think or think
    return Population(arrivals, text, list(requests))


def all_of(population: Population) -> list[Request]:
    """The requests of a population, and then the objects of its pages, each once."""
    objects = [one for request in population.requests for one in request.objects]
    return list(dict.fromkeys([*population.requests, *objects]))
