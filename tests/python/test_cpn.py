"""Nets of schedulers, run by cpncheck, against schedules that were worked out by hand.

The rules are those of `crates/core/src/system/machine/README.md`. Times in comments are
milliseconds; unless said otherwise, slices last 10, priorities are equal, and core 0 gets the first
task, core 1 the second, core 0 the third, and so on.
"""

from __future__ import annotations

import machine_scenarios as ms
import pytest
from cpn_runner import Outcome, run_net
from machine_scenarios import (
    DYNAMIC,
    ON_FORK,
    ON_IDLE,
    RELATIVE,
    SAME,
    THRESHOLD,
    features,
    task,
    with_load_index,
)

LONG = 'time_sharing.slice.length = "100ms"\n'
EQUALISE = 'balancing.dynamic.selection.number = "equalise"\n'
PERIODIC = 'balancing.dynamic.information.periodic = "10ms"\n'
AGEING = with_load_index('kind = "ageing-queue-length", weight = 0.5, tick = "4ms"')
AVERAGE = with_load_index('kind = "average-queue-length", time_span = "10ms"')
HIGH_LONG = (
    'balancing.dynamic.selection.preferred_priority = "high"\n'
    'balancing.dynamic.selection.preferred_waiting_time = "long"\n'
)


def completions(outcomes: list[Outcome]) -> list[tuple[float, ...]]:
    """The ends of each task's bursts, in milliseconds."""
    return [tuple(time / 1000 for time in one.completions) for one in outcomes]


def moves(outcomes: list[Outcome]) -> list[tuple[int, float, int, int]]:
    """(task, time in milliseconds, giver, taker) of each move."""
    return [
        (one.task, time / 1000, giver, taker)
        for one in outcomes
        for time, giver, taker in one.moves
    ]


# ---- one core


def test_equal_tasks_take_turns() -> None:
    # 0-10 A, 10-20 B, 20-30 A, 30-35 B, 35-40 A.
    outcomes = run_net(features(), 1, [task(0, 25), task(1, 15)])
    assert completions(outcomes) == [(40,), (35,)]


def test_who_is_preempted_keeps_the_rest_of_its_slice_and_its_place() -> None:
    # A, low, runs 0-4. C, low, comes at 2 and waits. B, high, comes at 4 and runs 4-7. A resumes
    # before C, for the 6 that are left of its slice: 7-13. C runs 13-18. A's slice and its burst
    # end together at 28: the burst counts.
    tasks = [task(0, 20, priority="low"), task(4, 3, priority="high"), task(2, 5, priority="low")]
    assert completions(run_net(features(), 1, tasks)) == [(28,), (7,), (18,)]


def test_equal_priority_does_not_preempt() -> None:
    assert completions(run_net(features(), 1, [task(0, 9), task(1, 1)])) == [(9,), (10,)]


def test_a_wait_costs_a_part_of_the_slice() -> None:
    # A runs 0-3 and sleeps until 8: of the 7 left a wait costs 4. B runs 3-13. A runs 13-16, its
    # slice is used up and filled again. B 16-26, A 26-36, B 36-46 (done), A 46-53 (done).
    costs = 'time_sharing.slice.wait_costs = "4ms"\n'
    tasks = [task(0, 3, 20, sleeps=(5,)), task(0, 30)]
    assert completions(run_net(features(costs), 1, tasks)) == [(3, 53), (46,)]


def test_a_slice_that_a_wait_uses_up_is_filled_again() -> None:
    # As above, but a wait costs 7, all that is left: A has 10 again. B 3-13, A 13-23, B 23-33,
    # A 33-43 (done), B 43-53 (done).
    costs = 'time_sharing.slice.wait_costs = "7ms"\n'
    tasks = [task(0, 3, 20, sleeps=(5,)), task(0, 30)]
    assert completions(run_net(features(costs), 1, tasks)) == [(3, 43), (53,)]


