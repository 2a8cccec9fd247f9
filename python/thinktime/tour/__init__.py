"""The tour: one workload file and one system file, the whole way.

The system is modelled as a whole, and brought up on this machine: its servers, its switch, and its
line if the machine allows network namespaces, beside which a hostile client does harm. The workload
runs against it from two generators, is learned back from the switch's log, and is simulated on the
same system, and on the same system with other policies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from thinktime import InputError, Interrupted, Result, System, Workload, simulate
from thinktime.inputs.files import system_of, workload_of
from thinktime.operations.server import without_links
from thinktime.tour import agreement, stage

HERE = Path(__file__).parent
SYSTEM, WORKLOAD = "system.toml", "workload.toml"
"""The only files of the tour."""

RUN_S, WARMUP_S = 30.0, 2.0
"""The duration of the command's run, and the part of it that is not counted."""
LONG_REQUESTS = 100_000
"""Requests of the command's simulations of other policies."""

POLICIES = ("round-robin", "lard", "cap")
"""Dispatch policies beside that of the system file."""

Tell = Callable[[str], None]


@dataclass
class Tour:
    """What the tour has shown, which is less if it was interrupted."""

    output: Path
    results: list[Result] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    """The findings, in their order."""

    doubts: list[str] = field(default_factory=list)
    """Why figures are not to be trusted, or missing."""

    page: Path | None = None


def main(
    output: Path,
    tell: Tell,
    *,
    duration: float,
    requests: int,
    seed: int | None = None,
) -> Tour:
    """Make the tour. Ctrl-C ends it and all that it has started; what is finished is kept.

    Args:
        output: The new folder for the two files, the results, the log and the page.
        tell: Receives what happens, in a line each.
        duration: Seconds of the run, and of its simulation.
        requests: Requests of the simulations of other policies.
        seed: The seed, instead of the workload file's.

    Raises:
        InputError: The folder is there already, or its files cannot be written.
        RunError: Something could not be brought up.
    """
    workload, system = _files(output, seed)
    done = Tour(output)
    with _kept(done):
        _measure(done, workload, system, duration, tell)
        crossed = without_links(system) if stage.missing() else system
        tell(f"the same {duration:.0f} s simulated")
        simulated = simulate(
            workload, crossed, duration=duration, warmup=WARMUP_S,
            output=output / "simulated", label="simulated, the same requests",
        )  # fmt: skip
        done.sentences[:0] = agreement.sentences([*done.results, simulated])
        done.results.append(simulated)
        _learn(done, crossed, requests, tell)
        _policies(done, workload, crossed, requests, tell)
    if done.results:
        tell("the page")
        done.page = _write_page(done)
    return done


def _write_page(done: Tour) -> Path:
    """The report of all results, with the findings of the tour on top."""
    from thinktime.present import page
    from thinktime.report import results_page

    made = results_page.page_of(done.results, title="One file, the whole way")
    headline, *findings = done.sentences or [made.headline.sentence]
    top = replace(
        made.headline,
        sentence=headline,
        findings=[*findings, *made.headline.findings],
        doubts=[*done.doubts, *made.headline.doubts],
    )
    return page.write(replace(made, headline=top), done.output / "report.html")


def _files(output: Path, seed: int | None) -> tuple[Workload, System]:
    """The files in a folder of the user's, from which each command of the tour can be repeated."""
    if output.exists() and any(output.iterdir()):
        raise InputError(f"{output} exists already: give a new folder")
    output.mkdir(parents=True, exist_ok=True)
    text = (HERE / WORKLOAD).read_text("utf-8")
    if seed is not None:
        text = text.replace("seed = 1\n", f"seed = {seed}\n")
    (output / WORKLOAD).write_text(text, "utf-8")
    (output / SYSTEM).write_text((HERE / SYSTEM).read_text("utf-8"), "utf-8")
    visitors = "".join(f"{number}\n" for number in range(1, stage.VISITORS + 1))
    (output / "visitors.csv").write_text(f"visitor\n{visitors}", "utf-8")
    return workload_of(output / WORKLOAD), system_of(output / SYSTEM)


@contextmanager
def _kept(done: Tour) -> Iterator[None]:
    """Ctrl-C ends the block; an unfinished simulation is not kept."""
    try:
        yield
    except (KeyboardInterrupt, Interrupted):
        done.doubts.append("interrupted: what was finished until then is kept")


def _measure(done: Tour, workload: Workload, system: System, duration: float, tell: Tell) -> None:
    """The run, with all around it."""
    words = ["--duration", f"{duration}s", "--warmup", f"{WARMUP_S}s", "--loops", "2"]
    if (why := stage.missing()) is not None:
        tell(f"no link and no hostile client: {why}")
        done.results.append(stage.in_process(done.output, workload, system, words))
        done.sentences.append(f"the run crossed no link and met no hostile client: {why}")
        return
    outcome = stage.in_lab(done.output, workload, duration, words, tell)
    done.doubts += outcome.warnings
    if (done.output / stage.RUN / "summary.json").exists():
        done.results.append(Result.load(done.output / stage.RUN))
    if outcome.interrupted:
        raise KeyboardInterrupt
    for counts in outcome.hostile.values():
        what = ", ".join(f"{number:,} {name}" for name, number in counts["counts"].items())
        done.sentences.append(f"the hostile client, beside: {what}")


def _learn(done: Tour, system: System, requests: int, tell: Tell) -> None:
    """The workload as the switch's log has it, and its simulation on the same system."""
    from thinktime.learn import learn

    tell("learning the workload back from the switch's log")
    file = done.output / "learned.toml"
    try:
        learned = learn([done.output / stage.LOG], least_users=1, fidelity=False)
        learned.save(file)
        done.sentences += agreement.learned(workload_of(done.output / WORKLOAD), learned)
        tell("the learned workload simulated")
        simulated = simulate(
            workload_of(file), system, requests=requests, rows="none",
            output=done.output / "learned", label="simulated, as learned from the log",
        )  # fmt: skip
    except InputError as error:
        done.doubts.append(f"nothing was learned from the switch's log: {error}")
    else:
        done.results.append(simulated)


def _policies(done: Tour, workload: Workload, system: System, requests: int, tell: Tell) -> None:
    """The same work under other dispatch policies."""
    (cluster,) = system.clusters
    found = []
    for policy in (cluster.dispatch, *POLICIES):
        tell(f"{requests:,} requests under {policy}")
        other = system.with_value(f"cluster.{cluster.name}.dispatch", f'"{policy}"')
        found.append(
            simulate(
                workload, other, requests=requests, rows="none",
                output=done.output / "policies" / policy, label=f"simulated under {policy}",
            )
        )  # fmt: skip
        done.results.append(found[-1])
    done.sentences.append(
        agreement.policies(dict(zip((cluster.dispatch, *POLICIES), found, strict=True)))
    )
