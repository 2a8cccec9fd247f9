"""YAML read with limits: a short text may mean a huge value, and nesting costs stack."""

from __future__ import annotations

from functools import cache
from typing import Any

from thinktime import InputError
from thinktime.importing.parsers import is_small

CHARACTERS_MAX = 8 * 1024 * 1024
PARTS_MAX = 3_000_000
"""An alias counts as its whole value, so that a short file cannot stand for a huge one."""

DEPTH_MAX = 200
NUMBER_MAX = 400
"""Characters of a number: the time for longer ones grows with their square."""

_WRONG = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""The library's exceptions for a value that does not fit its tag, as `!!timestamp x`."""


def read(given: str, file: str) -> Any:
    """The value of a YAML text, made of plain values only.

    Raises:
        InputError: It is not YAML, with the line; or it is too large or nested too deeply.
    """
    try:
        import yaml
    except ImportError:
        raise InputError(f"{file}: YAML needs the package `pyyaml`; or give it as JSON") from None
    if len(given) > CHARACTERS_MAX:
        raise InputError(f"{file}: YAML of at most {CHARACTERS_MAX:,} characters is read")
    try:
        deep = _is_deep(given)
        found = None if deep else yaml.load(given, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}:{mark.line + 1}" if mark else file
        why = getattr(error, "problem", None) or "it cannot be read"
        raise InputError(f"{where}: is no YAML: {why}") from None
    except RecursionError:
        deep, found = True, None
    except _WRONG as error:
        raise InputError(f"{file}: is no YAML: a value is not what its tag says: {error}") from None
    if deep:
        raise InputError(f"{file}: is no YAML: it is nested too deeply")
    if not is_small(found, PARTS_MAX):
        raise InputError(f"{file}: its aliases stand for more than {PARTS_MAX:,} values")
    return found


def _is_deep(given: str) -> bool:
    """Whether it is nested deeper than the library can take, which ends with the process."""
    import yaml

    depth = 0
    for event in yaml.parse(given, Loader=_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_MAX:
            return True
    return False


@cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """Merges (`<<`) a key once, however often it comes, and reads no endless numbers."""

        def flatten_mapping(self, node: Any) -> None:
            super().flatten_mapping(node)
            last = {
                (key.tag, key.value): place
                for place, (key, _) in enumerate(node.value)
                if isinstance(key, yaml.ScalarNode)
            }
            node.value = [
                pair
                for place, pair in enumerate(node.value)
                if last.get((pair[0].tag, _text(pair[0])), place) == place
            ]

        def construct_scalar(self, node: Any) -> Any:
            if node.tag.endswith((":int", ":float")) and len(node.value) > NUMBER_MAX:
                raise ValueError(f"a number has more than {NUMBER_MAX} characters")
            return super().construct_scalar(node)

    return Loader


def _text(node: Any) -> Any:
    return node.value if isinstance(node.value, str) else None
