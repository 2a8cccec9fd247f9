"""The results of a closed test at the same throughput, beside the measurement.

Such a test misleads people: its clients wait for answers, so they send less the longer the answers
take, and few of them see a long queue. If the measurement was itself a closed test, the result of
an open one stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.explain.questions import Answer

CLOSED = "the same load, closed, {} clients"
OPEN = "the same load, open"

NEAR = 0.05
"""A throughput that is further off is another one."""


def closed_test(
    answers: Sequence[Answer],
    clients: int,
    measured: tuple[float, float, float],
    *,
    is_closed: bool,
) -> str:
    """A sentence, or why none is possible.

    Args:
        answers: The model's answers; none without a model.
        clients: The clients of the closed test.
        measured: The mean and the p99 of the response times in seconds, and requests a second.
        is_closed: Whether that was measured with a closed workload.
    """
    mean_s, p99_s, rate = measured
    kind = "open test" if is_closed else f"closed test with {clients} clients"
    question = OPEN if is_closed else CLOSED.format(clients)
    one = next((one for one in answers if one.question == question), None)
    cannot = f"what {_a(kind)} at the same throughput would have shown cannot be said"
    if one is None:
        return f"{cannot}: no model fits"
    if one.mean_s is None or one.p99_s is None or one.throughput is None:
        return f"{cannot}: {one.refused}"
    if abs(one.throughput - rate) > NEAR * rate:
        return f"{cannot}: its throughput would have been {units.rate(one.throughput)}"
    shown = (
        f"{_a(kind)} at the same throughput would have shown a mean of "
        f"{units.seconds(one.mean_s)} and a p99 of {units.seconds(one.p99_s)}, where "
        f"{units.seconds(mean_s)} and {units.seconds(p99_s)} were measured"
    )
    return f"{shown}: {_meaning(one, mean_s, is_closed)}"


def _meaning(one: Answer, mean_s: float, is_closed: bool) -> str:
    low, high = one.mean_within_s or (0.0, 0.0)
    if low <= mean_s <= high:
        return "no further apart than chance explains"
    if is_closed:
        return "the measured number is the misleading one"
    return "the misleading number"


def _a(kind: str) -> str:
    return f"{'an' if kind.startswith('o') else 'a'} {kind}"
