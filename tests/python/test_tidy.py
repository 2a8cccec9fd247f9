"""Tidiness: files and functions stay small, lines short, words those of the glossary.

Every rule is a function from (path, text) to complaints, and is itself tested on a bad example.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from room_graph import statements

EXCEPTIONS = {
    ("python/thinktime/_core_types.py", "file length"): "a program writes it, of Rust's tables",
    ("docs/glossary.md", "words"): "it says which words are not used",
    ("docs/coming-from-gatling.md", "words"): "it says what the words of Gatling are here",
    ("docs/coming-from-k6.md", "words"): "it says what the words of k6 are here",
    ("docs/coming-from-wrk.md", "words"): "it says what the options of wrk are here",
    ("tests/python/test_tidy.py", "words"): "it names the words that it bans",
    ("tests/python/test_tidy.py", "places"): "it names the places that it bans",
    ("benches/freezing.py", "words"): "options and results of other tools are called so",
    ("crates/core/src/record/summary.rs", "functions"): "one line a figure",
    ("studies/omission-and-collapse/readings.py", "functions"): "a table, row by row",
    ("crates/py/src/learn.rs", "functions"): "the keyword arguments are half of it",
    ("python/thinktime/cli/learn.py", "functions"): "the options are the signature",
    ("python/thinktime/learn/views/summary.py", "functions"): "one line a figure",
    ("python/thinktime/operations/content_switch.py", "functions"): "the options are the signature",
    ("python/thinktime/operations/real_run.py", "functions"): "the options are the signature",
    ("crates/py/src/simulate.rs", "functions"): "the keyword arguments are half of it",
    ("crates/py/src/run.rs", "functions"): "the keyword arguments are half of it",
    ("crates/log/src/formats/gcp.rs", "words"): "a key of the log is called so",
    ("crates/log/src/formats/tests/loggers.rs", "words"): "a key of the log is called so",
}
"""(path, rule) -> why the rule does not hold there."""

FILE_LINES_MAX = 300
TEST_FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 40
RUST_TEST_FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100

WORDS = [
    ("virtual user", r"(?i:\bvirtual users?\b)", "client or session"),
    ("vu", r"\bVUs?\b", "client or session"),
    # The name of the file is part of the HdrHistogram tools' custom.
    (
        "latenc",
        r"(?i:\blatenc(?:y|ies)\b)(?!\.hlog)",
        "response time, service time or lateness",
    ),
    ("sojourn", r"(?i:\bsojourn)", "response time"),
    ("turnaround", r"(?i:\bturnaround time)", "response time"),
    ("residence", r"(?i:\bresidence time)", "response time"),
    # The law has its own name.
    ("utili", r"(?i:\butili[sz]ation\b)(?! law)", "load"),
    ("multiprogramming", r"(?i:\bmultiprogramming level)", "MPL or clients"),
    ("concurrency level", r"(?i:\bconcurrency level)", "MPL or clients"),
    ("load balancer", r"(?i:\bload balancers?\b)", "switch, with a dispatch policy"),
    ("rps", r"\bRPS\b", "rate or throughput, in requests a second"),
    ("qps", r"\bQPS\b", "rate or throughput, in requests a second"),
    ("throughput rate", r"(?i:\bthroughput rate\b)", "rate or throughput, in requests a second"),
    ("queuing discipline", r"(?i:\bqueuing disciplines?\b)", "scheduling policy"),
    ("queueing discipline", r"(?i:\bqueueing disciplines?\b)", "scheduling policy"),
    ("service discipline", r"(?i:\bservice disciplines?\b)", "scheduling policy"),
]
"""Words that we do not use, each by what stands in it in small letters, which is found quickly, and
by its pattern; and what we say. See docs/glossary.md."""

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {".rs", ".py", ".pyi", ".md", ".toml", ".jinja", ".css", ".js", ".sh", ""}
FOLDERS = ["crates", "python", "tests", "benches", "examples", "studies", "docs", ".ci"]
FOREIGN = re.compile(r"\.min\.js$|(^|/)LICENSE|/(target|__pycache__|\.[a-z_]+)/|\.egg-info/")

Complaints = Iterator[str]


# ---- Rust text


RUST_WORDS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\bb?r(?P<hashes>\#*)".*?"(?P=hashes)|"(?:\\.|[^"\\])*"|"""
    r"""'(?:\\u\{[^}]*\}|\\x..|\\.|[^'\\\n])'""",
    re.DOTALL,
)
TEST_ITEM = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*")


@cache  # several rules ask for it
def without_words(rust: str) -> str:
    """Rust text with comments, strings and characters blanked out; its lines stay."""
    return RUST_WORDS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), rust)


def without_tests(code: str) -> str:
    """Rust text, its words blanked out, without the items that are for tests only."""
    kept, at = [], 0
    for found in TEST_ITEM.finditer(code):
        if found.start() >= at:
            kept.append(code[at : found.start()])
            at = item_end(code, found.end())
    return "".join([*kept, code[at:]])


