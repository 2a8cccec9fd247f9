"""The servers of tokens of a result: their steps, batches and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thinktime.present import units
from thinktime.present.table import Cell, Line

if TYPE_CHECKING:
    from thinktime import Result, System

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


@dataclass(frozen=True)
class TokenServerFigures:
    """One server of tokens over the measured time."""

    name: str
    steps: int
    running_mean: float
    """The mean number of requests in the batch."""

    running_max: int
    memory_mean: float
    """The mean number of tokens in memory."""

    memory_max: int
    fullness: float
    """The share of the time that full steps would have taken."""

    preemptions: int
    prompt_token_rate: float
    """The tokens that it read a second."""

    output_token_rate: float
    """The tokens that it gave a second."""

    @property
    def line(self) -> Line:
        """The row under `HEADINGS`."""
        texts = [
            units.count(self.steps),
            f"{self.running_mean:.3g}",
            units.count(self.running_max),
            units.count(round(self.memory_mean)),
            units.count(self.memory_max),
            units.load(self.fullness),
            units.count(self.preemptions),
            units.count(round(self.prompt_token_rate)),
            units.count(round(self.output_token_rate)),
        ]
        return Line(self.name, [Cell(text) for text in texts])

    @property
    def words(self) -> str:
        """One line, as in 'gpu: 12.1 requests in the batch, 9,120 tokens in memory; ...'."""
        parts = [
            f"{self.running_mean:.3g} requests in the batch, at most "
            f"{units.count(self.running_max)}",
            f"{units.count(round(self.memory_mean))} tokens in memory, at most "
            f"{units.count(self.memory_max)}",
            units.counted(self.preemptions, "preemption"),
            f"{units.count(round(self.output_token_rate))} tokens a second",
        ]
        return f"{self.name}: {'; '.join(parts)}"


def words_of(system: System) -> list[str]:
    """The servers of a system in words, as in 'batches of up to 64'."""
    batches = [one["max_batch"] for one in system.tables["token_server"]]
    return [f"batches of up to {units.count(batch)}" for batch in batches]


def figures_of(result: Result) -> list[TokenServerFigures]:
    """The servers of tokens of a result by name; empty without any."""
    found = result.summary.get("token_servers") or {}
    return [TokenServerFigures(name=name, **table) for name, table in found.items()]
