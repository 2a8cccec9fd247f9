"""Which dispatch policy a workload wants, by the points of a sweep, and why, in words.

Policies at one point are compared pair by pair by mean and tail, on the same arrivals, as
`thinktime compare` does. The intervals are widened so far that, were all policies alike, one would
be called worse than another at a point with a probability of at most 5 % (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from thinktime.comparison import Change, Estimate
from thinktime.comparison.change import change
from thinktime.comparison.estimate import LONG
from thinktime.report import units
from thinktime.sweeping.plan import is_dispatch
from thinktime.sweeping.reasons import reasons
from thinktime.sweeping.swept import Row, Swept, value_words

_FALSE_ALARM = 0.05
_MATTERS = 0.01
"""What is certain to be worse by less than this share is as good."""

_TAILS = ("p99", "p90")


@dataclass(frozen=True)
class Advice:
    """What the policies at one point come to."""

    place: str
    """Where the point lies, as in 'load 0.8'; empty where nothing but the policy varies."""

    rows: Mapping[str, Row]
    """The point of each policy that is compared."""

    figures: Sequence[str]
    """What they are compared by, as in 'mean' and 'p99', or 'page mean' and 'page p99'."""

    @cached_property
    def wanted(self) -> list[str]:
        """The policies that nothing shows to be worse than another."""
        left = self._unbeaten(self._errors, list(self.rows))
        unbeaten = [set(self._unbeaten(figure, left)) for figure in self.figures]
        return [one for one in left if all(one in some for some in unbeaten)]

    @property
    def _errors(self) -> str:
        return "page errors" if self.figures[0].startswith("page") else "errors"

    def best(self, figure: str) -> str:
        """The policy with the smallest value, of those that do not fail more than others."""
        left = self._unbeaten(self._errors, list(self.rows))
        return min(left, key=lambda one: self._estimate(one, figure).value)

    def _unbeaten(self, figure: str, policies: Sequence[str]) -> list[str]:
        """Those that are not worse than the one with the smallest value, beyond chance."""
        least = min(policies, key=lambda one: self._estimate(one, figure).value)
        return [one for one in policies if one == least or not self.is_worse(one, least, figure)]

    def is_worse(self, one: str, other: str, figure: str) -> bool:
        """Whether a policy's figure is larger than another's, beyond chance, and by enough."""
        found = self.change(other, one, figure)
        enough = found.ratio_high is None or found.ratio_high > _MATTERS
        return found.low > 0 and enough

    def change(self, before: str, after: str, figure: str) -> Change:
        """By how much the second policy's figure is above the first one's."""
        one, other = (self._estimate(policy, figure) for policy in (before, after))
        name = figure.removeprefix("page ")
        return change(name, one, other, paired=True)

    def _estimate(self, policy: str, figure: str) -> Estimate:
        """With an interval that is wide enough for all comparisons together."""
        from scipy.special import stdtrit

        pairs = len(self.rows) * (len(self.rows) - 1) // 2 * (len(self.figures) + 1)
        # Of sections that depend on one another the long ones make the interval.
        single, all_of_them = (
            float(stdtrit(LONG - 1, 1 - _FALSE_ALARM / 2 / tests)) for tests in (1, pairs)
        )
        kept = self.rows[policy]["estimates"][figure]
        value, wider = kept["value"], all_of_them / single
        low, high = (value + (kept[end] - value) * wider for end in ("low", "high"))
        return Estimate(value, low, high, kept["sections"])

    @property
    def lines(self) -> list[str]:
        """What the workload wants here, by how much, and why: sentences that stand alone."""
        lines = [units.sentence(self._headline)]
        if self.wanted and len(self.wanted) < len(self.rows):
            lines += [self._against(one) for one in self.rows if one not in self.wanted]
            lines += reasons(self.rows, self.wanted[0], self.wanted)
        return lines

    @property
    def _headline(self) -> str:
        at = f"at {self.place} " if self.place else ""
        if len(self.wanted) == len(self.rows):
            all_of_them = units.listed(list(self.rows))
            return f"{at}no difference between {all_of_them} is beyond chance{self._same}"
        if not self.wanted:
            by = [f"{self.best(figure)} by {figure_words(figure)}" for figure in self.figures]
            return f"{at}it depends on what counts: the best is {units.listed(by)}"
        more = ""
        if len(self.wanted) > 1:
            more = "; between them no difference is beyond chance"
        wants = " or ".join(self.wanted)
        return f"{at}the workload wants {wants}{more}"

    @property
    def _same(self) -> str:
        """How far apart they are at most, where that is known to be little."""
        changes = [
            self.change(one, other, self.figures[0])
            for one in self.rows
            for other in self.rows
            if one != other
        ]
        if any(one.ratio_high is None or one.ratio_high > _MATTERS for one in changes):
            return ""
        return f" or above {units.percent(_MATTERS, 1)}, so that any of them will do"

    def _against(self, policy: str) -> str:
        """By how much a policy is worse than the best one, as far as it is."""
        best = self.wanted[0]
        figures = [*self.figures]
        if self.is_worse(policy, best, self._errors):
            figures.append(self._errors)
        parts = [
            f"{figure_words(one)} is {_more(self.change(best, policy, one))}" for one in figures
        ]
        return f"Under {policy}, against {best}: {'; '.join(parts)}."


def figure_words(figure: str) -> str:
    """A figure as the subject of a sentence: 'the mean page response time'."""
    name = figure.removeprefix("page ")
    pages = figure != name
    if name == "errors":
        return "the share of failed pages" if pages else "the share of errors"
    return f"the {name} {'page ' if pages else ''}response time"


def _more(found: Change) -> str:
    """As in '12 to 19 % more', or that there is no difference."""
    low, high = found.ratio_low, found.ratio_high
    if not found.significant:
        return "not different beyond chance"
    word = "more" if found.low > 0 else "less"
    if low is None or high is None:
        return word
    low, high = (low, high) if found.low > 0 else (-high, -low)
    return f"{units.numbers_between(100 * low, 100 * high)} % {word}"


def advice(swept: Swept) -> list[Advice]:
    """An advice for each point at which two dispatch policies or more were simulated."""
    varied = [axis for axis in swept.axes if is_dispatch(axis.key)]
    others = [axis for axis in swept.axes if axis not in varied]
    points: dict[str, dict[str, Row]] = {}
    for row in swept.rows:
        if not varied or row.get("untrusted") or not row.get("estimates"):
            continue
        place = ", ".join(f"{one.key} {value_words(one, row[one.key], keyed=False)}"
                          for one in others)  # fmt: skip
        policy = ", ".join(str(row[axis.key]) for axis in varied)
        points.setdefault(place, {})[policy] = row
    found = [
        Advice(place, rows, _figures(list(rows.values())))
        for place, rows in points.items()
        if len(rows) > 1
    ]
    return [one for one in found if one.figures]


def _figures(rows: Sequence[Row]) -> list[str]:
    """The mean and the highest percentile that all points tell; of pages, where all have them."""

    def known(figure: str) -> bool:
        return all(row["estimates"].get(figure) is not None for row in rows)

    for before in ("page ", ""):
        if known(f"{before}mean"):
            tails = (f"{before}{tail}" for tail in _TAILS)
            return [f"{before}mean", *[one for one in tails if known(one)][:1]]
    return []


def advice_words(swept: Swept) -> list[str]:
    """A paragraph for each point; empty where no dispatch policies were compared."""
    return [" ".join(one.lines) for one in advice(swept)]