def item_end(code: str, start: int) -> int:
    """Just after the item that begins at `start`: after its braces, or a semicolon before any."""
    depth = 0
    for found in re.compile(r"[()\[\]{};]").finditer(code, start):
        mark = found[0]
        depth += (mark in "([{") - (mark in ")]}")
        if depth == 0 and mark in ";}":
            return found.end()
    return len(code)


def rust_functions(code: str) -> Iterator[tuple[str, int, int]]:
    """(name, first line, number of lines) of each function with a body."""
    for found in re.finditer(r"\bfn\s+(\w+)", code):
        end = item_end(code, found.end())
        if code[end - 1] == "}":
            first = code.count("\n", 0, found.start()) + 1
            yield found[1], first, code.count("\n", found.start(), end) + 1


# ---- rules


def is_test(path: str) -> bool:
    """Whether the whole file is for tests."""
    return "tests" in Path(path).with_suffix("").parts or Path(path).name.startswith("test_")


def rule_file_length(path: str, text: str) -> Complaints:
    if path.endswith(".rs") and not is_test(path):
        text = without_tests(without_words(text))
    elif not path.endswith((".rs", ".py")):
        return
    lines = text.rstrip("\n").count("\n") + 1
    most = TEST_FILE_LINES_MAX if is_test(path) else FILE_LINES_MAX
    if lines > most:
        yield f"{lines} lines, at most {most}"


def rule_functions(path: str, text: str) -> Complaints:
    if path.endswith(".rs"):
        yield from long_rust_functions(path, text)
    elif path.endswith(".py"):
        yield from long_python_functions(text)


def long_rust_functions(path: str, text: str) -> Complaints:
    code = without_words(text)
    tested = [] if is_test(path) else list(rust_functions(without_tests(code)))
    plain = {(name, lines) for name, _, lines in tested}
    for name, first, lines in rust_functions(code):
        for_tests = (name, lines) not in plain
        most = RUST_TEST_FUNCTION_LINES_MAX if for_tests else FUNCTION_LINES_MAX
        if lines > most:
            yield f"line {first}: `{name}` has {lines} lines, at most {most}"


