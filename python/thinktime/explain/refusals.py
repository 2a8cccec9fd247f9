"""Why no model is shown."""

from __future__ import annotations

from thinktime.candidates.candidate import Candidate
from thinktime.candidates.ranking import FAR, TELLING, Score
from thinktime.candidates.visits import Visits
from thinktime.explain.choice import CROWDED, Choice, crowded
from thinktime.explain.questions import Answer, load_of
from thinktime.explain.visits import MOST
from thinktime.present import units

LOAD_MAX = 1.02
"""No server works for longer than all of the time, but for the chance in a law."""


def overfull_by(one: Candidate, rate: float) -> str | None:
    """Why a model could not have answered this many requests; None if it could."""
    load = load_of(one.system(), rate)
    if load <= LOAD_MAX:
        return None
    return (
        f"the nearest one, {one.words}, would have a load of {load:.2f}: it could not have "
        "answered as many requests a second as were measured"
    )


def contradicted_by(one: Candidate, own: Answer, mean_s: float) -> str:
    """The reason against a model that fits only the times at which requests were sent."""
    low_s, high_s = own.mean_limits_s or (0.0, 0.0)
    return (
        f"the nearest one, {one.words}, differs from the measurement under the measured workload: "
        f"its mean is {units.seconds(own.mean_s)}, in 999 of 1,000 such measurements from "
        f"{units.times_between(low_s, high_s)}, and {units.seconds(mean_s)} was measured; requests "
        "did not come as the workload says (the machine may have stalled), or the server stalled "
        "for all of them at once"
    )


def unfitting(choice: Choice, seen: Visits) -> str:
    """Why no model fits."""
    if choice.best is not None:
        near = choice.best
        if choice.too_short:
            return _too_short(near, len(seen))
        if near.near:
            return (
                f"the nearest one, {near.words}, has another mean response time: "
                f"{abs(near.mean_off):.1f} standard errors away"
            )
        off = (
            f"the nearest one, {near.words}, is {near.apart:.2f} off on the part that was held out"
        )
        if near.apart > FAR:
            return f"{off}: it does not resemble the measurement"
        return f"{off}, where {near.allowed:.2f} may be chance"
    if crowded(seen) < CROWDED:
        return (
            f"{units.percent(1 - crowded(seen))} of the requests found the server empty, so the "
            "policy and the number of servers cannot be seen: run it at a higher load"
        )
    return (
        "under every known policy the demands depend on something: the server also does other "
        "work, waits for something unseen, or changes its speed"
    )


def _too_short(near: Score, requests: int) -> str:
    """Why a near model is not shown: by chance, models of other servers would pass as well."""
    needed = rounded_up(near.needed(requests))
    enough = f"about {needed:,} would tell"
    if needed > MOST:
        enough = f"about {needed:,} would tell, but at most {MOST:,} are used"
    return (
        f"its {requests:,} requests are too few to tell: the nearest one, "
        f"{near.words}, is {near.apart:.2f} off on the part that was held out, but by "
        f"chance even the right one may be {near.allowed:.2f} off, and with more than "
        f"{TELLING:.2f} other servers would pass as well; {enough} at this load, and fewer at a "
        "lower one: run it for longer"
    )


def rounded_up(many: int) -> int:
    """A number with two digits."""
    step = 10 ** max(len(str(many)) - 2, 0)
    return int(-(-many // step) * step)
