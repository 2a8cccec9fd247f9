"""The search for the largest value that meets the objectives: it proposes probes and reads them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from thinktime.capacity_search.probe import Probe

if TYPE_CHECKING:
    from thinktime.capacity_search.margin_line import MarginLine

_SURE = 3.0
"""A probe is certain to pass or fail if its margin is this many standard errors from 0."""

_SHORT_MAX = 5
"""The search ends after this many probes near the limit that met the objectives, all too short."""

_NEAR_MIN = 10
"""From this many probes near the crossing on, the search foresees its precision."""

_FAR = 3.0
"""It ends if its interval would still be this many times too wide in the end."""

PROBES_MAX = 30
_DOUBLINGS_MAX = 20
_HALVINGS_MAX = 10
_PLACES = 41
_NEAR = 0.5
"""No probe is made if the line puts the margin further from 0."""


@dataclass(frozen=True)
class Estimate:
    """The crossing as far as it is known."""

    value: float
    low: float
    high: float
    """The ends of the 95 % confidence interval; infinite if no value is known to fail."""


@dataclass
class Search:
    """A stochastic root search over `probe(value)`.

    It brackets the crossing by doubling or halving. Then it fits a line to the margins, weighs each
    by its information on the root, and proposes the probe after which the root would be known best.
    If no line fits, as at a cliff, it bisects.
    """

    start: float
    precision: float = 0.05
    """The wanted half-width of the interval, as a share of the value."""

    ceiling: float = math.inf
    """A value known to fail without a probe."""

    whole: bool = False
    """Whether only whole values make sense."""

    probes_max: int = PROBES_MAX
    probes: list[Probe] = field(default_factory=list)

    def run(self, probe: Callable[[float], Probe], on_probe: Callable[[Probe], None]) -> None:
        """Probe until the crossing is known; `on_probe` receives each probe."""
        while (value := self.next()) is not None:
            self.probes.append(probe(value))
            on_probe(self.probes[-1])

    def next(self) -> float | None:
        """The value of the next probe; None when enough is known or no probe can add to it."""
        if len(self.probes) >= self.probes_max or self.too_short or self.out_of_reach:
            return None
        value = self._outwards() if not self.bracketed else self._inwards()
        if value is None or not self.whole:
            return value
        return float(max(1, round(value)))

    @property
    def bracketed(self) -> bool:
        """Whether a value that passes and a higher one that fails are known."""
        passes = [probe.value for probe in self.probes if probe.passed]
        return bool(passes) and (len(passes) < len(self.probes) or 2 * max(passes) >= self.ceiling)

    @property
    def telling(self) -> list[Probe]:
        """The probes that say something of the server.

        If one failed while the generator was on time, failures with a late generator are left out:
        they may be the generator's, and the server's own are known from elsewhere.
        """
        clean = [probe for probe in self.probes if not probe.generator]
        return self.probes if all(probe.passed for probe in clean) else clean

    @property
    def nothing_passed(self) -> bool:
        """Whether nothing passed, however low the value was."""
        return bool(self.probes) and not any(probe.passed for probe in self.probes)

    @property
    def too_short(self) -> bool:
        """Whether the probes are too short to tell which values surely pass, and no line does."""
        if not self.bracketed or self.estimate().low > 0:
            return False
        fails = [one.value for one in self.probes if not one.passed]
        near = min([*fails, self.ceiling]) / 2  # where a probe has about as many requests as any
        short = [one.short for one in self.probes if one.passed and one.value >= near]
        return len(short) >= _SHORT_MAX and all(short)

    @property
    def out_of_reach(self) -> bool:
        """Whether all probes that are left would not give the precision, by far.

        The width of a line's interval falls as the square root of the number of probes near the
        crossing.
        """
        if not self.bracketed or self._fit_within(*self._bracket()) is None:
            return False
        found = self.estimate()
        near = sum(found.low / 2 <= probe.value <= 2 * found.high for probe in self.probes)
        left = self.probes_max - len(self.probes)
        half = (found.high - found.low) / 2 * math.sqrt(near / max(near + left, 1))
        return found.low > 0 and near >= _NEAR_MIN and half > _FAR * self.precision * found.value

    @property
    def done(self) -> bool:
        """Whether the crossing is known to the precision."""
        if not self.bracketed:
            return False
        found = self.estimate()
        if self.whole and math.floor(found.high) - math.floor(found.low) <= 1:
            return True
        return (found.high - found.low) / 2 <= self.precision * found.value

    def estimate(self) -> Estimate:
        """The crossing as far as it is known: by the line, within the bracket."""
        low, high = self._bracket()
        fit = self._fit_within(low, high)
        if fit is None:
            return Estimate(low, low, high)
        low, high = max(low, fit.low), min(high, fit.high)
        return Estimate(min(max(fit.root, low), high), low, high)

    def _outwards(self) -> float | None:
        if not self.probes:
            return self.start if self.start < self.ceiling else self.ceiling / 2
        values = [probe.value for probe in self.probes]
        if self.probes[-1].passed:
            end = self.start * 2**_DOUBLINGS_MAX
            return 2 * max(values) if max(values) < end else None
        lowest = min(values)
        if lowest <= self.start / 2**_HALVINGS_MAX or (self.whole and lowest <= 1):
            return None
        return None if self._level() else lowest / 2

    def _level(self) -> bool:
        """Whether the last halvings did not lower the margin, so that further ones will not."""
        if len(self.probes) < 5:
            return False
        before, last = self.probes[-3], self.probes[-1]
        if before.margin is None or last.margin is None or not _sure(last):
            return False
        noise = 2 * math.hypot(before.error, last.error)
        return before.margin - last.margin < max(noise, 0.02 * last.margin)

    def _inwards(self) -> float | None:
        if self.done:
            return None
        low, high = self._bracket()
        if not math.isfinite(high):
            high = 2 * max(probe.value for probe in self.probes)
        if low <= 0:
            lowest = min(self.probes, key=lambda probe: probe.value)
            # With still fewer requests, a lower one could not be certain to pass either.
            low = lowest.value if lowest.passed and lowest.short else lowest.value / 2
        fit = self._fit_within(low, high)
        if fit is None or (fit.low <= low and fit.high >= high):
            return self._between(low, high)
        return self._most_telling(fit, low, high)

    def _between(self, low: float, high: float) -> float:
        """The middle of the widest gap that probes have left in the bracket."""
        inside = sorted(probe.value for probe in self.probes if low < probe.value < high)
        gaps = pairwise([low, *inside, high])
        below, above = max(gaps, key=lambda gap: gap[1] / gap[0])
        middle = math.sqrt(below * above)
        if self.whole:
            return min(max(round(middle), math.floor(low) + 1), max(math.ceil(high) - 1, 1))
        return middle

    def _most_telling(self, fit: MarginLine, low: float, high: float) -> float:
        """The value within the bracket after which the root would be known best."""
        nearest = min(self.telling, key=lambda probe: abs(probe.value - fit.root))
        error = max(nearest.error, 1e-3)
        inner = [low + (high - low) * n / (_PLACES + 1) for n in range(1, _PLACES + 1)]
        near = [at for at in inner if abs(fit.slope * (at - fit.root)) <= _NEAR]
        places = [*near, min(max(fit.root, low), high)]
        return min(places, key=lambda at: fit.variance_after(at, error))

    def _fit_within(self, low: float, high: float) -> MarginLine | None:
        """The line, if it does not contradict the bracket."""
        from thinktime.capacity_search.margin_line import crossing_of

        fit = crossing_of(self.telling)
        return fit if fit is not None and low < fit.high and fit.low < high else None

    def _bracket(self) -> tuple[float, float]:
        """The highest value that surely passes, below the lowest that surely fails."""
        fails = [probe.value for probe in self.telling if not probe.passed and _sure(probe)]
        high = min([*fails, self.ceiling])
        passes = [
            probe.value
            for probe in self.probes
            if probe.passed and _sure(probe) and not probe.short
        ]
        return max([value for value in passes if value < high], default=0.0), high


def _sure(probe: Probe) -> bool:
    return probe.margin is None or probe.stopped or abs(probe.margin) > _SURE * probe.error
