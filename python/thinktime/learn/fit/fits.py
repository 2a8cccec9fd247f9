"""Fitting families of laws to a tally, and the results.

Sources: Schwarz, 'Estimating the dimension of a model' (Annals of Statistics 6, 1978), for BIC;
Miller and Dunson, 'Robust Bayesian inference via coarsening' (Journal of the American Statistical
Association 114, 2019), for the limit on the number of values that count in the choice between laws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from thinktime._core import Distribution, InputError
from thinktime.learn.fit.candidates import COUNTS, FAMILIES, SIZES, TIMES
from thinktime.learn.fit.family import Family, FloatArray, Parameters, weighted, written
from thinktime.learn.fit.observations import Observations
from thinktime.learn.fit.search import CoarseFit, estimate, roughly
from thinktime.learn.fit.tally import Tally
from thinktime.present import units

DECISIVE = 20_000
"""In the choice of a law at most this many values count. Distinctions that need more make no
difference to a workload, and no real law is simple to the last digit."""

CLOSE = 0.03
"""A law that differs nowhere by more than this share of the values is plausible, however many there
are."""

FAR_BEHIND = 0.1
"""A law is not refined if its BIC a value is worse by more than this in a first search, on joined
bins: refining brings hundredths at most. Its parameters and errors are those of the first
search."""

FEW = 50


_ROUNDING = 1e-9
"""A smaller distance is one of rounding, and shown as none."""


@dataclass(frozen=True)
class Fit:
    """A law with its most likely parameters."""

    law: str
    """The name of its family: ``exp``, ``lognormal+pareto``."""

    notation: str
    """The whole law in Thinktime's notation: ``exp(7.01s)``."""

    parameters: dict[str, float]
    """The parameters by name, in base units."""

    standard_errors: dict[str, float]
    """The standard errors by name; infinite if the data do not determine it, 0 if a whole number
    was chosen."""

    log_likelihood: float
    """The natural logarithm of the probability of the bins' values."""

    bic: float
    """k ln n - 2 ln L for k parameters and n values: less is better."""

    ks: float
    """The largest difference between the law's distribution function and the values'."""

    mean: float
    """E[X] of the whole law, beyond the limit too; infinite if it does not exist."""

    plausible: bool
    """Whether ``ks`` is within chance at 1 %, or below ``CLOSE``."""

    note: str = ""
    """Remarks on oddities of the values or the fit; empty without any."""

    zero_share: float = 0.0
    """The share of exact zeros. They are set apart, and the notation mixes them in."""

    family: Family = field(repr=False, compare=False, kw_only=True)
    whole: bool = field(default=False, repr=False, compare=False, kw_only=True)

    @cached_property
    def median(self) -> float:
        """The median of the whole law; most laws are not asked for it."""
        return self.quantile(0.5) if self.mean else 0.0

    def cdf(self, x: ArrayLike) -> FloatArray:
        """P(X <= x) of the whole law, without rounding of stamps and without the limit."""
        at = np.atleast_1d(np.asarray(x, dtype=np.float64))
        if self.whole:
            at = np.where(at < 1, -1.0, np.floor(at) + 0.5)
        with np.errstate(all="ignore"):
            found = np.where(at < 0, 0.0, self.family.cdf(at, list(self.parameters.values())))
        share = self.zero_share
        return np.asarray(np.where(at < 0, 0.0, share + (1 - share) * found), dtype=np.float64)

    def quantile(self, u: float) -> float:
        """The least x with P(X <= x) >= u, 0 < u < 1. Raises ValueError outside."""
        if not 0 < u < 1:
            raise ValueError(f"u is a fraction, above 0 and below 1; it is {u}")
        return _quantile(
            self.family, list(self.parameters.values()), u, self.zero_share, self.whole
        )


def fit(tally: Tally, candidates: Sequence[str] | None = None) -> list[Fit]:
    """Fit each candidate law by maximum likelihood, and put the best first.

    Candidates are names out of `TIMES`, `SIZES` and `COUNTS`; by default the list that goes with
    the tally: `COUNTS` for whole numbers, `SIZES` for bytes, `TIMES` for others. The likelihood is
    that of the bins as observed: with rounded stamps, and given that values are up to the limit.
    The order is that of BIC with the likelihood a value as found, and at most `DECISIVE` values.

    The list is empty if there are no values, and lacks laws that the values rule out. Raises
    ValueError if a candidate is unknown or is a law of whole numbers for values that are not.
    """
    families = _chosen(tally, candidates)
    if tally.total == 0:
        return []
    if np.all(tally.zero):
        return [_all_zero(tally)]
    seen = Observations(tally)
    fits = _all_fitted(families, seen)
    if not fits:  # for example one value apart from the rest
        fits = _all_fitted([FAMILIES[name] for name in ("lognormal", "uniform")], seen)
    return sorted(fits, key=lambda one: _coarsened(one.family, one.log_likelihood, seen.total))


