"""Sentences are plain: comments, docstrings, messages and pages are free of idioms that puzzle.

Name the subject first; one clause a sentence; *if*, and not *where*, for a condition. Messages are
the strings of the product; strings of tests are free.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

import pytest
from room_graph import statements
from test_tidy import RUST_WORDS, TEST_ITEM, is_test, item_end, sources, without_words

IDIOMS = {
    r"so many(?:th|-th)?\b(?! (?:that|as)\b)": "the number, or its name",
    r"(?:hangs?|hung) (?:up)?on\b": "depends on",
    r"(?<!there )(?:is|are|was|were) (?-i:none)\b(?! of\b)": "there is no ..., or: it has no ...",
    r"gets? on\b(?! (?:the|a|an|its|top)\b)": "makes progress",
    r"go(?:es)? on\b(?! (?:top|the)\b)": "continues",
    r"goes? before\b(?= ?[.,;:]| (?:the|those|that|what)\b)": "precedes",
    r"what there (?:is|was)\b": "the noun",
    r"what is (?:missing|wanted|known|asked|told|due)\b": "the noun",
    r"whom\b": "the noun, in a sentence of its own",
    r"whoever\b": "the noun",
    r"(?:is|are) asked for\b": "is requested",
    r"(?:is|are) looked (?:at|into)\b": "is checked or used",
    r"(?:is|are) told (?:of|by|how|which|what|in)\b": "receives, knows or reports",
    r"held against\b": "compared with",
    r"every so many\b": "the number",
    r"where there (?:is|are)\b": "if there is",
    r"where (?:is|are) none\b": "if there is no ...",
    r"will do(?: as well)?(?= ?[.,;:)])": "is enough",
    r"(?:for|by) so (?:long|much)\b(?! (?:that|as)\b)": "the time, or the amount",
}
"""Patterns that begin at a word, each with what to write instead."""

PATTERN = re.compile(rf"(?i)\b(?:{'|'.join(IDIOMS)})")
PYTHON_WORDS = re.compile(
    r'''#[^\n]*|"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\])*"|'''
    r"'''(?:\\.|[^\\])*?'''|'(?:\\.|[^'\\])*'",
    re.DOTALL,
)
"""Comments and strings."""
FENCE = re.compile(r"^```.*?^```$|^    .*$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]*`")
PRODUCT = re.compile(r"crates/\w+/src/|python/thinktime/")
EXCEPTIONS = {
    "tests/python/test_sentences.py": "it names the idioms",
    "tests/python/test_tidy.py": "it has bad examples",
}


def paragraphs(path: str, text: str) -> Iterator[tuple[int, str]]:
    """The comments and docstrings, or the prose, of a file, and the strings of the product.

    Each is a line number, and the words in one line.
    """
    is_product = PRODUCT.match(path) is not None and not is_test(path)
    if path.endswith(".rs"):
        found = _joined(
            (text.count("\n", 0, one.start()) + 1, one[0].lstrip("/! "))
            for one in RUST_WORDS.finditer(text)
            if one[0].startswith("//")
        )
        found = [*found, *(_rust_strings(text) if is_product else [])]
    elif path.endswith(".py"):
        found = [*_docstrings(text), *_joined(_comments(text))]
        found += _python_strings(text) if is_product else []
    elif path.endswith(".md"):
        blank = FENCE.sub(lambda one: "\n" * one[0].count("\n"), text)
        found = _joined(enumerate(blank.splitlines(), 1))
    else:
        found = []
    for line, words in found:
        yield line, " ".join(INLINE.sub("``", words).split())


def _joined(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines that follow one another as one paragraph; an empty line ends it."""
    first, last, words = 0, -1, ""
    for line, text in lines:
        if line == last + 1 and text.strip():
            words += " " + text
        else:
            yield first, words
            first, words = line, text
        last = line if text.strip() else -1
    yield first, words


parsed = lru_cache(maxsize=1)(ast.parse)
"""The tree of the file at hand."""


def _docstrings(text: str) -> Iterator[tuple[int, str]]:
    """All strings that are statements, paragraph by paragraph."""
    for node in statements(parsed(text)):
        if isinstance(node, ast.Expr):
            text = getattr(node.value, "value", None)
            if isinstance(text, str):
                yield from _joined(enumerate(text.splitlines(), node.lineno))


def _comments(text: str) -> Iterator[tuple[int, str]]:
    line, place = 1, 0
    for one in PYTHON_WORDS.finditer(text):
        if one[0].startswith("#"):
            line += text.count("\n", place, one.start())
            place = one.start()
            yield line, one[0].lstrip("# ")


def _rust_strings(text: str) -> Iterator[tuple[int, str]]:
    """All strings outside items that are for tests only."""
    code = without_words(text)
    for found in TEST_ITEM.finditer(code):
        start, end = found.start(), item_end(code, found.end())
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    for one in RUST_WORDS.finditer(text):
        if not one[0].startswith(("/", "'")):
            yield text.count("\n", 0, one.start()) + 1, re.sub(r"\\\n\s*", "", one[0])


def _python_strings(text: str) -> Iterator[tuple[int, str]]:
    """All strings, and all parts of strings between braces."""
    left: list[ast.AST] = [parsed(text)]
    while left:  # as `ast.walk` does, in half the time
        node = left.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                left.append(value)
            elif isinstance(value, list):
                left += [one for one in value if isinstance(one, ast.AST)]


def idioms(path: str, text: str) -> Iterator[str]:
    """Where a file has an idiom, and what to write instead."""
    for line, words in paragraphs(path, text):
        for found in PATTERN.finditer(words):
            rest = words[found.start() :]
            right = next(right for idiom, right in IDIOMS.items() if re.match(f"(?i){idiom}", rest))
            yield f"{path}, paragraph of line {line}: {found[0]!r}: write {right}"


def test_no_sentence_has_an_idiom() -> None:
    found = [
        complaint
        for path, text in sources()
        if path not in EXCEPTIONS
        for complaint in idioms(path, text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rs", "/// It takes so\n/// many events.\nfn f() {}"),
        ("a.rs", "//! What hangs on it."),
        ("a.py", '"""What there is of it."""'),
        ("a.py", "x = 1  # of which there are none: what is missing"),
        ("a.md", "It hangs\non the size."),
        ("crates/a/src/b.rs", 'fn f() { g("it takes so \\\n  many") }'),
        ("crates/a/src/b.rs", '#[cfg(test)]\nmod a {}\nconst A: &str = "so many";'),
        ("python/thinktime/a.py", 'TEXT = f"{size} hangs " "on it"\n'),
    ],
)
def test_an_idiom_is_found(path: str, text: str) -> None:
    assert list(idioms(path, text))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("crates/a/tests/b.rs", 'fn f() { g("so many") }\n// So many that it ends.'),
        ("tests/a.py", 'TEXT = "it hangs on"\n'),
        ("crates/a/src/b.rs", '#[cfg(test)]\nmod tests { const A: &str = "so many"; }'),
        ("crates/a/src/tests.rs", 'const A: &str = "so many";'),
        ("python/thinktime/a.py", 'x = {"so": 1, "many": f"so{1}many"}\n'),
        ("a.md", "```\nso many\n```\n`so many` is code."),
    ],
)
def test_code_and_other_words_are_no_fault(path: str, text: str) -> None:
    assert not list(idioms(path, text))
