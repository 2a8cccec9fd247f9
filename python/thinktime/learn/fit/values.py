"""Values of one kind with the laws that were fitted to them."""

from __future__ import annotations

from dataclasses import dataclass

from thinktime.learn.fit.fits import Fit, fit
from thinktime.learn.fit.tail import TailFit, tail
from thinktime.learn.fit.tally import Tally


@dataclass(frozen=True)
class Values:
    """Values of one kind, the laws that were fitted to them, and how heavy their tail is."""

    tally: Tally
    fits: list[Fit]
    """The best first; empty without values."""

    tail: TailFit | None

    @property
    def best(self) -> Fit | None:
        """The best law."""
        return self.fits[0] if self.fits else None

    @property
    def law(self) -> str | None:
        """The best law's notation."""
        return self.fits[0].notation if self.fits else None


def values_of(tally: Tally) -> Values:
    """Fit the laws and the tail of a tally."""
    if tally.total == 0:
        return Values(tally, [], None)
    return Values(tally, fit(tally), None if tally.whole else tail(tally))
