"""The formula for each model, and its golden values.

Values come from published formulas and from independent simulations of 1e8 requests and more.
"""

import numpy as np
import pytest
from fakes import Station, System, closed, const, exp, h2, mix, one, open_, partly_open, uniform

from thinktime.theory.match import theory_for, theory_or_reason

approx = pytest.approx

H2 = h2(0.010, 8)
BIMODAL = mix((0.999, 0.1), (0.001, 10.0))  # 0.1 or, rarely, 10; mean 0.1099
LENGTH = const(5.0)  # stands for any law of session length of mean 5


# ---- open


def test_h2_fcfs_has_its_law():
    theory = theory_for(open_(80), one(H2))
    assert theory.model == "M/H2/1 FCFS"
    assert theory.mean_s == approx(0.190)
    assert theory.law.percentile(0.99) == approx(1.117006, rel=1e-6)
    assert theory.load == approx(0.8)
    assert theory.throughput == 80
    assert theory.in_system == approx(15.2)


def test_bimodal_fcfs():
    theory = theory_for(open_(1), one(BIMODAL), load=0.8)
    assert theory.mean_s == approx(4.1132, rel=1e-4)
    assert theory.law.percentile(0.99) == approx(45.798, rel=1e-4)


@pytest.mark.parametrize(
    ("system", "model", "mean_s", "has_law"),
    [
        (one(exp(0.010)), "M/M/1 FCFS", 0.050, True),
        (one(exp(0.010), "ps"), "M/M/1 PS", 0.050, False),
        (one(H2, "ps"), "M/H2/1 PS", 0.050, False),
        (one(uniform(0, 0.020)), "M/G/1 FCFS", 0.010 + 80 * 4e-4 / 3 / 0.4, True),
        (one(const(0.010)), "M/D/1 FCFS", 0.030, True),
        # Erlang C for 2 servers at load 0.8 is 0.7111; E[T] = E[S] (1 + C / (2 - 1.6)).
        (one(exp(0.020), servers=2), "M/M/2 FCFS", 0.020 / (1 - 0.64), True),
        (one(uniform(0, 0.040), "ps", 2), "M/G/2 PS", 0.020 / (1 - 0.64), False),
    ],
)
def test_one_open_station(system, model, mean_s, has_law):
    theory = theory_for(open_(80), system)
    assert theory.model == model
    assert theory.mean_s == approx(mean_s)
    assert (theory.law is not None) == has_law


def test_tandem_is_the_sum_of_its_stations():
    system = System([Station(exp(0.010)), Station(H2, policy="ps"), Station(exp(0.005))])
    theory = theory_for(open_(80), system)
    assert theory.mean_s == approx(0.050 + 0.050 + 0.005 / 0.6)
    assert theory.law is None
    assert theory.load == approx(0.8)
    assert "product form" in theory.source


@pytest.mark.parametrize(
    ("workload", "system"),
    [
        (open_(80, poisson=False), one(H2)),
        (open_(80, plain=False), one(H2)),
        (open_(100), one(H2)),
        (open_(120), one(H2)),
        (open_(80), one(None)),
        (open_(80), one(H2, servers=2)),
        (open_(80), one(H2, "srpt", servers=2)),
        (open_(80), one(mix((1.0, 0.0)))),
        (open_(8), System([Station(H2), Station(exp(0.01))])),
        (partly_open(80, LENGTH, exp(1)), one(H2)),
        (partly_open(80, LENGTH, exp(1), poisson=False), one(exp(0.01))),
        (closed(10, exp(1), plain=False), one(H2)),
        (closed(10, uniform(0, 2)), one(H2)),
        (closed(10, exp(1)), one(H2, servers=2)),
        (closed(10, exp(1)), one(H2, "sjf")),
        (closed(10, exp(1)), one(uniform(0, 1))),
    ],
)
def test_no_formula(workload, system):
    assert theory_for(workload, system) is None


def test_infinite_moments_match_nothing():
    class Heavy:
        mean, second_moment, cv2, phases = 0.010, float("inf"), float("inf"), None

    assert theory_for(open_(80), one(Heavy())) is None
    assert theory_for(open_(80), one(Heavy(), "ps")).mean_s == approx(0.050)


# ---- partly open


@pytest.mark.parametrize(
    "system", [one(exp(0.010)), one(H2, "ps"), one(uniform(0, 0.020), "ps")], ids=str
)
@pytest.mark.parametrize("think", [exp(7), uniform(0, 3), const(0.0)], ids=str)
def test_partly_open_is_as_open_under_product_form(system, think):
    theory = theory_for(partly_open(80, LENGTH, think), system)
    assert theory.mean_s == approx(0.050)
    assert theory.law is None
    assert theory.model.startswith("partly open, ")


def test_sessions_of_one_request_are_open():
    theory = theory_for(partly_open(80, const(1.0), exp(7)), one(H2))
    assert theory.law.percentile(0.99) == approx(1.117006, rel=1e-6)


# ---- closed


def test_closed_ten_clients():
    theory = theory_for(closed(10, exp(1.00643)), one(BIMODAL))
    assert theory.mean_s == approx(0.36732, rel=1e-4)
    assert theory.law.percentile(0.99) == approx(1.3251, rel=1e-3)
    assert theory.load == approx(0.8, rel=1e-4)
    assert theory.model == "10 clients, H2/1 FCFS"
    assert theory.throughput == approx(10 / (theory.mean_s + 1.00643))


