"""The pace of a loop: its interval, its number of clients, and its dependence on answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thinktime.learn.populations import agents
from thinktime.learn.populations.echo import Echo, echo
from thinktime.learn.populations.evidence import Evidence
from thinktime.learn.populations.population import LIKELY, SURE, UNSURE
from thinktime.learn.populations.streams import COARSE_S, Flags, Floats, Ints, Streams
from thinktime.present import units

BUSY = 0.7
"""Without think time answers take nearly all of a client's time."""

ONE = 1.2
"""With more requests in progress at a time, one does not follow from the other."""

HELD = 0.5
"""If work in progress varies less than this, and less than the number of requests by this factor,
it is that of a fixed number of clients without think time."""

SURELY_HELD = 0.2
"""The factor if nothing else explains it: clients that think a little are excluded."""

LONG_S = 120.0
"""Longer times are written in minutes and hours."""

ROUND_S = 0.1
"""People set programs to multiples of this."""

FINE_S = 1e-6
"""Stamps have no more digits than this gives them."""


@dataclass(frozen=True)
class Pace:
    """The known facts of a loop's pace."""

    even: bool
    """Whether requests come by the clock, whatever the answers do: not closed."""

    interval_s: float | None
    think: str
    clients: int
    confidence: str
    reason: str
    would_change: str


def of(seen: Evidence, rows: Ints) -> Pace:
    """The pace of these rows, in a stream for each user or each path."""
    streams, _ = seen.by_user(rows)
    single = _single(seen, streams)
    if not single:
        return _many_hands(seen, streams)
    weight = streams.counts
    low, gap, high = (_middle(one, weight) for one in streams.usual_gaps)
    think_low, think, think_high = (_middle(one, weight) for one in streams.usual_thinks)
    always = BUSY < float(np.average(busy(streams), weights=weight)) < ONE
    if always and think_high < max(0.05 * gap, 2.5 * seen.resolution_s):
        return _none(seen, streams, gap)
    if held(streams).any():
        return _many_hands(seen, streams)
    even, confidence, why = _even(seen, streams, high - low, think_high - think_low, gap)
    interval = gap if even else think
    alike = "fixed" if think_high < 1.3 * think_low + 2 * seen.resolution_s else "near-fixed"
    clients = _clients(streams, gap)
    many = "1 client asks" if clients == 1 else f"{clients} clients ask"
    after = "after the request before" if even else "after the answer"
    return Pace(
        *(even, interval, alike, clients, confidence),
        f"{many} again {seconds(interval)} {after} (nine of ten "
        f"{_within(*((low, high) if even else (think_low, think_high)))}), "
        f"{len(rows):,} times: {why}",
        _wanted(seen)
        if confidence == UNSURE
        else "gaps that do not follow the answers"
        if not even
        else "gaps that grow with the time that answers take",
    )


def _within(low: float, high: float) -> str:
    """Where nine of ten times lie."""
    least, most = seconds(low), seconds(high)
    return "alike" if least == most else f"between {least} and {most}"


def _wanted(seen: Evidence) -> str:
    """The content of the log that would distinguish a clock from a loop."""
    finer = "stamps of more digits" if seen.resolution_s > FINE_S else "answers that take longer"
    return finer if seen.duration is not None else f"durations in the log, or {finer}"


def _single(seen: Evidence, streams: Streams) -> bool:
    """Whether streams have one client each: then most gaps are not far from their median."""
    low, middle, high = streams.usual_thinks
    step = seen.resolution_s
    alike = _alike(low, high, step) & (middle >= 4 * step)
    short, usual, long = streams.usual_gaps
    alike |= _alike(short, long, step) & (usual >= 4 * step)
    if seen.duration is not None:
        alike |= (low > 0) & (high / np.maximum(low, 1e-9) < 3.5) & (streams.overlaps < 0.02)
    none = (np.abs(high) < 2.5 * step) & (busy(streams) > BUSY) & (busy(streams) < ONE)
    single = (alike | (none & (streams.overlaps < 0.02))) & (streams.counts >= 3)
    counts = streams.counts
    return bool(counts[single].sum() >= 0.5 * counts.sum())


def _alike(low: Floats, high: Floats, step: float) -> Flags:
    """Whether the 10th and 90th percentiles of times are near each other, as for a program."""
    return np.asarray((high - step) / np.maximum(low + step, 1e-9) < 3.5)


