"""The exact mean response times of the models, in seconds."""

from __future__ import annotations

import math

from scipy.integrate import quad

from peers.models import DEMAND, Model


def mean_response(model: Model) -> float:
    """The mean that a long simulation must come near to."""
    if model.population == "closed":
        return _closed(model.clients, model.think)
    if model.policy == "srpt":
        return _srpt(model.rate)
    if model.policy == "fcfs":
        # Pollaczek and Khinchine; the partly-open model is a product-form network of M/M/1.
        second_moment = sum(2.0 * share * mean**2 for share, mean in model.phases)
        return DEMAND + model.rate * second_moment / (2.0 * (1.0 - model.load))
    # PS for any demand; LAS for exponential demands, as they have no memory.
    return DEMAND / (1.0 - model.load)


def _closed(clients: int, think: float) -> float:
    """Mean value analysis of one exponential server and a think time."""
    queue, response = 0.0, DEMAND
    for present in range(1, clients + 1):
        response = DEMAND * (1.0 + queue)
        queue = present * response / (think + response)
    return response


def _srpt(rate: float) -> float:
    """Schrage and Miller's formula for exponential demands."""

    def load_below(size: float) -> float:
        scaled = size / DEMAND
        return rate * DEMAND * (1.0 - (1.0 + scaled) * math.exp(-scaled))

    def waiting(size: float) -> float:
        scaled = size / DEMAND
        survival = math.exp(-scaled)
        below = DEMAND**2 * (2.0 - (scaled**2 + 2.0 * scaled + 2.0) * survival)
        return rate * (below + size**2 * survival) / (2.0 * (1.0 - load_below(size)) ** 2)

    def residence_slope(size: float) -> float:
        # The mean of an integral from 0 to the size is that of its integrand times the survival.
        return math.exp(-size / DEMAND) / (1.0 - load_below(size))

    def weighted_waiting(size: float) -> float:
        return waiting(size) * math.exp(-size / DEMAND) / DEMAND

    end = 60.0 * DEMAND
    first, _ = quad(weighted_waiting, 0.0, end, limit=500)
    second, _ = quad(residence_slope, 0.0, end, limit=500)
    return float(first + second)
