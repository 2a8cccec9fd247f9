"""The slow reference simulator: small cases worked out by hand, and laws that hold for any jobs."""

from __future__ import annotations

from fractions import Fraction

import pytest
import reference
import reference_stations
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import Given, Time, departures
from reference_closed import closed
from volume import oracle, volume

pytestmark = oracle

RANKS = {"gold": 1, "base": 2}
CASES: list[tuple[str, int, list[Given], list[Time]]] = [
    # A 0-5, B 5-6, C 6-8.
    ("fcfs", 1, [(0, 5), (1, 1), (2, 2)], [5, 6, 8]),
    # A 0-5 and B 1-4; C takes the server that B leaves.
    ("fcfs", 2, [(0, 5), (1, 3), (2, 2)], [5, 4, 6]),
    # A is not pushed out; then C, the newest, then B.
    ("lcfs", 1, [(0, 5), (1, 1), (2, 2)], [5, 8, 7]),
    # A 0-4, then D 4-7; B 0-6, then C 6-7.
    ("lcfs", 2, [(0, 4), (0, 6), (1, 1), (2, 3)], [4, 6, 7, 7]),
    # A 0-1, B 1-2, C 2-3, B 3-5, A 5-9.
    ("plcfs", 1, [(0, 5), (1, 3), (2, 1)], [9, 5, 3]),
    # C pushes out A, the oldest, with 2 left: B 1-5, C 2-4, A 4-6.
    ("plcfs", 2, [(0, 4), (1, 4), (2, 2)], [6, 5, 4]),
    # A alone to 1, with 1 left; then half each: A to 3, when B has 1 left.
    ("ps", 1, [(0, 2), (1, 2)], [3, 4]),
    # A third each to 3; half each to 5; C alone with 1 left.
    ("ps", 1, [(0, 1), (0, 2), (0, 3)], [3, 5, 6]),
    # Two thirds each to 3; C has 2 left, and one server is all that it can use.
    ("ps", 2, [(0, 2), (0, 2), (0, 4)], [3, 3, 5]),
    # A 0-4, C 4-5, B 5-10.
    ("sjf", 1, [(0, 4), (1, 5), (2, 1)], [4, 10, 5]),
    # A 0-4, D 4-5, B 5-7, C 7-9: of B and C, which are alike, B came first.
    ("sjf", 1, [(0, 4), (1, 2), (2, 2), (3, 1)], [4, 7, 9, 5]),
    # B 0-3, then D 3-5; A 0-4, then C 4-9.
    ("sjf", 2, [(0, 4), (0, 3), (1, 5), (2, 2)], [4, 3, 9, 5]),
    # A 0-4, C 4-9, B 9-10.
    ("ljf", 1, [(0, 4), (1, 1), (2, 5)], [4, 10, 9]),
    # A finds the server free. Then C and D, which are alike, in order of arrival; then B.
    ("ljf", 1, [(0, 1), (0, 2), (0, 3), (0, 3)], [1, 9, 4, 7]),
    # A 0-1, B 1-4. C is smaller than A was at first: C 4-8, A 8-12.
    ("psjf", 1, [(0, 5), (1, 3), (3, 4)], [12, 4, 8]),
    # B pushes out A, although A has only 1 left: B 4-8, A 8-9.
    ("psjf", 1, [(0, 5), (4, 4)], [9, 8]),
    # Nobody is pushed out by an equal.
    ("psjf", 1, [(0, 5), (4, 5)], [5, 10]),
    # C pushes out B, the largest: A 0-6, B 0-1, C 1-4, B 4-11.
    ("psjf", 2, [(0, 6), (0, 8), (1, 3)], [6, 11, 4]),
    # A has only 1 left when B comes.
    ("srpt", 1, [(0, 5), (4, 4)], [5, 9]),
    # A 0-1, B 1-4; then A and C both have 4 left, and A came first: A 4-8, C 8-12.
    ("srpt", 1, [(0, 5), (1, 3), (3, 4)], [8, 4, 12]),
    # Both have 3 left at 2: A stays.
    ("srpt", 1, [(0, 5), (2, 3)], [5, 8]),
    # At 1, A has 5 left and B 7: C with 6 pushes out B. A 0-6, C 1-7, B 6-13.
    ("srpt", 2, [(0, 6), (0, 8), (1, 6)], [6, 13, 7]),
    # A 0-1, B 1-2; both have attained 1, and share: B to 4; A has 2 left.
    ("las", 1, [(0, 4), (1, 2)], [6, 4]),
    # Two thirds each: C to 3/2; then a server each for the 2 that are left.
    ("las", 2, [(0, 3), (0, 3), (0, 1)], [Fraction(7, 2), Fraction(7, 2), Fraction(3, 2)]),
    # B and C have a server each to 4; then all have 2 left, at two thirds each.
    ("las", 2, [(0, 4), (2, 4), (2, 4)], [7, 7, 7]),
    # B, C and D share both servers to 5/2; A waits, with 4 left.
    ("las", 2, [(0, 5), (1, 1), (1, 1), (1, 1)], [Fraction(13, 2), *[Fraction(5, 2)] * 3]),
    # From 2, C has a server and A and B share the other: at 6 all have attained 4. At two thirds
    # each, C with 1 left is done at 15/2; A and B then have 1 left and a server each.
    ("las", 2, [(0, 6), (0, 6), (2, 5)], [Fraction(17, 2), Fraction(17, 2), Fraction(15, 2)]),
    # A 0-2, B 2-4, A 4-5, B 5-6.
    ("rr(2ns)", 1, [(0, 3), (1, 3)], [5, 6]),
    # Nobody waits at 2, so A has a new quantum, to 4; B 4-5, A 5-6.
    ("rr(2ns)", 1, [(0, 5), (3, 1)], [6, 5]),
    # A and B to 1; then C and A to 2; A is done, B resumes in its place; no job waits for C's.
    ("rr(1ns)", 2, [(0, 2), (0, 2), (0, 2)], [2, 3, 3]),
    # A 0-2, switch, B 3-5, switch, A 6-7, switch, B 8-9.
    ("rr(2ns, switch=1ns)", 1, [(0, 3), (1, 3)], [7, 9]),
    # No switch from A to A; one from A to B, though the server was idle between them.
    ("rr(2ns, switch=1ns)", 1, [(0, 5), (8, 1)], [5, 10]),
    # C comes while the server switches, and is behind A: A 0-2, B 3-5, A 6-7, C 8-9.
    ("rr(2ns, switch=1ns)", 1, [(0, 3), (1, 2), (Fraction(5, 2), 1)], [7, 5, 9]),
    # C takes the first server, which served A, and not the second, which was unused.
    ("rr(2ns, switch=1ns)", 2, [(0, 1), (2, 1)], [1, 4]),
    # A 0-1, B 1-3, A 3-6 before C, which came later, 6-7.
    ("priority", 1, [(0, 4, "base"), (1, 2, "gold"), (2, 1, "base")], [6, 3, 7]),
    # C preempts B, which came later than A: A 0-4, C 1-3, B 3-6.
    ("priority", 2, [(0, 4, "base"), (0, 4, "base"), (1, 2, "gold")], [4, 6, 3]),
    # A 0-4, B 4-6, C 6-7.
    ("priority(preemptive=false)", 1, [(0, 4, "base"), (1, 2, "gold"), (2, 1, "base")], [4, 6, 7]),
    # A 0-4, C 4-5, B 5-6.
    ("priority(preemptive=false)", 1, [(0, 4, "base"), (1, 1, "base"), (2, 1, "gold")], [4, 6, 5]),
    # In turns of 2 ns: A 0-2, B 2-3, whose turn is left when C comes, C 3-4; B 4-5, A 5-6, B 6-7.
    (
        "priority(9ns, 2ns)",
        1,
        [(0, 3, "base"), (1, 3, "base"), (3, 1, "gold")],
        [6, 7, 4],
    ),
    # The first class in turns of 1 ns: C 1-2, D 2-3, C 3-4; A 0-1 and 4-6.
    (
        "priority(1ns, 9ns)",
        1,
        [(0, 3, "base"), (1, 2, "gold"), (1, 1, "gold")],
        [6, 4, 3],
    ),
    # B is expected to be small, whatever it is: A 0-1, B 1-10, A 10-11.
    ("pesjf", 1, [(0, 2, "base"), (1, 9, "gold")], [11, 10]),
    # Equal kinds in order of arrival.
    ("pesjf", 1, [(0, 3, "base"), (1, 1, "base")], [3, 4]),
    # The other way round.
    ("peljf", 1, [(0, 2, "gold"), (1, 9, "base")], [11, 10]),
    ("peljf", 1, [(0, 9, "base"), (1, 1, "gold")], [9, 10]),
    # Deadlines at 2, 3/2 and 3: B pushes out A, with 7/2 left, and ends at 5/2; A 6, C 7.
    ("edf", 1, [(0, 4, "base"), (Fraction(1, 2), 2, "gold"), (1, 1, "base")], [6, 2.5, 7]),
    # B waits, and is served before C, which came earlier.
    ("edf(preemptive=false)", 1, [(0, 4, "gold"), (1, 1, "base"), (1, 2, "gold")], [4, 7, 6]),
    # Weights 1 and 2: A alone to 1; a third each second to A, so B is done at 4, with A at 2.
    ("dps", 1, [(0, 3, "gold"), (1, 2, "base")], [5, 4]),
    # Alone, it moves down to the last level, and round there.
    ("mlfq(1ns, 2ns, 4ns)", 1, [(0, 20)], [20]),
    # A 0-1 on level 1 and 1-2 on level 2, B 2-3 on level 1; A 3-4 has used up level 2;
    # B 4-5 on level 2; A 5-6 on level 3.
    ("mlfq(1ns, 2ns, 4ns)", 1, [(0, 4), (2, 2)], [6, 5]),
    # A 0-1, B 1-2, and then in turn on the last level: A 2-4, B 4-6, A 6-8, B 8-10, A 11, B 12.
    ("mlfq(1ns, 2ns)", 1, [(0, 6), (0, 6)], [11, 12]),
    # A 0-1, B 1-2, A 2-3 on level 2, C 3-4; A is back at the head of level 2, 4-6; B 6-8.
    ("mlfq(1ns, 4ns)", 1, [(0, 4), (0, 3), (3, 1)], [6, 8, 4]),
    # At 1 A and B drop to level 2, in this order; C 1-2 and A 1-2; then B 2-4.
    ("mlfq(1ns, 4ns)", 2, [(0, 2), (0, 3), (0, 1)], [2, 4, 2]),
    # A 0-1 and B 0-1, then both on level 2. C preempts B, which came later: C 2-3, B 3-5.
    ("mlfq(1ns, 4ns)", 2, [(0, 4), (0, 4), (2, 1)], [4, 5, 3]),
]