def test_slices_by_priority() -> None:
    # Levels 0 (best) to 4; average 2, so a = 2. Level 1: 9 x (3 + 1) / (2 + 1) = 12; level 3:
    # 9 x (1 + 1) / 3 = 6. Two tasks of level 3: A 0-6, B 6-12, A 12-14, B 14-16. Then two of
    # level 1 from 16 on: C 16-28, D 28-40, C 40-41, D 41-42.
    slices = 'time_sharing.slice = { length = "9ms", by_priority = true, minimum = "1ms" }\n'
    tasks = [task(0, 8, priority=3), task(1, 8, priority=3)]
    tasks += [task(16, 13, priority=1), task(17, 13, priority=1)]
    assert completions(run_net(features(slices), 1, tasks)) == [(14,), (16,), (41,), (42,)]


def test_expired_tasks_wait_for_all_active_ones() -> None:
    # High A uses up its slice at 10 and is expired: low B runs 10-20 and is expired too. The
    # arrays change places: A 20-25, B 25-30. With a single array A would run on until 15.
    tasks = [task(0, 15, priority="high"), task(1, 15, priority="low")]
    assert completions(run_net(features(ms.EXPIRED), 1, tasks)) == [(25,), (30,)]
    assert completions(run_net(features(), 1, tasks)) == [(15,), (30,)]


# ---- several cores without dynamic balancing


def test_cyclic_splitting() -> None:
    # A 0-10 on core 0, B 1-6 on core 1, C waits on core 0 for A: 10-14.
    outcomes = run_net(features(), 2, [task(0, 10), task(1, 5), task(2, 4)])
    assert [one.first_core for one in outcomes] == [0, 1, 0]
    assert completions(outcomes) == [(10,), (6,), (14,)]
    assert moves(outcomes) == []


def test_least_loaded() -> None:
    # A on core 0, B on core 1; C, as both have one, on core 0; D on core 1; at 7 core 0 has A and
    # C, core 1, after B, only D: E goes there.
    policy = 'balancing.static.policy = "least-loaded"\n'
    tasks = [task(0, 20), task(1, 4), task(2, 4), task(3, 9), task(7, 1)]
    assert [one.first_core for one in run_net(features(policy), 2, tasks)] == [0, 1, 0, 1, 1]


@pytest.mark.parametrize(("woken", "done"), [("last-core", 21), ("idle-core", 11)])
def test_the_core_of_a_task_that_wakes(woken: str, done: float) -> None:
    # Both come to core 0. A runs 0-5 and sleeps until 10; B runs 5-20. On its last core A waits
    # for B: 20-21. On the idle core 1 it runs 10-11.
    changes = f'balancing.static.woken = "{woken}"\n'
    tasks = [task(0, 5, 1, sleeps=(5,)), task(2, 15)]
    outcomes = run_net(features(changes, SAME, LONG), 2, tasks)
    assert completions(outcomes) == [(5, done), (20,)]


def test_cores_take_from_one_queue() -> None:
    # A 0-20 on core 0, B 1-4 on core 1; C waits for whichever is free first: 4-9 on core 1.
    outcomes = run_net(features(ms.ONE_QUEUE), 2, [task(0, 20), task(1, 3), task(2, 5)])
    assert completions(outcomes) == [(20,), (4,), (9,)]


# ---- dynamic balancing


def test_an_idle_core_pulls_under_a_threshold() -> None:
    # As under cyclic splitting, but when core 1 is idle at 6 it takes C, which waits: 6-10.
    outcomes = run_net(
        features(DYNAMIC, THRESHOLD, ON_IDLE), 2, [task(0, 10), task(1, 5), task(2, 4)]
    )
    assert moves(outcomes) == [(3, 6, 0, 1)]
    assert completions(outcomes) == [(10,), (6,), (10,)]


