"""The Python interface: results, tables, files, interruption."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path

import cases
import command_copies
import numpy as np
import polars
import pytest

import thinktime as tt
from thinktime.results import views

SYSTEM = cases.system(("fcfs", "exp(10ms)"))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("replications", [1, 3])
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replications: int
) -> None:
    words = ["simulate", "w.toml", "s.toml", "--requests", "30000", "--rows", "all"]
    words += ["--replications", str(replications)]
    workload, system = tmp_path / "w.toml", tmp_path / "s.toml"
    model = cases.partly_open_model(20, "geometric(4)", "exp(1s)")
    workload.write_text(model.to_toml())
    system.write_text(SYSTEM.to_toml())
    digests = set()
    for threads in ("1", "3"):
        monkeypatch.setenv("RAYON_NUM_THREADS", threads)
        done = command_copies.thinktime([*words, "-o", threads], tmp_path, timeout_s=300)
        assert done.returncode == 0, done.stderr
        digests.add(digest(tmp_path / threads / "requests.parquet"))
    assert len(digests) == 1
    tt.simulate(model.with_seed(2), SYSTEM, requests=30_000, output=tmp_path / "other")
    assert digest(tmp_path / "other" / "requests.parquet") not in digests


def test_a_result_is_read_back_as_it_was(tmp_path: Path) -> None:
    result = tt.simulate(cases.open_model(80), SYSTEM, requests=20_000, output=tmp_path / "result")
    again = tt.Result.load(tmp_path / "result")
    assert (
        again.summary
        == result.summary
        == json.loads((tmp_path / "result" / "summary.json").read_text())
    )
    assert again.kind == "simulate"
    assert not again.interrupted
    assert again.workload.to_toml() == result.workload.to_toml()
    for mine, theirs in zip(again.survival(), result.survival(), strict=True):
        np.testing.assert_allclose(mine, theirs)
    assert polars.DataFrame(again.requests).equals(polars.DataFrame(result.requests))


def test_tables_agree_with_the_summary() -> None:
    result = tt.simulate(cases.open_model(80), SYSTEM, requests=50_000, warmup=0)
    rows = polars.DataFrame(result.requests)
    response_s = (rows["done_ns"] - rows["scheduled_ns"]).to_numpy() * 1e-9
    times = result.summary["response_time_s"]
    assert rows.height == len(result.requests) == 50_000
    assert times["mean"] == pytest.approx(response_s.mean(), rel=1e-9)
    for name, share in (("p50", 50), ("p99", 99)):
        exact = np.percentile(response_s, share, method="inverted_cdf")
        assert times[name] == pytest.approx(exact, rel=2e-3)
    series = polars.DataFrame(result.series)
    assert series["completed"].sum() == 50_000
    assert series["in_system"][-1] == 0


def test_a_sample_of_rows_keeps_whole_sessions() -> None:
    model = cases.partly_open_model(20, "geometric(4)", "exp(1s)")
    sample = tt.simulate(model, SYSTEM, requests=40_000, rows="1/10")
    rows = polars.DataFrame(sample.requests)
    assert 2_000 < rows.height < 6_000
    assert not sample.rows_complete
    # Sessions that were there at the start are amid their requests.
    come = rows.filter(polars.col("session") < 2**40)
    counted = come.group_by("session").agg(polars.len(), polars.col("request").max())
    assert (counted["len"] == counted["request"] + 1).all()
    assert tt.simulate(model, SYSTEM, requests=1_000, rows="none").requests is None


def test_slo_breaches_are_said() -> None:
    workload = cases.workload(
        'model = "open"\nrate = 80', requests='[slo]\np99 = "1ms"\nerrors = "1%"\n'
    )
    breaches = tt.simulate(workload, SYSTEM, requests=5_000).breaches()
    assert len(breaches) == 1
    assert "p99" in breaches[0]


def test_precision_is_reached_or_the_result_says_not() -> None:
    result = tt.simulate(cases.open_model(50), SYSTEM, precision="1%", rows="none")
    times = result.summary["response_time_s"]
    assert times["ci95"] <= 0.01 * times["mean"]
    short = tt.simulate(cases.open_model(50), SYSTEM, precision=0.001, requests=70_000)
    assert any("precision" in warning for warning in short.summary["warnings"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"requests": 0}, "at least 1 request"),
        ({"duration": "-1s"}, "0 or more"),
        ({"duration": "5 parsecs"}, "unknown unit"),
        ({"duration": 5, "warmup": 5}, "warm-up must end before"),
        ({"replications": 0}, "from 1 to 1000000 replications"),
        ({"replications": 2**32}, "from 1 to 1000000 replications"),
        ({"precision": 2.0}, "precision"),
        ({"precision": "close"}, "share"),
        ({"rows": "some"}, "which rows"),
        ({"load": 1.5}, "between 0 and 1"),
    ],
)
def test_wrong_parameters_are_explained(change: dict[str, object], words: str) -> None:
    with pytest.raises(tt.InputError, match=words):
        tt.simulate(cases.open_model(80), SYSTEM, **change)


def test_overload_needs_an_end() -> None:
    with pytest.raises(tt.InputError, match=r"offered load is 1\.2"):
        tt.simulate(cases.open_model(120), SYSTEM, requests=1000)
    result = tt.simulate(cases.open_model(120), SYSTEM, duration="20s")
    assert any("without bound" in warning for warning in result.summary["warnings"])


def test_a_closed_load_out_of_reach_is_explained() -> None:
    two_servers = cases.system(("fcfs", "exp(10ms)", 2))
    with pytest.raises(tt.InputError, match="cannot bring the system"):
        cases.closed_model(1, "exp(1s)").at_load(two_servers, 0.8)
    with pytest.raises(tt.InputError, match="needs a think time"):
        cases.closed_model(5, "0s").at_load(SYSTEM, 0.8)


def test_long_calls_let_other_threads_work() -> None:
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    tt.simulate(cases.open_model(80), SYSTEM, requests=2_000_000, rows="none")
    done.set()
    counter.join()
    assert ticks > 20


def test_progress_is_told_and_its_errors_are_raised() -> None:
    seen: list[int] = []
    tt.simulate(
        cases.open_model(80),
        SYSTEM,
        requests=3_000_000,
        rows="none",
        progress=lambda requests, time_s, in_system: seen.append(requests),
    )
    assert seen
    assert seen == sorted(seen)

    def broken(requests: int, time_s: float, in_system: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tt.simulate(cases.open_model(80), SYSTEM, requests=10_000_000, rows="none", progress=broken)


def test_ctrl_c_keeps_what_there_is(tmp_path: Path) -> None:
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        signal.raise_signal(signal.SIGINT)

    def look(requests: int, time_s: float, in_system: int) -> None:
        if requests > 1000:
            begun.set()

    threading.Thread(target=interrupt).start()
    with pytest.raises(tt.Interrupted) as stopped:
        tt.simulate(
            cases.open_model(80),
            SYSTEM,
            requests=10**9,
            rows="none",
            output=tmp_path / "result",
            progress=look,
        )
    assert stopped.value.result.summary["requests"] > 1000
    assert tt.Result.load(tmp_path / "result").interrupted


def test_ctrl_c_that_comes_too_late_to_stop_anything_is_not_lost() -> None:
    """Those who simulate or run one thing after another want none of those that follow."""

    def look(requests: int, time_s: float, in_system: int) -> None:
        time.sleep(2.0)  # meanwhile the work is done
        raise KeyboardInterrupt

    with pytest.raises(tt.Interrupted) as stopped:
        tt.simulate(cases.open_model(80), SYSTEM, requests=2_000_000, rows="none", progress=look)
    assert stopped.value.result.interrupted


def test_distributions_are_the_same_in_python() -> None:
    law = tt.Distribution("h2(10ms, cv2=8)")
    assert (law.mean, law.cv2) == (pytest.approx(0.01), pytest.approx(8))
    assert law.cdf(law.quantile(0.9)) == pytest.approx(0.9)
    assert sum(share * mean for share, mean in law.phases) == pytest.approx(0.01)
    assert law.sample(3, seed=5) == law.sample(3, seed=5)
    assert tt.Distribution(str(law)) == law
    with pytest.raises(tt.InputError, match="did you mean `exp`"):
        tt.Distribution("expo(1s)")


def test_a_server_can_be_stopped_twice_and_says_what_it_did() -> None:
    with tt.serve(SYSTEM) as server:
        assert server.running
        with pytest.raises(tt.RunError, match="cannot listen"):
            tt.serve(SYSTEM, listen=server.url.removeprefix("http://"))
        assert server.stop() == (0, 0)
    assert server.stop() is None
    with pytest.raises(tt.InputError, match="HOST:PORT"):
        tt.serve(SYSTEM, listen="nowhere")


def test_memory_does_not_grow_with_the_length_of_a_run(tmp_path: Path) -> None:
    """Eight times as many requests, written without rows and with all."""
    code = (
        "import resource, sys, cases, thinktime as tt; n, rows, out = sys.argv[1:]; "
        "tt.simulate(cases.open_model(80), cases.system(('fcfs', 'exp(10ms)')), "
        "requests=int(n), rows=rows, output=out); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )

    def resident_kib(requests: int, rows: str) -> int:
        arguments = [str(requests), rows, str(tmp_path / f"{requests}-{rows}")]
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=Path(__file__).parent,
            check=True,
            capture_output=True,
            text=True,
        )
        return int(done.stdout)

    assert resident_kib(1_000_000, "none") < resident_kib(125_000, "none") + 4_000
    # Rows on their way to the file take a bounded buffer; all of them would take 120 bytes each.
    assert resident_kib(1_000_000, "all") < resident_kib(125_000, "all") + 100_000


def test_each_view_of_a_result_has_a_function_that_fills_its_slot() -> None:
    for slot in views.SLOTS:
        module, _, name = views._places[slot].partition(":")
        assert callable(getattr(import_module(module), name)), slot
    with pytest.raises(ValueError, match="no view sound"):
        views.fill(sound="thinktime.report.notebook:html")