@pytest.mark.parametrize(("policy", "servers", "jobs", "expected"), CASES)
def test_departures_worked_out_by_hand(
    policy: str, servers: int, jobs: list[Given], expected: list[Time]
) -> None:
    assert departures(policy, servers, jobs, ranks=RANKS) == expected


def test_the_order_of_what_falls_together_can_be_chosen() -> None:
    jobs: list[Given] = [(0, 4), (1, 2), (2, 1)]
    # At 2 the slice of A ends and C comes. B 2-4, then A 4-6, C 6-7; or C 4-5, A 5-7.
    assert departures("rr(2ns)", 1, jobs) == [6, 4, 7]
    assert departures("rr(2ns)", 1, jobs, arrivals_first=True) == [7, 4, 5]
    # At 2 A is done and C comes. B 2-5, C 5-6; or C 2-3, B 3-6.
    jobs = [(0, 2), (1, 3), (2, 1)]
    assert departures("sjf", 1, jobs) == [2, 5, 6]
    assert departures("sjf", 1, jobs, arrivals_first=True) == [2, 6, 3]


def test_times_are_read_with_their_units() -> None:
    assert departures("rr(0.002us)", 1, [(0, 3), (1, 3)]) == [5, 6]
    assert departures("rr(2e-9)", 1, [(0, 3), (1, 3)]) == [5, 6]
    assert departures("mlfq(1ms,2ms)", 1, [(0, 6e6), (0, 6e6)]) == [11 * 10**6, 12 * 10**6]


