"""A check's finding about a result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from thinktime._core_types import CheckFinding

Word = Literal["fine", "doubtful", "not to be trusted", "could not look"]

FINE: Word = "fine"
DOUBTFUL: Word = "doubtful"
SPOILT: Word = "not to be trusted"
UNSEEN: Word = "could not look"

ORDER: tuple[Word, ...] = (SPOILT, DOUBTFUL, UNSEEN, FINE)
"""Verdicts, the worst first."""


@dataclass(frozen=True)
class Finding:
    """A check's verdict on one result."""

    name: str
    """The check, by its name in `docs/validity.md`."""

    verdict: Word
    found: str
    """The examined data and the finding, in words without a full stop."""

    advice: str = ""
    """The advice; empty if nothing needs to be done."""

    def as_dict(self) -> CheckFinding:
        """In the form of `summary.json`."""
        return cast("CheckFinding", asdict(self))

    @classmethod
    def of(cls, found: CheckFinding) -> Finding:
        """As read from `summary.json`."""
        return cls(found["name"], found["verdict"], found["found"], found["advice"])

    @property
    def words(self) -> str:
        """All of it in one line."""
        return f"{self.name}: {self.found}" + (f"; {self.advice}" if self.advice else "")


class NoData(Exception):  # noqa: N818 - it names data, and is no error
    """A check lacks its data; the text names it."""
