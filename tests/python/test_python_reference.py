"""The references are what signatures, docstrings, help and schemas say."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from types import ModuleType

import pytest
from jsonschema_lite import property_descriptions

import thinktime as tt
from thinktime.reference import commands as commands
from thinktime.reference import keys, python
from thinktime.reference.command_help import commands as described

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "maker"),
    [("python-reference.md", python), ("commands.md", commands), ("keys.md", keys)],
)
def test_the_page_is_made_of_what_there_is(page: str, maker: ModuleType) -> None:
    assert (DOCS / page).read_text("utf-8") == maker.text(), (
        f"docs/{page} is old: python -m {maker.__name__} docs/{page}"
    )


def part(text: str, heading: str) -> str:
    """What stands below a heading, to the next one."""
    return text.split(f"# {heading}\n")[1].split("\n#")[0]


def test_every_option_of_every_command_is_told() -> None:
    made = commands.text()
    for one in described():
        told = made if one.name == "thinktime" else part(made, f"`{one.name}`")
        for name, _ in one.options:
            shown = name.replace("|", "\\|")
            assert name == "--help" or f"| `{shown}` | " in told, (one.name, name)


@pytest.mark.parametrize("kind", ["workload", "system"])
def test_every_key_is_told_with_its_meaning(kind: str) -> None:
    made = part(keys.text().replace("\n### ", "\n@@@ "), f"{keys.KINDS[kind]}")
    found = property_descriptions(json.loads(tt.schema(kind)))
    for name, words in found.items():
        row = f"| `{name.split('.', 1)[1]}` | "
        begin = " ".join(words.split())[:40].replace("|", "\\|").replace("<", "&lt;")
        assert any(row in line and begin in line for line in made.splitlines()), name


def test_tables_stand_where_they_are_written_in_a_file() -> None:
    made = keys.text()
    assert "| `attempts` | value |" in part(made, "`[request.retry]`")
    assert "| `holds` | list, each text |" in part(made, "`[cluster.cache]`")
    assert '`"per-session"`: It carries' in part(made, "`[clients]`")
    assert "`abort`: whether a run ends" in part(made, "`[slo]`")


def test_everything_public_is_in_it_with_words() -> None:
    made = python.text()
    for name in tt.__all__:
        if name.startswith("_"):
            continue
        part = made.split(f"### `{name}`\n")[1].split("\n### ")[0]
        (first,) = inspect.getdoc(getattr(tt, name)).strip().split("\n")[:1]
        assert first.replace("<", "&lt;") in part, name


def test_what_a_class_has_is_told_as_it_is() -> None:
    made = python.text()
    assert "staticmethod(function)" not in made
    assert "- `load(path: Path | str) -> Workload`: Read" in made
    result = made.split("### `Result`\n")[1].split("\n### ")[0]
    assert "- `summary: dict[str, Any]`: The figures" in result


def test_parameters_are_told_one_by_one() -> None:
    made = python.text()
    part = made.split("### `run`\n")[1].split("\n### ")[0]
    for name in inspect.signature(tt.run).parameters:
        assert f"- `{name}`: " in part, name
    assert "        leave_rows: str | Path | None = None,\n    ) -> Result" in part
