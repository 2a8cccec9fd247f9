"""The servers of tokens of a result: their steps, batches and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Group, Line, Table

if TYPE_CHECKING:
    from thinktime import Result, System
    from thinktime._core_types import TokenServerFigures

HEADINGS = (
    "steps",
    "in the batch",
    "at most",
    "in memory",
    "most in memory",
    "full",
    "preemptions",
    "read a second",
    "given a second",
)
"""The columns after the one that names the server."""

_CAPTION = "What their steps worked for, and what their memory held."
WORDS: dict[str, str] = {
    "in the batch": "The mean number of requests that a server of tokens works for.",
    "in memory": "The mean number of tokens that its memory holds, of prompts and responses.",
    "full": "The share of the time that its steps would have taken if all had been full: of "
    "requests, of tokens of prompts or of tokens in memory.",
    "preemptions": "How often a request lost its memory to another, and was read anew.",
    "read a second": "Tokens that steps read: of prompts, and those of requests that were "
    "preempted; `given a second`: those of responses.",
}
"""The meanings of the table's words."""


def table(groups: Sequence[Group]) -> Table:
    """The table of some results' servers of tokens."""
    return Table("token-servers", "Servers of tokens", "server", HEADINGS, groups, _CAPTION)


def lines_of(result: Result) -> list[Line]:
    """The row of each server under `HEADINGS`; empty without any."""
    return [_line(*one) for one in (result.summary.get("token_servers") or {}).items()]


def _line(name: str, server: TokenServerFigures) -> Line:
    texts = [
        units.count(server["steps"]),
        f"{server['running_mean']:.3g}",
        units.count(server["running_max"]),
        units.count(round(server["memory_mean"])),
        units.count(server["memory_max"]),
        units.load(server["fullness"]),
        units.count(server["preemptions"]),
        units.count(round(server["prompt_token_rate"])),
        units.count(round(server["output_token_rate"])),
    ]
    return Line(name, [Cell(text) for text in texts])


def sentences(result: Result) -> list[str]:
    """Each server in words."""
    return [sentence(*one) for one in (result.summary.get("token_servers") or {}).items()]


def sentence(name: str, server: TokenServerFigures) -> str:
    """A server, as in 'gpu: 12.1 requests in the batch, 9,120 tokens in memory; ...'."""
    parts = [
        f"{server['running_mean']:.3g} requests in the batch, at most "
        f"{units.count(server['running_max'])}",
        f"{units.count(round(server['memory_mean']))} tokens in memory, at most "
        f"{units.count(server['memory_max'])}",
        units.counted(server["preemptions"], "preemption"),
        f"{units.count(round(server['output_token_rate']))} tokens a second",
    ]
    return f"{name}: {'; '.join(parts)}"


def words_of(system: System) -> list[str]:
    """The servers of a system in words, as in 'batches of up to 64'."""
    batches = [one["max_batch"] for one in system.tables["token_server"]]
    return [f"batches of up to {units.count(batch)}" for batch in batches]
