"""Servers that serve in batches, once more: by a Markov chain, and request by request."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np


def mean_in_batches(rate: float, step: float, most: int) -> float:
    """The mean response time of Poisson arrivals in services of a constant length, up to `most` at
    once.

    The numbers present when a service ends are a Markov chain (Bailey 1954); if there is nobody,
    the next begins with the next arrival.
    """
    numbers = np.arange(400)
    came = np.cumprod(np.concatenate(([math.exp(-rate * step)], rate * step / numbers[1:])))
    left = np.maximum(np.maximum(numbers, 1) - most, 0)
    shares = np.zeros(len(numbers))
    shares[0] = 1.0
    for _ in range(3000):
        before = np.bincount(left, shares, len(numbers))
        shares = np.convolve(before, came)[: len(numbers)]
    number = float(shares @ (np.maximum(numbers, 1) * step + rate * step**2 / 2))
    return number / (step + float(shares[0]) / rate) / rate


def ends(arrivals: Sequence[int], demands: Sequence[int], most: int, wait: int) -> list[int]:
    """When requests leave that come at these times, in rising order, with these demands."""
    left = [0] * len(arrivals)
    line: deque[int] = deque()
    coming, free = 0, 0
    while coming < len(arrivals) or line:
        if not line:
            line.append(coming)
            coming += 1
        begins = max(free, arrivals[line[0]] + wait)
        while coming < len(arrivals) and len(line) < most and arrivals[coming] <= begins:
            line.append(coming)
            coming += 1
        if len(line) >= most:
            begins = max(free, arrivals[line[most - 1]])
        batch = [line.popleft() for _ in range(min(most, len(line)))]
        free = begins + max(demands[one] for one in batch)
        for one in batch:
            left[one] = free
    return left
