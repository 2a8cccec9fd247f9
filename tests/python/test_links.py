"""Links of system files: against a second implementation, against published models, and shown.

Each statistical test says its false-alarm probability; all seeds are fixed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import reference_link
from scipy import stats

import thinktime as tt
from thinktime.theory import (
    TcpPath,
    slow_start_rounds,
    tcp_setup_time,
    tcp_throughput,
    tcp_transfer_time,
)

THINKTIME = [sys.executable, "-c", "from thinktime.cli import main; main()"]
SEGMENT = 1448


def system(**link: Any) -> str:
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in link.items())
    return (
        'name = "s"\n[[station]]\nname = "web"\npolicy = "ps"\nservers = 100\ndemand = 0\n'
        f'[[link]]\nname = "wan"\ncongestion_control = "reno"\n{lines}\n'
    )


def workload(size: int, connections: str = "per-request", rate: float = 1.0) -> str:
    return (
        f'name = "w"\n[arrivals]\nmodel = "open"\nrate = {rate}\n[clients]\n'
        f'connections = "{connections}"\n[[request]]\nname = "a"\nget = "/a"\nsize = {size}\n'
    )


def times(size: int, requests: int, connections: str = "per-request", **link: Any) -> pl.Series:
    """Response times in seconds."""
    done = tt.simulate(
        tt.Workload(workload(size, connections)), tt.System(system(**link)),
        requests=requests, warmup=0, rows="all",
    )  # fmt: skip
    rows = pl.DataFrame(done.requests)
    assert done.summary["errors"] == 0
    return (rows["done_ns"] - rows["scheduled_ns"]) / 1e9


# ---- a second implementation


@pytest.mark.parametrize("delay", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("loss", [0.01, 0.03])
@pytest.mark.parametrize(("segments", "requests"), [(2, 5000), (35, 3000), (691, 200)])
def test_counts_and_single_segments_agree(
    delay: float, loss: float, segments: int, requests: int
) -> None:
    """Two samples of the same law: Kolmogorov and Smirnov's test, at 1e-5 each of the 18."""
    simulated = times(segments * SEGMENT, requests, delay=delay, loss=loss)
    again = [
        reference_link.exchange(seed, delay, loss, segments, connects=True)
        for seed in range(requests)
    ]
    # Times are whole nanoseconds in one of them: equal ones must be equal in both.
    found = stats.ks_2samp(np.round(simulated.to_numpy(), 6), np.round(again, 6))
    assert found.pvalue > 1e-5, (simulated.mean(), np.mean(again))


def test_the_comparison_finds_a_difference() -> None:
    """Half a per cent more loss is another law."""
    simulated = times(35 * SEGMENT, 20_000, delay=0.05, loss=0.015)
    again = [reference_link.exchange(n, 0.05, 0.01, 35, connects=True) for n in range(20_000)]
    assert stats.ks_2samp(np.round(simulated.to_numpy(), 6), np.round(again, 6)).pvalue < 1e-5


# ---- published models


