"""The reference of the Python package is what signatures and docstrings say."""

from __future__ import annotations

import inspect
from pathlib import Path

import thinktime as tt
from thinktime import reference

PAGE = Path(__file__).parents[2] / "docs" / "python-reference.md"


def test_the_page_is_made_of_what_there_is() -> None:
    made = reference.text()
    assert PAGE.read_text("utf-8") == made, (
        "docs/python-reference.md is old: python -m thinktime.reference docs/python-reference.md"
    )


def test_everything_public_is_in_it_with_words() -> None:
    made = reference.text()
    for name in tt.__all__:
        if name.startswith("_"):
            continue
        part = made.split(f"### `{name}`\n")[1].split("\n### ")[0]
        (first,) = inspect.getdoc(getattr(tt, name)).strip().split("\n")[:1]
        assert first.replace("<", "&lt;") in part, name


def test_what_a_class_has_is_told_as_it_is() -> None:
    made = reference.text()
    assert "staticmethod(function)" not in made
    assert "- `load(path: Path | str) -> Workload`: Read" in made
    result = made.split("### `Result`\n")[1].split("\n### ")[0]
    assert "- `summary: dict[str, Any]`: The figures" in result


def test_parameters_are_told_one_by_one() -> None:
    made = reference.text()
    part = made.split("### `run`\n")[1].split("\n### ")[0]
    for name in inspect.signature(tt.run).parameters:
        assert f"- `{name}`: " in part, name
    assert "        on_loss: str | None = None,\n    ) -> Result" in part
