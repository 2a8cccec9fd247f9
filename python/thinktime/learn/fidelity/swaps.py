"""The causes of a difference, by experiment: one ingredient after another becomes the log's.

The learned requests become the log's in steps. The effect of a step on a figure is the share of its
ingredient in the difference; the sum of all steps is the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from thinktime.learn.fidelity.stream import FloatArray, IntArray, Stream, dealt_by_kind
from thinktime.learn.fidelity.systems import SIZES, Caches

STEPS_S = {"swing": 600.0, "minutes": 60.0, "bursts": 10.0, "rushes": 1.0}
"""By ingredient: the log's number of requests in each interval of this length."""

QUEUE = ("number", *STEPS_S, "instants", "work_law", "work_mix", "work_order")
CACHE = ("popularity", "sizes", "order")

Levels = dict[str, float]
Figures = Callable[[Stream], Levels]
"""Positive figures of a stretch by name."""


def queue_shares(
    log: Stream, learned: Stream, figures: Figures, seed: int, own_work: bool
) -> dict[str, dict[str, float]]:
    """The effect of each ingredient of `QUEUE` on each figure, as differences of its logarithm.

    They sum to the figure's logarithm for the log less that for the learned requests. With
    `own_work` the learned demands are the workload's own, and not the log's, kind by kind.
    """
    draw = np.random.default_rng(seed)
    stages = [learned]
    place = np.arange(len(learned))
    for width in (log.length_s, *STEPS_S.values()):
        place, times = warped(learned.arrival_s, log.arrival_s, width, log.length_s)
        stages.append(_at(learned, times, place))
    timed = _at(learned, log.arrival_s, place)
    by_law = timed
    if own_work:
        by_law = timed.with_demands(dealt_by_kind(timed.kind, log, draw))
    stages += [timed, by_law]
    # In no order, so that only the amount of work and its variation make a difference.
    stages += [by_law.with_demands(draw.permutation(one.demand_s)) for one in (by_law, log)]
    levels = [figures(stage) for stage in [*stages, log]]
    return {name: _steps([_log(one[name]) for one in levels]) for name in levels[0]}


def _steps(levels: list[float]) -> dict[str, float]:
    """The ingredients' parts, of the stages' levels: the last three are mixed, mixed, the log."""
    *ordered, own, mixed, log = levels
    found = dict(zip(QUEUE, np.diff(ordered).tolist(), strict=False))
    found["work_mix"] = mixed - own
    found["work_order"] = log - ordered[-1] - found["work_mix"]
    return found


def cache_shares(
    log: Stream, learned: Stream, caches: Caches, seed: int
) -> dict[str, dict[str, float]]:
    """The effect of each ingredient of `CACHE` on the hit ratio of each cache.

    They sum to the log's ratio less the learned one's.
    """
    draw = np.random.default_rng(seed)
    whole = [np.asarray(caches.hit_ratios(one.target, one.bytes)) for one in (log, learned)]
    mixed = [draw.permutation(len(one)) for one in (log, learned)]
    of_log, of_learned = (
        np.asarray(caches.hit_ratios(one.target[order], one.bytes[order]))
        for one, order in zip((log, learned), mixed, strict=True)
    )
    ranked = np.asarray(
        caches.hit_ratios(learned.target[mixed[1]], by_rank(learned, log)[mixed[1]])
    )
    parts = zip(of_log - ranked, ranked - of_learned,
                (whole[0] - of_log) - (whole[1] - of_learned), strict=True)  # fmt: skip
    return {
        size: dict(zip(CACHE, map(float, part), strict=True))
        for size, part in zip(SIZES, parts, strict=True)
    }


def by_rank(learned: Stream, log: Stream) -> IntArray:
    """For each learned request the size of the log's target of the same rank."""
    ranks = []
    for one in (learned, log):
        _, first, numbers, counts = np.unique(
            one.target, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(-counts, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        ranks.append((rank[numbers], one.bytes[first][order]))
    sizes = ranks[1][1]
    if not len(sizes):
        return learned.bytes
    return sizes[np.minimum(ranks[0][0], len(sizes) - 1)]


def warped(
    own: FloatArray, like: FloatArray, width_s: float, length_s: float
) -> tuple[IntArray, FloatArray]:
    """Times with as many in each interval as `like` has, spread within it as those of `own`.

    Gives for each its place in `own`, and its time.
    """
    if not len(own):
        return np.zeros(0, np.int64), np.empty(0)
    edges = np.append(np.arange(0, length_s, width_s), length_s)
    bins = len(edges) - 1
    upto = np.searchsorted(own, edges)
    upto[-1] = len(own)
    box = np.clip((like / width_s).astype(np.int64), 0, bins - 1)
    first = np.searchsorted(box, np.arange(bins))
    count = np.bincount(box, minlength=bins)[box]
    share = (np.arange(len(like)) - first[box] + 0.5) / count
    have = np.diff(upto)[box]
    place = upto[box] + share * have
    # Half an index before the first and after the last time is the end of the stretch.
    times = np.interp(
        place, np.arange(len(own) + 2) - 0.5, np.concatenate([[0.0], own, [length_s]])
    )
    times = np.where(have > 0, times, edges[box] + share * (edges[box + 1] - edges[box]))
    times = np.clip(times, edges[box], np.nextafter(edges[box + 1], 0))
    which = np.clip(place.astype(np.int64), 0, len(own) - 1)
    return which, np.maximum.accumulate(times)


def _at(learned: Stream, times: FloatArray, place: IntArray) -> Stream:
    """These of the learned requests, at these times."""
    return replace(
        learned, arrival_s=times, kind=learned.kind[place], demand_s=learned.demand_s[place],
        target=learned.target[place], bytes=learned.bytes[place], begins=learned.begins[place],
    )  # fmt: skip


def _log(value: float) -> float:
    return float(np.log(max(value, 1e-12)))
