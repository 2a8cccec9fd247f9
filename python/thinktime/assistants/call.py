"""One call of a tool: its arguments, checked, and the way to report progress."""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from thinktime import InputError, Result, Workload
from thinktime.inputs import json_schemas
from thinktime.inputs.arguments import checked, meanings
from thinktime.inputs.files import not_swapped, workload_of

Tell = Callable[[float, float | None, str], None]
"""Reports progress: what is done, of how much if that is known, and in words."""

_PATTERN = "*?["
RESULTS = "results"
"""The folder of results that have no other place."""


@dataclass(frozen=True)
class Call:
    """A call, in its folder."""

    name: str
    given: Mapping[str, Any]
    directory: Path
    tell: Tell

    def checked(self, schema: Mapping[str, Any]) -> None:
        """Check that the arguments are those of a schema, and have its types.

        Raises:
            InputError: One is missing, unknown, or of another type.
        """
        known = schema["properties"]
        for name in schema.get("required", []):
            if self.given.get(name) is None:
                raise InputError(f"{name}: is missing: {known[name].get('description', '')}")
        for name, value in self.given.items():
            if name not in known:
                raise InputError(f"{name}: is no argument of `{self.name}`: {', '.join(known)}")
            if value is not None and not _fits(value, known[name]):
                raise InputError(f"{name}: must be {_called(known[name])}, not {_short(value)}")

    def do(self, function: Callable[..., Any], **more: Any) -> Any:
        """Call a function with the arguments that are its own, and `more`.

        Raises:
            InputError: A file is outside of the folder, or an argument does not fit.
        """
        kinds = meanings(function)
        rest = {one.kind for one in inspect.signature(function).parameters.values()}
        takes_all = inspect.Parameter.VAR_KEYWORD in rest
        given = {
            name: self._value(name, value, kinds.get(name))
            for name, value in self.given.items()
            if value is not None and (name in kinds or takes_all) and name not in more
        }
        return checked(function)(**given, **more)

    def _value(self, name: str, value: Any, kind: Any) -> Any:
        """The value for Python: a path within the folder, a workload, or a result."""
        names = {getattr(one, "__name__", "") for one in json_schemas.parts(kind)}
        if isinstance(value, list):
            listed = [one for part in json_schemas.parts(kind) for one in get_args(part)]
            paths = any(Path in json_schemas.parts(one) for one in listed)
            return [self.path(name, one) for one in value] if paths else value
        if not isinstance(value, str):
            allowed = json_schemas.parts(kind)
            whole = isinstance(value, float) and int in allowed and float not in allowed
            return int(value) if whole else value  # JSON's 20.0 is a whole number, too
        if names & json_schemas.DIRECTORIES:
            return self.result(name, value)
        if "Workload" in names and "://" not in value:
            return self.workload(name, value)
        return self.path(name, value) if "Path" in names and "://" not in value else value

    def path(self, name: str, given: str) -> str:
        """The path, if it is below the folder, also behind links.

        Raises:
            InputError: It is elsewhere, or is no path of a file.
        """
        if not given or "\0" in given or given == "-":
            raise InputError(f"{name}: {_short(given)} is no path of a file")
        parts = Path(given).parts
        fixed = list(itertools.takewhile(lambda part: not set(part) & set(_PATTERN), parts))
        rest = parts[len(fixed) :]
        place = self.directory.joinpath(*fixed).resolve()
        if ".." in rest or not place.is_relative_to(self.directory):
            raise InputError(
                f"{name}: {given} is outside of {self.directory}: files are read and written only "
                "below this folder, which the user chose at the start of the server"
            )
        return str(self.directory.joinpath(*fixed, *rest))

    def workload(self, name: str, given: str) -> Workload:
        """The workload of a file, or the preset of this name.

        Raises:
            InputError: It cannot be read, or is elsewhere.
        """
        from thinktime.workload import load

        path = Path(self.path(name, given))
        with not_swapped(Workload, path):
            return load(path if path.exists() else Path(given))

    def loaded_workload(self) -> Workload:
        """The given workload."""
        given = self.given["workload"]
        return self.workload("workload", given) if isinstance(given, str) else workload_of(given)

    def result(self, name: str, given: str) -> Result:
        """The result in a directory.

        Raises:
            InputError: There is no result, it is elsewhere, or it has no figures.
        """
        result = Result.load(self.path(name, given))
        if not result.summary:
            raise InputError(f"{given}: summary.json is missing, so it has no figures")
        return result

    def output(self) -> Path:
        """The given place of the result, or a new one.

        Raises:
            InputError: It is elsewhere.
        """
        if (given := self.given.get("output")) is not None:
            return Path(self.path("output", given))
        folder = self.directory / RESULTS
        numbers = (folder / f"{self.name}-{number}" for number in itertools.count(1))
        place = next(one for one in numbers if not list(folder.glob(f"{one.name}*")))
        self.path("output", str(place.relative_to(self.directory)))  # `results` may be a link
        folder.mkdir(exist_ok=True)
        return place


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value of JSON has the type that a schema names."""
    if "anyOf" in schema:
        return any(_fits(value, one) for one in schema["anyOf"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, list) and "array" in kinds:
        return all(_fits(one, schema["items"]) for one in value)
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, str) and "string" in kinds:
        return value in schema.get("enum", [value])
    if isinstance(value, int | float):
        return "number" in kinds or ("integer" in kinds and value % 1 == 0)
    return isinstance(value, dict) and "object" in kinds


def _called(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(schema["enum"])
    named = []
    for one in schema.get("anyOf", [schema]):
        kinds = one["type"] if isinstance(one["type"], list) else [one["type"]]
        for name in kinds:
            items = f" whose items are each {_called(one['items'])}" if name == "array" else ""
            named.append(f"{'an' if name[0] in 'aio' else 'a'} {name}{items}")
    return " or ".join(named)


def _short(value: Any) -> str:
    written = json.dumps(value)
    return written if len(written) <= 60 else f"{written[:60]}…"
