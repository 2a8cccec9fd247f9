"""The laws that are tried. A family of laws is one class and one line here."""

from __future__ import annotations

from thinktime.learn.fit.count_laws import Geometric, Poisson
from thinktime.learn.fit.exponential import Exponential, Hyperexponential
from thinktime.learn.fit.family import Family
from thinktime.learn.fit.gamma import Erlang, Gamma
from thinktime.learn.fit.inverse_gaussian import InverseGaussian
from thinktime.learn.fit.lognormal import Lognormal
from thinktime.learn.fit.mix import CutLognormalPareto, ExponentialLognormal, LognormalPareto
from thinktime.learn.fit.pareto import BoundedPareto, Pareto
from thinktime.learn.fit.uniform import Constant, Uniform
from thinktime.learn.fit.weibull import Weibull

_FAMILIES: list[Family] = [
    Constant(),
    Exponential(),
    Geometric(),
    Poisson(),
    Erlang(),
    Uniform(),
    Pareto(),
    Lognormal(),
    Weibull(),
    Gamma(),
    Hyperexponential(),
    InverseGaussian(),
    BoundedPareto(),
    ExponentialLognormal(),
    LognormalPareto(),
    CutLognormalPareto(),
]

FAMILIES: dict[str, Family] = {family.name: family for family in _FAMILIES}
"""All families by name."""

_SIMPLE = (
    "const", "exp", "erlang", "uniform", "pareto", "lognormal", "weibull", "gamma", "h2",
    "inverse_gaussian", "bounded_pareto",
)  # fmt: skip

TIMES: tuple[str, ...] = (*_SIMPLE, "exp+lognormal")
"""Families for think times, times between arrivals, and durations."""

SIZES: tuple[str, ...] = (*_SIMPLE, "lognormal+pareto", "cut lognormal+pareto")
"""Families for sizes."""

COUNTS: tuple[str, ...] = (
    "const", "geometric", "poisson", "exp", "uniform", "pareto", "lognormal", "weibull", "gamma",
    "inverse_gaussian",
)  # fmt: skip
"""Families for whole numbers from 1 on."""
