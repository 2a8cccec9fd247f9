"""The options of a command, made from the function that it calls.

The name of a parameter gives the word, its annotation the kind of value, its default the default,
and the first sentence of its entry under `Args:` the help. Further sentences are for Python alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter
from typing import Annotated, Any, TypeVar, get_args, get_origin

import typer

from thinktime.cli.option_groups import PLACES
from thinktime.inputs.docstrings import first_sentence

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
"""By a word of an annotation, the type on the command line and its placeholder; the first word that
is here counts. Parameters of other types, such as functions, are no options."""

_WORDS = {"ca_file": "--ca", "sources": "--source"}
"""Words of the command line that are not the option's name."""

_SEVERAL = "May be given several times."
_BY_POPULATION = "With several populations it is {}; may be given several times."

_Command = TypeVar("_Command", bound=Callable[..., None])


def word(name: str) -> str:
    """The word of an option."""
    return _WORDS.get(name, "--" + name.replace("_", "-"))


def of(
    *functions: Callable[..., Any], but: Iterable[str] = (), texts: Mapping[str, str] | None = None
) -> Callable[[_Command], _Command]:
    """Replace the `**given` of a command by the keyword parameters of functions.

    The user's values arrive by name; an option that is not given is absent. A parameter of the
    command itself gets its help here, and its default if it has none. One that typer describes
    stays as it is.

    Args:
        functions: The functions; of two parameters with one name the first counts.
        but: Parameters that are no options.
        texts: Other help of some options, in which {} stands for that of the function.
    """
    offered: dict[str, _ParameterOption] = {}
    for function in reversed(functions):
        parameters = inspect.signature(function).parameters.items()
        offered |= {name: _ParameterOption(function, one) for name, one in parameters}

    def wrap(command: _Command) -> _Command:
        own = inspect.signature(command, eval_str=True).parameters
        taken = [one for one in own.values() if one.kind != one.VAR_KEYWORD]
        made = [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=one.kind)
            for name, one in offered.items()
            if one.is_keyword and one.kind is not None and name not in {*own, *but}
        ]
        named = {one.name for one in (*taken, *made)}

        def described(one: Parameter) -> Parameter:
            if one.name not in offered or get_origin(one.annotation) is Annotated:
                return one.replace(kind=Parameter.KEYWORD_ONLY)
            text = (texts or {}).get(one.name, "{}")
            return offered[one.name].option(one, lambda help: _as_typed(text.format(help), named))

        parameters = [described(one) for one in (*taken, *made)]
        return _with_parameters(command, parameters, [one.name for one in made])

    return wrap


@dataclass(frozen=True)
class _ParameterOption:
    """A parameter of a function."""

    function: Callable[..., Any]
    parameter: Parameter

    @property
    def is_keyword(self) -> bool:
        return self.parameter.kind is Parameter.KEYWORD_ONLY

    @property
    def default(self) -> Any:
        default = self.parameter.default
        return None if default in (Parameter.empty, ()) else default

    @property
    def _found(self) -> tuple[Any, str | None]:
        parts = str(self.parameter.annotation).split(" | ")
        return next((found for name, found in _KINDS.items() if name in parts), (None, None))

    @property
    def kind(self) -> Any:
        """The type on the command line; None if the command line cannot give it."""
        kind, _ = self._found
        return kind | None if kind not in (None, bool) and self.default is None else kind

    def option(self, own: Parameter, said: Callable[[str], str]) -> Parameter:
        """The command's parameter as an option of typer; `said` gives its help."""
        default = self.default if own.default is own.empty else own.default
        name = self.parameter.name
        metadata = typer.Option(
            *([] if default is True else [word(name)]),
            help=said(self._help(own.annotation)),
            metavar=PLACES.get(name, self._found[1]),
        )
        kind = own.annotation
        described = own.replace(default=default, annotation=Annotated[kind, metadata])
        return described.replace(kind=own.KEYWORD_ONLY)

    def _help(self, kind: Any) -> str:
        text, name = first_sentence(self.function, self.parameter.name), self.parameter.name
        if "ByPopulation" in str(self.parameter.annotation):
            return f"{text} {_BY_POPULATION.format(PLACES[name].replace('[NAME=]', 'NAME='))}"
        return f"{text} {_SEVERAL}" if list[str] in (kind, *get_args(kind)) else text


def _with_parameters(command: _Command, parameters: list[Parameter], passed: list[str]) -> _Command:
    """A command with these parameters, which passes on those of `passed` that the user gave."""

    @wraps(command)
    def call(context: typer.Context, **values: Any) -> None:
        for name in passed:
            if getattr(context.get_parameter_source(name), "name", "") == "DEFAULT":
                del values[name]
        command(**values)

    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    signature = inspect.Signature([context, *parameters])
    # typer reads this attribute of a function, which the type of functions does not name.
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    # Its signature is known only now, so mypy cannot see that it is one of the command's type.
    return call  # type: ignore[return-value]


def _as_typed(text: str, named: set[str]) -> str:
    """The text with options in backticks as typed."""
    return re.sub(r"`(\w+)`", lambda found: word(found[1]) if found[1] in named else found[0], text)
