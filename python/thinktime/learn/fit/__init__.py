"""Naming the law of tallied values: think times, sizes, requests of a session.

>>> import numpy as np
>>> from thinktime.learn.fit import Tally, fit
>>> tally = Tally.from_values(np.random.default_rng(1).exponential(7, 10_000))
>>> fit(tally)[0].law
'exp'
"""

from thinktime.learn.fit.candidates import COUNTS, SIZES, TIMES
from thinktime.learn.fit.fits import Fit, fit
from thinktime.learn.fit.tail import TailFit, tail
from thinktime.learn.fit.tally import Tally
from thinktime.learn.fit.values import Values, values_of
from thinktime.learn.fit.zipf import ZipfFit, zipf

__all__ = [
    "COUNTS",
    "SIZES",
    "TIMES",
    "Fit",
    "TailFit",
    "Tally",
    "Values",
    "ZipfFit",
    "fit",
    "tail",
    "values_of",
    "zipf",
]