@pytest.mark.parametrize(
    ("policy", "jobs"),
    [
        ("fifo", [(0, 1)]),
        ("rr(0ms)", [(0, 1)]),
        ("rr(1ms, 2ms)", [(0, 1)]),
        ("mlfq(1ms, switch=1ms)", [(0, 1)]),
        ("priority", [(0, 1), (0, 1)]),
        ("fcfs", [(1, 1), (0, 1)]),
        ("fcfs", [(0, 0)]),
    ],
)
def test_what_makes_no_sense_is_refused(policy: str, jobs: list[Given]) -> None:
    with pytest.raises(ValueError, match=r"."):
        departures(policy, 1, jobs, ranks=RANKS)


# ---- closed systems


GOLD: list[Given] = [(1, 2, "gold"), (1, 2, "gold")]
BASE: list[Given] = [(0, 4, "base"), (0, 1, "base")]
Times = list[list[tuple[Time, Time]]]
CLOSED_CASES: list[tuple[str, list[list[Given]], Times]] = [
    # Client 2 0-4; client 1 sends at 1, 4-6, thinks to 9, 9-10.
    ("fcfs", [[(1, 2), (3, 1)], [(0, 4)]], [[(1, 6), (9, 10)], [(0, 4)]]),
    # Client 1 alone to 1, both at half to 3; then both have 1 left.
    ("ps", [[(0, 2), (0, 1)], [(1, 2)]], [[(0, 3), (3, 5)], [(1, 5)]]),
    # Client 1 0-1; client 2 takes the server before client 1, which does not think, asks again.
    ("lcfs", [[(0, 1), (0, 1)], [(0, 1)]], [[(0, 1), (1, 3)], [(0, 2)]]),
    # Base 0-1, gold 1-3, base 3-4, gold 4-6, base 6-8 and at once 8-9.
    ("priority", [GOLD, BASE], [[(1, 3), (4, 6)], [(0, 8), (8, 9)]]),
    # The next request of the same client is another job: 0-1, switch 2-3, 3-4.
    ("rr(9ns, switch=1ns)", [[(0, 1), (1, 1)], []], [[(0, 1), (2, 4)], []]),
]


