"""The contents of the fences of README and docs: files, commands, programs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SPEC = spec_from_file_location("generated", ROOT / "docs" / "site" / "generated.py")
assert _SPEC is not None
assert _SPEC.loader is not None
generated = module_from_spec(_SPEC)
"""The makers of the generated pages."""
_SPEC.loader.exec_module(generated)

WRITTEN = sorted(file for file in (ROOT / "docs").glob("*.md") if file.name not in generated.PAGES)
"""The hand-written pages; others may lie beside them."""
PAGES = ("README.md", *(f"docs/{file.name}" for file in WRITTEN))

FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    \S.*\n(?:^    .*\n)*", re.MULTILINE)
COMMENT = re.compile(r"\s+# .*$")
PROGRAMS = ("thinktime", "make", "cargo", "sed", ".venv/bin/")


@dataclass(frozen=True)
class Snippet:
    """A block of a page."""

    page: str
    number: int
    """Its number among the page's fenced blocks, from 1; indented ones follow."""

    language: str
    text: str

    @property
    def name(self) -> str:
        """As in `docs/learn.md 3`."""
        return f"{self.page} {self.number}"

    @property
    def file(self) -> str | None:
        """The file that its first line names, as in `# shop.toml` or `<!-- plan.jmx -->`."""
        found = re.match(r"(?:#|--|<!--) (\S+\.(?:toml|luau|py|jmx))", self.text)
        return found[1] if found else None

    @property
    def commands(self) -> list[list[str]]:
        """The words of each command; in a session with `$`, those of the lines with that
        beginning."""
        if self.language not in ("", "sh"):
            return []
        lines = self.text.replace("\\\n", " ").splitlines()
        typed = [line[2:] for line in lines if line.startswith("$ ")]
        cleaned = (COMMENT.sub("", line).rstrip(" &") for line in typed or lines)
        return [shlex.split(line) for line in cleaned if line.startswith(PROGRAMS)]


def snippets(page: str, text: str | None = None) -> Iterator[Snippet]:
    """All blocks of a page: fenced ones, then indented ones that are commands."""
    text = (ROOT / page).read_text("utf-8") if text is None else text
    number = 0
    for number, found in enumerate(FENCED.finditer(text), 1):
        yield Snippet(page, number, found["language"], found["text"])
    for found in INDENTED.finditer(FENCED.sub("", text)):
        block = Snippet(page, number + 1, "", re.sub(r"^    ", "", found[0], flags=re.MULTILINE))
        if block.commands:
            number += 1
            yield block


ALL = [snippet for page in PAGES for snippet in snippets(page)]
