"""Response times of one client, ten clients and an open system at the same load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from cases import LOAD, closed_workload, open_workload, system
from drawing import LineChart
from lab import CORES, Lab
from numpy.typing import NDArray

import thinktime as tt
from thinktime.results.result import Result
from thinktime.theory import Hyperexponential, closed_fcfs, mh1_response, think_time_for_load
from thinktime.theory.law import Law

PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99")
MODELS = {"closed-1": 1, "closed-10": 10, "open": None}
SERVICES = ("exponential", "bimodal")
SHORT_RUN = "5s"


def demand(service: str) -> Hyperexponential:
    """The service demand for the formulas."""
    law = system(service).stations[0].demand
    phases = None if law is None else law.phases
    assert phases is not None
    shares, means = zip(*phases, strict=True)
    return Hyperexponential(shares, [1 / mean for mean in means])


def exact_law(service: str, clients: int | None, think_s: float) -> Law:
    """The exact law of the response time."""
    served = demand(service)
    if clients is None:
        return mh1_response(LOAD / served.mean, served)
    return closed_fcfs(clients, served, think_s).response_time


def articles_think_s(service: str, clients: int) -> float:
    """The think time that the article's program sets: at the load it brings, close to LOAD."""
    mean = demand(service).mean
    return (1 - LOAD) * mean + (clients - 1) * mean / LOAD


def study(lab: Lab, requests: int, folder: Path) -> dict[str, Any]:
    """Simulate, compare with theory, and draw."""
    found: dict[str, Any] = {}
    for service in SERVICES:
        curves: dict[str, tuple[Result, Law]] = {}
        for model, clients in MODELS.items():
            think = 0.0 if clients is None else think_time_for_load(clients, demand(service), LOAD)
            law = exact_law(service, clients, think)
            # A case with long requests one after another needs the most requests.
            more = 6 if (service, model) == ("bimodal", "open") else 1
            words = f"response times, {service}, {model}"
            result = _simulate(lab, words, service, clients, think, more * requests)
            curves[model] = result, law
            found[f"{service}, {model}"] = {"think_time_s": think, **_figures(result, law)}
        _draw(service, curves, folder)
    return found


def _simulate(
    lab: Lab, words: str, service: str, clients: int | None, think_s: float, requests: int
) -> Result:
    workload = open_workload(service) if clients is None else closed_workload(clients, think_s)
    with lab.step(words):
        return tt.simulate(
            workload,
            system(service),
            seed=1,
            requests=requests // (2 * CORES),
            warmup="1s",
            replications=2 * CORES,
            rows="none",
        )


def _figures(result: Result, law: Law) -> dict[str, Any]:
    times = result.summary["response_time_s"]
    return {
        "requests": result.summary["requests"],
        "load": result.summary["stations"]["server"]["load"],
        "found": {key: times[key] for key in ("mean", "ci95", *PERCENTILES)},
        "exact": {
            "mean": law.mean,
            **{key: law.percentile(float(key[1:]) / 100) for key in PERCENTILES},
        },
    }


def _draw(service: str, curves: dict[str, tuple[Result, Law]], folder: Path) -> None:
    title = f"Response times at load {LOAD}, {service} demands"
    body_ms = 1.5 if service == "exponential" else 2.0
    body = LineChart(title, "response time (ms)", "share of requests that took longer")
    tail = LineChart(
        f"{title}: the slowest tenth",
        "response time (ms)",
        "share of requests that took longer",
        x_log=service == "bimodal",
        y_log=True,
        y_limits=(1e-4, 0.1),
    )
    for style, (model, (result, law)) in enumerate(curves.items()):
        times, longer = result.survival()
        last = law.percentile(0.9999)
        first = law.percentile(0.9)
        steps = np.linspace(0, body_ms / 1e3, 120)
        body.line(
            model, list(steps * 1e3), _survival(times, longer, steps), style=style, marks=False
        )
        steps = np.geomspace(first, last, 160)
        tail.line(
            model, list(steps * 1e3), _survival(times, longer, steps), style=style, marks=False
        )
        coarse = np.geomspace(first, last, 60)
        name = "exact theory" if style == 0 else ""
        xs, ys = list(coarse * 1e3), list(law.sf(coarse))
        tail.line(name, xs, ys, style=6, dashed=True, marks=False)
    body.save(folder / f"{service}.svg")
    tail.save(folder / f"{service}-tail.svg")


def _survival(
    times: NDArray[np.float64], longer: NDArray[np.float64], at: NDArray[np.float64]
) -> list[float]:
    """The share that took longer than each of the times `at`."""
    place = np.searchsorted(times, at, side="right") - 1
    return [1.0 if one < 0 else float(longer[one]) for one in place]


def articles_thinks(lab: Lab, requests: int) -> dict[str, Any]:
    """The closed systems as the article's program sets them up: not quite at LOAD."""
    found = {}
    for service in SERVICES:
        for clients in (1, 10):
            think = articles_think_s(service, clients)
            exact = closed_fcfs(clients, demand(service), think)
            words = f"the article's think time, {service}, {clients}"
            result = _simulate(lab, words, service, clients, think, requests)
            figures = _figures(result, exact.response_time)
            found[f"{service}, closed-{clients}"] = {
                "think_time_s": think,
                "exact_load": exact.load,
                **figures,
            }
    return found


def short_runs(lab: Lab, runs: int) -> dict[str, Any]:
    """The 99th percentile of open runs that are as short as the article's."""

    def p99(of: tuple[str, int]) -> float:
        service, seed = of
        result = tt.simulate(
            open_workload(service),
            system(service),
            seed=seed,
            duration=SHORT_RUN,
            warmup=0,
            rows="none",
        )
        return float(result.summary["response_time_s"]["p99"])

    found: dict[str, Any] = {}
    for service in ("bimodal", "constants"):
        seeds = [(service, seed) for seed in range(1, runs + 1)]
        times = lab.map(f"open runs of {SHORT_RUN}, {service}", p99, seeds)
        shares = np.quantile(times, (0.05, 0.5, 0.95))
        found[service] = {
            "runs": runs,
            "p99_s": dict(zip(("p5", "p50", "p95"), map(float, shares), strict=True)),
            "over_25_ms": float(np.mean(np.array(times) > 0.025)),
        }
    return found


def constants(lab: Lab, requests: int) -> dict[str, Any]:
    """The open system with 0.1 ms and 10 ms as constants."""
    result = _simulate(lab, "response times, constants, open", "constants", None, 0.0, requests)
    times = result.summary["response_time_s"]
    return {key: times[key] for key in ("mean", *PERCENTILES)}
