"""The article's claims, one by one, with the findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Results = dict[str, Any]


@dataclass(frozen=True)
class Claim:
    """A claim in our words, the finding, and whether it holds."""

    claim: str
    found: str
    verdict: str


def claims(results: Results) -> list[Claim]:
    """Those for which there are results."""
    found: list[Claim] = []
    if "response_times" in results:
        found += _about_response_times(results)
    if "readings" in results:
        found += _about_retries(results)
    if "closed_clients" in results:
        found.append(_about_closed_clients(results))
    return found


PARTS = ("theory", "response_times", "constants", "short_runs", "readings", "closed_clients")
FIGURES = {
    "p99", "over_25_ms", "runs", "words", "load", "retries", "collapsed", "no_goodput",
    "most_in_server", "no limit", "clients_that_fit_into_the_timeout",
}  # fmt: skip
"""The figures of those parts that claims are made of."""


def needed(results: Results) -> Results:
    """The inputs of claims, and nothing else."""
    return {part: _figures(results[part]) for part in PARTS if part in results}


def _figures(found: Results) -> Results:
    inner = {name: _figures(one) for name, one in found.items() if isinstance(one, dict)}
    figures = {name: one for name, one in found.items() if name in FIGURES}
    return figures | {name: one for name, one in inner.items() if one}


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _p99_ms(results: Results, name: str) -> float:
    return float(results["response_times"][name]["found"]["p99"]) * 1e3


def _about_response_times(results: Results) -> list[Claim]:
    one, ten, opened = (
        _p99_ms(results, f"exponential, {model}") for model in ("closed-1", "closed-10", "open")
    )
    single, ten_bimodal, tail = (
        _p99_ms(results, f"bimodal, {model}") for model in ("closed-1", "closed-10", "open")
    )
    return [
        Claim(
            "At the same load, mean and tail are far lower in closed systems than in open ones "
            "(exponential demands)",
            f"p99 {one:.2f} ms with one client, {ten:.2f} ms with ten, {opened:.2f} ms open",
            _verdict(one < ten < opened / 2),
        ),
        Claim(
            "Bimodal server, one client: the 99th percentile is below 1 ms",
            f"{single:.3f} ms",
            _verdict(single < 1),
        ),
        Claim(
            "Bimodal server, open: the 99th percentile is over 25 ms",
            f"{tail:.1f} ms{_short_runs(results)}",
            _of_modes(tail > 25, results),
        ),
        Claim(
            "A closed benchmark can underestimate the 99th percentile by a factor of 25 at least",
            f"{tail / single:.0f} with one client, {tail / ten_bimodal:.0f} with ten",
            _verdict(tail / ten_bimodal > 25),
        ),
        Claim(
            "15 ms is more than 15 times the server's 99th percentile",
            f"15 ms is {15 / single:.0f} times {single:.3f} ms",
            _verdict(15 / single > 15),
        ),
    ]


def _of_modes(holds: bool, results: Results) -> str:
    """The verdict for exponential modes and, if tried, for constant ones."""
    if "constants" not in results:
        return _verdict(holds) + " for exponential modes"
    constant = _constants_hold(results)
    if holds == constant:
        return _verdict(holds)
    return f"{_verdict(holds)} for exponential modes, {_verdict(constant)} for constants"


def _constants_hold(results: Results) -> bool:
    return float(results["constants"]["p99"]) > 0.025


def _short_runs(results: Results) -> str:
    if "short_runs" not in results or "constants" not in results:
        return ""
    runs, constant = results["short_runs"]["bimodal"], results["constants"]
    so = "holds too" if _constants_hold(results) else "fails"
    return (
        f" in the long run; in runs of 5 s over 25 ms in {runs['over_25_ms']:.0%} of "
        f"{runs['runs']}; with constants of 0.1 ms and 10 ms {constant['p99'] * 1e3:.1f} ms, "
        f"and the claim {so}"
    )


def _about_retries(results: Results) -> list[Claim]:
    rows = results["readings"]

    def collapsed(key: str) -> str:
        found = rows[key]["found"]
        return f"{found['collapsed']} of {found['runs']}"

    unlimited = [key for key in ("A", "B", "C") if key in rows]
    safe = [key for key in ("C1", "D") if key in rows]
    parts = [f"reading {key}: {collapsed(key)} runs collapsed" for key in unlimited]
    parts += [f"{rows[key]['words']}: {collapsed(key)}" for key in safe]
    grows = all(rows[key]["found"]["collapsed"] == rows[key]["found"]["runs"] for key in unlimited)
    drains = rows["none"]["found"]["collapsed"] == 0
    return [
        Claim(
            "Without retries the queue always drains at load 0.8",
            f"{collapsed('none')} runs had more than 1 s of work at any time",
            _verdict(drains),
        ),
        Claim(
            "With a retry after 15 ms the queue grows without bound",
            "; ".join(parts),
            _verdict(grows) + _exceptions(rows, safe),
        ),
        _about_the_cause(results),
    ]


def _exceptions(rows: Results, safe: list[str]) -> str:
    """Those of the readings in which attempts are taken back that never collapsed."""
    words = {
        "C1": "what was given up is taken back from the queue and retries are limited",
        "D": "it is taken back even out of service",
    }
    stable = [words[key] for key in safe if rows[key]["found"]["collapsed"] == 0]
    return f", unless {', or '.join(stable)}" if stable else ""


def _about_the_cause(results: Results) -> Claim:
    """The argument gives a largest load with a balance; below it nothing ought to collapse."""
    capacity = float(results["theory"]["capacity"]["no limit"])
    balance = "no balance exists" if capacity < 0.8 else "a balance exists"
    side = "below" if capacity < 0.8 else "not below"
    lower = [
        row["load"]
        for row in results["readings"].values()
        if row["load"] < capacity and row["retries"] is None and row["found"]["collapsed"] > 0
    ]
    found = f"the fixed point of that argument has a capacity of {capacity:.4f}, {side} 0.8, so "
    found += balance
    if capacity >= 0.8 or not lower:
        return Claim(CAUSE, found, _verdict(capacity < 0.8))
    return Claim(
        CAUSE,
        f"{found}; but the server collapses below that capacity too, at a load of {min(lower):g}, "
        "because one long request makes its neighbours late together",
        "holds, but is not all of it",
    )


CAUSE = "It happens because each late request adds load, which makes more requests late"


def _about_closed_clients(results: Results) -> Claim:
    rows = results["closed_clients"]
    waiting, leaving = rows["A, 1000 clients"], rows["B, 1000 clients"]
    few = [one for name, one in rows.items() if "1000" not in name]
    lost, runs = sum(one["no_goodput"] for one in few), sum(one["runs"] for one in few)
    bounded = waiting["most_in_server"] <= 1000
    served = waiting["no_goodput"] == 0
    verdict = "holds" if bounded and served else "does not hold"
    if bounded and not served:
        verdict = (
            "holds for the queue, not for what clients get, above "
            f"{results['theory']['clients_that_fit_into_the_timeout']:.0f} clients"
        )
    return Claim(
        "Closed systems do not collapse, unless retries turn them into open ones",
        f"of {runs} runs with 10 or 100 clients {lost} lost all goodput; 1000 clients that wait "
        f"(A) had up to {waiting['most_in_server']:,} requests in the server, and no goodput in "
        f"{waiting['no_goodput']} of {waiting['runs']} runs; 1000 that give up (B) had up to "
        f"{leaving['most_in_server']:,} in it",
        verdict,
    )
