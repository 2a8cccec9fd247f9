"""What else a reader of a log should know before trusting what was learned from it."""

from __future__ import annotations

from thinktime.learn.populations.draft import Draft
from thinktime.learn.populations.seen import Seen
from thinktime.learn.populations.told import Finding


def findings(seen: Seen, drafts: list[Draft]) -> tuple[Finding, ...]:
    """All of them, in the order of reading."""
    return ()
