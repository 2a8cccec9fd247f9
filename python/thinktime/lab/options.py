"""The options of a lab's runs, read as `thinktime run` will read them, before anything is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thinktime import InputError, Workload, _core
from thinktime.inputs import arrivals
from thinktime.inputs.options import options_json


def check(words: Sequence[str], workload: Workload) -> None:
    """See that `thinktime run` takes these words with this workload.

    Raises:
        InputError: It does not; the message says why.
    """
    given = _parsed(words)
    options = options_json("run", given)
    _core.planned_end("run", arrivals.replaced(workload, given), options)


def _parsed(words: Sequence[str]) -> dict[str, Any]:
    import typer

    from thinktime.cli import app

    usage_error: Any = typer.BadParameter.__base__  # it has no public name
    group: Any = typer.main.get_command(app)
    command = group.get_command(None, "run")
    try:
        with command.make_context("run", ["WORKLOAD", "--target", "TARGET", *words]) as context:
            return dict(context.params)
    except usage_error as wrong:
        raise InputError(wrong.format_message()) from None
