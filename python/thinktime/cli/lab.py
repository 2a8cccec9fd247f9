"""`thinktime lab`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime import InputError, Result
from thinktime.cli import common, plain_text

if TYPE_CHECKING:
    from thinktime.lab.experiment import Outcome
    from thinktime.lab.file import Lab

CLEAN = "clean"

Given = Annotated[
    str,
    typer.Argument(
        help=f"The LAB file; or `{CLEAN}`, which removes the remains of labs that were killed.",
        metavar="LAB.toml",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The new folder for results, report and logs.", metavar="DIR"
    ),
]


def command(lab: Given, output: Output = None) -> None:
    """Make hosts, links and servers on this machine, and run workloads between them.

    All of it is in network namespaces, from which no way leads out, and is taken away at the end.
    It needs root, or user namespaces; links with a delay or a loss need /dev/net/tun.
    """
    from thinktime.lab import file, permission

    with common.mapped_errors():
        if lab == CLEAN:
            permission.need()
            _clean()
            return
        read = file.load(Path(lab), run_options)
        # A lab that could not be made leaves only logs.
        if (
            output is not None
            and output.exists()
            and {one.name for one in output.iterdir()} - {"logs"}
        ):
            raise InputError(f"{output} exists already: give a new folder")
        permission.need()
        _perform(read, output)


def run_options(words: Sequence[str]) -> dict[str, Any]:
    """The options of `thinktime run`, given as words.

    Raises:
        InputError: `run` does not accept them; the message gives the reason.
    """
    from thinktime.cli import app

    usage_error: Any = typer.BadParameter.__base__  # it has no public name
    group: Any = typer.main.get_command(app)
    command = group.get_command(None, "run")
    try:
        with command.make_context("run", ["WORKLOAD", "--target", "TARGET", *words]) as context:
            return dict(context.params)
    except usage_error as wrong:
        raise InputError(wrong.format_message()) from None


def _clean() -> None:
    """A user other than root leaves nothing behind: in a user namespace all ends with the lab."""
    from thinktime.lab import permission, removal

    inside = permission.is_inside()
    left, running = removal.clean()
    for identity in left:
        plain_text.say(f"{identity}: taken away")
    for identity in running:
        plain_text.say(f"{identity}: still runs, and is left alone")
    if not left and not running:
        plain_text.say("nothing is left of any lab" + (" of this user" if inside else ""))


def _perform(lab: Lab, output: Path | None) -> None:
    from thinktime.lab import experiment, places
    from thinktime.lab.instance import new_identity

    identity = new_identity()
    place = output or places.output(identity)
    try:
        outcome = experiment.perform(lab, place, _tell, identity)
        results = _results(outcome, place)
        _show(outcome, results)
        if results and output is not None:
            from thinktime.report import report

            _tell(f"report: {report(results, output / 'report.html', title=lab.name)}")
    finally:
        if output is None:
            places.discard(place)
    status = max(outcome.runs.values(), default=0)
    if outcome.warnings or outcome.interrupted:
        status = common.Exit.UNDECIDED
    raise typer.Exit(status)


def _results(outcome: Outcome, folder: Path) -> list[Result]:
    paths = [folder / name for name in outcome.runs]
    return common.load_results(one for one in paths if (one / "summary.json").exists())


def _show(outcome: Outcome, results: list[Result]) -> None:
    if results:
        common.print_table(results)
    for result in results:
        common.say_warnings(f"{result.label}: {one}" for one in result.summary["warnings"])
        if result.untrusted is not None:
            common.say_warnings([f"{result.label} is not to be trusted: {result.untrusted}"])
    for name, ways in outcome.links.items():
        for arrow, way in zip("><", ways, strict=True):
            said = ", ".join(f"{what} {count}" for what, count in way.items())
            plain_text.say(f"link {name} {arrow}: packets {said}")
    for name, counts in outcome.hostile.items():
        plain_text.say(
            f"{name}: " + ", ".join(f"{what} {n}" for what, n in counts["counts"].items())
        )
    common.say_warnings(outcome.warnings)


def _tell(what: str) -> None:
    common.remark(what, "dim")