def long_python_functions(text: str) -> Complaints:
    for node in statements(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = (node.end_lineno or 0) - node.lineno + 1
        if ast.get_docstring(node) is not None:  # documentation is not what makes it long
            lines -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
        if lines > FUNCTION_LINES_MAX:
            what = f"line {node.lineno}: `{node.name}` has {lines} lines"
            yield f"{what}, at most {FUNCTION_LINES_MAX}"


def rule_columns(path: str, text: str) -> Complaints:
    if path.endswith((".rs", ".py", ".pyi")):
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > COLUMNS_MAX:
                yield f"line {number}: {len(line)} columns, at most {COLUMNS_MAX}"


def rule_places(path: str, text: str) -> Complaints:
    for number, found in matches(r"(?<![\w.})\]])/(?:work|root|home|shared)/", text):
        yield f"line {number}: `{found}` is a place on one machine"


def rule_words(path: str, text: str) -> Complaints:
    small = text.lower()
    for part, pattern, right in WORDS:
        if part in small:
            for number, found in matches(pattern, text):
                yield f"line {number}: not `{found}` but {right}"


def rule_unfinished(path: str, text: str) -> Complaints:
    for number, found in matches(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b", text):
        yield f"line {number}: `{found}` belongs into an issue"
    for number, found in matches(r"(?m)^(?:<{7}|>{7}) .*", text):
        yield f"line {number}: `{found}` is left of a merge"


def matches(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    for found in re.finditer(pattern, text):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def rule_percents(path: str, text: str) -> Complaints:
    """`present/units.py` alone writes percents, with a space."""
    if path.startswith("python/"):
        for number, found in matches(r":\+?\.\d%\}", text):
            yield f"line {number}: `{found}`, instead of units.percent"


RULES: dict[str, Callable[[str, str], Complaints]] = {
    "file length": rule_file_length,
    "functions": rule_functions,
    "columns": rule_columns,
    "places": rule_places,
    "words": rule_words,
    "unfinished": rule_unfinished,
    "percents": rule_percents,
}


# ---- the project against the rules


@cache
def sources() -> list[tuple[str, str]]:
    """(path, text) of every text file that we wrote."""
    # In a second working tree of git `.git` is a file that names the first.
    files = [file for file in ROOT.iterdir() if file.is_file() and file.name != ".git"]
    files += [file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file()]
    # A link is another place of a text that stands here already.
    written = sorted(file for file in files if not file.is_symlink())
    paths = [(file.relative_to(ROOT).as_posix(), file) for file in written]
    return [
        (path, file.read_text(encoding="utf-8"))
        for path, file in paths
        if file.suffix in TEXTS and not FOREIGN.search(path)
    ]


@pytest.mark.parametrize("rule", RULES)
def test_the_project_is_tidy(rule: str) -> None:
    found = [
        f"{path}: {complaint}"
        for path, text in sources()
        if (path, rule) not in EXCEPTIONS
        for complaint in RULES[rule](path, text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("path", "rule"), EXCEPTIONS)
def test_exceptions_are_still_needed(path: str, rule: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert list(RULES[rule](path, text)), "nothing to except: take it off the list"


def test_all_kinds_of_files_are_looked_at() -> None:
    found = {path for path, _ in sources()}
    assert {"Makefile", "Cargo.toml", ".ci/run", "crates/core/src/lib.rs"} <= found
    assert not [path for path in found if "target/" in path or ".venv" in path]


# ---- the rules against bad examples


def rust_function(lines: int, name: str = "f") -> str:
    return f"fn {name}() {{\n" + "    g();\n" * (lines - 2) + "}\n"


def python_function(lines: int, docstring: str = "") -> str:
    return "def f():\n" + docstring + "    g()\n" * (lines - 1)


TESTS = "#[cfg(test)]\nmod tests {\n" + "// x\n" * 400 + "}\n"

BAD = {
    "file length": [
        ("crates/a/src/b.rs", "x\n" * 301),
        ("python/b.py", "x\n" * 301),
        ("crates/a/tests/b.rs", "x\n" * 501),
        ("crates/a/src/tests.rs", "x\n" * 501),
        ("tests/python/test_b.py", "x\n" * 501),
        ("crates/a/src/b.rs", TESTS + "x\n" * 301),
        ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests;\n" + "x\n" * 301),
    ],
    "functions": [
        ("crates/a/src/b.rs", rust_function(41)),
        ("crates/a/src/b.rs", "trait T {\nfn a();\n" + rust_function(41) + "}\n"),
        ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests {\n" + rust_function(71) + "}\n"),
        ("crates/a/tests/b.rs", rust_function(71)),
        ("crates/a/src/b.rs", TESTS + rust_function(41).replace("f()", "f(x: [u8; 2])")),
        ("python/b.py", python_function(41)),
        ("tests/python/test_b.py", "class A:\n  " + python_function(41).replace("\n", "\n  ")),
    ],
    "columns": [("a.rs", "x" * 101), ("a.py", "short\n" + "x" * 101)],
    "places": [("a.md", "see /work/notes"), ("Makefile", "cp x /root/y"), ("a.py", '"/home/me"')],
    "words": [
        ("a.md", "50 virtual users"),
        ("a.md", "3 VUs"),
        ("a.rs", "// The latency of it"),
        ("a.rs", "// The sojourn time"),
        ("a.rs", "// Turnaround time"),
        ("a.md", "residence times"),
        ("a.py", "Utilization of the server"),
        ("a.md", "a multiprogramming level"),
        ("a.md", "concurrency levels"),
        ("a.md", "a load balancer"),
        ("a.md", "at 300 RPS"),
        ("a.md", "at 300 QPS"),
        ("a.md", "the throughput rate"),
        ("a.md", "Queuing disciplines"),
        ("a.md", "a queueing discipline"),
        ("a.md", "service disciplines"),
    ],
    "unfinished": [
        ("docs/b.md", "a\n<<<<<<< " + "HEAD\n"),
        ("docs/b.md", "a\n>>>>>>> " + "work\n"),
        ("a.rs", "// TO" + "DO: later"),
        ("a.py", "# FIX" + "ME"),
    ],
    "percents": [("python/b.py", 'f"{share:' + '.1%}"')],
}

GOOD = {
    "file length": [
        ("crates/a/src/b.rs", "x\n" * 300 + TESTS),
        ("crates/a/tests/b.rs", "x\n" * 500),
        ("docs/long.md", "x\n" * 900),
    ],
    "functions": [
        ("crates/a/src/b.rs", rust_function(40) + "// { {\n" + 'const A: &str = "{";\n'),
        ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests {\n" + rust_function(70) + "}\n"),
        ("crates/a/src/b.rs", "fn f<'a>(c: &'a char) -> bool {\n *c == '{' }\n" + "x\n" * 99),
        ("crates/a/src/b.rs", 'fn f() -> &str {\n r#"{ " {"# }\n' + "x\n" * 99),
        ("python/b.py", python_function(40, '    """' + "x\n" * 50 + '"""\n')),
    ],
    "columns": [("a.rs", "x" * 100), ("a.md", "x" * 200)],
    "places": [("a.md", "a/work/b, http://x.org/home/, {root}/root/")],
    "words": [("a.md", "latency.hlog, the utilisation law, HAVUS")],
    "unfinished": [("a.md", "TODOS, mastodon")],
    "percents": [("python/b.py", 'f"{units.percent(share)}"'), ("tests/b.py", 'f"{a:' + '.0%}"')],
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_can_fail(rule: str) -> None:
    for path, text in BAD[rule]:
        assert list(RULES[rule](path, text)), (path, text[:80])


def test_every_word_can_be_found() -> None:
    assert len(BAD["words"]) == len(WORDS)
    for (path, text), (part, pattern, right) in zip(BAD["words"], WORDS, strict=True):
        assert re.search(pattern, text), (part, text)
        (complaint,) = rule_words(path, text)
        assert complaint.endswith(right)


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_fails_without_cause(rule: str) -> None:
    for path, text in GOOD[rule]:
        assert list(RULES[rule](path, text)) == [], (path, text[:80])
