"""The time that TCP takes for a transfer over a path with delay and loss.

Times are in seconds, windows and sizes in segments, and the loss p is the probability that a
segment is lost. Both models count in rounds: a window of segments is sent, and a round trip R later
the next one. They hold for senders without selective acknowledgements, and for losses that take the
rest of their round with them. If losses are independent and kernels recover from them better,
transfers take less.

Sources: Cardwell, Savage and Anderson (INFOCOM 2000, 'Modeling TCP ...'), here called CSA;
Padhye, Firoiu, Towsley and Kurose, 'Modeling TCP throughput: a simple model and its empirical
validation' (SIGCOMM 1998), PFTK. The equations' numbers are not theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from thinktime.theory._checks import non_negative, positive


@dataclass(frozen=True)
class TcpPath:
    """The path that transfers share."""

    round_trip: float
    """R >= 0, in seconds."""

    loss: float
    """p, 0 <= p < 1/2."""

    timeout: float
    """T0 > 0, the first retransmission timeout in seconds."""

    initial_window: int = 10
    """w1 >= 1 in segments."""

    acknowledged_every: int = 1
    """b >= 1: an acknowledgement comes for each b segments; 1 if the sender counts bytes."""

    window_max: float = math.inf
    """The largest window in segments."""

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises ValueError if a value lies outside its own.
        """
        non_negative("the round trip", self.round_trip)
        positive("the timeout", self.timeout)
        if not self.window_max > 0:
            raise ValueError(f"the largest window must be above 0; it is {self.window_max}")
        if not 0 <= self.loss < 0.5:
            raise ValueError(f"the loss must be from 0 to below 0.5; it is {self.loss}")
        if self.initial_window < 1 or self.acknowledged_every < 1:
            raise ValueError("the initial window and b must be 1 or more")


def slow_start_rounds(segments: int, initial_window: int = 10) -> int:
    """Rounds of slow start without loss: the least n with w1 (2^n - 1) >= d; 1 for no segments.

    Raises ValueError if the segments are negative or the window is below 1.
    """
    non_negative("segments", segments)
    if initial_window < 1:
        raise ValueError(f"the initial window must be 1 or more; it is {initial_window}")
    rounds, sent = 1, initial_window
    while sent < segments:
        sent += initial_window << rounds
        rounds += 1
    return rounds


def tcp_setup_time(path: TcpPath, retry: float = 1.0) -> float:
    """CSA's mean time to set up a connection, R + 2 Ts ((1-p)/(1-2p) - 1); ``retry`` Ts >= 0.

    Both the SYN and its answer are sent again after Ts, 2 Ts, 4 Ts, ...

    Raises ValueError if ``retry`` is negative.
    """
    p = path.loss
    return path.round_trip + 2 * non_negative("retry", retry) * ((1 - p) / (1 - 2 * p) - 1)


def tcp_throughput(path: TcpPath) -> float:
    """PFTK's steady state in segments a second, for 0 < p; timeouts are part of it.

    Raises ValueError if there is no loss.
    """
    p, b = positive("the loss", path.loss), path.acknowledged_every
    c = (2 + b) / (3 * b)
    window = c + math.sqrt(8 * (1 - p) / (3 * b * p) + c**2)
    rounds = b / 2 * window + 1
    if window >= path.window_max:
        window = path.window_max
        rounds = b / 8 * window + (1 - p) / (p * window) + 2
    late = _timeout_share(p, window)
    sent = (1 - p) / p + window / 2 + late
    return sent / (path.round_trip * rounds + late * _timeouts(path))


def tcp_transfer_time(path: TcpPath, segments: int) -> float:
    """CSA's mean time for d > 0 segments over an open connection, as rounds of round trips.

    It is slow start until the first loss, the cost of that loss, and the rest at PFTK's rate. A
    response takes as long, counted from its request: the time of the request makes up for the last
    segment, which needs no acknowledgement. Slow start is counted in whole and broken rounds, so
    without loss it is up to a round below `slow_start_rounds`.

    Raises ValueError if there are no segments.
    """
    d, p = positive("segments", segments), path.loss
    gamma = 1 + 1 / path.acknowledged_every
    first, lossy = float(d), 1 - math.pow(1 - p, d)
    if p > 0:
        first = min(lossy * (1 - p) / p + 1, d)
    window = first * (gamma - 1) / gamma + path.initial_window / gamma
    rounds = _slow_start(path, first, window, gamma)
    late = _timeout_share(p, min(window, path.window_max)) if p > 0 else 0.0
    recovery = lossy * (late * _timeouts(path) + (1 - late) * path.round_trip)
    rest = (d - first) / tcp_throughput(path) if d > first else 0.0
    return rounds * path.round_trip + recovery + rest


def _slow_start(path: TcpPath, first: float, window: float, gamma: float) -> float:
    """The rounds in which the first segments are sent, and their last window."""
    w1, most = path.initial_window, path.window_max
    if window <= most:
        return max(1.0, math.log(first * (gamma - 1) / w1 + 1, gamma))
    beyond = first - (gamma * most - w1) / (gamma - 1)
    return math.log(most / w1, gamma) + 1 + beyond / most


def _timeout_share(p: float, window: float) -> float:
    """PFTK's Q: the probability that a loss in a window of this size ends in a timeout."""
    w = max(window, 3.0)
    kept = math.pow(1 - p, 3)
    late = 1 + kept * (1 - math.pow(1 - p, w - 3))
    return min(1.0, (1 - kept) * late / (1 - math.pow(1 - p, w)))


def _timeouts(path: TcpPath) -> float:
    """The mean length of timeouts in turn, each twice as long up to 64 T0, in seconds."""
    p = path.loss
    doubled = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
    return path.timeout * doubled / (1 - p)
