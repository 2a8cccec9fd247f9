"""Tools that make results: learned, simulated, run, swept, searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime import Interrupted, Result, capacity, run, simulate, sweep
from thinktime.assistants.answer import Answer, of_report
from thinktime.assistants.call import Call
from thinktime.learn import learn
from thinktime.report import report, report_of
from thinktime.results.verdict import UNJUDGED

if TYPE_CHECKING:
    from thinktime.capacity_search.probe import Probe
    from thinktime.results.finding import Finding

_FIGURES = (
    "kind", "model", "seed", "requests", "errors", "timeouts", "retries", "dropped", "sessions",
    "duration_s", "warmup_s", "offered_rate", "throughput", "throughput_ci95", "think_time_s",
    "response_time_s", "response_time_ci95", "lateness_s", "waiting_s", "server_time_s",
    "session_time_s", "pages", "page_errors", "page_response_time_s", "events", "prompt_tokens",
    "output_tokens", "first_event_s", "event_gap_s", "goodput", "errors_by_kind", "checks",
    "stations", "token_servers",
)  # fmt: skip
"""What an answer has of the summary; the file has all."""

_LEARNED = (
    "files", "format", "lines", "bad_lines", "requests", "users", "start", "duration_s",
    "session_timeout_s", "sessions", "session_rate", "requests_per_session", "think_time_s",
    "session_arrivals_poisson", "recommended_model", "reason", "misleading_if",
)  # fmt: skip
"""What an answer has of the learned; the workload file has the rest."""


NO_SYSTEM = (
    "there is no system file: the log has no durations to learn a system from; give a `demand`, as "
    "in exp(5ms)"
)


def learned_files(
    output: str | Path | None = None, system: str | Path | None = None, demand: str | None = None
) -> None:
    """Write what was learned.

    Args:
        output: The name of the files to write, as `site` for site.toml, site.html and, if the log
            has durations, site.system.toml.
        system: The system file, if it has another name.
        demand: The demand of a request for the system file, as in "exp(5ms)", if the log has no
            durations.
    """


def learned(call: Call) -> Answer:
    """A workload and a server, learned from logs."""
    from thinktime.learn.server import system_text
    from thinktime.learn.views.page import page_of
    from thinktime.present.page import write
    from thinktime.results.files import write_whole

    place = call.output()
    found = call.do(
        learn,
        progress=lambda count, share, _: call.tell(share, 1.0, f"{count:,} lines are read"),
    )
    call.tell(1.0, 1.0, "the server is learned")
    files: dict[str, Path] = {"workload": place.with_name(f"{place.name}.toml")}
    found.save(files["workload"])
    server = found.server(call.given.get("demand"), reach=True)
    if server is not None:
        named = call.given.get("system") or f"{place}.system.toml"
        files["system"] = Path(call.path("system", named))
        names = [one["name"] for one in found.log.files]
        write_whole(files["system"], system_text(place.name, server, names))
    lacking = [] if server is not None else [NO_SYSTEM]
    made, files["page"] = page_of(found, files["workload"], server), Path(f"{place}.html")
    write(made, files["page"])
    summary = found.to_dict(server)
    said = made.headline
    return Answer(
        "done", said.sentence, said.doubts, [*said.findings, *lacking], _chosen(summary, _LEARNED),
        made.tables, files,
    )  # fmt: skip


def simulated(call: Call) -> Answer:
    """A simulation."""
    return _of_result(call, simulate)


def ran(call: Call) -> Answer:
    """A run against a real server."""
    return _of_result(call, run)


def _of_result(call: Call, function: Any) -> Answer:
    place = call.output()
    wanted = call.given.get("requests")

    def progress(over: int, time_s: float, _: int) -> None:
        call.tell(over, wanted, f"{over:,} requests in {time_s:.1f} s; kept in {place}")

    stopped = False
    try:
        result: Result = call.do(function, output=str(place), progress=progress)
    except Interrupted as interrupted:
        result, stopped = interrupted.result, True
    page = place.with_name(f"{place.name}.html")
    files = {"result": place} | ({} if stopped else {"page": report(result, page)})
    summary: Mapping[str, Any] = result.summary
    objectives = [one.words for one in result.objectives]
    figures = _chosen(summary, _FIGURES) | {"objectives": objectives}
    doubts = [*summary.get("warnings", []), *map(_words, result.validity)]
    answer = of_report(report_of(result), figures, files, list(filter(None, doubts)))
    return answer if answer.sentence else replace(answer, sentence=UNJUDGED)


def _words(finding: Finding) -> str:
    """A doubt of a result, or what nobody could look at; empty for what is fine."""
    return "" if finding.verdict == "fine" else f"{finding.verdict}: {finding.words}"


def swept(call: Call) -> Answer:
    """A sweep."""
    from thinktime.sweeps import Stopped, objectives_of
    from thinktime.sweeps.curves import SweepCurves
    from thinktime.sweeps.grid import axes_of
    from thinktime.sweeps.report import outcome
    from thinktime.sweeps.report import report_of as of_sweep

    place, missing = call.output(), 0
    axes = axes_of(call.given["vary"])
    given = {"system": None} if call.given.get("system") is None else {}
    try:
        table = call.do(
            sweep, output=str(place), **given,
            progress=lambda done, whole: call.tell(done, whole, f"points; kept in {place}"),
        )  # fmt: skip
    except Stopped as stopped:
        table, missing = stopped.table, stopped.missing
    workload = call.loaded_workload()
    curves = SweepCurves(table, axes, "target" in call.given, objectives_of(workload, axes))
    made = of_sweep(curves, workload.name, outcome(curves, missing, kept=True))
    return of_report(made, {}, {"result": place / "results.parquet", "page": place / "sweep.html"})


def capacity_found(call: Call) -> Answer:
    """A search for the largest load within the objectives."""
    from thinktime.capacity_search import CapacityStopped
    from thinktime.capacity_search.report import report_of as of_capacity

    place, probes = call.output(), list["Probe"]()

    def progress(probe: Probe) -> None:
        probes.append(probe)
        slo = "met" if probe.passed else "not met"
        call.tell(len(probes), None, f"at {probe.value:g}: {slo}; kept in {place}")

    try:
        found = call.do(capacity, output=str(place), progress=progress)
    except CapacityStopped as stopped:
        found = stopped.capacity
    figures = found.to_dict()
    del figures["probes"]
    files = {"result": place / "capacity.json", "page": place / "capacity.html"}
    return of_report(of_capacity(found, call.loaded_workload().name), figures, files)


def _chosen(summary: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Some members of a summary, if it has them."""
    return {name: summary[name] for name in names if summary.get(name) is not None}