def held(streams: Streams) -> Flags:
    """Whether each stream has a fixed number of clients that ask again at once."""
    work, beside = streams.held
    return np.asarray((work < HELD) & (beside < HELD))


def busy(streams: Streams) -> Floats:
    """The share of each stream's time that the answers took."""
    if streams.duration is None:
        return np.zeros(len(streams))
    return streams.sums(streams.duration) / np.maximum(streams.last - streams.first, 1e-9)


def _middle(values: Floats, weight: Ints) -> float:
    """The median of streams, each weighted by its requests."""
    there = ~np.isnan(values)
    values, weight = values[there], weight[there]
    order = np.argsort(values)
    upto = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(upto, upto[-1] / 2)]) if len(values) else 0.0


def _clients(streams: Streams, gap: float) -> int:
    """The number of streams at a time."""
    there = streams.last - streams.first + gap
    whole = float(streams.last.max() - streams.first.min()) + gap
    return max(round(float(there.sum()) / max(whole, 1e-9)), 1)


def _none(seen: Evidence, streams: Streams, gap: float) -> Pace:
    clients = _clients(streams, gap)
    return Pace(
        *(False, 0.0, "none", clients, SURE if len(streams.rows) >= 200 else LIKELY),
        f"{units.counted(clients, 'client')} ask{'s' if clients == 1 else ''} again as soon as "
        f"{'it has its' if clients == 1 else 'they have their'} answer, "
        f"{len(streams.rows):,} times",
        "pauses after answers",
    )


def _even(
    seen: Evidence, streams: Streams, gaps: float, thinks: float, gap: float
) -> tuple[bool, str, str]:
    """Whether requests come by the clock, how certain that is, and why."""
    step = seen.resolution_s
    if seen.duration is not None:
        took = np.quantile(streams.duration, [0.1, 0.9]) if streams.duration is not None else [0, 0]
        if took[1] - took[0] > 3 * step and max(gaps, thinks) > 2 * min(gaps, thinks) + step:
            even = gaps < thinks
            same = "the gaps between requests are the same, whatever the answers take"
            other = "the pauses after answers are the same, whatever they took"
            sure = SURE if len(streams.rows) >= 200 else LIKELY
            return even, sure, same if even else other
        if float(np.median(streams.thinks)) < -step:
            # Several clients whose answers take the same time leave the log of a clock.
            varied = took[1] - took[0] > 3 * step
            told = LIKELY if varied else UNSURE
            return True, told, "they do not wait for the answer to the one before"
    return _by_clock(seen, streams, gap)


def _by_clock(seen: Evidence, streams: Streams, gap: float) -> tuple[bool, str, str]:
    """The verdict by the mean gap: a clock has a round one; a loop, that plus the answers' time."""
    step = seen.resolution_s
    # Holes, in which some are missing, are left out.
    near = (streams.gaps > 0.5 * gap - step) & (streams.gaps < 1.5 * gap + step)
    taken = streams.gaps[near]
    mean = float(taken.mean()) if len(taken) else gap
    spread = float(taken.std()) if len(taken) else 0.0
    monitors = bool((seen.agent_kind[seen.user[streams.rows[:1]]] == agents.MONITOR).all())
    # Only the ends of the streams remain uncertain by rounding.
    error = seen.resolution_s * np.sqrt(len(streams)) / max(len(taken), 1)
    if spread > 0.02 * gap + 0.6 * seen.resolution_s:
        return _by_drift(seen, streams, monitors)
    took = 0.0 if streams.duration is None else float(np.median(streams.duration))
    off, off_think = (abs(x - ROUND_S * round(x / ROUND_S)) for x in (mean, mean - took))
    text = f"their mean distance is {mean:.6g} s ± {error:.1g} s"
    is_round = off < 2 * error + 1e-4 and error < 0.002
    if took > 0 and off > 4 * error and off_think < 2 * error + 1e-3 and error < 0.002:
        return False, LIKELY, text + ", which is a round number and the answers' time"
    if is_round and (took == 0 or off_think > 2 * error):
        return True, LIKELY, text + ", a round number"
    if took == 0 and off > 3 * error + 1e-4 and mean > 0.9 and mean - round(mean) < ROUND_S:
        likely = LIKELY if mean > round(mean) else UNSURE
        return False, likely, text + ", a little more than a round number"
    return monitors, UNSURE, text + ", and the log does not tell whether answers matter to it"


