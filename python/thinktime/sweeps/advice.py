"""The dispatch policy that a workload needs, by the points of a sweep, and why, in words.

The policies at one point are compared in pairs by mean and tail, on the same arrivals, as
`thinktime compare` does. The intervals are widened: if all policies were alike, one would be called
worse than another at a point with a probability of at most 5 % (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from thinktime.comparison import Change
from thinktime.present import units
from thinktime.sweeps.curves import Row, SweepCurves, value_words
from thinktime.sweeps.difference_words import figure_words, less_to_more, more_words
from thinktime.sweeps.pairs import Pairs
from thinktime.sweeps.plan import is_dispatch
from thinktime.sweeps.reasons import dependence, reasons

_MATTERS = 0.01
"""A policy that is certain to be worse by less than this share is as good."""

_ALIKE = 0.1
"""Policies that are certain to differ by no more than this share are alike."""

_TAILS = ("p99", "p90")
_REPLICATIONS = 5


@dataclass(frozen=True)
class Advice:
    """The verdict on the policies at one point; their order does not matter."""

    place: str
    """The place of the point, as in 'load 0.8'; empty if nothing but the policy varies."""

    rows: Mapping[str, Row]
    """The point of each policy that is compared."""

    figures: Sequence[str]
    """The compared figures, such as 'mean' and 'p99', or 'page mean' and 'page p99'; empty if the
    runs are too short."""

    @cached_property
    def wanted(self) -> list[str]:
        """The policies that are known to be the best, the best estimate first.

        Empty if that is not known, or if mean and tail favour different policies.
        """
        return [] if self.undecided else self._candidates

    @cached_property
    def undecided(self) -> list[str]:
        """The policies that may be better or worse than the best estimate, by an unknown amount."""
        return [one for one in self._candidates[1:] if not self._is_alike(one, _ALIKE)]

    @cached_property
    def worse(self) -> list[str]:
        """The policies that are certain to be worse than another."""
        return [one for one in self._ordered if one not in self._candidates]

    @cached_property
    def _ordered(self) -> list[str]:
        """All policies by their first figure, the best estimate first."""
        return sorted(self.rows, key=lambda one: (self._value(one, self.figures[0]), one))

    @cached_property
    def _candidates(self) -> list[str]:
        """The policies that nothing shows to be worse than another, the best estimate first."""
        unbeaten = [set(self._unbeaten(figure, self._succeeding)) for figure in self.figures]
        return [one for one in self._succeeding if all(one in some for some in unbeaten)]

    @cached_property
    def _succeeding(self) -> list[str]:
        """The policies under which no more requests fail than under another."""
        return self._unbeaten(self._errors, self._ordered)

    @property
    def _errors(self) -> str:
        return "page errors" if self.figures[0].startswith("page") else "errors"

    def best(self, figure: str) -> str:
        """The policy with the smallest value, among those with no more failures than others."""
        return min(self._succeeding, key=lambda one: self._value(one, figure))

    def _unbeaten(self, figure: str, policies: Sequence[str]) -> list[str]:
        """The policies that are not worse than the one with the smallest value, beyond chance."""
        least = min(policies, key=lambda one: self._value(one, figure))
        return [one for one in policies if one == least or not self.is_worse(one, least, figure)]

    def is_worse(self, one: str, other: str, figure: str) -> bool:
        """Whether a policy's figure is larger than another's, beyond chance, and by enough."""
        found = self.change(other, one, figure)
        enough = found.ratio_high is None or found.ratio_high > _MATTERS
        return found.low > 0 and enough

    def _is_alike(self, policy: str, share: float) -> bool:
        """Whether a policy is certain to be no further than this from the best estimate."""
        best = self._candidates[0]
        changes = [self.change(best, policy, figure) for figure in self.figures]
        return all(
            one.ratio_low is not None
            and one.ratio_high is not None
            and max(-one.ratio_low, one.ratio_high) <= share
            for one in changes
        )

    def change(self, before: str, after: str, figure: str) -> Change:
        """The change of a figure from the first policy to the second."""
        one, other = (self.rows[policy]["estimates"][figure] for policy in (before, after))
        return self._pairs.change(figure, one, other)

    @cached_property
    def _pairs(self) -> Pairs:
        """Comparisons of all pairs, by all figures and by errors."""
        return Pairs(len(self.rows) * (len(self.rows) - 1) // 2 * (len(self.figures) + 1))

    def _value(self, policy: str, figure: str) -> float:
        return float(self.rows[policy]["estimates"][figure]["value"])

    @property
    def lines(self) -> list[str]:
        """The best policy here, by how much, and why: sentences that stand alone."""
        if not self.figures:
            return [units.sentence(f"{self._at}{_NOTHING}"), self._to_tell]
        lines = [units.sentence(f"{self._at}{self._headline}")]
        if self._candidates:
            lines += map(self._against, [*self.undecided, *self.worse])
        if self.worse and self.wanted:
            rows = {one: self.rows[one] for one in self._ordered}
            lines += reasons(rows, self.wanted[0], self.wanted)
            lines += dependence(self.wanted, self.worse)
        lines += self._tails
        return lines + ([self._to_tell] if self.undecided or self._tails else [])

    @property
    def _at(self) -> str:
        return f"at {self.place} " if self.place else ""

    @property
    def _headline(self) -> str:
        if not self._candidates:
            by = [f"{self.best(figure)} by {figure_words(figure)}" for figure in self.figures]
            return f"it depends on what counts: the best is {units.listed(by)}"
        if self.undecided:
            best = self._candidates[0]
            return f"it cannot be told which policy the workload wants; the best estimate is {best}"
        least = _MATTERS if all(self._is_alike(one, _MATTERS) for one in self.wanted) else _ALIKE
        chance = f"is beyond chance or above {units.percent(least, 1)}"
        if len(self.wanted) == len(self.rows):
            all_of_them = units.listed(self.wanted)
            return f"no difference between {all_of_them} {chance}, so any of them is enough"
        more = f"; between them no difference {chance}" if len(self.wanted) > 1 else ""
        return f"the workload wants {' or '.join(self.wanted)}{more}"

    def _against(self, policy: str) -> str:
        """By how much a policy is worse than the best one, or may be, as far as it is known."""
        best, undecided = self._candidates[0], policy in self.undecided
        figures = [*self.figures]
        if self.is_worse(policy, best, self._errors):
            figures.append(self._errors)
        words = less_to_more if undecided else more_words
        phrases = "; ".join(
            f"{figure_words(one)} is {words(self.change(best, policy, one))}" for one in figures
        )
        if undecided:
            return f"Cannot tell about {policy}: against {best} {phrases}."
        return f"Under {policy}, against {best}: {phrases}."

    @property
    def _tails(self) -> list[str]:
        """The percentile that could not be compared, and why, if the p99 is missing."""
        mean, *tails = self.figures
        before = mean.removesuffix("mean")
        if tails == [f"{before}p99"]:
            return []
        missing = [f"{before}{one}" for one in _TAILS if f"{before}{one}" not in tails]
        estimates = {one: self.rows[one]["estimates"] for one in self._ordered}
        short = [
            one for one, of in estimates.items() if any(of.get(name) is None for name in missing)
        ]
        where = "" if len(short) == len(self.rows) else f"under {units.listed(short)} "
        why = f"{where}the runs are too short for"
        if tails:
            return [f"The p90 is compared, and not the p99: {why} a p99."]
        return [f"No percentile is compared: {why} a p90 or a p99."]

    @property
    def _to_tell(self) -> str:
        """Advice for points at which no verdict is possible."""
        now = max(int(row.get("replications") or 1) for row in self.rows.values())
        wanted = max(_REPLICATIONS, 4 * now) if now > 1 else _REPLICATIONS
        return f"More replications (`--replications {wanted}`) or more requests would tell more."


_NOTHING = (
    "it cannot be told which policy the workload wants: the runs are too short to compare anything"
)


def advice(swept: SweepCurves) -> list[Advice]:
    """An advice for each point at which at least two dispatch policies were simulated."""
    varied = [axis for axis in swept.axes if is_dispatch(axis.key)]
    others = [axis for axis in swept.axes if axis not in varied]
    points: dict[str, dict[str, Row]] = {}
    for row in swept.rows:
        if not varied or row.get("untrusted") or not row.get("estimates"):
            continue
        values = (f"{swept.names[one.key]} {value_words(one, row[one.key])}" for one in others)
        place = ", ".join(values)
        policy = ", ".join(str(row[axis.key]) for axis in varied)
        points.setdefault(place, {})[policy] = row
    return [
        Advice(place, rows, _figures(list(rows.values())))
        for place, rows in points.items()
        if len(rows) > 1
    ]


def _figures(rows: Sequence[Row]) -> list[str]:
    """The mean and the highest percentile that all points have; of pages, if all have them."""

    def known(figure: str) -> bool:
        return all(row["estimates"].get(figure) is not None for row in rows)

    for before in ("page ", ""):
        if known(f"{before}mean"):
            tails = (f"{before}{tail}" for tail in _TAILS)
            return [f"{before}mean", *[one for one in tails if known(one)][:1]]
    return []


def advice_words(swept: SweepCurves) -> list[str]:
    """A paragraph for each point; empty if no dispatch policies were compared."""
    return [" ".join(one.lines) for one in advice(swept)]
