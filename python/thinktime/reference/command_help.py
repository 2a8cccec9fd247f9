"""All commands in their own words: the source of manual pages and of the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from thinktime.cli import app
from thinktime.cli.group import COMMANDS

STATUSES = (
    ("0", "Done."),
    ("1", "The objectives (SLO) were not met."),
    ("2", "The input is wrong, or a file cannot be read or written."),
    ("3", "The run failed, was interrupted, or its result is not to be trusted."),
    ("129", "SIGHUP ended it before it had anything to show."),
    ("130", "Ctrl-C (SIGINT) ended it before it had anything to show."),
    ("141", "Nobody reads its output any more, as with `| head -1` (SIGPIPE)."),
    ("143", "SIGTERM ended it before it had anything to show."),
)
"""In short; docs/running.md owns the list, and a test compares the two."""

Definitions = list[tuple[str, str]]
"""Names, each with its description."""


@dataclass(frozen=True)
class CommandHelp:
    """A command's own description."""

    name: str
    """With the names of its parent commands, as in `thinktime machine show`."""

    summary: str
    """The first paragraph of its help."""

    paragraphs: list[str]
    """The other paragraphs."""

    usage: list[str]
    """The placeholder after the name."""

    arguments: Definitions
    options: Definitions
    inner: Definitions
    """Its subcommands, with their summaries."""


def commands() -> Iterator[CommandHelp]:
    """Yield `thinktime` and all commands, in the order in which help lists them."""
    group: Any = typer.main.get_command(app)
    with group.make_context("thinktime", [], resilient_parsing=True) as context:
        yield from _with_inner("thinktime", group, context)


def _with_inner(name: str, command: Any, context: Any) -> Iterator[CommandHelp]:
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    inner = {one: command.get_command(context, one) for one in names}
    yield _described(name, command, context, inner)
    for one, sub in inner.items():
        with sub.make_context(one, [], parent=context, resilient_parsing=True) as its_context:
            yield from _with_inner(f"{name} {one}", sub, its_context)


def _described(name: str, command: Any, context: Any, inner: dict[str, Any]) -> CommandHelp:
    summary, *others = (flat(text) for text in (command.help or "").split("\n\n"))
    found: dict[str, Definitions] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            found[parameter.param_type_name].append((record[0], flat(record[1])))
    return CommandHelp(
        name=name,
        summary=summary,
        paragraphs=[text for text in others if text],
        usage=command.collect_usage_pieces(context),
        arguments=found["argument"],
        options=found["option"],
        inner=[(one, COMMANDS.get(one) or flat(sub.help or "")) for one, sub in inner.items()],
    )


def flat(text: str) -> str:
    """Text in one line."""
    return " ".join(text.split())
