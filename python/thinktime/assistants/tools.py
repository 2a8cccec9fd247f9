"""The tools. Each has the parameters of some functions, and a function that does the work.

Schemas and descriptions are those of the functions, so that an option is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from thinktime import capacity, run, simulate, sweep
from thinktime.assistants import inquiries, operations, results
from thinktime.assistants.answer import Answer
from thinktime.assistants.call import Call
from thinktime.explain import explain_result
from thinktime.inputs import docstrings, json_schemas
from thinktime.learn import learn
from thinktime.operations.target_allowlist import ELSEWHERE

_NOT_HERE = (*ELSEWHERE, "generators", "on_loss", "progress", "monitor")
"""Options that lead elsewhere, or that have no value in JSON."""


@dataclass(frozen=True)
class Tool:
    """One tool."""

    name: str
    functions: Sequence[Callable[..., Any]]
    """Its parameters are those of these functions; the first one describes it."""

    do: Callable[[Call], Answer]
    """A function at the top of a module: a worker finds it by its name."""

    but: Sequence[str] = ()
    """Parameters of the functions that the tool does not take."""

    more: str = ""
    """What an assistant should know besides."""

    sends: bool = False
    """Whether it may send requests to a real server."""

    writes: bool = True
    quick: bool = False
    """Whether it answers at once, beside other work."""

    @property
    def description(self) -> str:
        """Its function's summary, and what an assistant should know."""
        return " ".join(filter(None, (docstrings.summary(self.functions[0]), self.more)))

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return json_schemas.of(*self.functions, but=(*_NOT_HERE, *self.but))


_KEPT = (
    "The result and its page are kept in `output`, by default a new folder below `results`; a "
    "cancelled one keeps what it has."
)
_SENT = "Load goes only to targets that the user allowed at the start of this server."


@cache
def tools() -> Mapping[str, Tool]:
    """All tools by name, in the order of their use."""
    found = (
        Tool("docs", [inquiries.docs], inquiries.found, writes=False, quick=True),
        Tool("validate", [inquiries.validate], inquiries.validated, writes=False, quick=True),
        Tool("show", [inquiries.show], inquiries.shown, writes=False, quick=True),
        Tool("learn", [learn, operations.learned_files], operations.learned,
             ("follow", "when_read", "stopping"), _KEPT),
        Tool("simulate", [simulate], operations.simulated, more=_KEPT),
        Tool("run", [run], operations.ran, more=f"{_SENT} {_KEPT}", sends=True),
        Tool("sweep", [sweep, simulate], operations.swept,
             ("label", "rows", "seed", "options"), f"{_SENT} {_KEPT}", sends=True),
        Tool("capacity", [capacity], operations.capacity_found,
             more=f"{_SENT} {_KEPT}", sends=True),
        Tool("explain", [explain_result], results.explained, writes=False),
        Tool("compare", [results.compare], results.compared, writes=False),
        Tool("report", [results.report], results.reported),
    )  # fmt: skip
    return {one.name: one for one in found}
