"""The commands as a group that imports a command's file only when it is called.

A command may need libraries that take a second to import; other commands must not wait for them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from thinktime.cli import option_groups, option_names, plain_text
from thinktime.results import provenance

COMMANDS = {
    "simulate": "Simulate a workload on a model of a server.",
    "run": "Run a workload against a real server.",
    "serve": "Serve a system over HTTP/1.1: responses leave when the model says so.",
    "switch": "Forward requests to real servers, each to the one that a cluster's dispatch policy "
    "chooses.",
    "learn": "Learn a workload from access logs, and the system model that it follows.",
    "sweep": "Vary any keys over ranges or lists, on all cores.",
    "capacity": "Find the largest load within the SLO: a rate, a number of clients, or a scale.",
    "compare": "Compare results with the first one: times, throughput, errors, with intervals.",
    "explain": "Find the server that fits a result, and what other systems would have shown.",
    "traces": "Name the traces of the slowest requests of a run, and of those that failed.",
    "collect": "Fetch the rows that a run left on the nodes that made its load.",
    "history": "Keep results by workload, target and commit, and report when figures changed.",
    "report": "Write one self-contained HTML page that compares results and works offline.",
    "recover": "Make an ordinary result of the files of a run or a simulation that was killed.",
    "schema": "Print the JSON Schema of workload or system files, or of the summary of a result.",
    "doctor": "Show what this machine allows: connections, punctuality, cores; and what to change.",
    "lab": "Make hosts, links and servers on this machine, and run workloads between them.",
    "mcp": "Let assistants use Thinktime, by the Model Context Protocol over standard input and "
    "output.",
    "demo": "Run one server under five workloads at the same load: measured, simulated and exact.",
    "tour": "Take one workload file and one system file the whole way: run, learn, simulate, "
    "compare.",
    "import": "Make a workload of a HAR, curl, OpenAPI, Postman, or another load tester's script.",
    "new": "Read a URL and write a first workload file: a page with its objects, or one request.",
    "record": "Record a visit through a proxy, and write a workload with its journey.",
    "import-pcm": "Make a workload file and a system file of a Palladio Component Model.",
    "show": "Print the whole of what would be run or simulated, with all overlays.",
    "workload": "List and show published workloads, whose names may stand for workload files.",
    "machine": "List, show and export operating systems' schedulers, each a choice of features.",
}
"""The commands in the order of help, each with the first line of its own help. Each is a file of
this folder, with a function `command`, or with an `app` of several commands."""

OVERLAID = ("simulate", "run", "serve", "switch", "sweep", "capacity", "show")
"""The commands that read workloads or systems, and take overlays for them."""

APP_OPTIONS: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}


class Commands(TyperGroup):
    """All commands, each loaded when it is called."""

    def __init__(self, **options: Any) -> None:
        """As a group without commands; the names serve suggestions."""
        super().__init__(**options)
        self._loaded: dict[str, Any] = {}

    def main(self, args: Sequence[str] | None = None, *more: Any, **named: Any) -> Any:
        """Run a command, whose words results record."""
        with provenance.command_words(sys.argv[1:] if args is None else args):
            return super().main(args, *more, **named)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command; None if no command has this name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self._loaded:
            self._loaded[cmd_name] = _load(cmd_name)
        return self._loaded[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; if there is not one, suggest those with a similar name.

        `help` is the help of all commands, `help NAME` that of one.
        """
        if args[:1] == ["help"]:
            if not args[1:]:
                typer.echo(ctx.get_help())
                raise typer.Exit
            args = [*args[1:], "--help"]
        if args and args[0] not in COMMANDS:
            names: dict[str, Any] = dict.fromkeys(COMMANDS)
            self.commands = names
        found = super().resolve_command(ctx, args)
        option_names.begin(found[1])
        return found

    def invoke(self, ctx: Any) -> Any:
        """Run the requested command; name an option or argument that is missing."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if not error.message:  # only this error has an empty message
                error.message = getattr(error.param, "help", None) or ""
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List names and summaries without loading any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _load(name: str) -> Any:
    module = import_module(f"thinktime.cli.{name.replace('-', '_')}")
    app = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, **APP_OPTIONS)
        app.command(name=name)(module.command)
    command = typer.main.get_command(app)
    command.name = name
    for one in getattr(command, "commands", {name: command}).values():
        if name in OVERLAID:
            from thinktime.cli import overlays

            overlays.add(one)
        one.params.append(plain_text.option())
        option_groups.arrange(one)
    return command
