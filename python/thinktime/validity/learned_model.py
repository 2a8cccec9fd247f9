"""`learned model`: whether a server that was learned from a log is known at this rate.

For simulations of such servers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.results.finding import FINE, SPOILT, Finding
from thinktime.results.learned_server import doubt_of, words_of

if TYPE_CHECKING:
    from thinktime.validity.evidence import Evidence

NAME = "learned model"

_ADVICE = (
    "learn it from a log of a busier or longer time, or with stamps finer than a second, measure "
    "it (`run`, then `explain`), or, if you know that the model is right, write `confirmed = true` "
    "in its table [learned]"
)


def check(seen: Evidence) -> Finding | None:
    """Whether all models that explain the log agree at the rate of requests of this result."""
    words = words_of(seen.system)
    if seen.kind != "simulate" or not words:
        return None
    doubt = doubt_of(seen)
    return Finding(NAME, FINE, words) if doubt is None else Finding(NAME, SPOILT, doubt, _ADVICE)