@pytest.mark.parametrize(("policy", "clients", "expected"), CLOSED_CASES)
def test_closed_systems_worked_out_by_hand(
    policy: str, clients: list[list[Given]], expected: Times
) -> None:
    assert closed(policy, 1, clients, ranks=RANKS) == expected


# ---- laws


CONSERVING = sorted({policy for policy, *_ in CASES if "switch" not in policy and policy != "dps"})
"""Policies for any number of servers that lose no time; `dps` is for one server."""
SOME_JOBS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 12), st.sampled_from(["gold", "base"])),
    min_size=1,
    max_size=9,
)
"""(time since the arrival before, demand, kind): small integers, so that much falls together."""
Gaps = list[tuple[int, int, str]]
any_jobs = given(gaps=SOME_JOBS, servers=st.integers(1, 3), arrivals_first=st.booleans())
often = settings(max_examples=volume(15, 60))
on_each_policy = pytest.mark.parametrize("policy", CONSERVING)


def spread(gaps: Gaps) -> list[Given]:
    """The jobs, each with its arrival."""
    return [
        (sum(gap for gap, *_ in gaps[: place + 1]), demand, kind)
        for place, (_, demand, kind) in enumerate(gaps)
    ]


@on_each_policy
@any_jobs
@often
def test_servers_are_busy_while_there_are_jobs_for_them(
    policy: str, gaps: Gaps, servers: int, arrivals_first: bool
) -> None:
    attained: dict[int, Fraction] = {}

    def check(at: reference_stations.Station, _now: Fraction) -> None:
        if any(job.remaining == 0 for job in at.present):
            return  # about to leave, at this very instant
        rates = at.rates()
        assert sum(rates.values()) == min(len(at.present), servers)
        assert all(0 <= rate <= 1 for rate in rates.values())
        for job in at.present:
            assert attained.get(job.owner, 0) <= job.attained < job.demand  # no work is lost
            attained[job.owner] = job.attained

    jobs = spread(gaps)
    gone = departures(
        policy, servers, jobs, ranks=RANKS, watch=check, arrivals_first=arrivals_first
    )
    for (arrival, demand, *_), departure in zip(jobs, gone, strict=True):
        assert departure >= arrival + demand


def unfinished(policy: str, jobs: list[Given], arrivals_first: bool) -> dict[Fraction, Fraction]:
    """The work that is left on one server just after each instant with an event."""
    seen = {}

    def look(at: reference_stations.Station, now: Fraction) -> None:
        seen[now] = sum((job.remaining for job in at.present), Fraction(0))

    departures(policy, 1, jobs, ranks=RANKS, watch=look, arrivals_first=arrivals_first)
    return seen


@on_each_policy
@given(gaps=SOME_JOBS, arrivals_first=st.booleans())
@often
def test_one_server_has_the_same_work_left_whatever_the_policy(
    policy: str, gaps: Gaps, arrivals_first: bool
) -> None:
    jobs = spread(gaps)
    seen = unfinished(policy, jobs, arrivals_first)
    for now, work in seen.items():
        came = [(arrival, demand) for arrival, demand, *_ in jobs if arrival <= now]
        since = [
            sum(demand for _, demand in came[first:]) - (now - came[first][0])
            for first in range(len(came))
        ]
        assert work == max(0, *since)
    empty = {now for now, work in seen.items() if work == 0}
    fcfs = unfinished("fcfs", jobs, arrivals_first)
    assert empty == {now for now, work in fcfs.items() if work == 0}


