"""The beginnings of sessions: the learned model, and its form in a workload.

Random checks have fixed seeds; each gives its probability of failure for another one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from traffic.arrivals import Arrivals, clusters, flash, modulated, poisson

from thinktime import InputError, System, Workload, simulate
from thinktime.learn.starts import (
    Coverage,
    Model,
    Starts,
    arrival_keys,
    as_dispersed,
    choose,
    columns,
    learn_starts,
    silences,
    spread,
    write_starts,
)
from thinktime.learn.views.summary import _busiest

SPAN_S = 4000.0
BURSTS = modulated(low=1.0, high=11.0, quiet=180.0, busy=20.0)


def drawn(arrivals: Arrivals, seed: int, span_s: float = SPAN_S) -> np.ndarray:
    """Times in nanoseconds."""
    times = arrivals.draw(np.random.default_rng(seed), 0.0, span_s)
    return (times * 1e9).astype(np.int64)


def learned(times_ns: np.ndarray, resolution_s: float = 1e-3, **more: float) -> Starts:
    step = round(resolution_s * 1e9)
    stamps = times_ns // step * step
    return learn_starts(
        stamps, begin_ns=0, covered=Coverage(SPAN_S), resolution_s=resolution_s, **more
    )


def test_nobody_leaves_the_second_of_the_stamp() -> None:
    stamps = np.repeat(np.arange(50) * 1_000_000_000, 7)
    found = spread(stamps, 1.0)
    assert np.array_equal(found // 1_000_000_000, stamps // 1_000_000_000)
    assert np.all(np.diff(found) >= 0)
    assert len(np.unique(found)) == len(stamps)
    assert np.array_equal(found, spread(stamps, 1.0))
    assert np.array_equal(spread(stamps[::-1], 1e-9), stamps)


def test_covered_time_leaves_out_what_is_lost() -> None:
    covered = Coverage(100.0, ((10.0, 20.0), (50.0, 55.0)))
    assert covered.seconds == 85.0
    assert covered.upto([5, 15, 30, 52, 100, 200]).tolist() == [5, 10, 20, 40, 85, 85]
    assert covered.holds([5, 15, 20, 54, 99, 101]).tolist() == [
        True,
        False,
        True,
        False,
        True,
        False,
    ]
    assert covered.settled(5.0).lost == ((0.0, 5.0), (10.0, 25.0), (50.0, 60.0))
    assert covered.settled(10.0).lost == ((0.0, 30.0), (50.0, 65.0))
    assert covered.settled(0.0) is covered
    assert covered.settled(1e6).seconds >= 42.5
    for lost in [((20.0, 10.0),), ((10.0, 30.0), (20.0, 40.0)), ((5.0, 5.0),)]:
        with pytest.raises(ValueError, match="in order"):
            Coverage(100.0, lost)
    with pytest.raises(ValueError, match="above 0"):
        Coverage(0.0)


def test_lost_hours_are_found_and_quiet_nights_are_not() -> None:
    # Requests of a site in clumps of eight; a silence by chance of 40 clumps has p < 1e-16.
    times = drawn(clusters(0.5, size=8.0, spread=10.0), 2) * 1e-9
    kept = times[(times < 1500) | (times > 1900)]
    assert silences(times, SPAN_S) == ()
    ((begin, end),) = silences(kept, SPAN_S)
    assert begin == pytest.approx(1500, abs=20)
    assert end == pytest.approx(1900, abs=20)
    fading = np.cumsum(np.linspace(0.1, 60.0, 500))
    assert silences(fading, float(fading[-1])) == ()


def test_a_poisson_process_is_called_one_and_bursts_are_not() -> None:
    # The test errs with probability 1 %, the index is within 4.5 standard errors (7e-6).
    steady = learned(drawn(poisson(2.0), 3))
    assert steady.poisson.verdict == "yes"
    assert steady.rate == pytest.approx(2.0, abs=4.5 * np.sqrt(2.0 / SPAN_S))
    assert steady.dispersion[0] == pytest.approx(1, abs=4.5 * np.sqrt(2 / SPAN_S))
    assert [model.name for model in steady.models] == ["poisson", "trace"]
    assert learned(drawn(poisson(2.0), 3), resolution_s=1.0).poisson.verdict == "yes"
    bursts = learned(drawn(BURSTS, 3))
    assert bursts.poisson.verdict == "no"
    assert learned(drawn(BURSTS, 3), resolution_s=1.0).poisson.verdict == "no"


@pytest.mark.parametrize("resolution_s", [1e-3, 1.0])
def test_bursts_of_seconds_are_in_the_blocks(resolution_s: float) -> None:
    found = learned(drawn(BURSTS, 4), resolution_s)
    blocks = found.models[-2]
    assert blocks.name == "blocks"
    for logged, modelled in zip(found.dispersion, blocks.dispersion, strict=True):
        assert modelled == pytest.approx(logged, rel=0.2)
    plain = found.models[0]
    assert plain.dispersion[1] < 0.5 * found.dispersion[1]
    assert blocks.rates.sum() * blocks.width_s == pytest.approx(len(found.times_ns), rel=0.01)


def test_the_simplest_model_that_stands_in_is_chosen() -> None:
    def chosen(arrivals: Arrivals) -> str:
        found = learned(drawn(arrivals, 5))
        return choose(found.models, as_dispersed(found)).name

    assert chosen(poisson(2.0)) == "poisson"
    assert chosen(poisson(2.0, flash(at=2000, factor=12, decay=150))) == "blocks"
    assert chosen(clusters(0.2, size=10.0, spread=2.0)) == "trace"
    models = learned(drawn(BURSTS, 5)).models
    assert choose(models, lambda model: False) is models[-1]
    assert choose(models, lambda model: True) is models[0]


def test_the_busiest_windows_are_told() -> None:
    even = np.arange(0, SPAN_S, 0.5)
    burst = 2000 + np.arange(30) / 30
    times = (np.sort(np.concatenate([even, burst])) * 1e9).astype(np.int64)
    second, minute, hour = _busiest(learned(times))
    assert (second["window_s"], second["at_s"], second["requests"]) == (1, 2000.0, 32)
    assert second["factor"] == pytest.approx(32 / 2.0075, rel=0.01)
    assert minute["at_s"] <= 2000 <= minute["at_s"] + 60
    assert (minute["requests"], hour["requests"]) == (150, 7230)
    coarse = learned(times, resolution_s=10.0)
    assert [one["window_s"] for one in _busiest(coarse)] == [60, 3600]
    assert coarse.dispersion[0] is None


def test_what_is_lost_has_no_starts_and_lowers_no_rate() -> None:
    times = drawn(poisson(2.0), 6)
    covered = Coverage(SPAN_S, ((1000.0, 2000.0),))
    kept = times[covered.holds(times * 1e-9)]
    found = learn_starts(kept, begin_ns=0, covered=covered, resolution_s=1e-3)
    assert found.rate == pytest.approx(2.0, abs=4.5 * np.sqrt(2.0 / 3000))
    assert found.offered_rate == pytest.approx(0.75 * found.rate)
    assert found.poisson.verdict == "yes"
    assert not found.steps.changes
    assert found.dispersion[2] < 2


def test_sessions_under_way_at_the_begin_are_no_change_of_the_rate() -> None:
    begun = np.concatenate([drawn(poisson(3.0), 7, 60.0), drawn(poisson(2.0), 8)])
    assert learned(begun).models[0].name == "steps"
    settled = learned(begun, settled_s=120.0)
    assert settled.models[0].name == "poisson"
    assert settled.models[0].rate == pytest.approx(2.0, abs=4.5 * np.sqrt(2.0 / SPAN_S))
    assert len(settled.times_ns) == len(begun)


def test_times_that_are_given_stay_what_they_are() -> None:
    """Nor does their order matter, or the clock's origin."""
    times_ns = drawn(poisson(0.5), 6)
    stamps = times_ns // 1_000_000_000 * 1_000_000_000
    found = learned(times_ns, 1.0)
    epoch_ns = 1_790_000_000_000_000_000
    given = stamps[::-1] + epoch_ns
    before = given.copy()
    again = learn_starts(given, begin_ns=epoch_ns, covered=Coverage(SPAN_S), resolution_s=1.0)
    assert np.array_equal(given, before)
    assert len(again.times_ns) == len(found.times_ns)
    assert np.array_equal(again.times_ns // 10**9, found.times_ns // 10**9)
    assert again.counts.starts.tolist() == found.counts.starts.tolist()


def test_times_outside_the_log_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        learned(np.empty(0, dtype=np.int64))
    with pytest.raises(ValueError, match="and the log from 0 s to 4000 s"):
        learned(np.array([5_000_000_000_000]))


def test_one_start_is_enough() -> None:
    found = learned(np.array([5_000_000_000]))
    assert found.poisson.verdict == "cannot tell"
    assert [model.name for model in found.models] == ["poisson", "trace"]


def test_columns_have_plain_names() -> None:
    assert columns(["people", "a b", "a/b", "é"]) == {
        "people": "people", "a b": "a-b", "a/b": "a-b-2", "é": "population",
    }  # fmt: skip
    assert columns(["2", "3rd"]) == {"2": "population-2", "3rd": "population-3rd"}


SERVER = System('name = "s"\n[[station]]\nname = "s"\ndemand = "const(1us)"\n')


def arrivals_of(
    folder: Path, chosen: dict[str, tuple[Starts, Model]], rate: str = ""
) -> pl.DataFrame:
    """The rows of a simulation of open populations with these models."""
    write_starts(folder / "starts.parquet", chosen)
    text = 'name = "w"\n'
    for name, column in columns(list(chosen)).items():
        keys = arrival_keys(*chosen[name], column)
        text += f'[[population]]\nname = "{name}"\n[population.arrivals]\nmodel = "open"\n'
        text += "".join(f'{key} = "{value}"\n' for key, value in keys.items()) + rate
        text += f'[[population.request]]\nname = "of-{name}"\n'
    (folder / "workload.toml").write_text(text, encoding="utf-8")
    workload = Workload.load(folder / "workload.toml")
    simulate(workload, SERVER, duration="4000s", warmup="0s", output=folder / "result", rows="all")
    return pl.read_parquet(folder / "result" / "requests.parquet")


def test_a_trace_is_replayed_to_the_microsecond_beside_others(tmp_path: Path) -> None:
    late = drawn(BURSTS, 9)
    late = late[late > 2_000_000_000_000]
    starts = {"people": learned(drawn(poisson(2.0), 10)), "late-ones": learned(late)}
    rows = arrivals_of(tmp_path, {name: (one, one.models[-1]) for name, one in starts.items()})
    for name, one in starts.items():
        sent = rows.filter(pl.col("name") == f"of-{name}")["scheduled_ns"].sort().to_numpy()
        assert len(sent) == len(one.times_ns)
        assert np.abs(sent - one.times_ns).max() < 2_000


def test_a_model_is_drawn_by_the_simulation_at_its_rate(tmp_path: Path) -> None:
    found = learned(drawn(BURSTS, 11))
    rows = arrivals_of(tmp_path, {"people": (found, found.models[-2])})
    # 4.5 standard deviations of a Poisson count (7e-6), by halves of the log.
    for begin, end in [(0, 2e12), (2e12, 4e12)]:
        logged = np.count_nonzero((found.times_ns >= begin) & (found.times_ns < end))
        drawn_count = rows.filter(pl.col("scheduled_ns").is_between(begin, end)).height
        assert drawn_count == pytest.approx(logged, abs=4.5 * np.sqrt(logged))


def test_a_constant_rate_needs_no_file(tmp_path: Path) -> None:
    found = learned(drawn(poisson(2.0), 12))
    write_starts(tmp_path / "starts.parquet", {"people": (found, found.models[0])})
    assert not (tmp_path / "starts.parquet").exists()
    assert arrival_keys(found, found.models[0], "people")["process"] == "poisson"


def test_a_gap_within_a_column_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a_us": [1, None, 3]}).write_parquet(tmp_path / "starts.parquet")
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "open"\nprocess = "trace(starts.parquet)"\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="holds no numbers, or gaps"):
        Workload.load(tmp_path / "w.toml")


