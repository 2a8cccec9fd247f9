"""Networks, pools, overload and clients that give up: scenarios worked out by hand.

They have constant demands and arrivals every second from 1 s on, so that every time is a whole
number or close to one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars
import pytest

import thinktime as tt

Times = dict[tuple[int, int], tuple[float, float, str | None]]
"""(session, attempt) -> (sent, ended, error), in seconds."""


def table(kind: str, /, **values: Any) -> str:
    """A table of a list, as in [[station]]."""
    lines = [f"[[{kind}]]"]
    for key, value in values.items():
        text = value if isinstance(value, str) and value[:1] in "[{" else None
        lines.append(f"{key} = {text or (repr(value) if isinstance(value, str) else value)}")
    return "\n".join(lines).replace("True", "true") + "\n"


def station(name: str = "x", **values: Any) -> str:
    return table("station", name=name, **values)


def scenario(
    count: int,
    system: str,
    request: str = "",
    *,
    gap: float = 1,
    more: str = "",
    duration: float = 100,
) -> tuple[Times, dict[str, Any]]:
    """A number of requests, one each `gap` seconds from the first gap on."""
    workload = (
        f'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "even"\nrate = {1 / gap}\n'
        f'profile = "steps(0s: 1, {(count + 0.5) * gap}s: 1e-9)"\n{more}\n'
    )
    workload += request
    result = tt.simulate(
        tt.Workload(workload),
        tt.System(f'name = "s"\n{system}'),
        duration=duration,
        warmup=0,
        rows="all",
    )
    return times_of(result), result.summary


def times_of(result: tt.Result) -> Times:
    frame = polars.DataFrame(result.requests).with_columns(polars.col("error").cast(polars.String))
    columns = frame.select("session", "attempt", "scheduled_ns", "done_ns", "error")
    return {
        (session, attempt): (round(sent / 1e9, 6), round(done / 1e9, 6), error)
        for session, attempt, sent, done, error in columns.iter_rows()
    }


def ends(times: Times) -> list[float]:
    """The end of the first attempt of each session, by session."""
    return [times[key][1] for key in sorted(times) if key[1] == 1]


def faults(times: Times) -> list[str | None]:
    """The failure of the first attempt of each session."""
    return [times[key][2] for key in sorted(times) if key[1] == 1]


def behaviour(steps: str) -> str:
    return f"[[behaviour]]\nsteps = [{steps}]\n"


# ---- behaviours


def test_steps_follow_one_another() -> None:
    # x 1-3, delay 3-6, y 6-7, x again: busy with session 1 (3-5, then delay) and free at 7: 7-8.
    # Session 1: x 3-5, delay 5-8, y 8-9, x 9-10.
    steps = '{use="x"}, {delay="3s"}, {use="y"}, {use="x", demand="1s"}'
    times, summary = scenario(
        2, station(demand="2s") + station("y", demand="1s") + behaviour(steps), duration=20
    )
    assert ends(times) == [8, 10]
    assert summary["stations"]["x"]["demand_s"]["mean"] == pytest.approx(1.5)


def test_a_request_skips_the_stations_that_have_no_demand_for_it() -> None:
    text = "".join(table("request", name=name) for name in "ab")
    workload = f'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "even"\nrate = 0.1\n{text}'
    system = (
        'name = "s"\n[[station]]\nname = "x"\ndemand.a = "2s"\n'
        '[[station]]\nname = "y"\ndemand.a = "1s"\ndemand.b = "5s"\n'
    )
    result = tt.simulate(
        tt.Workload(workload), tt.System(system), requests=50, warmup=0, rows="all"
    )
    took = polars.DataFrame(result.requests).with_columns(
        took=(polars.col("done_ns") - polars.col("scheduled_ns")) / 1e9
    )
    by_name = dict(took.group_by(polars.col("name").cast(polars.String)).agg("took").iter_rows())
    assert set(by_name["a"]) == {3.0}
    assert set(by_name["b"]) == {5.0}


def test_parts_of_a_fork_go_on_side_by_side_and_join() -> None:
    # Session 0: x 1-3 beside y 1-6; then z 6-7. Session 1: x 3-5 beside y 6-11; z 11-12.
    steps = '{fork=[[{use="x"}], [{use="y"}]]}, {use="z"}'
    stations = station(demand="2s") + station("y", demand="5s") + station("z", demand="1s")
    times, _ = scenario(2, stations + behaviour(steps))
    assert ends(times) == [7, 12]


def test_forks_within_forks_and_twice_the_same_station() -> None:
    # x serves two at once. Parts: x 1-3; delay 1-2, and then both x 2-4 and a delay 2-3.
    # At 2 one server of x is free, so the fork is over at 4; then x 4-6.
    steps = '{fork=[[{use="x"}], [{delay="1s"}, {fork=[[{use="x"}], [{delay="1s"}]]}]]}, {use="x"}'
    times, summary = scenario(1, station(servers=2, demand="2s") + behaviour(steps), duration=10)
    assert ends(times) == [6]
    assert summary["stations"]["x"]["demand_s"]["mean"] == 2


def test_a_pool_lets_so_many_in_first_come_first_served() -> None:
    # Two places. 1-4, 2-5; session 2 waits from 3 to 4: 4-7; session 3 from 4 to 5: 5-8.
    steps = '{acquire="p"}, {delay="3s"}, {release="p"}'
    times, summary = scenario(
        4, station() + table("pool", name="p", size=2) + behaviour(steps), duration=10
    )
    assert ends(times) == [4, 5, 7, 8]
    # Places are held for 4 x 3 s in 10 s; 1 s of waiting each for two.
    assert summary["pools"]["p"]["load"] == pytest.approx(12 / 20)
    assert summary["pools"]["p"]["queue_length_mean"] == pytest.approx(14 / 10)
    assert summary["pools"]["p"]["queue_length_max"] == 3


def test_a_pool_with_a_limit_refuses() -> None:
    # One place: 1-4.5; session 1 waits from 2 on; 2 and 3 are refused at 3 and 4; session 1 has it
    # 4.5-8, session 4 waits from 5 on, 8-11.5.
    steps = '{acquire="p"}, {delay="3.5s"}, {release="p"}'
    pool = table("pool", name="p", size=1, queue_limit=1)
    times, summary = scenario(5, station() + pool + behaviour(steps))
    assert ends(times) == [4.5, 8, 3, 4, 11.5]
    assert faults(times) == [None, None, "refused", "refused", None]
    assert summary["errors_by_kind"] == {"refused": 2}
    assert summary["errors"] == 2


def test_a_place_is_kept_while_the_request_is_elsewhere() -> None:
    # One place, held over x (1 s) and y (2 s): 1-4, 4-7, 7-10, however idle x is.
    steps = '{acquire="p"}, {use="x"}, {use="y"}, {release="p"}, {delay="0.5s"}'
    text = station(demand="1s") + station("y", demand="2s") + table("pool", name="p", size=1)
    times, _ = scenario(3, text + behaviour(steps))
    assert ends(times) == [4.5, 7.5, 10.5]


# ---- stations with too much to do


def test_queue_limit() -> None:
    # 1-4.5; session 1 waits, 4.5-8; 2 and 3 refused; 4 waits from 5 on, 8-11.5.
    times, summary = scenario(5, station(demand="3.5s", queue_limit=1))
    assert ends(times) == [4.5, 8, 3, 4, 11.5]
    assert faults(times) == [None, None, "refused", "refused", None]
    assert summary["stations"]["x"]["queue_length_max"] == 2
    times, _ = scenario(3, station(demand="1.5s", queue_limit=0, servers=1))
    assert ends(times) == [2.5, 2, 4.5]


def test_queue_timeout() -> None:
    # 1-4; session 1 has waited 2 s, which is not longer than 2 s: 4-7. At 7 sessions 2 (4 s) and
    # 3 (3 s) are dropped, and 4 is next, after 2 s: 7-10. Session 5 (since 6) is dropped at 10.
    times, summary = scenario(6, station(demand="3s", queue_timeout="2s"))
    assert ends(times) == [4, 7, 7, 7, 10, 10]
    assert faults(times) == [None, None, "dropped", "dropped", None, "dropped"]
    assert summary["stations"]["x"]["load"] == pytest.approx(9 / 100)


@pytest.mark.parametrize("policy", ["rr(1s)", "mlfq(1s, 2s)", "psjf", "plcfs"])
def test_queue_timeout_is_of_waiting_only(policy: str) -> None:
    # Alone under rr and mlfq: it never waits. Under the others it is pushed out for 1 s at 9 s.
    kinds = "".join(table("request", name=name) for name in ("big", "small"))
    text = (
        f'name = "w"\nseed = 6\n[arrivals]\nmodel = "open"\nprocess = "even"\nrate = 0.125\n{kinds}'
    )
    demands = 'demand.big = "10s"\ndemand.small = "1s"\n'
    result = tt.simulate(
        tt.Workload(text),
        tt.System(f'name = "s"\n{station(policy=policy, queue_timeout="5s")}{demands}'),
        requests=2,
        warmup=0,
        rows="all",
    )
    frame = polars.DataFrame(result.requests).sort("session")
    assert frame["name"].to_list() == ["big", "small"]  # by the seed
    assert result.summary["errors"] == 0


def test_newest_first_above() -> None:
    # 1-5.5; at 5.5 four wait (2, 3, 4, 5), more than two: the newest, session 4, 5.5-10. At 10
    # sessions 1, 2, 3 wait: 3 is next, 10-14.5. Then two wait: the oldest, 1, to 19, and 2 to 23.5.
    times, _ = scenario(5, station(demand="4.5s", newest_first_above=2))
    assert ends(times) == [5.5, 19, 23.5, 14.5, 10]


def write_paths(folder: Path, arrivals: list[float], demands: list[float]) -> tuple[Path, str, str]:
    """Files of arrivals and demands; the texts that name them."""
    (folder / "arrivals.csv").write_text("\n".join(map(str, arrivals)))
    (folder / "demands.csv").write_text("\n".join(map(str, demands)))
    head = 'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "trace(arrivals.csv)"\n'
    return folder, head, "trace(demands.csv)"


def simulate_files(folder: Path, workload: str, system: str) -> tuple[Times, dict[str, Any]]:
    (folder / "w.toml").write_text(workload)
    (folder / "s.toml").write_text(f'name = "s"\n{system}')
    result = tt.simulate(folder / "w.toml", folder / "s.toml", duration=100, warmup=0, rows="all")
    return times_of(result), result.summary


def test_newest_first_above_counts_those_who_wait(tmp_path: Path) -> None:
    # At 2, 3, 4, 5 and 8, 9 s (the mean gap is 1.4: shifted by -0.6). The first is served for 10 s.
    # Sessions 1, 2, 3 wait and are taken back after 6 s. When the server is free only 4 and 5 wait,
    # which is not more than two: the older one is next.
    folder, head, demand = write_paths(tmp_path, [0, 1, 2, 3, 6, 7], [10, 1, 1, 1, 1, 1])
    request = table("request", name="r", timeout="6s", cancel="queued")
    times, _ = simulate_files(folder, head + request, station(demand=demand, newest_first_above=2))
    assert faults(times) == ["timeout"] * 4 + [None, None]
    assert times[4, 1][1] < times[5, 1][1]


@pytest.mark.parametrize("pool", [True, False])
def test_a_refusal_at_the_second_step(pool: bool) -> None:
    # x 1-1.5, y 1.5-4. Sessions 1 and 2 come to y at 2.5 and 3.5, and are refused; 3 at 4.5.
    text = station(demand="0.5s") + station("y", demand="2.5s", queue_limit=0)
    if pool:
        steps = '{use="x"}, {acquire="p"}, {delay="2.5s"}, {release="p"}'
        text += table("pool", name="p", size=1, queue_limit=0) + behaviour(steps)
    times, summary = scenario(4, text)
    assert ends(times) == [4, 2.5, 3.5, 7]
    assert faults(times) == [None, "refused", "refused", None]
    assert summary["stations"]["x"]["queue_length_mean"] == pytest.approx(4 * 0.5 / 100)


@pytest.mark.parametrize("policies", [("rr(1s)", "fcfs"), ("srpt", "mlfq(1s, 2s)")])
def test_turns_are_of_one_station_only(policies: tuple[str, str]) -> None:
    first, second = policies
    text = station(policy=first, demand="1.5s") + station("y", policy=second, demand="5s")
    times, _ = scenario(3, text, gap=10)
    assert ends(times) == [16.5, 26.5, 36.5]


# ---- requests that are taken out while they are many things at once


FORK = '{fork=[[{use="x"}], [{use="y"}]]}'


def test_a_refused_part_takes_the_whole_request_along() -> None:
    # y refuses session 1 at 2 (one in service, none may wait): its part leaves x's queue, so that
    # session 2 waits in x from 3 on, and is refused by y too. Session 3 at 4: x 4-7, y 4-6.
    text = station(demand="3s") + station("y", demand="2.5s", queue_limit=0)
    times, summary = scenario(4, text + behaviour(FORK))
    assert ends(times) == [4, 2, 3, 7]
    assert faults(times) == [None, "refused", "refused", None]
    assert summary["stations"]["x"]["load"] == pytest.approx(6 / 100)


def test_dropped_requests_leave_their_other_station(tmp_path: Path) -> None:
    # Arrivals at 9.5, 10.5, 11.5 and 38. x drops sessions 1 and 2 at 19.5; their parts leave y.
    folder, head, _ = write_paths(tmp_path, [0, 1, 2, 28.5], [1])
    text = station(demand="10s", queue_timeout="3s") + station("y", servers=5, demand="15s")
    times, summary = simulate_files(folder, head, text + behaviour(FORK))
    assert ends(times) == [24.5, 19.5, 19.5, 53]
    assert faults(times) == [None, "dropped", "dropped", None]
    present = (15 + 9 + 8 + 15) / 100
    assert summary["stations"]["y"]["queue_length_mean"] == pytest.approx(present)


def test_a_refusal_after_a_delay_frees_the_station_at_once(tmp_path: Path) -> None:
    # Arrivals at 10, 11, 12, 40. Session 0: x 10-11, p 15-19. Session 1: x from 11 on; p refuses it
    # at 16. Then session 2 has waited 4 s in x, and is dropped at 16. Session 3: x 40-43, p 45-49.
    folder, head, demand = write_paths(tmp_path, [0, 1, 2, 30], [1, 20, 20, 3])
    steps = '{fork=[[{use="x"}], [{delay="5s"}, {acquire="p"}, {delay="4s"}, {release="p"}]]}'
    pool = table("pool", name="p", size=1, queue_limit=0)
    text = station(demand=demand, queue_timeout="2s") + pool + behaviour(steps)
    times, summary = simulate_files(folder, head, text)
    assert ends(times) == [19, 16, 16, 49]
    assert faults(times) == [None, "refused", "dropped", None]
    present = 1 + 5 + 4 + 3
    assert summary["stations"]["x"]["queue_length_mean"] == pytest.approx(present / 100)


def test_two_parts_of_one_request_are_dropped_at_once() -> None:
    # Session 0: one part in x 1-6, the other has waited 5 s at 6; session 1 has waited since 2.
    text = station(demand="5s", queue_timeout="2s") + behaviour('{fork=[[{use="x"}], [{use="x"}]]}')
    times, summary = scenario(2, text)
    assert ends(times) == [6, 6]
    assert faults(times) == ["dropped", "dropped"]
    assert summary["stations"]["x"]["queue_length_max"] == 4


def test_parts_that_wait_for_a_pool_are_taken_back() -> None:
    # Session 0 is given up at 3 and taken back from x and from p: session 1, which came at 2, has p
    # from 3 on, is given up at 4, and so on. Each leaves x at its end: it is busy 1-5.
    part = '{acquire="p"}, {use="x", demand="9s"}, {release="p"}'
    text = station() + table("pool", name="p", size=1)
    request = table("request", name="r", timeout="2s", cancel="always")
    times, summary = scenario(
        2, text + behaviour(f"{{fork=[[{part}], [{part}]]}}"), request, duration=3.5
    )
    assert faults(times) == ["timeout", "timeout"]
    assert summary["pools"]["p"]["queue_length_max"] == 4


# ---- clients that give up


SERVICE = station(demand="3s")


def impatient(**values: Any) -> str:
    return table("request", name="r", **values)


@pytest.mark.parametrize(
    ("cancel", "expected", "load"),
    [
        # All is served, even without a waiting client: 4 x 3 s.
        ("never", [3.5, 4.5, 5.5, 6.5], 12),
        # Session 0 is in service and is finished, 1-4. Then session 1 (until 4.5) is in service
        # from 4 to 7. Sessions 2 and 3 are taken back.
        ("queued", [3.5, 4.5, 5.5, 6.5], 6),
        # Session 0 leaves at 3.5; session 1 has the server to 4.5, and so on: 1-6.5.
        ("always", [3.5, 4.5, 5.5, 6.5], 5.5),
    ],
)
def test_what_clients_give_up_is_taken_back(
    cancel: str, expected: list[float], load: float
) -> None:
    times, summary = scenario(4, SERVICE, impatient(timeout="2.5s", cancel=cancel))
    assert ends(times) == expected
    assert faults(times) == ["timeout"] * 4
    assert summary["timeouts"] == summary["errors"] == 4
    assert summary["stations"]["x"]["load"] == pytest.approx(load / 100)


@pytest.mark.parametrize(
    "policy", ["fcfs", "ps", "las", "srpt", "rr(1s)", "plcfs", "lcfs", "mlfq(1s)"]
)
def test_who_is_taken_out_of_service_leaves_the_server_to_others(policy: str) -> None:
    # Session 0 needs 9 s and is taken back; session 1 needs 1 s. Work after that: none.
    text = station(demand="9s", policy=policy)
    times, summary = scenario(
        3, text, impatient(timeout="4s", cancel="always"), gap=10, duration=60
    )
    assert ends(times) == [14, 24, 34]
    assert summary["stations"]["x"]["load"] == pytest.approx(12 / 60)
    assert summary["stations"]["x"]["queue_length_mean"] == pytest.approx(12 / 60)


def test_a_client_that_waits_in_a_pool_is_taken_back() -> None:
    # Session 0 has p 1-4.5 (given up at 4, taken back with its place). Session 1, given up at 5,
    # has p 4-5; session 2 5-6.
    steps = '{acquire="p"}, {delay="3.5s"}, {release="p"}'
    text = station() + table("pool", name="p", size=1) + behaviour(steps)
    times, summary = scenario(3, text, impatient(timeout="3s", cancel="always"), duration=50)
    assert ends(times) == [4, 5, 6]
    assert summary["pools"]["p"]["load"] == pytest.approx(5 / 50)
    assert summary["pools"]["p"]["queue_length_mean"] == pytest.approx(9 / 50)
    # "queued": only waiting requests. Session 0 keeps it, 1-4.5, session 1 (until 5) 4.5-8.
    times, summary = scenario(3, text, impatient(timeout="3s", cancel="queued"), duration=50)
    assert summary["pools"]["p"]["load"] == pytest.approx(7 / 50)


def test_a_response_at_the_very_timeout_is_in_time() -> None:
    times, _ = scenario(1, SERVICE, impatient(timeout="3s", cancel="always"))
    assert times == {(0, 1): (1, 4, None)}


def test_retries_wait_ever_longer_up_to_a_limit() -> None:
    # Timeouts after 1 s; waits of 1, 3, then 5 (not 9) and 5 s. Nothing is ever answered in time.
    retry = '{ attempts = 5, backoff = "1s", growth = 3, backoff_max = "5s" }'
    times, summary = scenario(1, SERVICE, impatient(timeout="1s", cancel="always", retry=retry))
    sent = {attempt: times[0, attempt][:2] for attempt in range(1, 6)}
    assert sent == {1: (1, 2), 2: (3, 4), 3: (7, 8), 4: (13, 14), 5: (19, 20)}
    assert (summary["requests"], summary["errors"], summary["retries"]) == (1, 1, 4)
    assert summary["stations"]["x"]["load"] == pytest.approx(5 / 100)


def test_late_responses_are_waited_for_and_then_tried_again() -> None:
    # 1-4 is later than 2 s: again, 4.5-7.5, and again at 8; the
    # last attempt succeeds, however late.
    retry = '{ attempts = 3, when = "late", backoff = "500ms" }'
    times, summary = scenario(1, SERVICE, impatient(timeout="2s", retry=retry))
    assert times == {(0, 1): (1, 4, "late"), (0, 2): (4.5, 7.5, "late"), (0, 3): (8, 11, None)}
    assert summary["errors"] == 0
    assert summary["response_time_s"]["mean"] == pytest.approx(10)


def test_refusals_are_retried() -> None:
    # x takes nobody else: session 0 1-4; session 1 refused at 2, 3.5 and 5 comes in: 5-8;
    # session 2 refused at 3, 4.5 -> in service 4.5-7.5, so session 1 is refused at 5.
    retry = '{ attempts = 3, backoff = "1.5s" }'
    times, summary = scenario(3, station(demand="3s", queue_limit=0), impatient(retry=retry))
    assert times[1, 1] == (2, 2, "refused")
    assert times[1, 2] == (3.5, 3.5, "refused")
    assert times[2, 2] == (4.5, 7.5, None)
    assert times[1, 3] == (5, 5, "refused")
    assert (summary["errors"], summary["retries"]) == (1, 3)
    assert summary["errors_by_kind"] == {"refused": 4}


@pytest.mark.parametrize("same", [True, False])
def test_every_attempt_of_a_request_may_bring_the_same_demand(same: bool) -> None:
    retry = f'{{ attempts = 4, when = "late", same_demand = {str(same).lower()} }}'
    workload = 'name = "w"\n[arrivals]\nmodel = "open"\nrate = 10\n' + impatient(
        timeout="10ms", retry=retry
    )
    system = f'name = "s"\n{station(servers=100, demand="exp(10ms)")}'
    result = tt.simulate(
        tt.Workload(workload), tt.System(system), requests=500, warmup=0, rows="all"
    )
    frame = polars.DataFrame(result.requests)
    different = frame.group_by("session").agg(polars.col("demand_s").n_unique()).to_series(1)
    assert frame["attempt"].max() == 4
    assert (different.max() == 1) == same


def test_the_same_demand_again_does_not_go_with_a_trace(tmp_path: Path) -> None:
    folder, head, demand = write_paths(tmp_path, [0, 10, 20], [1, 3, 1])
    retry = "{ attempts = 3, same_demand = true }"
    request = impatient(timeout="2s", retry=retry)
    with pytest.raises(tt.InputError, match="same_demand"):
        simulate_files(folder, head + request, station(demand=demand))


def test_kinds_of_request_share_the_demands_of_a_trace(tmp_path: Path) -> None:
    folder, head, demand = write_paths(tmp_path, list(range(0, 80, 10)), list(range(1, 9)))
    kinds = table("request", name="a") + table("request", name="b")
    times, _ = simulate_files(folder, head + kinds, station(demand=demand))
    assert [round(end - sent, 6) for sent, end, _ in times.values()] == list(range(1, 9))


# ---- limits on all clients together


def test_concurrency_and_waiting_of_clients() -> None:
    # One in flight, one waiting. Session 0 1-4; session 1 waits from 2, sent at 4, ends at 7;
    # session 2 (at 3) fails at once. At 4 the response goes before session 3 comes: that one waits,
    # and is sent at 7. Session 4 (at 5) fails.
    limits = "[clients]\nconcurrency = 1\nwaiting = 1\n"
    times, summary = scenario(5, SERVICE, more=limits)
    assert times[0, 1] == (1, 4, None)
    assert times[1, 1][1:] == (7, None)
    assert times[2, 1][1:] == (3, "too_many_waiting")
    assert times[3, 1][1:] == (10, None)
    assert times[4, 1][1:] == (5, "too_many_waiting")
    # The server never has a second one; the wait is part of the response time: 3, 5 and 6 s.
    assert summary["stations"]["x"]["queue_length_max"] == 1
    assert summary["response_time_s"]["mean"] == pytest.approx(14 / 3)
    assert summary["errors"] == 2


def test_the_retry_budget_is_a_token_bucket() -> None:
    # Two tokens at first, half a token a request, at most two. Every request except session 0's is
    # refused: it comes at 1 and stays. Requests 1 to 6 come at 2 to 7, each earns 0.5 and would try
    # again: tokens 2 -> 1 (request 1), 1.5 -> 0.5, 1 -> 0, 0.5 (none), 1 -> 0, 0.5 (none).
    retry = '{ attempts = 2, backoff = "100ms" }'
    budget = '[clients]\nretry_budget = { share = "50%", burst = 2 }\n'
    text = station(demand="90s", queue_limit=0)
    times, summary = scenario(7, text, impatient(retry=retry), more=budget)
    assert sorted(session for session, attempt in times if attempt == 2) == [1, 2, 3, 5]
    assert summary["retries"] == 4
    assert summary["errors"] == 6