def test_three_to_one_is_equalised() -> None:
    # Core 0 gets A, C, E. Core 1 gets B (1-3) and D, high (3-5). At 10 the loads are 3 and 1: one
    # task goes, (3 - 1) / 2; the last of the queue is E. A 0-30, C 30-50; B done at 33, E 33-43.
    tasks = [task(0, 30), task(1, 30), task(2, 20), task(3, 2, priority="high"), task(4, 10)]
    outcomes = run_net(features(DYNAMIC, RELATIVE, EQUALISE, PERIODIC, LONG), 2, tasks)
    assert moves(outcomes) == [(5, 10, 0, 1)]
    assert completions(outcomes) == [(30,), (33,), (50,), (5,), (43,)]


def test_expired_tasks_are_moved_before_active_ones() -> None:
    # Core 0: A 0-10, then expired; C 10-20; E waits. Core 1: B 1-3, D (high) 3-4, B 4-12, its
    # slice, and 12-16. At 16 core 1 is idle: of A, expired, and E, active, A goes: 16-46. Core 0:
    # C until 20, E 20-30, then C 30-40, E from 40. At 46 core 1 is idle again: C, expired at 40,
    # goes: 46-66. E until 70.
    tasks = [task(0, 40), task(1, 14), task(2, 40), task(3, 1, priority="high"), task(4, 40)]
    outcomes = run_net(features(DYNAMIC, THRESHOLD, ON_IDLE, ms.EXPIRED), 2, tasks)
    assert moves(outcomes) == [(1, 16, 0, 1), (3, 46, 0, 1)]
    assert completions(outcomes) == [(46,), (16,), (66,), (4,), (70,)]


def test_who_is_moved_may_preempt() -> None:
    # Core 0: A, C and E, all high; core 1: B, low, and D, high, 3-4. At 10 the head of the best
    # list, C, goes to core 1 and takes it from B: 10-40. B ran 1-3 and 4-10: 40-72. E 30-60.
    tasks = [task(0, 30, priority="high"), task(1, 40, priority="low")]
    tasks += [task(2, 30, priority="high"), task(3, 1, priority="high")]
    tasks += [task(4, 30, priority="high")]
    outcomes = run_net(features(DYNAMIC, RELATIVE, PERIODIC, HIGH_LONG, LONG), 2, tasks)
    assert moves(outcomes) == [(3, 10, 0, 1)]
    assert completions(outcomes) == [(30,), (72,), (40,), (4,), (60,)]


def test_a_receiver_asks_when_its_load_falls() -> None:
    # Bounds 2 and 2: with fewer than 2 a core takes, with more than 2 it gives. B is done at 6,
    # core 1 takes D and has 1, core 0 has 3: C, the head, goes. D 6-16, C 16-46; A 0-30, E 30-60.
    bounds = (
        'balancing.dynamic.transfer = { policy = "threshold", lower_bound = 2, upper_bound = 2 }\n'
        'balancing.dynamic.information.demand_driven = "receiver-initiated"\n'
    )
    tasks = [task(0, 30), task(1, 5), task(2, 30), task(3, 10), task(4, 30)]
    outcomes = run_net(features(DYNAMIC, bounds, HIGH_LONG, LONG), 2, tasks)
    assert moves(outcomes) == [(3, 6, 0, 1)]
    assert completions(outcomes) == [(30,), (6,), (46,), (16,), (60,)]


@pytest.mark.parametrize(("affinity", "moved"), [("5ms", False), ("2ms", True)])
def test_who_ran_just_before_stays(affinity: str, moved: bool) -> None:
    # A 0-10, C 10-20 on core 0; B 1-12 on core 1, idle at 12. A left core 0 just 2 ago: with a
    # cache affinity of 5 it stays, 20-30, and C runs 30-40. With 2 (not less than 2 ago) it goes:
    # 12-22, and C runs on until 30.
    changes = f'balancing.dynamic.selection.cache_affinity = "{affinity}"\n'
    tasks = [task(0, 20), task(1, 11), task(2, 20)]
    outcomes = run_net(features(DYNAMIC, THRESHOLD, ON_IDLE, changes), 2, tasks)
    assert moves(outcomes) == ([(1, 12, 0, 1)] if moved else [])
    assert completions(outcomes) == [(22 if moved else 30,), (12,), (30 if moved else 40,)]


