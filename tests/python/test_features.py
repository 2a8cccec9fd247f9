"""The page of features: each cell is there, and each of ours names tests that are there, too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "features.md").read_text("utf-8")
TOOLS = ["Thinktime", "k6", "Gatling", "Locust", "oha", "vegeta", "JMeter", "Hyperfoil"]
WORD = re.compile(r"(?:yes|no|partly)(?:: \S.*)?|with \S.*|\?")
TEST = re.compile(r"`([\w./]+)::(\w+)`")


def table(heading: str) -> list[list[str]]:
    """The rows of the table with this first line, without the lines of its head."""
    lines = iter(PAGE[PAGE.index(f"\n{heading}") + 1 :].splitlines()[2:])
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


HEAD = "| # | feature | " + " | ".join(TOOLS) + " |"
FEATURES = [row for row in table(HEAD) if row[0]]
TESTS = dict(table("| # | tests |"))


def functions(path: Path) -> set[str]:
    """The tests of a file."""
    text = path.read_text("utf-8")
    if path.suffix == ".rs":
        return set(re.findall(r"#\[test\]\s+fn (\w+)\(", text))
    defined = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in defined if node.name.startswith("test_")}


def test_there_are_forty_features_with_a_cell_for_each_tool() -> None:
    assert len(FEATURES) >= 40
    assert [row[0] for row in FEATURES] == [str(n + 1) for n in range(len(FEATURES))]
    for row in FEATURES:
        assert len(row) == 2 + len(TOOLS), row
        for tool, cell in zip(TOOLS, row[2:], strict=True):
            assert WORD.fullmatch(cell), f"{row[1]}, {tool}: `{cell}`"
    assert len({row[1] for row in FEATURES}) == len(FEATURES)


def test_what_is_ours_has_a_test_and_what_is_not_has_none() -> None:
    ours = {row[0]: row[2] for row in FEATURES}
    assert "?" not in ours.values()
    assert [n for n, cell in ours.items() if cell != "no"] == list(TESTS)


@pytest.mark.parametrize("number", TESTS)
def test_the_tests_are_there(number: str) -> None:
    named = TEST.findall(TESTS[number])
    assert named
    assert len(named) == TESTS[number].count("`") // 2, TESTS[number]
    for file, function in named:
        path = ROOT / (file if "/" in file else f"tests/python/{file}")
        assert path.is_file(), file
        assert function in functions(path), f"{file} has no {function}"


def test_a_test_that_is_not_there_is_found_out() -> None:
    found = functions(Path(__file__))
    assert "test_the_tests_are_there" in found
    assert not {"functions", "test_that_is_nowhere"} & found


def test_what_is_not_known_is_told() -> None:
    told = PAGE.split("## What is not known")[1]
    for row in FEATURES:
        for tool, cell in zip(TOOLS, row[2:], strict=True):
            if cell == "?":
                assert f"- {tool}, row {row[0]}: " in told


def test_every_other_tool_has_its_sources() -> None:
    sources = PAGE.split("## Where the others' cells come from")[1].split("\n## ")[0]
    for tool in TOOLS[1:]:
        (part,) = re.findall(rf"^- \*\*{tool}\*\* \d.*?(?=^- \*\*|\Z)", sources, re.M | re.DOTALL)
        assert "https://" in part