def _by_drift(seen: Evidence, streams: Streams, monitors: bool) -> tuple[bool, str, str]:
    """The verdict by drift: the errors of a clock do not add up, those of a loop do."""
    short = streams.dispersion_of_groups(8, seen.resolution_s / 10)
    long = streams.dispersion_of_groups(32, seen.resolution_s / 10)
    told = np.isfinite(short) & np.isfinite(long) & (short > 0)
    if not told.any():
        return monitors, UNSURE, "too few requests show whether answers matter"
    ratio = float(np.median(long[told] / short[told]))
    if ratio < 0.45:
        return True, LIKELY, "the next ones make up for a late one, as by a clock"
    return False, LIKELY, "the lateness of one moves the next ones, too"


def _many_hands(seen: Evidence, streams: Streams) -> Pace:
    """Streams of many clients each: their number, and their think time by the echo of answers."""
    count = len(streams.rows)
    rate = sum(_rates(streams))
    took = 0.0 if streams.duration is None else float(streams.duration.mean())
    fixed = held(streams)
    if fixed.any():
        hands = max(round(rate * took), 1)
        surely = count >= 2000 and bool((streams.held[1][fixed] < SURELY_HELD).all())
        return Pace(
            *(False, 0.0, "none", hands, SURE if surely else LIKELY),
            f"{hands} requests are under way at any time, and each answer is followed by the next "
            f"request: {count:,} times",
            "a number of requests under way that varies",
        )
    step = seen.resolution_s
    after_start, after_answer = echo(streams, False, step), echo(streams, True, step)
    even, told = _even_hands(after_start, after_answer)
    if even and after_answer and step >= COARSE_S and took < step:
        even, told = False, UNSURE  # such stamps do not tell a request from its answer
    found = after_start if even else after_answer or after_start
    if found is None:
        return Pace(
            *(False, None, "varied", max(round(rate * (took + 1.0)), 1), UNSURE),
            f"{count:,} requests behind one address come more evenly than those of independent "
            "users: they come by a clock, or from a fixed number of clients whose think time "
            "cannot be told",
            "durations in the log, or an address for each client",
        )
    hands = max(round(rate * (found.interval_s + (0.0 if even else took))), 1)
    after = "request" if even else "answer"
    return Pace(
        *(even, found.interval_s, "fixed" if found.width < 0.1 else "near-fixed", hands, told),
        f"{hands} clients behind {'one address' if len(streams) == 1 else 'few addresses'}: "
        f"{units.percent(found.share)} of the requests come {seconds(found.interval_s)} after an "
        f"{after}",
        f"requests that do not follow an {after}",
    )


def _even_hands(start: Echo | None, answer: Echo | None) -> tuple[bool, str]:
    """Whether requests follow requests rather than answers, and how certain that is."""
    if answer is None or start is None:
        # Without durations the two cannot be distinguished.
        return answer is None and start is None, UNSURE if answer is None else LIKELY
    sure = SURE if max(start.sharp, answer.sharp) > 0.7 else LIKELY
    if answer.sharp > 1.25 * start.sharp:
        return False, sure
    if start.sharp > 1.25 * answer.sharp:
        return True, sure
    off = [abs(x / ROUND_S - round(x / ROUND_S)) for x in (start.interval_s, answer.interval_s)]
    return off[0] < off[1], UNSURE


def _rates(streams: Streams) -> list[float]:
    """The requests of each stream in a second while it is present; holes do not count."""
    rates = []
    for start, count in zip(streams.starts, streams.counts, strict=True):
        times = streams.time[start : start + count]
        gaps = np.diff(times)
        if len(gaps) == 0:
            continue
        hole = np.quantile(gaps, 0.99) * 20 + 1.0 + 2 * streams.step_s
        rates.append(len(gaps) / max(float(gaps[gaps < hole].sum()), 1e-9))
    return rates


def seconds(value: float) -> str:
    """A time in seconds in the form for a pace."""
    if value >= LONG_S:
        return units.seconds(value)
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.4g} s"
