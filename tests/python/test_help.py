"""The help of commands: groups, placeholders and letters that are the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from thinktime.cli import app
from thinktime.cli.group import COMMANDS
from thinktime.cli.option_groups import GROUPS

MANY = ("simulate", "run", "sweep", "capacity", "learn", "serve", "switch")
"""The commands with options in groups."""


def helped(*words: str) -> str:
    """What a command line prints."""
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Each command by name, with its context."""
    group: Any = typer.main.get_command(app)
    with group.make_context("thinktime", [], resilient_parsing=True) as context:
        for name in COMMANDS:
            command = group.get_command(context, name)
            for one in getattr(command, "commands", {name: command}).values():
                yield name, one, context


@pytest.mark.parametrize("name", MANY)
def test_every_option_is_in_a_group(name: str) -> None:
    """The list of groups names each option of the commands that have many."""
    known = {one for names in GROUPS.values() for one in names.split()} | {"no_color", "help"}
    (command,) = (one for of, one, _ in commands() if of == name)
    names = {one.name for one in command.params if one.param_type_name == "option"}
    assert names - known == set()
    sections = re.findall(r"^([A-Z][\w ]+):$", helped(name, "--help"), re.MULTILINE)
    assert len(sections) == len(set(sections)) >= 4
    assert sections[-1] == "Other"


def test_what_a_command_needs_comes_first_and_every_option_once() -> None:
    run = helped("run", "--help")
    assert re.search(r"otherwise.*\n(?:.*\n)*?\nInput and target:\n +-t, --target URL ", run)
    for name, command, context in commands():
        shown = command.get_help(context)
        for one in command.params:
            if one.param_type_name == "option":
                word = max(one.opts, key=len)
                assert len(re.findall(rf"^  (?:-\w, )?{word}\b(?!-)", shown, re.M)) == 1, (
                    name,
                    word,
                )


def test_placeholders_have_one_style_and_one_word_for_one_option() -> None:
    """Capitals for what varies, small letters for what is typed as it stands."""
    style = re.compile(r"(\[?[A-Z]+[\[\]A-Z0-9|=:,.]*|[a-z]+(\|[a-z]+|\|1/N)+)(\.\.\.|\.toml)?")
    places: dict[tuple[str, str], set[str]] = {}
    for name, command, context in commands():
        for one in command.params:
            if not getattr(one, "is_flag", False):
                place = one.make_metavar(context)
                assert style.fullmatch(place), (name, one.name, place)
                places.setdefault((one.param_type_name, one.name), set()).add(place)
    several = {name: found for name, found in places.items() if len(found) > 1}
    # `run` takes a URL, too; `output` is a folder or a file, `cores` a list or a number; the others
    # say how they differ.
    known = {("option", one) for one in ("cores", "output", "server", "scenario", "target")}
    assert several.keys() <= known | {("argument", "workload")}, several


def test_letters_stand_for_one_option() -> None:
    letters: dict[str, set[str]] = {}
    for _, command, _ in commands():
        for one in command.params:
            for word in one.opts:
                if len(word) == 2:
                    letters.setdefault(word, set()).add(one.name)
    assert {"-c", "-d", "-n", "-o", "-q", "-r", "-t", "-v"} <= letters.keys()
    assert all(len(names) == 1 for names in letters.values()), letters
    done = CliRunner().invoke(app, ["run", "-t", "http://127.0.0.1:1", "-d", "soon", "w.toml"])
    assert "w.toml" in done.stderr


def test_help_is_a_command() -> None:
    assert helped("help") == helped("--help")
    assert helped("help", "run") == helped("run", "--help")
    assert helped("help", "machine", "show") == helped("machine", "show", "--help")
    done = CliRunner().invoke(app, ["help", "rum"])
    assert done.exit_code == 2
    assert "No such command 'rum'. Did you mean 'run'?" in done.stderr
