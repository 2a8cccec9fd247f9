"""Options of commands: those of the compiled half's lists, and those that several commands take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from thinktime import _core

WORKLOAD = "The workload file, or a name of `thinktime workload list`"
NOT_AGAIN = "; with --again only if it has secrets, which results do not keep."
Workload = Annotated[Path, typer.Argument(help=WORKLOAD + ".")]
System = Annotated[Path, typer.Argument(help="The system file.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The result directory to write.", metavar="DIR"),
]
Label = Annotated[
    str | None,
    typer.Option(
        help="The name of the result; by default its workload, the commit and the time.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print summary.json alone.")]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Show every check of validity, with its finding."),
]
Report = Annotated[
    Path | None,
    typer.Option(help="The page of charts to write, as of `thinktime report`."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show nothing while it runs.")]
Junit = Annotated[
    Path | None,
    typer.Option(
        help="The JUnit file to write, with a test case for each objective, check or limit.",
        metavar="FILE",
    ),
]
Markdown = Annotated[
    Path | None,
    typer.Option(
        help="The Markdown summary to write, as for a pull request; $GITHUB_STEP_SUMMARY is "
        "extended, not replaced.",
        metavar="FILE",
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        help="Work on a Ray cluster: ray for one on this machine, ray://HOST:PORT or auto for a "
        "running one.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(help="The folder of the history; .thinktime/history by default.", metavar="DIR"),
]
Again = Annotated[
    Path | None,
    typer.Option(
        help="Repeat the command that made this result directory; given options replace its own.",
        metavar="DIR",
    ),
]

_TYPES: dict[str, Any] = {
    "Whole": int | None,
    "Number": float | None,
    "Flag": bool,
    "Text": str | None,
    "Texts": list[str] | None,
    "Time": str | None,
    "Share": str | None,
    "Proxy": str | None,
    "Named": list[str] | None,
}
_PLACES = {
    "Whole": "N",
    "Number": "NUMBER",
    "Text": "TEXT",
    "Texts": "TEXT",
    "Time": "TIME",
    "Share": "SHARE",
    "Proxy": "URL",
    "rate": "[NAME=]RATE",
    "clients": "[NAME=]N",
    "think": "[NAME=]TIME",
}
"""The placeholder in --help of a kind of values, or of an option."""

_WORDS = {"ca_file": "--ca", "sources": "--source"}
"""Words of the command line that are not the option's name."""

_Command = TypeVar("_Command", bound=Callable[..., None])


def of(command: str, help_texts: Mapping[str, str] | None = None) -> Callable[[_Command], _Command]:
    """Replace the `**given` of a command's function by the options of `run` or `simulate`.

    `help_texts` are the accepted options with their help, empty for the list's own; without them,
    all options are accepted.
    The user's values arrive by name; None or False means that an option is not given.
    """

    def wrap(function: _Command) -> _Command:
        own = inspect.signature(function, eval_str=True).parameters.values()
        made = [
            _parameter(name, kind, (help_texts or {}).get(name) or about)
            for name, kind, about in _core.options(command)
            if help_texts is None or name in help_texts
        ]
        arguments = [one for one in own if _is_argument(one)]
        rest = [one for one in own if not _is_argument(one) and one.kind != one.VAR_KEYWORD]
        parameters = [
            one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*arguments, *made, *rest)
        ]
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        function.__annotations__ = {one.name: one.annotation for one in parameters}
        return function

    return wrap


def _is_argument(parameter: inspect.Parameter) -> bool:
    metadata = getattr(parameter.annotation, "__metadata__", ())
    return any(type(one).__name__ == "ArgumentInfo" for one in metadata)


def _parameter(name: str, kind: str, about: str) -> inspect.Parameter:
    word = _WORDS.get(name, "--" + name.replace("_", "-"))
    place = _PLACES.get(name, _PLACES.get(kind))
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if kind == "Flag" else None,
        annotation=Annotated[_TYPES[kind], typer.Option(word, help=about, metavar=place)],
    )
