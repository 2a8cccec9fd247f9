"""Two results compared: all figures, and a verdict on them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from thinktime.comparison import words
from thinktime.comparison.change import Change, change
from thinktime.comparison.estimate import FIGURES, Estimate, Missing
from thinktime.comparison.mean_difference import paired_difference
from thinktime.comparison.subject import Subject, subject_of, told_apart
from thinktime.comparison.workload_difference import differences
from thinktime.lab.link_difference import differ
from thinktime.present import units
from thinktime.results.result import Result

TIMES = ("mean", "p50", "p90", "p95", "p99", "p99.9")
_KINDS = {"simulate": "simulation", "run": "run"}
_NO_JUDGEMENT = "Nothing is called better or worse"
OTHER_WORK = "The workloads differ{}: a difference may be theirs."
_TOLD = ("p99", "p90", "mean", "p50")
"""Times that the verdict names: the first one available."""


@dataclass(frozen=True)
class Comparison:
    """How the second result differs from the first."""

    before: Subject
    after: Subject
    changes: Mapping[str, Change | Missing]
    """The changes by figure, in the order of tables; for a missing one, the reason."""

    def known(self, figure: str) -> Change | None:
        """The change of a figure, if there is one."""
        found = self.changes[figure]
        return found if isinstance(found, Change) else None

    @property
    def verdict(self) -> str:
        """The verdict in one or two sentences."""
        if not self.other_work:
            return self._judgement
        values = differences(self.before.tables, self.after.tables)
        return f"{self._judgement} {OTHER_WORK.format(f' ({values})' if values else '')}"

    @property
    def of_itself(self) -> bool:
        """Whether both results are one, by their directory."""
        one, other = self.before.path, self.after.path
        return one is not None and other is not None and one.resolve() == other.resolve()

    @property
    def replicated(self) -> bool:
        """Whether both results are of several replications each."""
        return all(len(one.replication_means_s) > 1 for one in (self.before, self.after))

    @property
    def other_work(self) -> bool:
        """Whether the workloads differ in more than the seed."""
        return self.before.work != self.after.work

    @property
    def _judgement(self) -> str:
        worse, better = self._signs()
        phrases = [self.sentence(one) for one in self._figures_to_name(worse, better)]
        if phrases and self._doubtful:
            doubtful = (
                f"{units.listed(self._doubtful)} {'is' if len(self._doubtful) == 1 else 'are'}"
            )
            return f"{_NO_JUDGEMENT}, because {doubtful} not to be trusted: {'; '.join(phrases)}."
        if phrases and self._of:
            return units.sentence("; ".join(phrases))
        if worse and better:
            return f"Better in some, worse in other: {'; '.join(phrases)}."
        if worse or better:
            return f"{'Worse' if worse else 'Better'}: {'; '.join(phrases)}."
        for name in ("mean", *_TOLD, "throughput", "errors"):
            found = self.known(name)
            if found is not None:
                return f"No difference can be told: {self.sentence(found)}{words.late(found)}."
        missing = next(iter(self.changes.values()))
        why = missing.reason if isinstance(missing, Missing) else ""
        return f"Nothing can be compared: {why}."

    def sentence(self, change: Change) -> str:
        """One change in words: neutral words if a run is compared with a simulation."""
        return words.sentence(change, self._of)

    @property
    def links(self) -> tuple[str, str] | None:
        """The links that both runs crossed, as `--link` takes them, if they differ.

        A run without a link has an empty one.
        """
        one, other = self.before.link, self.after.link
        if one is None or other is None or not differ(one, other):
            return None
        return one, other

    @property
    def _of(self) -> str:
        """The kind of the second result, if the first is of another kind; otherwise empty."""
        return "" if self.before.kind == self.after.kind else _KINDS[self.after.kind]

    @property
    def _doubtful(self) -> list[str]:
        """The results that are not to be trusted."""
        return [one.label for one in (self.before, self.after) if one.untrusted]

    def _signs(self) -> tuple[list[Change], list[Change]]:
        """The figures that got worse, and those that got better."""
        found = [one for one in self.changes.values() if isinstance(one, Change)]
        certain = [one for one in found if one.by_server]
        if self.other_work:  # more that came says nothing of the server
            certain = [one for one in certain if one.figure != "throughput"]
        up_is_worse = {name: name != "throughput" for name in FIGURES}
        worse = [one for one in certain if (one.low > 0) == up_is_worse[one.figure]]
        return worse, [one for one in certain if one not in worse]

    def _figures_to_name(self, worse: list[Change], better: list[Change]) -> list[Change]:
        """One time for each result, and why other times are missing."""
        phrases = []
        for side in (worse, better):
            times = [one for name in _TOLD for one in side if one.figure == name]
            times = times or [one for one in side if one.figure in TIMES]
            phrases += times[:1] + [one for one in side if one.figure not in TIMES]
        return phrases

    def as_dict(self) -> dict[str, Any]:
        """The comparison as `--json` prints it: times in seconds, shares of 1."""
        figures, missing = {}, {}
        for name, one in self.changes.items():
            if isinstance(one, Missing):
                missing[name] = one.reason
                continue
            known = one.ratio_low is not None or one.ratio_high is not None
            figures[name] = {
                "before": one.before,
                "after": one.after,
                "difference": one.value,
                "difference_ci95": [one.low, one.high],
                "relative_ci95": [one.ratio_low, one.ratio_high] if known else None,
                "paired": one.paired,
                "lateness": one.late,
            }
        return {
            "before": self.before.label,
            "after": self.after.label,
            "verdict": self.verdict,
            "figures": figures,
            "missing": missing,
            "links": None if self.links is None else list(self.links),
        }


def compare(before: Result | Subject, after: Result | Subject) -> Comparison:
    """How the second result differs from the first: times, throughput, errors, with intervals.

    docs/compare.md explains the intervals, and the comparison of results without rows.
    """
    first, second = (
        found if isinstance(found, Subject) else subject_of(found) for found in (before, after)
    )
    first, second = told_apart(first, second)
    paired = first.meets_arrivals_of(second)
    changes: dict[str, Change | Missing] = {}
    for name in FIGURES:
        one, other = first.estimates[name], second.estimates[name]
        if isinstance(one, Estimate) and isinstance(other, Estimate):
            changes[name] = change(name, one, other, paired)
        else:
            changes[name] = _missing(one, other)
    replicated = _by_replications(first, second)
    return Comparison(first, second, changes | ({} if replicated is None else {"mean": replicated}))


def _missing(one: Estimate | Missing, other: Estimate | Missing) -> Missing:
    """The figures that are missing in one of the two, or in both."""
    found = [part for part in (one, other) if isinstance(part, Missing)]
    longest = max(found, key=lambda part: part.times_as_long or 0)
    if len({part.reason for part in found}) == 1 and len(found) == 1:
        which: Literal["first", "second"] = "first" if found[0] is one else "second"
        return Missing(f"{longest.reason} ({which} result)", longest.times_as_long, which)
    return longest


def _by_replications(before: Subject, after: Subject) -> Change | None:
    """The change of the mean by common random numbers, if replications and seeds are the same."""
    a, b = before.replication_means_s, after.replication_means_s
    if before.seed != after.seed or not len(a) == len(b) >= 2:
        return None
    found = paired_difference(a, b)
    mean = sum(a) / len(a)
    low, high = found.mean_s - found.ci95_s, found.mean_s + found.ci95_s
    return Change("mean", mean, mean + found.mean_s, low, high, low / mean, high / mean, True)
