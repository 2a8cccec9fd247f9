"""A command's options are made of the function that it calls: names, defaults, help."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from thinktime.cli import app, function_options
from thinktime.cli.group import COMMANDS

ByPopulation = Mapping[str, Any] | Sequence[str]
Time = float | str


def measured(
    place: str,
    *,
    depth: int = 3,
    wait: Time = "30s",
    tide: float | None = None,
    label: str | None = None,
    chart: str | Path | None = None,
    boats: Sequence[str] = (),
    rate: float | str | ByPopulation | None = None,
    deep: bool = False,
    lights: bool = True,
    seed: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Measure.

    Args:
        place: The place. It is a harbour.
        depth: The depth, as in 1.5 m; with `deep` the
            largest. For Python: a number.
        wait: Longest wait.
        tide: The tide.
        label: As in `run`.
        chart: The chart.
        boats: A boat.
        rate: The rate.
        deep: Go deep.
        lights: Set lights.
        seed: The seed of `nothing`.
        progress: Called often.

    Raises:
        InputError: never.
    """


def command_of(seen: list[dict[str, Any]], **how: Any) -> typer.Typer:
    """A command that notes what it is given."""
    made = typer.Typer(rich_markup_mode=None)

    @made.command()
    @function_options.of(measured, **how)
    def _command(place: str = "quay", *, lights: bool, **given: Any) -> None:
        seen.append({"place": place, "lights": lights, **given})

    return made


def helped(made: typer.Typer) -> str:
    """Its help in one line."""
    return " ".join(CliRunner().invoke(made, ["--help"], env={"COLUMNS": "300"}).stdout.split())


@pytest.mark.parametrize(
    "shown",
    [
        "--depth <int> The depth, as in 1.5 m; with --deep the largest. [default: 3]",
        "--wait TIME Longest wait. [default: 30s]",
        "--tide <float> The tide. --",
        "--label NAME The name of the result; by default its workload, the commit and the time.",
        "--chart FILE The chart.",
        "--boats <str> A boat. May be given several times.",
        "--rate [NAME=]RATE The rate. With several populations it is NAME=RATE; may be given",
        "--deep Go deep.",
        "--lights / --no-lights Set lights. [default: lights]",
        "--place <str> The place. [default: quay]",
        "--seed <int> The seed of `nothing`.",
    ],
)
def test_signature_and_docstring_are_the_help(shown: str) -> None:
    assert shown in helped(command_of([]))


def test_what_words_cannot_give_is_no_option() -> None:
    shown = helped(command_of([], but=("tide",), texts={"seed": "At sea: {}"}))
    assert "--progress" not in shown
    assert "--tide" not in shown
    assert "--seed <int> At sea: The seed of" in shown


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("", {}),
        ("--depth 3 --wait 30s", {"depth": 3, "wait": "30s"}),
        ("--boats a --boats b --deep", {"boats": ["a", "b"], "deep": True}),
        ("--rate 5/s --tide 0", {"rate": ["5/s"], "tide": 0.0}),
        ("--no-lights --place pier", {"lights": False, "place": "pier"}),
    ],
)
def test_a_command_gets_what_is_given_even_if_it_is_the_default(
    words: str, given: dict[str, Any]
) -> None:
    seen: list[dict[str, Any]] = []
    done = CliRunner().invoke(command_of(seen), words.split())
    assert done.exit_code == 0, done.output
    assert seen == [{"place": "quay", "lights": True} | given]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_of_whole_sentences(name: str) -> None:
    """Also where it is the first sentence of a docstring."""
    group: Any = typer.main.get_command(app)
    command = group.get_command(None, name)
    for one in getattr(command, "commands", {name: command}).values():
        for option in one.params:
            assert re.fullmatch(r"\S.*\.", option.help or "", re.DOTALL), (name, option.name)
