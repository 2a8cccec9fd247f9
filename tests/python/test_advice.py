"""The advice of a sweep over dispatch policies, if the best one is known.

Seeds are fixed. Otherwise a policy would be called worse than an equal one at a point with a
probability of at most 5 %, which `test_policies_that_are_alike_are_not_told_apart` counts.
"""

from __future__ import annotations

from itertools import cycle, permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.sweeps import parse
from thinktime.sweeps.advice import Advice, advice, advice_words
from thinktime.sweeps.curves import SweepCurves
from thinktime.sweeps.evidence import behind_heavy

WORKLOAD = """name = 'w'
[arrivals]
model = 'open'
rate = '{rate}/s'
[[request]]
name = 'file'
get = '/{{zipf(n={targets}, s={s})}}'
size = 'const(10kB)'
"""
CLUSTER = """name = 's'
[[cluster]]
name = 'web'
servers = 4
dispatch = 'random'
{more}
[[cluster.station]]
name = 'cpu'
policy = '{policy}'
demand = '{demand}'
"""
CACHE = """[[cluster.station]]
name = 'disk'
when = 'miss'
demand = '10ms'
[cluster.cache]
size = '2MB'
"""


def workload(rate: int, targets: int = 1000, s: float = 0.9) -> str:
    return WORKLOAD.format(rate=rate, targets=targets, s=s)


def cluster(demand: str, policy: str = "fcfs", more: str = "") -> str:
    return CLUSTER.format(demand=demand, policy=policy, more=more)


def swept(work: str, system: str, vary: list[str], requests: int) -> SweepCurves:
    table = tt.sweep(tt.Workload(work), tt.System(system), vary, requests=requests, warmup=1)
    return SweepCurves(table, [parse(one) for one in vary], measured=False)


def only(work: str, system: str, policies: str, requests: int = 20_000) -> Advice:
    (found,) = advice(swept(work, system, [f"cluster.web.dispatch={policies}"], requests))
    return found


def test_files_that_do_not_fit_one_cache_want_locality() -> None:
    found = only(workload(300), cluster("0.1ms") + CACHE, "round-robin,lard,jsq(2)")
    assert found.wanted == ["lard"]
    assert found.lines[0] == "The workload wants lard."
    (why,) = [line for line in found.lines if line.startswith("Why: ")]
    assert why.startswith("Why: its caches have ")


def test_heavy_tails_want_the_shortest_queue() -> None:
    found = only(workload(240), cluster("h2(10ms, cv2=20)"), "round-robin,jsq")
    assert found.wanted == ["jsq"]
    (why,) = [line for line in found.lines if line.startswith("Why: ")]
    assert "of its slowest hundredth of requests" in why


def test_servers_that_weigh_too_much_are_told() -> None:
    uneven = cluster("exp(10ms)", more="weights = [1, 1, 1, 2]")
    found = only(workload(200), uneven, "weighted-round-robin,round-robin")
    assert found.wanted == ["round-robin"]
    (why,) = [line for line in found.lines if line.startswith("Why: ")]
    assert "its busiest server has" in why


def test_policies_that_are_alike_are_not_told_apart() -> None:
    """A hash of targets that hardly come twice sends requests as by chance.

    Of 20 comparisons of two such policies four would name one of them with a probability of 2 %
    (binomial, 5 % each).
    """
    vary = ["seed=" + ",".join(map(str, range(1, 21))), "cluster.web.dispatch=random,hash"]
    found = advice(swept(workload(250, 10**8, 0), cluster("exp(10ms)"), vary, 3000))
    assert len(found) == 20
    named = [one for one in found if one.worse]
    assert len(named) < 4
    # Nor does the advice call them equal, as far as the runs can tell.
    quiet = next(one for one in found if one not in named)
    assert quiet.wanted == []
    best, other = sorted(quiet.rows, key=lambda one: quiet.rows[one]["response_mean_s"])
    assert quiet.lines[0] == (
        f"At {quiet.place} it cannot be told which policy the workload wants; the best estimate is "
        f"{best}."
    )
    assert quiet.lines[1].startswith(f"Cannot tell about {other}: against {best} the mean ")


UNLIKE = cycle(np.eye(20))
"""Sections of unrelated runs."""


def estimate(value: float, half: float) -> dict[str, Any]:
    sections = next(UNLIKE).tolist()
    return {"value": value, "low": value - half, "high": value + half, "sections": sections}


def row(mean: float, p99: float, errors: float = 0.0, half: float = 0.01) -> dict[str, Any]:
    return {
        "estimates": {
            "mean": estimate(mean, half * mean),
            "p99": estimate(p99, half * p99),
            "errors": estimate(errors, 0.001),
        }
    }


