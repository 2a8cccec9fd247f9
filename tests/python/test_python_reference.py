"""The pages that the program makes of itself repeat signatures, docstrings, help and schemas.

They are not committed: `make site` makes them, and this file checks them.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest
from docs_snippets import ROOT, WRITTEN, generated
from jsonschema_lite import property_descriptions

import thinktime as tt
from thinktime.reference.command_help import commands as described

KINDS = {"workload": "Workload files", "system": "System files"}
CELLS = re.compile(r"(?<!\\)\|")


@pytest.fixture(scope="module", params=generated.PAGES)
def page(request: pytest.FixtureRequest) -> str:
    return generated.text(request.param)


def test_pages_are_written_into_a_folder(tmp_path: Path) -> None:
    generated.write(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(generated.PAGES)
    for file in tmp_path.iterdir():
        assert file.read_text("utf-8") == generated.text(file.name)


def test_git_ignores_them_and_no_page_that_is_committed_needs_them() -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {f"/docs/{name}" for name in generated.PAGES} <= set(ignored)
    for file in [*ROOT.glob("*.md"), *WRITTEN, *ROOT.glob("*/*/**/*.md")]:
        if file.parent != ROOT / "docs" or file in WRITTEN:
            links = re.findall(r"\]\(([^)#\s]+)", file.read_text("utf-8"))
            assert not {Path(link).name for link in links} & set(generated.PAGES), file


def test_a_page_is_made_alike_each_time(page: str) -> None:
    (name,) = [name for name in generated.PAGES if generated.text(name) == page]
    assert generated.text(name) == page


def test_a_page_has_one_title_and_words_without_gaps(page: str) -> None:
    assert re.findall(r"^# (.+)$", page, re.MULTILINE) == [page.splitlines()[0][2:]]
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    assert "\n\n\n" not in page
    for lost in (
        "\nNone\n",
        "| None |",
        "<class",
        "<function",
        "object at 0x",
        "inspect._empty",
        "$ref",
    ):
        assert lost not in page


def test_every_row_of_a_table_has_the_cells_of_its_head(page: str) -> None:
    """A `|` that is not escaped in a cell would cut it in two."""
    width, rows = 0, 0
    for line in page.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        found = len(CELLS.findall(line))
        width = width or found
        rows += 1
        assert found == width, line
    assert rows == 0 or rows > 100


def test_links_lead_to_a_heading_of_the_page_or_to_a_page(page: str) -> None:
    headings = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", page):
        file, _, heading = target.partition("#")
        assert (ROOT / "docs" / file).is_file() if file else heading in headings, target


def part(text: str, heading: str) -> str:
    """The text below a heading, to the next one."""
    return text.split(f"# {heading}\n")[1].split("\n#")[0]


def test_every_option_of_every_command_is_told() -> None:
    made = generated.text("commands.md")
    for one in described():
        told = made if one.name == "thinktime" else part(made, f"`{one.name}`")
        for name, _ in one.options:
            shown = name.replace("|", "\\|")
            assert name == "--help" or f"| `{shown}` | " in told, (one.name, name)


@pytest.mark.parametrize("kind", ["workload", "system"])
def test_every_key_is_told_with_its_meaning(kind: str) -> None:
    made = part(generated.text("keys.md").replace("\n### ", "\n@@@ "), f"{KINDS[kind]}")
    found = property_descriptions(json.loads(tt.schema(kind)))
    for name, words in found.items():
        row = f"| `{name.split('.', 1)[1]}` | "
        begin = " ".join(words.split())[:40].replace("|", "\\|").replace("<", "&lt;")
        assert any(row in line and begin in line for line in made.splitlines()), name


def test_tables_stand_where_they_are_written_in_a_file() -> None:
    made = generated.text("keys.md")
    assert "| `attempts` | value |" in part(made, "`[request.retry]`")
    assert "| `holds` | list, each text |" in part(made, "`[cluster.cache]`")
    assert '`"per-session"`: It carries' in part(made, "`[clients]`")
    assert "`abort`: whether a run ends" in part(made, "`[slo]`")


def test_everything_public_is_in_it_with_words() -> None:
    made = generated.text("python-reference.md")
    for name in tt.__all__:
        if name.startswith("_"):
            continue
        part = made.split(f"### `{name}`\n")[1].split("\n### ")[0]
        (first,) = inspect.getdoc(getattr(tt, name)).strip().split("\n")[:1]
        assert first.replace("<", "&lt;") in part, name


def test_what_a_class_has_is_told_as_it_is() -> None:
    made = generated.text("python-reference.md")
    assert "staticmethod(function)" not in made
    assert "- `load(path: Path | str) -> Workload`: Read" in made
    result = made.split("### `Result`\n")[1].split("\n### ")[0]
    assert "- `summary: Summary`: The figures" in result


def test_parameters_are_told_one_by_one() -> None:
    made = generated.text("python-reference.md")
    part = made.split("### `run`\n")[1].split("\n### ")[0]
    for name in inspect.signature(tt.run).parameters:
        assert f"- `{name}`: " in part, name
    assert "        leave_rows: str | Path | None = None,\n    ) -> Result" in part
