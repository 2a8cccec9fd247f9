"""The article's claims, one by one, with what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Results = dict[str, Any]


@dataclass(frozen=True)
class Claim:
    """A claim in our words, what was found, and whether it holds."""

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
            _verdict(tail > 25) + " for exponential modes",
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


def _short_runs(results: Results) -> str:
    if "short_runs" not in results or "constants" not in results:
        return ""
    runs, constant = results["short_runs"]["bimodal"], results["constants"]
    return (
        f" in the long run; in runs of 5 s over 25 ms in {runs['over_25_ms']:.0%} of "
        f"{runs['runs']}; with constants of 0.1 ms and 10 ms {constant['p99'] * 1e3:.1f} ms, "
        "and the claim fails"
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
            _verdict(grows) + ", unless what was given up is taken back and either retries are "
            "limited or the server stops serving it",
        ),
        Claim(
            "It happens because each late request adds load, which makes more requests late",
            f"the fixed point of that argument has a capacity of "
            f"{results['theory']['capacity']['no limit']:.4f}, below 0.8, so no balance exists; "
            "but the server collapses far below that capacity too, because one long request makes "
            "a hundred neighbours late together",
            "holds, but is not all of it",
        ),
    ]


def _about_closed_clients(results: Results) -> Claim:
    rows = results["closed_clients"]
    waiting, leaving = rows["A, 1000 clients"], rows["B, 1000 clients"]
    return Claim(
        "Closed systems do not collapse, unless retries turn them into open ones",
        f"10 and 100 clients never do; 1000 clients that wait (A) never have more than "
        f"{waiting['most_in_server']} requests in the server, but answers are late for good: no "
        f"goodput in {waiting['no_goodput']} of {waiting['runs']} runs; 1000 that give up (B) "
        f"had up to {leaving['most_in_server']:,} in it",
        "holds for the queue, not for what clients get, above "
        f"{results['theory']['clients_that_fit_into_the_timeout']:.0f} clients",
    )
