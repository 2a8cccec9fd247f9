"""The options of a command, made of the function that it calls.

The name of a parameter gives the word, its annotation the kind of value, its default the default,
and the first sentence of its entry under `Args:` the help. Further sentences are for Python alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from inspect import Parameter
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer

import thinktime
from thinktime.cli.option_groups import PLACES

_KINDS: dict[str, tuple[Any, str | None]] = {
    "bool": (bool, None),
    "ByPopulation": (list[str], None),
    "Sequence[str]": (list[str], None),
    "Time": (str, "TIME"),
    "Path": (str, "FILE"),
    "str": (str, None),
    "What": (str, None),
    "int": (int, None),
    "float": (float, None),
}
"""By a word of an annotation, the type on the command line and its placeholder; the first counts.
Parameters of other types, such as functions, are no options."""

_WORDS = {"ca_file": "--ca", "sources": "--source"}
"""Words of the command line that are not the option's name."""

_SEVERAL = "May be given several times."
_BY_POPULATION = "With several populations it is {}; may be given several times."

_ENTRY = re.compile(r"^ {4}(\w+): ", re.MULTILINE)
_REFERENCE = re.compile(r"As in `(\w+)`")

_Command = TypeVar("_Command", bound=Callable[..., None])


def word(name: str) -> str:
    """The word of an option."""
    return _WORDS.get(name, "--" + name.replace("_", "-"))


def of(
    *functions: Callable[..., Any],
    but: Iterable[str] = (),
    texts: Mapping[str, str] | None = None,
) -> Callable[[_Command], _Command]:
    """Replace the `**given` of a command by the keyword parameters of functions.

    The user's values arrive by name; an option that is not given is absent. A parameter that the
    command has itself gets its help here, and its default if it has none, unless it has a typer
    option.

    Args:
        functions: The functions; of two parameters with one name the first counts.
        but: Parameters that are no options.
        texts: Other help of some options, in which {} stands for that of the function.
    """

    def wrap(command: _Command) -> _Command:
        own = inspect.signature(command, eval_str=True).parameters
        taken = {name: one for name, one in own.items() if one.kind != one.VAR_KEYWORD}
        made = [
            (one, kind)
            for name, one in _parameters(functions).items()
            if one.kind is one.KEYWORD_ONLY and name not in {*own, *but} and (kind := _kind(one))
        ]
        named = {*taken, *(one.name for one, _ in made)}

        def option(name: str, default: Any, kind: Any, place: str | None) -> Parameter:
            text = (texts or {}).get(name, "{}").format(_help(functions, name, kind))
            metadata = typer.Option(
                *([] if kind is bool and default is True else [word(name)]),
                help=_as_typed(text, named),
                metavar=PLACES.get(name, place),
            )
            return Parameter(
                name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, metadata]
            )

        parameters = [_own(one, functions, option) for one in taken.values()]
        parameters += [option(one.name, _default(one), *kind) for one, kind in made]
        return _with_parameters(command, parameters, [one.name for one, _ in made])

    return wrap


def _with_parameters(command: _Command, parameters: list[Parameter], passed: list[str]) -> _Command:
    """A command with these parameters, which passes on those of `passed` that the user gave."""

    @wraps(command)
    def call(context: typer.Context, **values: Any) -> None:
        for name in passed:
            if getattr(context.get_parameter_source(name), "name", "") == "DEFAULT":
                del values[name]
        command(**values)

    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    all_parameters = [context, *parameters]
    call.__signature__ = inspect.Signature(all_parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in all_parameters}
    return call  # type: ignore[return-value]


def _own(
    one: Parameter, functions: tuple[Callable[..., Any], ...], option: Callable[..., Parameter]
) -> Parameter:
    """A command's own parameter, with the help and the default of the function's if it has one."""
    declared = _parameters(functions).get(one.name)
    if declared is None or get_origin(one.annotation) is Annotated:
        return one.replace(kind=Parameter.KEYWORD_ONLY)
    default = _default(declared) if one.default is one.empty else one.default
    return option(one.name, default, one.annotation, (_kind(declared) or (None, None))[1])


def _parameters(functions: Iterable[Callable[..., Any]]) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    for function in functions:
        found = {**inspect.signature(function).parameters, **found}
    return found


def _kind(one: Parameter) -> tuple[Any, str | None] | None:
    """The type of an option and its placeholder; None if words cannot give the parameter."""
    parts = str(one.annotation).split(" | ")
    found = next((found for name, found in _KINDS.items() if name in parts), None)
    if found is None or found[0] is bool or _default(one) is not None:
        return found
    return found[0] | None, found[1]


def _default(one: Parameter) -> Any:
    return None if one.default in (one.empty, ()) else one.default


def _help(functions: Iterable[Callable[..., Any]], name: str, kind: Any) -> str:
    function = next(one for one in functions if name in inspect.signature(one).parameters)
    annotation = str(inspect.signature(function).parameters[name].annotation)
    text = _first_sentence(function, name)
    if "ByPopulation" in annotation:
        return f"{text} {_BY_POPULATION.format(PLACES[name].replace('[NAME=]', 'NAME='))}"
    return f"{text} {_SEVERAL}" if list[str] in (kind, *get_args(kind)) else text


def _first_sentence(function: Callable[..., Any], name: str) -> str:
    """The first sentence of a docstring about a parameter; `As in` refers to another function."""
    entry = _entries(function).get(name, "")
    if reference := _REFERENCE.match(entry):
        return _first_sentence(getattr(thinktime, reference[1]), name)
    sentence, point, _ = entry.partition(". ")
    return sentence + point.strip()


@cache
def _entries(function: Callable[..., Any]) -> dict[str, str]:
    """The entries under `Args:` of a docstring, each in one line."""
    after = inspect.cleandoc(function.__doc__ or "").partition("Args:\n")[2]
    _, *parts = _ENTRY.split(after.partition("\n\n")[0])
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {name: " ".join(text.split()) for name, text in pairs}


def _as_typed(text: str, named: set[str]) -> str:
    """The text with options in backticks as typed."""
    return re.sub(r"`(\w+)`", lambda found: word(found[1]) if found[1] in named else found[0], text)