def of(**rows: dict[str, Any]) -> Advice:
    return Advice("", rows, ["mean", "p99"])


def test_what_fails_more_is_not_wanted_however_fast_it_is() -> None:
    found = of(cap=row(0.02, 0.2), lard=row(0.01, 0.1, errors=0.05))
    assert found.wanted == ["cap"]
    assert "the share of errors is more" in found.lines[1]


def test_mean_and_tail_may_want_different_policies() -> None:
    found = of(cap=row(0.01, 0.2), lard=row(0.02, 0.1))
    assert found.wanted == []
    assert found.lines == [
        "It depends on what counts: the best is cap by the mean response time and lard by the p99 "
        "response time."
    ]


def test_two_of_three_may_be_as_good() -> None:
    found = of(a=row(0.01, 0.1), b=row(0.0101, 0.1), c=row(0.02, 0.2))
    assert found.wanted == ["a", "b"]
    assert found.lines[0] == (
        "The workload wants a or b; between them no difference is beyond chance or above 10 %."
    )


def test_what_is_hardly_different_is_as_good() -> None:
    found = of(a=row(1.0, 10.0, half=1e-4), b=row(1.005, 10.0, half=1e-4))
    assert found.change("a", "b", "mean").significant
    assert found.lines == [
        "No difference between a and b is beyond chance or above 1 %, so any of them is enough."
    ]


def test_more_policies_need_wider_intervals() -> None:
    """Two policies that differ by just more than chance are distinguished as two, not among six."""
    pair = {"a": row(1.0, 1.0, half=0.02), "b": row(1.06, 1.0, half=0.02)}
    others = {f"c{n}": row(1.03, 1.0, half=0.02) for n in range(4)}
    assert of(**pair).wanted == ["a"]
    assert of(**pair, **others).worse == []


def noisy() -> dict[str, dict[str, Any]]:
    """A policy that is best, two that are worse, and one that is hardly known."""
    return {
        "cap": row(0.0375, 0.3, half=0.8),
        "lard": row(0.012, 0.1) | {"hit_ratio": 0.9},
        "hash": row(0.0149, 0.13) | {"hit_ratio": 0.5},
        "consistent-hash": row(0.0143, 0.12) | {"hit_ratio": 0.7},
    }


def test_the_order_of_the_policies_is_no_matter() -> None:
    rows = noisy()
    told = {tuple(of(**{name: rows[name] for name in order}).lines) for order in permutations(rows)}
    ((headline, cap, *others),) = told
    assert headline == (
        "It cannot be told which policy the workload wants; the best estimate is lard."
    )
    assert cap.startswith("Cannot tell about cap: against lard the mean response time is ")
    assert [one.split(":")[0] for one in others[:2]] == [
        "Under consistent-hash, against lard", "Under hash, against lard",
    ]  # fmt: skip
    # The advice gives the reason for policies that are recommended, and the missing evidence for
    # others.
    assert others[2:] == [
        "More replications (`--replications 5`) or more requests would tell more."
    ]


def test_reasons_are_those_of_the_policy_that_is_wanted() -> None:
    rows = noisy()
    del rows["cap"]
    for order in permutations(rows):
        found = of(**{name: rows[name] for name in order})
        assert found.wanted == ["lard"]
        assert found.lines[-1] == (
            "Why: its caches have 90 % of the responses that requests need (70 % under "
            "consistent-hash "
            "and 50 % under hash)."
        )


@pytest.mark.parametrize(
    ("best", "other", "by_url"),
    [
        ("lard", "cap", "lard"),
        ("jsq(2)", "hash", "hash"),
        ("consistent-hash(balance=2)", "random", "consistent-hash(balance=2)"),
        ("lard", "hash", None),
        ("jsq", "cap", None),
    ],
)
def test_what_the_order_depends_on_is_told(best: str, other: str, by_url: str | None) -> None:
    """With few URLs, or without caches, a policy that goes by them may come last."""
    found = of(**{best: row(0.01, 0.1), other: row(0.02, 0.2)})
    assert found.wanted == [best]
    told = [line for line in found.lines if line.startswith("The order depends on")]
    assert len(told) == (by_url is not None)
    if by_url is not None:
        assert f": under {by_url} the URL decides the server" in told[0]
        assert "docs/studies-clubweb.md" in told[0]


def test_what_the_order_depends_on_is_left_out_without_an_order() -> None:
    found = of(lard=row(0.01, 0.1), cap=row(0.0101, 0.101, half=0.1))
    assert not found.worse
    assert "The order depends on" not in " ".join(found.lines)