def _all_fitted(families: Sequence[Family], seen: Observations) -> list[Fit]:
    """The laws of all families; those far behind in a first search keep its results."""
    with np.errstate(all="ignore"):
        rough = [found for family in families if (found := roughly(family, seen)) is not None]
    costs = [
        _coarsened(one.problem.family, one.log_likelihood * seen.total, seen.total) for one in rough
    ]
    behind = min(costs, default=0.0) + FAR_BEHIND * (1 + DECISIVE / seen.total / 100)
    fits = [_fitted(one, cost <= behind) for one, cost in zip(rough, costs, strict=True)]
    return [one for one in fits if one is not None]


def _chosen(tally: Tally, candidates: Sequence[str] | None) -> list[Family]:
    if candidates is None:
        candidates = COUNTS if tally.whole else SIZES if tally.unit == "B" else TIMES
    unknown = [name for name in candidates if name not in FAMILIES]
    if unknown:
        raise ValueError(f"no law is called {unknown[0]!r}: take {', '.join(FAMILIES)}")
    families = [FAMILIES[name] for name in candidates]
    for family in families:
        if family.whole_only and not tally.whole:
            raise ValueError(f"{family.name!r} is a law of whole numbers, the values are not")
    return families


def _coarsened(family: Family, log_likelihood: float, total: float) -> float:
    """BIC a value, with the number of values limited."""
    count = max(min(total, DECISIVE), 2)
    return family.free * math.log(count) / count - 2 * log_likelihood / total


def _fitted(rough: CoarseFit, worth: bool) -> Fit | None:
    """The best law of a family, or None if none comes near."""
    family, seen = rough.problem.family, rough.problem.seen
    with np.errstate(all="ignore"):
        p, errors = estimate(rough, worth)
        if not all(map(math.isfinite, p)):
            return None
        impossible = seen.impossible(family, p)
        likelihood, ks = seen.log_likelihood(family, p), seen.distance(family, p)
    if impossible > 0.01 or not math.isfinite(likelihood) or not math.isfinite(ks):
        return None
    whole, share = seen.tally.whole, seen.zeros / (seen.zeros + seen.total)
    notation = _notation(family, p, share, seen.tally.unit)
    if notation is None:
        return None
    names = family.parameters
    return Fit(
        law=family.name,
        notation=notation,
        parameters=dict(zip(names, map(float, p), strict=True)),
        standard_errors=dict(zip(names, map(float, errors), strict=True)),
        log_likelihood=likelihood,
        bic=family.free * math.log(seen.total) - 2 * likelihood,
        ks=ks if ks > _ROUNDING else 0.0,
        mean=(1 - share) * (whole_mean(family, p) if whole else family.mean(p)),
        plausible=ks <= max(CLOSE, 1.63 / math.sqrt(seen.total)),
        note=_note(seen, share, impossible),
        zero_share=share,
        family=family,
        whole=whole,
    )


def _notation(family: Family, p: Parameters, share: float, unit: str) -> str | None:
    """The law in Thinktime's notation; None if it has none, as with bounds alike to six digits."""
    notation = family.notation(p, unit)
    if 1e-9 <= share <= 1 - 1e-9:
        notation = weighted([(share, f"const({written(0.0, unit)})"), (1 - share, notation)])
    try:
        Distribution(notation)
    except InputError:
        return None
    return notation


def _note(seen: Observations, share: float, impossible: float) -> str:
    notes = []
    if len(seen.count) == 1:
        notes.append("all values are the same")
    if seen.total < FEW:
        notes.append(f"fewer than {FEW} values: no law can be told from another")
    if share > 0:
        notes.append(f"{units.percent(share)} of the values are 0, and were set apart")
    if impossible > 0:
        notes.append(f"the law rules out {units.percent(impossible)} of the values")
    return "; ".join(notes)


def whole_mean(family: Family, p: Parameters) -> float:
    """E[max(1, round X)], the mean of the requests of a session: Σ P(N > n) over n >= 0.

    Up to 1000 one by one; beyond, P(X > n + 1/2) is the mean of P(X > x) over n to n + 1.
    """
    mean = family.mean(p)
    if not math.isfinite(mean):
        return mean
    with np.errstate(all="ignore"):
        near = float(family.sf(np.arange(1.5, 1000.0), p).sum())
        upto = float(family.clipped_mean(np.array([1000.0]), p)[0])
    return 1 + near + max(mean - upto, 0.0)


def _quantile(family: Family, p: Parameters, u: float, zeros: float, whole: bool) -> float:
    if u <= zeros:
        return 0.0
    found = family.quantile(min((u - zeros) / (1 - zeros), 1 - 1e-16), p)
    return max(1.0, math.floor(found + 0.5)) if whole else found


def _all_zero(tally: Tally) -> Fit:
    """The law of values that are all 0."""
    family = FAMILIES["const"]
    return Fit(
        law="const",
        notation=f"const({written(0.0, tally.unit)})",
        parameters={"value": 0.0},
        standard_errors={"value": 0.0},
        log_likelihood=0.0,
        bic=math.log(tally.total),
        ks=0.0,
        mean=0.0,
        plausible=True,
        note="all values are 0",
        family=family,
    )
