"""Commands start quickly: each imports what it needs and no more.

Modules are counted instead of time, because tests do not measure time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from thinktime.cli.group import COMMANDS

CODE = """
import json, sys
from thinktime.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=open("modules.json", "w"))
"""
HEAVY = {"jinja2", "numpy", "polars", "pydantic", "rich", "scipy"}
"""Each of these takes between 50 ms and a second to import."""
OTHERS = ("thinktime.capacity_search", "thinktime.sweeps", "thinktime.comparison")
"""The parts of other commands."""


def imported(*arguments: str, cwd: Path) -> set[str]:
    done = subprocess.run([sys.executable, "-c", CODE, *arguments], cwd=cwd, capture_output=True)
    assert done.returncode == 0, done.stderr
    return set(json.loads((cwd / "modules.json").read_text()))


def test_a_simulation_imports_no_more_than_its_table_needs(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "80/s"\n')
    (tmp_path / "s.toml").write_text(
        'name = "s"\n[[station]]\nname = "server"\ndemand = "exp(10ms)"\n'
    )
    found = imported("simulate", "w.toml", "s.toml", "--requests", "1000", cwd=tmp_path)
    assert not found & {"jinja2", "polars", "pydantic", "scipy"}
    assert not {name for name in found if name.startswith(OTHERS)}
    assert "thinktime.report.terminal" in found, "no table was printed: the test looks at nothing"
    kept = imported("simulate", "w.toml", "s.toml", "--requests", "1000", "-o", "out", cwd=tmp_path)
    assert not kept & {"jinja2", "pydantic", "scipy.stats", "scipy.optimize"}
    assert "thinktime.stats.independence" in kept, "nothing was judged: the test looks at nothing"


def test_learning_needs_no_scipy(tmp_path: Path) -> None:
    """For laws of think times and sizes with their tails, and for tests of arrivals; programs that
    do the same are found by one of its graphs."""
    draw = np.random.default_rng(1)
    begins = np.cumsum(draw.exponential(4, 600))
    rows = [
        (at + more, user)
        for user, at in enumerate(begins)
        for more in np.cumsum(draw.exponential(9, draw.geometric(0.25)))
    ]
    lines = ["time,address,path,bytes,agent\n"]
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0"
    for at, user in sorted(rows):
        address, size = f"10.0.{user // 250}.{user % 250}", 1000 * draw.pareto(1.5)
        lines.append(f"{1_790_000_000 + at:.3f},{address},/,{size:.0f},{agent}\n")
    (tmp_path / "log.csv").write_text("".join(lines))
    found = imported("learn", "log.csv", cwd=tmp_path)
    assert "scipy" not in found
    assert "thinktime.learn.fit.tail" in found, "nothing was learned: the test looks at nothing"


EACH = """
import json, sys
from thinktime.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["thinktime", *words]
    try:
        main()
    except SystemExit as end:
        assert not end.code, words
    print(json.dumps([words, sorted(sys.modules)]), file=sys.stderr)
"""


def test_help_imports_no_library_for_figures(tmp_path: Path) -> None:
    """One process prints one help after another: of what is there too much, the first one that has
    it is named. Help as a whole has no library but that of the options."""
    asked = [["--version"], ["--help"], *([name, "--help"] for name in COMMANDS)]
    done = subprocess.run(
        [sys.executable, "-c", EACH, json.dumps(asked)],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stderr.splitlines()]
    assert [words for words, _ in found] == asked
    for words, modules in found:
        too_much = HEAVY if len(words) == 1 else {"polars", "scipy"}
        assert not too_much & set(modules), words


def test_the_package_itself_is_light(tmp_path: Path) -> None:
    code = "import thinktime, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    found = set(done.stdout.split())
    assert not found & HEAVY
    ours = {name for name in found if name.startswith("thinktime.")}
    rooms = ("inputs", "inputs.arguments", "report", "results", "results.views")
    assert ours == {f"thinktime.{name}" for name in ("_core", "start_up", *rooms)}


def test_every_name_of_the_package_is_there_and_no_module_takes_its_place(tmp_path: Path) -> None:
    code = """
import pkgutil, thinktime
for module in pkgutil.iter_modules(thinktime.__path__):
    if module.name not in ("_core", "cli"):
        __import__(f"thinktime.{module.name}")
for name in thinktime.__all__:
    found = getattr(thinktime, name)
    assert type(found).__name__ != "module", name
assert {*thinktime.__all__} <= {*dir(thinktime)}
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