def test_load_solves_for_the_think_time():
    theory = theory_for(closed(10, exp(1)), one(BIMODAL), load=0.8)
    assert theory.mean_s == approx(0.36732, rel=2e-4)
    ps = theory_for(closed(10, uniform(0, 1)), one(BIMODAL, "ps"), load=0.8)
    fcfs = theory_for(closed(10, exp(1)), one(exp(0.1099)), load=0.8)
    assert ps.mean_s == approx(fcfs.mean_s)


@pytest.mark.parametrize("policy", ["fcfs", "ps", "sjf", "psjf", "srpt"])
def test_one_client_never_waits(policy):
    theory = theory_for(closed(1, uniform(0, 2 * 0.027475)), one(BIMODAL, policy))
    assert theory.mean_s == approx(0.1099)
    assert theory.law.percentile(0.99) == approx(0.4704, rel=1e-4)
    assert theory.load == approx(0.8, rel=1e-4)


def test_one_client_and_any_law():
    law = theory_for(closed(1, None), one(uniform(0, 0.020))).law
    assert law.percentile(0.99) == approx(0.0198)
    assert law.sf(np.array([-1.0, 0.005, 1.0])) == approx([1.0, 0.75, 0.0])


def test_product_form_for_any_think_time():
    any_think = theory_for(closed(10, const(0.96850)), one(exp(0.1)))
    chain = theory_for(closed(10, exp(0.96850)), one(exp(0.1)))
    assert any_think.mean_s == approx(0.28150, rel=1e-4)
    assert any_think.mean_s == approx(chain.mean_s)
    assert any_think.law is None
    assert chain.law.percentile(0.99) == approx(1.0320, rel=1e-3)


def test_closed_network_with_several_servers():
    system = System([Station(exp(0.02), servers=2), Station(uniform(0, 0.02), policy="ps")])
    theory = theory_for(closed(2, None), system)
    # Two clients never wait at the two servers: only the second station queues.
    assert theory.mean_s == approx(2 / theory.throughput)
    assert theory.mean_s == approx(0.02 + 0.01 * (1 + 1 / 3))


def test_refusals_of_a_load():
    with pytest.raises(ValueError, match="cannot bring"):
        theory_for(closed(1, exp(1)), System([Station(exp(1)), Station(exp(1))]), load=0.9)
    with pytest.raises(ValueError, match="load"):
        theory_for(open_(80), one(H2), load=1.2)


# ---- formulas that are known, and yet give nothing


def reason(workload, system, load=None):
    found = theory_or_reason(workload, system, load)
    assert isinstance(found, str), found
    assert theory_for(workload, system, load) is None
    return found


@pytest.mark.parametrize("policy", ["ps", "plcfs"])
def test_clients_in_step_have_no_average_of_their_own(policy):
    # 10 clients who begin together, think for 20 s and need 1 s stay together: 10 s each time.
    assert "stay in step" in reason(closed(10, const(20.0)), one(const(1.0), policy))
    assert "stay in step" in reason(closed(10, const(20.0)), one(const(1.0), policy), load=0.4)
    both = System([Station(const(1.0), policy=policy), Station(const(2.0), policy=policy)])
    assert "stay in step" in reason(closed(3, None), both)
    # One law with a density is enough to forget their beginning.
    for think, demand in ((exp(20), const(1.0)), (const(20.0), uniform(0, 2))):
        found = theory_for(closed(10, think), one(demand, policy))
        assert found.mean_s == approx(theory_for(closed(10, exp(20)), one(exp(1.0))).mean_s)


@pytest.mark.parametrize("demand", [const(1.0), uniform(0, 2), exp(1.0)], ids=str)
def test_a_server_that_never_rests_needs_no_density(demand):
    for policy in ("ps", "fcfs"):
        assert theory_for(closed(10, None), one(demand, policy)).mean_s == approx(10)
    assert theory_for(closed(1, const(2.0)), one(demand)).mean_s == approx(1)


@pytest.mark.parametrize("policy", ["lcfs", "plcfs"])
def test_without_think_times_the_last_who_came_is_always_next(policy):
    for demand in (exp(1.0), const(1.0)):
        assert "never served" in reason(closed(3, None), one(demand, policy))
    # Any think time lets the others have their turn, and another station does.
    assert theory_for(closed(3, exp(0.01)), one(exp(1.0), policy)).mean_s == approx(3, rel=0.01)
    assert theory_for(closed(3, exp(1.0)), one(exp(1.0), policy), load=0.8).load == 0.8
    row = System([Station(exp(1.0), policy=policy), Station(exp(1.0))])
    assert theory_for(closed(3, None), row).mean_s == approx(4)


@pytest.mark.parametrize(
    ("workload", "system", "words"),
    [
        (open_(80), one(const(1e-300)), "a mean demand of 1e-300 s"),
        (open_(80), one(const(5e-324)), "a mean demand of 4.94e-324 s"),
        (open_(80), one(exp(1e-300), "srpt"), "a mean demand"),
        (open_(1e-200), one(exp(1e150)), "a mean demand of 1e+150 s"),
        (closed(10, exp(1e-300)), one(exp(0.01)), "a mean think time of 1e-300 s"),
        (closed(10, exp(1e300)), one(exp(0.01), "ps"), "a mean think time"),
        (open_(80), one(mix((1 - 1e-18, 1e-3), (1e-18, 1e14)), "las"), "C² of"),
    ],
)
def test_numbers_without_end(workload, system, words):
    assert words in reason(workload, system)


def test_a_far_tail_is_not_followed_step_by_step():
    # Phases of 5 ms and of 1e7 s: 2e9 jumps would have to be followed for the survival function.
    assert theory_for(closed(10, exp(1.0)), one(h2(0.010, 1e9))).law is None
    assert theory_for(closed(10, exp(1.0)), one(h2(0.010, 100))).law is not None
