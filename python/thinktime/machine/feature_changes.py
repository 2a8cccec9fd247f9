"""Changes to a scheduler's features, as `KEY=VALUE` one by one."""

from __future__ import annotations

import tomllib

from thinktime import _core


def as_toml(settings: list[str]) -> str:
    """Return `KEY=VALUE` changes as the text of a TOML file; words need no quotes.

    Raises:
        InputError: A change has no `=`, its key is invalid, or two changes contradict each other.
    """
    lines: list[str] = []
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key or not value:
            raise _core.InputError(
                f"--set {setting}: write KEY=VALUE, as in time_sharing.boosts=false"
            )
        lines.append(_line(key, value))
        try:
            tomllib.loads("\n".join(lines))
        except tomllib.TOMLDecodeError as error:
            raise _core.InputError(f"--set {setting}: {error}") from None
    return "\n".join(lines)


def _line(key: str, value: str) -> str:
    try:
        tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'{key} = "{quoted}"'
    return f"{key} = {value}"