def test_ageing_loads() -> None:
    # All come to core 0; weight 0.5, W = 512. When C comes at 3 no tick has been: the giver's load
    # is min(0, 384). Tick 4: (0 + 384 x 512 + 1023) / 1024 = 192; tick 8: (192 x 512 + 384 x 512 +
    # 1023) / 1024 = 288. When D comes at 9, min(288, 512) is 2 x 128 or more above core 1's 0:
    # 288 / 256 = 1 task goes, the last one, D: 9-59. A 1-51, B 51-101, C 101-151.
    tasks = [task(1, 50), task(2, 50), task(3, 50), task(9, 50)]
    outcomes = run_net(features(AGEING, RELATIVE, EQUALISE, ON_FORK, SAME, LONG), 2, tasks)
    assert moves(outcomes) == [(4, 9, 0, 1)]
    assert completions(outcomes) == [(51,), (101,), (151,), (59,)]


def test_a_tick_sees_what_was_before_the_events_of_its_instant() -> None:
    # All come to core 0. C comes at 4, with the tick, which sees 2 tasks: (0 + 256 x 512 + 1023) /
    # 1024 = 128, not above the upper bound of 128; with C it would be 192, and C would go. Tick 8:
    # (128 x 512 + 384 x 512 + 1023) / 1024 = 256, so that D, at 9, goes.
    tasks = [task(1, 50), task(2, 50), task(4, 50), task(9, 50)]
    outcomes = run_net(features(AGEING, THRESHOLD, ON_FORK, SAME, LONG), 2, tasks)
    assert moves(outcomes) == [(4, 9, 0, 1)]


def test_average_loads() -> None:
    # All come to core 0; the average is over the last 10. B comes at 5: 1 task for 5 of 10, 64,
    # not above 128. C comes at 12: 1 task for 3, 2 tasks for 7: 128 x 17 / 10 = 217, so that C, the
    # last one, goes. A 0-50, B 50-100, C 12-62.
    tasks = [task(0, 50), task(5, 50), task(12, 50)]
    outcomes = run_net(features(AVERAGE, THRESHOLD, ON_FORK, SAME, LONG), 2, tasks)
    assert moves(outcomes) == [(3, 12, 0, 1)]
    assert completions(outcomes) == [(50,), (100,), (62,)]


LOCATIONS = {
    # Core 3's two tasks: at 10 it gives. Cores 0, 1 and 2 are idle from 4, 5 and 6 on. The nearest
    # is core 2; by broadcast the first of those with the smallest load, core 0.
    "broadcast": 0,
    "nearest-neighbour": 2,
    # It never gave before: as under broadcast.
    "memory": 0,
}


@pytest.mark.parametrize("location", LOCATIONS)
def test_who_takes(location: str) -> None:
    changes = f'balancing.dynamic.location = "{location}"\n'
    tasks = [task(0, 4), task(1, 4), task(2, 4), task(3, 40)]
    tasks += [task(3.1, 1), task(3.2, 1), task(3.3, 1), task(3.4, 40)]
    outcomes = run_net(features(DYNAMIC, THRESHOLD, PERIODIC, LONG, changes), 4, tasks)
    assert moves(outcomes) == [(8, 10, 3, LOCATIONS[location])]


# ---- the order of what is noted down together


def test_three_tasks_at_once_come_in_their_order() -> None:
    for seed in range(3):
        outcomes = run_net(features(), 2, [task(0, 5), task(0, 5), task(0, 5)], seed)
        assert [one.first_core for one in outcomes] == [0, 1, 0]
