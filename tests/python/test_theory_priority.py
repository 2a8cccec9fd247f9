"""Priority classes against printed values, the conservation law and one class at a time."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime import theory
from thinktime.theory import (
    Deterministic,
    Hyperexponential,
    Moments,
    PriorityClass,
    conserved_waiting,
    non_preemptive_priority,
    peljf,
    pesjf,
    preemptive_priority,
)

approx = pytest.approx
exponential = Hyperexponential.exponential

few = settings(max_examples=60)
demands = st.builds(Moments.from_cv2, st.floats(0.1, 10), st.floats(0, 20))


@st.composite
def class_lists(draw):
    """One to four classes, of a load below 1 together."""
    found = draw(st.lists(st.tuples(st.floats(0.05, 1), demands), min_size=1, max_size=4))
    load = draw(st.floats(0.1, 0.95))
    total = sum(share for share, _ in found)
    return [PriorityClass(load * share / total / d.mean, d) for share, d in found]


RATE = 0.9 / 101
SHORT = PriorityClass(0.9 * RATE, exponential(40))
LONG = PriorityClass(0.1 * RATE, exponential(650))


def test_shortest_class_first():
    # 90 % with mean 40 and 10 % with mean 650, all exponential, load 0.9, in ms.
    found = pesjf([LONG, SHORT])
    assert found.response_times == approx([6688.9213, 58.8921], abs=5.1e-5)
    assert found.mean_response == approx(721.895, abs=5.1e-4)
    assert found.waiting_times == approx(found.response_times - [650, 40])


def test_longest_class_first():
    found = peljf([SHORT, LONG])
    assert found.response_times == approx([9347.0588, 1544.7059], abs=5.1e-5)
    assert found.mean_response == approx(8566.824, abs=5.1e-4)


def test_the_same_requests_without_classes():
    # PS 1010, FCFS 3994.
    assert theory.ps_mean_response(RATE, 101) == approx(1010)
    mixed = Hyperexponential((0.9, 0.1), (1 / 40, 1 / 650))
    assert theory.mg1_mean_response(RATE, mixed) == approx(3994, abs=0.5)
    alone = preemptive_priority([PriorityClass(RATE, mixed)])
    assert alone.mean_response == approx(theory.mg1_mean_response(RATE, mixed))


def test_classes_of_the_same_mean_rank_as_one():
    other = PriorityClass(SHORT.rate, Deterministic(40))
    once = PriorityClass(2 * SHORT.rate / 3, Moments(40, 0.5 * (3200 + 1600)))
    found = pesjf([LONG, PriorityClass(once.rate / 2, exponential(40)),
                   PriorityClass(once.rate / 2, other.demand)])  # fmt: skip
    expected = pesjf([LONG, once])
    assert found.response_times == approx(expected.response_times[[0, 1, 1]])
    assert found.mean_response == approx(expected.mean_response)


def test_non_preemptive_by_hand():
    # λ E[S²] = 0.2 x 2 + 0.1 x 32 = 3.6; σ = 0.2, 0.6.
    classes = [PriorityClass(0.2, exponential(1)), PriorityClass(0.1, exponential(4))]
    found = non_preemptive_priority(classes)
    assert found.waiting_times == approx([3.6 / (2 * 0.8), 3.6 / (2 * 0.8 * 0.4)])
    assert found.response_times == approx([3.25, 9.625])
    assert found.mean_response == approx((2 * 3.25 + 9.625) / 3)


@few
@given(class_lists())
def test_orders_without_preemption_conserve_waiting(classes):
    kept = conserved_waiting(classes)
    rate = sum(each.rate for each in classes)
    load = sum(each.load for each in classes)
    squares = sum(each.rate * each.demand.second_moment for each in classes)
    assert kept == approx(
        load * theory.mg1_mean_waiting(rate, Moments(load / rate, squares / rate))
    )
    for order in permutations(classes):
        waits = non_preemptive_priority(order).waiting_times
        assert np.dot([each.load for each in order], waits) == approx(kept)


@few
@given(class_lists())
def test_preemption_hides_lower_classes(classes):
    whole = preemptive_priority(classes)
    for k in range(1, len(classes)):
        upper = preemptive_priority(classes[:k])
        assert whole.response_times[:k] == approx(upper.response_times)
    first = classes[0]
    alone = theory.mg1_mean_response(first.rate, first.demand)
    assert whole.response_times[0] == approx(alone)
    assert np.all(whole.response_times >= [each.demand.mean for each in classes])


@few
@given(class_lists())
def test_with_exponential_demands_of_one_mean_order_does_not_matter(classes):
    # Preemptive priority then only deals out the same M/M/1 response time.
    alike = [PriorityClass(each.load / 2.0, exponential(2)) for each in classes]
    rate = sum(each.rate for each in alike)
    for order in permutations(alike):
        found = preemptive_priority(order).mean_response
        assert found == approx(theory.mm1_response(rate, 2).mean)


@few
@given(class_lists())
def test_shortest_class_first_is_best_if_exponential(classes):
    alike = [PriorityClass(each.rate, exponential(each.demand.mean)) for each in classes]
    best, worst = pesjf(alike).mean_response, peljf(alike).mean_response
    for order in permutations(alike):
        found = preemptive_priority(order).mean_response
        assert best <= found * (1 + 1e-9)
        assert found <= worst * (1 + 1e-9)


def test_the_highest_class_under_ps():
    found = theory.highest_class_ps_response(PriorityClass(0.05, Moments.from_cv2(10, 30)))
    assert found == approx(20)


@pytest.mark.parametrize("solve", [preemptive_priority, non_preemptive_priority, pesjf, peljf,
                                   conserved_waiting])  # fmt: skip
def test_wrong_classes(solve):
    with pytest.raises(ValueError, match="at least one class"):
        solve([])
    with pytest.raises(ValueError, match=r"load must be above 0 and below 1; it is 1\.25"):
        solve([PriorityClass(0.025, exponential(10)), PriorityClass(1, exponential(1))])


def test_wrong_rates():
    with pytest.raises(ValueError, match="rate must be finite and above 0"):
        PriorityClass(0, exponential(1))
    with pytest.raises(ValueError, match=r"it is 1\.25"):
        theory.highest_class_ps_response(PriorityClass(0.125, exponential(10)))