@pytest.mark.parametrize("delay", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("size", [1, 2_000, 14_480, 14_481, 50_000, 1_000_000])
def test_without_loss_rounds_are_those_of_slow_start(delay: float, size: int) -> None:
    """Exactly: a round trip for the connection, and one for each round."""
    rounds = slow_start_rounds(-(-size // SEGMENT))
    found = times(size, 3, delay=delay)
    assert found.to_list() == pytest.approx([2 * delay * (rounds + 1)] * 3, abs=1e-6)


def test_slow_start_is_counted_by_hand() -> None:
    assert [slow_start_rounds(n) for n in (0, 1, 10, 11, 30, 31, 70, 71, 630, 631, 691)] == [
        1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 7,
    ]  # fmt: skip
    assert slow_start_rounds(7, initial_window=1) == 3


@pytest.mark.parametrize("loss", [0.01, 0.03, 0.05])
def test_connections_take_what_cardwell_savage_and_anderson_say(loss: float) -> None:
    """The difference of means that a connection makes; theirs counts a try that loses both twice.

    50,000 requests each: within 4.5 standard errors (false alarm 7e-6) and 10 % of the waiting.
    """
    number = 50_000
    link = {"delay": 0.02, "loss": loss}
    new, kept = (times(1000, number, kind, **link) for kind in ("per-request", "keep-alive"))
    found = float(new.mean() - kept.mean())  # type: ignore[operator]
    law = tcp_setup_time(TcpPath(round_trip=0.04, loss=loss, timeout=0.24))
    error = float(np.hypot(new.std(), kept.std())) / number**0.5  # type: ignore[call-overload]
    assert abs(found - law) < 4.5 * error + 0.1 * (law - 0.04), (found, law, error)


@pytest.mark.parametrize("segments", [5, 20, 60])
def test_short_transfers_with_few_losses_are_near_cardwell_savage_and_anderson(
    segments: int,
) -> None:
    """Where hardly any transfer has two losses, ways to recover from them differ least.

    What remains: theirs counts slow start in broken rounds, ends with an acknowledgement instead of
    an arrival, and has timeouts where modern kernels probe. 12 % is allowed for that, and 4.5
    standard errors (false alarm 7e-6).
    """
    number = 20_000
    found = times(
        segments * SEGMENT, number, "keep-alive", delay=0.05, loss=0.002, initial_window=4
    )
    path = TcpPath(round_trip=0.1, loss=0.002, timeout=0.3, initial_window=4)
    law = tcp_transfer_time(path, segments)
    # Their rounds are whole ones here, so that the comparison covers the effect of losses.
    whole = 0.1 * slow_start_rounds(segments, 4)
    broken = tcp_transfer_time(
        TcpPath(round_trip=0.1, loss=0.0, timeout=0.3, initial_window=4), segments
    )
    error = float(found.std()) / number**0.5  # type: ignore[arg-type]
    mean = float(found.mean())  # type: ignore[arg-type]
    assert abs(mean - (law - broken + whole)) < 0.12 * whole + 4.5 * error, (mean, law, broken)
    assert mean > whole


@pytest.mark.parametrize("loss", [0.002, 0.005, 0.01, 0.02])
def test_long_transfers_have_nearly_the_steady_state_of_padhye_and_others(loss: float) -> None:
    """30 MB at once: the throughput of PFTK, which loses ends of rounds and waits for timeouts.

    Independent losses and selective acknowledgements make it faster. The bound is the throughput of
    an unbroken sawtooth with random losses, 1.31 / (R sqrt(p)) (Mathis, Semke, Mahdavi and Ott,
    1997), and a tenth for the slow start and for chance.
    """
    segments = 20_000
    found = times(segments * SEGMENT, 20, "keep-alive", delay=0.05, loss=loss)
    rate = segments / float(found.mean())  # type: ignore[arg-type]
    path = TcpPath(round_trip=0.1, loss=loss, timeout=0.3)
    assert 0.95 * tcp_throughput(path) < rate < 1.1 * 1.31 / (0.1 * loss**0.5)


def test_the_throughput_is_the_published_one() -> None:
    """PFTK by another way to write it: its short form, for small losses, within 15 %."""
    for loss in (0.001, 0.005, 0.02):
        path = TcpPath(round_trip=0.1, loss=loss, timeout=0.4, acknowledged_every=2)
        root = np.sqrt(4 * loss / 3)
        late = 0.4 * min(1, 3 * np.sqrt(3 * loss / 4)) * loss * (1 + 32 * loss**2)
        assert tcp_throughput(path) == pytest.approx(1 / (0.1 * root + late), rel=0.15)
    bounded = TcpPath(round_trip=0.1, loss=1e-6, timeout=0.4, window_max=8)
    # A window of 8 that is hardly ever reduced.
    assert tcp_throughput(bounded) == pytest.approx(80, rel=1e-3)


def test_wrong_arguments_are_named() -> None:
    good = {"round_trip": 0.1, "loss": 0.01, "timeout": 0.3}
    for key, value in [
        ("round_trip", -1), ("loss", 0.5), ("loss", -0.1), ("timeout", 0), ("initial_window", 0),
        ("acknowledged_every", 0), ("window_max", 0), ("loss", float("nan")),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="must be"):
            TcpPath(**good | {key: value})
    with pytest.raises(ValueError, match="loss must be"):
        tcp_throughput(TcpPath(0.1, 0.0, 0.3))
    with pytest.raises(ValueError, match="segments must be"):
        tcp_transfer_time(TcpPath(0.1, 0.0, 0.3), 0)
    with pytest.raises(ValueError, match="retry must be"):
        tcp_setup_time(TcpPath(0.1, 0.0, 0.3), -1)
    with pytest.raises(ValueError, match="window must be"):
        slow_start_rounds(3, 0)


# ---- a shared rate


def test_a_shared_link_is_as_busy_as_what_it_carries() -> None:
    """At 60 % a large buffer does not overflow, and the load is the bytes with their headers."""
    link = {"delay": "5ms", "rate": "10Mbit/s", "buffer": "10MB"}
    done = tt.simulate(
        tt.Workload(workload(14_480, "keep-alive", rate=50)), tt.System(system(**link)),
        requests=20_000, warmup=0, rows="none",
    )  # fmt: skip
    found = done.summary["links"]["wan"]
    assert (found["dropped"], found["lost"], found["retransmissions"]) == (0, 0, 0)
    # The measured time ends with the last request; some responses come later.
    assert found["transfers"] == pytest.approx(40_000, abs=50)
    bits = 20_000 * 10 * 1500 * 8
    assert found["load_back"] == pytest.approx(bits / 10e6 / done.summary["duration_s"], rel=5e-3)
    assert found["load_out"] == pytest.approx(found["load_back"] * 252 / 15_000, rel=1e-3)


def test_a_full_link_shares_by_losses_and_loses_no_request() -> None:
    link = {"delay": "20ms", "rate": "10Mbit/s", "buffer": "50kB"}
    done = tt.simulate(
        tt.Workload(
            'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 20\n'
            '[session]\nthink = "exp(100ms)"\n'
            '[[request]]\nname = "a"\nget = "/a"\nsize = "exp(200kB)"\n'
        ),
        tt.System(system(**link)), duration="60s", warmup="5s", rows="none",
    )  # fmt: skip
    found = done.summary["links"]["wan"]
    assert done.summary["errors"] == 0
    assert found["dropped"] > 100
    # Whatever was dropped was sent again; those on the way at the ends are on one side alone.
    assert found["retransmissions"] == pytest.approx(found["dropped"], rel=0.02)
    assert 0.8 < found["load_back"] <= 1


# ---- shown, and served


def test_tables_tell_of_links(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(workload(50_000))
    (tmp_path / "s.toml").write_text(system(delay="10ms", loss="2%", rate="100Mbit/s"))
    command = [*THINKTIME, "simulate", "w.toml", "s.toml", "--requests", "2000", "-o", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "wan: " in done.stdout
    assert "segments sent again" in done.stdout
    command = [*THINKTIME, "report", "out", "-o", "page.html"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "The traffic of the links" in (tmp_path / "page.html").read_text("utf-8")


def test_replications_add_up() -> None:
    def counts(replications: int) -> dict[str, Any]:
        done = tt.simulate(
            tt.Workload(workload(50_000)), tt.System(system(delay="10ms", loss="2%")),
            requests=500, warmup=0, rows="none", replications=replications,
        )  # fmt: skip
        found: dict[str, Any] = done.summary["links"]["wan"]
        return found

    # A thousand of each, except for responses that come after the last request has been sent.
    assert counts(1)["transfers"] == pytest.approx(1000, abs=10)
    assert counts(4)["transfers"] == pytest.approx(4000, abs=40)


def test_a_server_holds_responses_back(tmp_path: Path) -> None:
    """Served responses take at least the model's time: two rounds of 40 ms."""
    (tmp_path / "w.toml").write_text(workload(20_000, "keep-alive", rate=20))
    (tmp_path / "s.toml").write_text(system(delay="20ms"))
    server = tt.serve(
        tt.System.load(tmp_path / "s.toml"), workload=tt.Workload.load(tmp_path / "w.toml")
    )
    with server:
        done = tt.run(tt.Workload.load(tmp_path / "w.toml"), server.url, requests=20, warmup=0)
    assert done.summary["errors"] == 0
    assert done.summary["response_time_s"]["min"] >= 0.08


def test_a_server_without_sizes_refuses_links() -> None:
    with pytest.raises(tt.InputError, match="link `wan`"):
        tt.serve(tt.System(system(delay="20ms")))
