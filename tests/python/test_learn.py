"""Workloads that are known, learned back from the logs that they make.

Every log is made with a fixed seed. The tolerances are those that the project promises for logs of
100,000 requests; they are several standard errors wide.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from made_logs import MEANS, MEDIANS, Known, make
from nginx_server import serving
from skips import busy
from volume import oracle, volume

import thinktime as tt
from thinktime.learn import Learned, learn

WITHIN = 0.03
"""Requests a session, and the session rate."""

THINK_WITHIN = 0.05

CASES = {
    "single requests": Known(stay=0.0, sessions=100_000, rate=5.0),
    "stay 0.5": Known(stay=0.5, sessions=50_000),
    "exponential": Known(),
    "exponential, microseconds": Known(micros=True),
    "stay 0.95": Known(stay=0.95, sessions=8_000),
    "Pareto": Known(think="pareto"),
    "Pareto, microseconds": Known(think="pareto", micros=True),
    "lognormal": Known(think="lognormal"),
    "sine": Known(sine=True, micros=True),
    "all at once": Known(think="pareto", sine=True, shared=True, crawlers=True),
}

USUAL = ["single requests", "stay 0.95", "exponential", "Pareto, microseconds", "lognormal"]
TRIED = volume([*USUAL, "all at once"], list(CASES))
"""Each think law, kind of stamp and length of sessions is among the usual ones, and with them (`all
at once`) a rate that swings; the long ones have them apart, too."""


def learned_from(known: Known, directory: Path) -> Learned:
    log = directory / ("access.csv" if known.micros else "access.log")
    make(known, log)
    return learn([log], fidelity=False)


@oracle
@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize("name", TRIED)
def test_what_was_put_in_comes_out(name: str, tmp_path: Path) -> None:
    known = CASES[name]
    learned = learned_from(known, tmp_path)
    assert learned.figures.requests.tally.mean == pytest.approx(1 / (1 - known.stay), rel=WITHIN)
    assert learned.figures.rate == pytest.approx(known.rate, rel=WITHIN)
    # The verdict errs with probability 1 % on a fixed seed.
    assert learned.figures.poisson.verdict == "yes"
    assert learned.figures.changes == known.sine
    best = learned.figures.thinks.best
    if known.stay == 0:
        assert best is None
        assert learned.workload().model == "open"
        return
    assert best is not None
    assert best.law == known.think
    assert best.median == pytest.approx(MEDIANS[known.think], rel=THINK_WITHIN)
    assert best.mean == pytest.approx(MEANS[known.think], rel=THINK_WITHIN)
    assert learned.figures.requests.best is not None
    assert learned.figures.requests.best.law == "geometric"
    if known.crawlers:
        assert sum(part.population.users for part in learned.parts[1:]) == 2


@pytest.mark.usefixtures("brief_advice")
def test_a_log_of_nginx_is_learned_back(tmp_path: Path) -> None:
    """Sessions are distinguished by their connections, since they all come from one machine."""
    workload = tt.Workload(
        'name = "shop"\nseed = 3\n[arrivals]\nmodel = "partly-open"\nrate = "150/s"\n'
        '[session]\nrequests = "geometric(4)"\nthink = "exp(400ms)"\n'
        '[clients]\nconnections = "per-session"\n'
        '[[request]]\nname = "item"\nget = "/item/{zipf(n=50, s=0.9)}"\n'
    )
    log = tmp_path / "access.log"
    form = '$remote_addr - $connection [$msec] "$request" $status $body_bytes_sent $request_time'
    http = f"log_format ours '{form}'; access_log {log} ours;"
    with serving(tmp_path, http=http, keepalive_requests=100_000) as address:
        result = tt.run(workload, f"http://{address}", duration=20)
    found = learn([log], format=f"nginx:{form}", user_field="$connection", fidelity=False)
    # 12,000 requests of 3,000 sessions: the standard error of the mean length is 1.6 %, that of
    # the rate 1.8 %, that of the mean think time 1.1 %.
    assert len(found.figures.part.requests) == pytest.approx(result.summary["requests"], abs=1)
    assert found.figures.requests.tally.mean == pytest.approx(4, rel=0.07)
    assert found.figures.rate == pytest.approx(150, rel=0.07)
    (item,) = found.parts[0].journeys.kinds.kinds
    assert item.popularity.exponent == pytest.approx(0.9, abs=0.06)
    assert item.target.startswith("/item/{zipf(n=50, s=")
    # The machine's addition to a think time is in the log too, and follows no law.
    p99_s = result.summary["response_time_s"]["p99"]
    if p99_s > 0.02:
        busy(f"the p99 of a page of nginx was {p99_s:.3f} s")
    think = found.figures.thinks.best
    assert think is not None
    assert think.law == "exp"
    assert think.mean == pytest.approx(0.4, rel=0.06)


def test_a_closed_workload_is_known_by_users_who_stay(tmp_path: Path) -> None:
    """Fifty users who never leave, and ten who visit once."""
    draw = np.random.default_rng(1)
    rows = [(at, 0, user) for user in range(50) for at in np.cumsum(draw.exponential(2.5, 400))]
    rows += [(100.0 * n, 1, n) for n in range(10)]
    lines = ["time,address,path\n"]
    for at, net, user in sorted(rows):
        lines.append(f"{1_790_000_000 + at:.2f},10.0.{net}.{user},/\n")
    log = tmp_path / "closed.csv"
    log.write_text("".join(lines))
    learned = learn([log], fidelity=False)
    assert learned.advice.population.model == "closed"
    assert learned.figures.requests.tally.mean > 300
    workload = learned.workload()
    assert workload.model == "closed"
    # Without durations and with only one path, users who stay cannot be told from single visitors.
    (part,) = learned.parts
    assert part.population.clients in range(50, 61)


@pytest.mark.usefixtures("brief_advice")
def test_even_sessions_stay_even(tmp_path: Path) -> None:
    log = tmp_path / "even.csv"
    rows = [f"{1_790_000_000 + n * 0.5:.2f},10.{n >> 8}.0.{n & 255},/\n" for n in range(5000)]
    log.write_text("time,address,path\n" + "".join(rows))
    learned = learn([log], fidelity=False)
    assert learned.figures.poisson.verdict == "no"
    # Starts that fit no law are replayed: a workload of the starts themselves is as even.
    assert "trace(starts.parquet" in learned.workload_text
    system = tt.System('name = "s"\n[[station]]\nname = "cpu"\ndemand = "1ms"\n')
    result = tt.simulate(learned.workload(), system, duration=1000, rows="all")
    starts = pl.DataFrame(result.requests)["scheduled_ns"].to_numpy()
    assert np.diff(starts) == pytest.approx(5e8, abs=1e7)


@pytest.mark.usefixtures("brief_advice")
def test_methods_are_kept(tmp_path: Path) -> None:
    """A POST to a path is another kind of request than a GET."""
    often = {"GET /pay": 30, "POST /pay": 50, "PUT /cart/7": 15, "DELETE /cart/9": 5}
    requests = [request for request, times in often.items() for _ in range(times)] * 20
    rows = [
        f"{1_790_000_000 + n * 0.5:.2f},10.0.{n % 97}.1,{','.join(request.split())}\n"
        for n, request in enumerate(requests)
    ]
    log = tmp_path / "methods.csv"
    log.write_text("time,address,method,path\n" + "".join(rows))
    learned = learn([log], fidelity=False)
    found = learned.parts[0].journeys.kinds
    kinds = {(kind.method, kind.target): found.share(kind) for kind in found.kinds}
    assert kinds["POST", "/pay"] == pytest.approx(0.5)
    assert kinds["GET", "/pay"] == pytest.approx(0.3)
    assert {method for method, _ in kinds} == {"GET", "POST", "PUT", "DELETE"}
    text = learned.workload_text
    assert 'post = "/pay"' in text
    assert 'delete = "' in text
    assert text.count("[[request]]") == len(kinds)


def test_models_are_compared_at_the_load_that_was_wanted(tmp_path: Path) -> None:
    """Long sessions with think times beyond the length of a short simulation."""
    make(Known(think="lognormal", stay=0.9, sessions=4000), tmp_path / "access.log")
    advice = learn([tmp_path / "access.log"], fidelity=False).advice
    assert set(advice.models) == {"partly-open", "open", "closed"}
    reached = [model for model in advice.models.values() if model.at(advice.load)]
    assert reached
    for model in reached:
        assert all(abs(load / advice.load - 1) < 0.03 for load in model.loads)


@pytest.mark.usefixtures("brief_advice")
def test_a_result_of_our_own_is_a_log(tmp_path: Path) -> None:
    """Of 20,000 sessions the mean length has a standard error of 0.6 %, the rate 0.7 %."""
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "20/s"\n'
        '[session]\nrequests = "geometric(4)"\nthink = "exp(2s)"\n'
        '[[request]]\nname = "item"\nweight = 3\n[[request]]\nname = "cart"\n'
    )
    system = tt.System(
        'name = "s"\n[[station]]\nname = "cpu"\npolicy = "ps"\ndemand = "exp(2ms)"\n'
    )
    tt.simulate(workload, system, duration=1000, rows="all", output=tmp_path / "result")
    learned = learn([tmp_path / "result" / "requests.parquet"], fidelity=False)
    assert learned.figures.requests.tally.mean == pytest.approx(4, rel=0.03)
    assert learned.figures.rate == pytest.approx(20, rel=0.03)
    assert learned.figures.thinks.best is not None
    assert learned.figures.thinks.best.mean == pytest.approx(2, rel=0.05)
    found = learned.parts[0].journeys.kinds
    shares = {kind.target: found.share(kind) for kind in found.kinds}
    assert shares == pytest.approx({"/item": 0.75, "/cart": 0.25}, abs=0.02)