@pytest.mark.parametrize("policy", ["fcfs", "ps"])
def test_queues_feel_the_bursts_of_a_log_with_second_stamps(tmp_path: Path, policy: str) -> None:
    times = drawn(BURSTS, 13)
    demand = 0.8 * SPAN_S / len(times)
    text = f'name = "s"\n[[station]]\nname = "s"\npolicy = "{policy}"\ndemand = "exp({demand}s)"\n'

    def response_times(keys: dict[str, str]) -> tuple[float, float]:
        lines = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
        (tmp_path / "w.toml").write_text(
            f'name = "w"\n[arrivals]\nmodel = "open"\n{lines}', encoding="utf-8"
        )
        workload = Workload.load(tmp_path / "w.toml")
        found = simulate(workload, System(text), duration="4000s", warmup="0s").summary
        return found["response_time_s"]["mean"], found["response_time_s"]["p99"]

    pl.DataFrame({"true_ns": times}).write_parquet(tmp_path / "true.parquet")
    true = response_times({"process": "trace(true.parquet, begin=0s)"})
    found = learned(times, resolution_s=1.0)
    write_starts(tmp_path / "starts.parquet", {"people": (found, found.models[-1])})
    # The same demands: only the place of each within its second differed.
    learned_keys = arrival_keys(found, found.models[-1], "people")
    assert response_times(learned_keys) == pytest.approx(true, rel=0.05)
    steady = response_times({"process": "poisson", "rate": f"{found.rate}/s"})
    assert steady[0] < 0.5 * true[0]


def test_what_a_lost_part_lies_between_does_not_come_at_once() -> None:
    """As starts of a trace they would, and a trace of a single time is refused."""
    covered = Coverage(1000.0, ((10.0, 400.0), (410.0, 990.0)))
    assert covered.mostly_lost
    joined = covered.joined([0.0, 10.0, 400.0, 410.0, 990.0, 1000.0])
    assert joined == pytest.approx([0, 10, 10, 20, 20, 30], abs=0.01)
    assert (np.diff(joined) > 0).all()