def test_more_replications_than_there_are_would_tell_more() -> None:
    rows = {name: one | {"replications": 10} for name, one in noisy().items()}
    assert of(**rows).lines[-1].startswith("More replications (`--replications 40`)")


def test_what_differs_many_times_over_is_told_among_many() -> None:
    """Times that vary much; the slower ones' widened interval would reach below 0."""
    rows = {f"c{n}": row(0.6, 2.0, half=0.5) for n in range(8)}
    found = of(jsq=row(0.03, 0.09, half=0.2), **rows)
    assert found.wanted == ["jsq"]
    assert len(found.worse) == 8
    assert "the p99 response time is" in found.lines[1]
    assert "beyond chance" not in " ".join(found.lines)


def test_the_percentile_that_is_compared_is_told() -> None:
    rows = {"a": row(0.01, 0.1), "b": row(0.02, 0.2)}
    for one in rows.values():
        one["estimates"] |= {"p90": one["estimates"]["p99"]}
    rows["b"]["estimates"]["p99"] = None
    lines = Advice("", rows, ["mean", "p90"]).lines
    assert (
        "The p90 is compared, and not the p99: under b the runs are too short for a p99." in lines
    )
    rows["b"]["estimates"]["p90"] = None
    lines = Advice("", rows, ["mean"]).lines
    none = "No percentile is compared: under b the runs are too short for a p90 or a p99."
    assert none in lines
    assert lines[-1].startswith("More replications (`--replications 5`)")


def test_runs_that_are_too_short_for_anything_are_told() -> None:
    found = only(workload(100), cluster("exp(10ms)"), "random,jsq", requests=20)
    assert found.lines == [
        "It cannot be told which policy the workload wants: the runs are too short to compare "
        "anything.",
        "More replications (`--replications 5`) or more requests would tell more.",
    ]


def test_what_is_hardly_known_is_told_as_that() -> None:
    found = of(a=row(1.0, 1.0), b=row(3.0, 3.0, half=20.0))
    assert found.lines[1].count("100 % less to more than 100 times as much") == 2


def requests(*of: tuple[float, float, float], server: int = 0) -> pl.DataFrame:
    """Rows of one server: when each began and ended, and its demand."""
    began, ended, demand = (np.array(column) for column in zip(*of, strict=True))
    return pl.DataFrame({
        "replication": 0, "error": None, "demand_s": demand, "station": f"web/{server}/cpu",
        "sent_ns": (began * 1e9).astype(int), "done_ns": (ended * 1e9).astype(int),
    }, schema_overrides={"error": pl.String, "replication": pl.Int64})  # fmt: skip


def test_what_queues_behind_a_heavy_request_is_counted() -> None:
    small = [(float(n), n + 0.1, 0.1) for n in range(98)]
    heavy, behind = (200.0, 220.0, 20.0), (201.0, 221.0, 1.0)
    # Of a hundred requests the slowest is the one that arrives during the heavy one's service.
    assert behind_heavy(requests(*small, heavy, behind)) == pytest.approx(1 / 2)
    assert behind_heavy(requests(*small, heavy, (221.0, 222.0, 1.0))) == 0
    assert behind_heavy(requests(*small, heavy, (201.0, 221.0, 15.0))) == 0
    # A heavy request of the warm-up delays others, and is not counted itself.
    assert behind_heavy(requests(*small, heavy, behind), warmup_s=200.5) == 1
    apart = pl.concat([requests(*small, heavy), requests(behind, server=1)])
    assert behind_heavy(apart) == 0


def test_advice_is_shown_on_the_terminal_the_page_and_in_markdown(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(workload(300))
    (tmp_path / "s.toml").write_text(cluster("0.1ms") + CACHE)
    given = ["sweep", str(tmp_path / "w.toml"), str(tmp_path / "s.toml"), "--requests", "20000"]
    vary = ["--vary", "cluster.web.dispatch=round-robin,lard"]
    to = ["-o", str(tmp_path / "out"), "--markdown", str(tmp_path / "m.md")]
    done = CliRunner().invoke(app, [*given, *vary, *to])
    assert done.exit_code == 0, done.output
    for text in (
        done.output,
        (tmp_path / "out" / "sweep.html").read_text(),
        (tmp_path / "m.md").read_text(),
    ):
        assert "The workload wants lard." in text
        assert "Why: its caches have" in text


def test_nothing_is_advised_where_no_dispatch_policy_is_compared() -> None:
    for vary in (["load=0.2,0.4"], ["cluster.web.dispatch=jsq"]):
        found = swept(workload(100), cluster("exp(10ms)"), vary, 2000)
        assert advice_words(found) == []
