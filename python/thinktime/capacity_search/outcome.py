"""The outcome of a search for the capacity: one sentence and one exit status."""

from __future__ import annotations

from thinktime.capacity_search.answer import Capacity
from thinktime.results.verdict import Verdict

DOUBTS = {
    "imprecise": "The interval is wider than was asked for, and more probes would not change that",
    "too short": "No probe surely met the objectives: longer probes could tell",
    "generator": "Beyond this value the generator itself was late: the server may bear more",
    "no limit": "No value that was tried failed: the server may bear more",
    "interrupted": "The search was interrupted: this is what was known by then",
}
"""The limitation of an answer, by its verdict."""


def outcome(found: Capacity, against: str | None = None, unwritten: str = "") -> Verdict:
    """The outcome of a search.

    Args:
        found: The answer of the search.
        against: For the generator's own capacity, the server that it was measured against.
        unwritten: Why the answer could not be written, if it could not.
    """
    if unwritten:
        doubt = f"the result could not be written: {unwritten}"
        return Verdict("not to be trusted", f"{doubt}; capacity: {found.words}", doubt)
    if found.verdict == "not met" and against is not None:
        return Verdict("cannot tell", f"{found.words}; is the machine busy with something else?")
    if found.verdict == "not met":
        return Verdict("not met", f"the SLO is not met: {found.words}")
    if found.verdict == "interrupted":
        words = f"not the capacity: {found.words}"
        return Verdict("not to be trusted", words, DOUBTS["interrupted"])
    if found.verdict in ("generator", "no limit", "too short"):
        return Verdict("cannot tell", f"not the capacity: {found.words}")
    if why := _untrusted(found):
        return Verdict("not to be trusted", f"not to be trusted: {why}", why)
    return Verdict("done", "")


def _untrusted(found: Capacity) -> str | None:
    """Why the largest value that met the objectives is not to be trusted; None if it is."""
    passed = [row for row in found.probes.to_dicts() if row["passed"]]
    why = max(passed, key=lambda row: row["value"])["untrusted"] if passed else None
    return None if why is None else str(why)


def doubts_of(found: Capacity) -> list[str]:
    """The limitation of an answer, in words."""
    by_verdict = DOUBTS.get(found.verdict)
    return [*([by_verdict] if by_verdict else []), *found.doubts]