@on_each_policy
@given(gaps=SOME_JOBS)
@often
def test_no_policy_has_a_smaller_mean_response_time_than_srpt(policy: str, gaps: Gaps) -> None:
    jobs = spread(gaps)
    least = sum(departures("srpt", 1, jobs))
    assert least <= sum(departures(policy, 1, jobs, ranks=RANKS))


@pytest.mark.parametrize(
    ("policy", "same"),
    [
        ("rr(1s)", "fcfs"),
        ("rr(1s, switch=0s)", "fcfs"),
        ("mlfq(1s)", "fcfs"),
        ("mlfq(1s, 1ms)", "fcfs"),
        ("mlfq(3ns)", "rr(3ns)"),
        ("rr(3ns, switch=0s)", "rr(3ns)"),
        ("pesjf", "priority"),
    ],
)
@any_jobs
@often
def test_policies_that_come_to_the_same(
    policy: str, same: str, gaps: Gaps, servers: int, arrivals_first: bool
) -> None:
    if policy.startswith("mlfq(3ns)"):
        servers = 1  # slices that end together: by number of server, or by arrival
    jobs = spread(gaps)
    one = departures(policy, servers, jobs, ranks=RANKS, arrivals_first=arrivals_first)
    assert one == departures(same, servers, jobs, ranks=RANKS, arrivals_first=arrivals_first)


@any_jobs
@often
def test_ranking_by_kind_when_every_job_is_its_own_kind(
    gaps: Gaps, servers: int, arrivals_first: bool
) -> None:
    jobs: list[Given] = [(arrival, demand, str(demand)) for arrival, demand, *_ in spread(gaps)]
    sizes = {str(demand): demand for _, demand, *_ in jobs}
    smaller = {kind: -size for kind, size in sizes.items()}

    def gone(policy: str, ranks: reference.Ranks) -> list[Fraction]:
        return departures(policy, servers, jobs, ranks=ranks, arrivals_first=arrivals_first)

    assert gone("pesjf", sizes) == gone("priority", sizes) == gone("psjf", {})
    assert gone("peljf", sizes) == gone("priority", smaller)
    assert gone("priority(preemptive=false)", sizes) == gone("sjf", {})
    assert gone("priority(preemptive=false)", smaller) == gone("ljf", {})


SLOWLY = st.lists(
    st.tuples(st.integers(0, 400), st.integers(1, 300), st.just("gold")), min_size=1, max_size=5
)


@given(gaps=SLOWLY)
@settings(max_examples=15)
def test_small_slices_come_close_to_sharing(gaps: Gaps) -> None:
    """A quantum of 1 ns moves a departure by at most a round a job that is present."""
    jobs = spread(gaps)
    levels = ", ".join(["1ns"] * 300)
    for sliced, shared in [("rr(1ns)", "ps"), (f"mlfq({levels})", "las")]:
        pairs = zip(departures(sliced, 1, jobs), departures(shared, 1, jobs), strict=True)
        assert all(abs(one - other) <= len(jobs) ** 2 for one, other in pairs), (sliced, jobs)


@pytest.mark.parametrize("policy", [*CONSERVING, "rr(3ns, switch=1ns)"])
@given(
    lists=st.lists(
        st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), max_size=4),
        max_size=4,
    ),
    servers=st.integers(1, 3),
)
@settings(max_examples=volume(8, 20))
def test_a_closed_system_is_an_open_one_with_its_arrivals(
    policy: str, lists: list[list[tuple[int, int]]], servers: int
) -> None:
    policy = policy.replace("ns", "00us")
    clients: list[list[Given]] = [
        [(think, demand, ["gold", "base"][demand % 2]) for think, demand in requests]
        for requests in lists
    ]
    times = closed(policy, servers, clients, ranks=RANKS)
    assert [len(requests) for requests in times] == [len(requests) for requests in clients]
    jobs: list[tuple[Given, Fraction]] = []
    for requests, given_ones in zip(times, clients, strict=True):
        now = Fraction(0)
        for (sent, done), (think, *rest) in zip(requests, given_ones, strict=True):
            assert sent == now + Fraction(think)
            now = done
            jobs.append(((sent, *rest), done))
    jobs.sort(key=lambda job: job[0][0])
    gone = departures(policy, servers, [job for job, _ in jobs], ranks=RANKS)
    assert gone == [done for _, done in jobs]
