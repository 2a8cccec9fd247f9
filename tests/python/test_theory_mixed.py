"""Mean-value analysis of several classes, against Markov chains solved state by state.

The chains know nothing of product forms: a state has the place of each job, its order under FCFS,
and the number of jobs of open classes up to a limit that is hardly ever reached.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import spsolve

from thinktime.theory import Station, mmc_response, mva
from thinktime.theory.mixed import ClosedClass, OpenClass, lattice_size, mixed_mva

approx = pytest.approx
State = tuple
Moves = Iterator[tuple[State, float]]


def steady(start: State, moves: Callable[[State], Moves]) -> dict[State, float]:
    """The probabilities of all states that are reached, by global balance."""
    places, order = {start: 0}, [start]
    rows, columns, rates = [], [], []
    for state in order:
        for other, rate in moves(state):
            if other not in places:
                places[other] = len(order)
                order.append(other)
            rows.append(places[other])
            columns.append(places[state])
            rates.append(rate)
    n = len(order)
    flow = coo_array((rates, (rows, columns)), shape=(n, n)).tocsr()
    balance = (flow - diags_array(np.asarray(flow.sum(axis=0)))).tolil()
    balance[0] = np.ones(n)
    right = np.zeros(n)
    right[0] = 1.0
    return dict(zip(order, spsolve(balance.tocsc(), right), strict=True))


def moved(counts: State, *changes: tuple[int, int]) -> State:
    new = list(counts)
    for place, by in changes:
        new[place] += by
    return tuple(new)


# ---- PS stations in a row: who is where is enough


def ps_row(classes, servers, most=0):
    """Mean numbers and throughputs of PS stations in a row; a state has (class, station) counts.

    A class is (clients, demands, think time), or (rate, demands) for an open one, of which at most
    ``most`` are there at a time.
    """
    stations = len(servers)

    def at(c, k):
        return c * stations + k

    def moves(state):
        for c, one in enumerate(classes):
            here = sum(state[at(c, k)] for k in range(stations))
            if len(one) == 2 and here < most:
                yield moved(state, (at(c, 0), 1)), one[0]
            if len(one) == 3 and here < one[0]:
                yield moved(state, (at(c, 0), 1)), (one[0] - here) / one[2]
            for k in range(stations):
                mine = state[at(c, k)]
                if mine == 0:
                    continue
                present = sum(state[at(other, k)] for other in range(len(classes)))
                rate = mine * min(1, servers[k] / present) / one[1][k]
                onward = [(at(c, k + 1), 1)] if k + 1 < stations else []
                yield moved(state, (at(c, k), -1), *onward), rate

    found = steady((0,) * (len(classes) * stations), moves)
    numbers = sum(p * np.array(state) for state, p in found.items())
    return numbers.reshape(len(classes), stations)


@pytest.mark.parametrize("servers", [(1, 1), (2, 1), (1, 3), (3, 2)])
def test_closed_classes_at_ps_stations(servers):
    classes = [(3, (0.10, 0.02), 0.5), (2, (0.03, 0.25), 1.2)]
    found = mixed_mva([], [ClosedClass(n, d, z) for n, d, z in classes], servers)
    assert found.queue_lengths == approx(ps_row(classes, servers), rel=1e-9)
    # Everybody is somewhere.
    thinking = found.throughput * [0.5, 1.2]
    assert found.queue_lengths.sum(axis=1) + thinking == approx([3, 2])


def test_three_closed_classes_at_a_ps_station():
    classes = [(2, (0.10,), 0.5), (2, (0.3,), 1.0), (3, (0.05,), 0.2)]
    found = mixed_mva([], [ClosedClass(n, d, z) for n, d, z in classes], [2])
    assert found.queue_lengths == approx(ps_row(classes, [2]), rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2, 3, 5])
def test_open_and_closed_classes_at_a_ps_station(servers):
    # Open classes bring loads of 0.3 and 0.2: 26 of one are hardly ever there.
    classes = [(5.0 * servers, (0.06,)), (2.0 * servers, (0.1,)), (3, (0.2,), 0.4)]
    found = mixed_mva(
        [OpenClass(*one) for one in classes[:2]], [ClosedClass(3, (0.2,), 0.4)], [servers]
    )
    expected = ps_row(classes, [servers], most=26)
    assert found.queue_lengths == approx(expected, rel=1e-6)
    assert found.loads[0] == approx(0.5 + found.throughput[2] * 0.2 / servers)


def test_open_and_closed_classes_at_two_ps_stations():
    classes = [(4.0, (0.05, 0.08)), (2, (0.2, 0.1), 0.4)]
    found = mixed_mva([OpenClass(*classes[0])], [ClosedClass(*classes[1])], (1, 2))
    assert found.queue_lengths == approx(ps_row(classes, (1, 2), most=45), rel=1e-6)


# ---- FCFS: the order counts


def fcfs(classes, demand, servers, most=0):
    """As `ps_row` for one FCFS station; a state is the queue, from its head, as classes."""

    def moves(state):
        for c, one in enumerate(classes):
            here = state.count(c)
            if len(one) == 1 and len(state) < most:
                yield (*state, c), one[0]
            if len(one) == 2 and here < one[0]:
                yield (*state, c), (one[0] - here) / one[1]
        for place in range(min(servers, len(state))):
            yield state[:place] + state[place + 1 :], 1 / demand

    found = steady((), moves)
    return [sum(p * state.count(c) for state, p in found.items()) for c in range(len(classes))]


@pytest.mark.parametrize("servers", [1, 2, 3])
def test_closed_classes_at_an_fcfs_station(servers):
    found = mixed_mva([], [ClosedClass(4, (0.2,), 0.5), ClosedClass(3, (0.2,), 2.0)], [servers])
    expected = fcfs([(4, 0.5), (3, 2.0)], 0.2, servers)
    assert found.queue_lengths[:, 0] == approx(expected, rel=1e-9)


def test_open_and_closed_classes_at_an_fcfs_station():
    # Two classes in any order of 13: 2^14 states. The open one brings a load of 0.1.
    found = mixed_mva([OpenClass(1.0, (0.1,))], [ClosedClass(2, (0.1,), 0.4)], [1])
    expected = fcfs([(1.0,), (2, 0.4)], 0.1, 1, most=13)
    assert found.queue_lengths[:, 0] == approx(expected, rel=1e-6)


# ---- other known values


def test_one_class_is_mean_value_analysis_of_one():
    stations = [Station(0.1, 3), Station(0.05, 2), Station(0.02)]
    one = mva(7, stations, 0.3)
    demands, servers = (0.1, 0.05, 0.02), (3, 2, 1)
    alike = mixed_mva([], [ClosedClass(3, demands, 0.3), ClosedClass(4, demands, 0.3)], servers)
    assert alike.throughput.sum() == approx(one.throughput[-1], rel=1e-12)
    assert alike.response_times == approx(np.array([one.response_times[-1]] * 2), rel=1e-12)
    assert alike.loads == approx(one.loads[-1])


def test_open_classes_alone_are_as_erlang_has_it():
    for servers in (1, 2, 7, 400):
        rate = 0.8 * servers
        found = mixed_mva([OpenClass(0.5 * rate, (0.5,)), OpenClass(rate, (0.75,))], [], [servers])
        alone = mmc_response(1.5 * rate, 1 / 1.5, servers).mean * 1.5
        assert found.response_time == approx([0.5 * alone, 0.75 * alone])


def test_one_closed_client_among_many_others_by_hand():
    # It finds a share 1 - ρ of the server, ρ = 0.5: E[T] = 0.1 / 0.5. It is there 0.2 of 1.2 s, and
    # the others take 0.05 / 0.5 x (1 + 1/6).
    found = mixed_mva([OpenClass(10, (0.05,))], [ClosedClass(1, (0.1,), 1.0)])
    assert found.response_time == approx([0.1 * 7 / 6, 0.2])


def test_an_open_class_that_is_hardly_there_changes_nothing():
    closed = [ClosedClass(4, (0.1, 0.05, 0.02), 0.3), ClosedClass(3, (0.1, 0.01, 0.2), 0.0)]
    without = mixed_mva([], closed, (30, 2, 1))
    among = mixed_mva([OpenClass(1e-9, (0.05, 0.0, 0.1))], closed, (30, 2, 1))
    assert among.response_times[1:] == approx(without.response_times, rel=1e-7)


def test_nobody_thinks():
    # A server that never rests is shared by number of clients: each of the five has a fifth.
    found = mixed_mva([], [ClosedClass(3, (0.1,)), ClosedClass(2, (0.4,))])
    assert found.throughput == approx([3 / 5 / 0.1, 2 / 5 / 0.4])
    assert found.loads == approx([1.0])
    # A client who needs only the first station never leaves it, whatever else is there.
    apart = mixed_mva([], [ClosedClass(3, (0.1, 0.0)), ClosedClass(2, (0.0, 0.4))], (2, 2))
    assert apart.throughput == approx([20, 5])
    assert math.isfinite(apart.response_times.sum())


def test_many_clients_are_bound_by_the_busiest_station():
    found = mixed_mva(
        [], [ClosedClass(900, (0.1, 0.02), 5.0), ClosedClass(500, (0.1, 0.05), 1.0)], (1, 1)
    )
    assert found.loads[0] == approx(1.0, abs=1e-9)
    assert found.throughput.sum() == approx(10.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([], [], [1]), "at least one class"),
        (([OpenClass(1, (0.1,))], [], []), "one station"),
        (([OpenClass(1, (0.1,))], [], [1, 1]), "2 demands"),
        (([OpenClass(20, (0.1,))], [], [2]), "load must be above 0 and below 1; it is 1"),
        (([], [ClosedClass(10**5, (0.1,)), ClosedClass(10**5, (0.1,))], [1]), "too many"),
        (([OpenClass(1, (0.1,))], [ClosedClass(2, (0.1,))], [257]), "256 servers"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        mixed_mva(*arguments)


def test_classes_that_are_none():
    for wrong in (lambda: OpenClass(0, (1.0,)), lambda: OpenClass(1, (-1.0,))):
        with pytest.raises(ValueError, match="it is"):
            wrong()
    for clients, demands, think in itertools.product((0, 1), ((0.0,),), (0.0,)):
        with pytest.raises(ValueError, match="it is"):
            ClosedClass(clients, demands, think)


def test_the_size_of_a_lattice():
    assert lattice_size([3, 4], [1, 1]) == 40
    assert lattice_size([3, 4], [2, 1]) == 20 * 3 * 2
