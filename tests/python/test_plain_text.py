"""Tables in narrow terminals and pipes, and text without colours."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import command_copies
import pytest
from file_limit import MESSAGE, file_limit
from rich.cells import cell_len
from rich.console import Console

import thinktime as tt
from thinktime.cli import plain_text as plain
from thinktime.present import page
from thinktime.present.table import Cell, Group, Line, Table
from thinktime.report.terminal import FittedTable

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
WORKLOAD = 'name="w"\n[arrivals]\nmodel="open"\nrate="80/s"\n[slo]\np99="1ms"\n'
SYSTEM = 'name="s"\n[[station]]\nname="server"\ndemand="exp(10ms)"\n'
ESCAPE = "\x1b"
STYLED = re.compile(r"\x1b\[[0-9;]*m")
"""An escape code of a colour, or of bold or dim text."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "w.toml").write_text(WORKLOAD)
    (tmp_path / "s.toml").write_text(SYSTEM)
    (tmp_path / "p.toml").write_text(
        'name="w"\n'
        + "".join(
            f'[[population]]\nname="{name}"\n[population.arrivals]\nmodel="open"\nrate="40/s"\n'
            for name in ("visitors-from-everywhere", "pollers")
        )
    )
    return tmp_path


def thinktime(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command whose outputs are no terminals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NO_COLOR", raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        return command_copies.thinktime(arguments, cwd, timeout_s=300)


def simulated(name: str, cwd: Path, workload: str = "w.toml") -> None:
    words = ["simulate", workload, "s.toml", "--requests", "5000", "--label", name, "-o", name]
    done = command_copies.thinktime(words, cwd, timeout_s=300)
    assert done.returncode in (0, 1), done.stderr


# ---- width


FIGURES = ("load", "throughput", "mean", "p50", "p90", "p99", "p99.9", "errors", "lateness p99")
CELLS = [
    Cell("0.801"), Cell("79.4/s"), Cell("47.5 ms ± 11 ms", "−5.0 %"), Cell("36.5 ms", "+5.4 %"),
    Cell("100 ms", "−13.0 %"), Cell("206 ms"), Cell("277 ms"), Cell("1,234", "12 %"),
    Cell("50.0 µs"),
]  # fmt: skip


def made(rows: int) -> Table:
    lines = [Line(f"simulated, same path {n}", CELLS, "5,000 requests") for n in range(rows)]
    return Table("t", "T", "result", FIGURES, [Group(lines, "open")], spare=("p90", "p50", "load"))


def shown(table: Table, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(FittedTable(table))
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_few_results_show_all_figures_in_narrow_terminals(width: int, rows: int) -> None:
    text = shown(made(rows), width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    for heading in FIGURES:
        assert re.search(rf"^{re.escape(heading)}  ", text, re.M), heading
    for cell in CELLS:
        assert text.count(f" {cell.text}") >= rows, cell
        assert text.count(cell.below) >= rows


def test_many_results_stay_in_rows() -> None:
    text = shown(made(5), 80)
    assert re.search(r"^ +load +throughput +mean", text, re.M), text
    assert "not shown in 80 columns" in text
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_a_table_with_room_is_as_it_was() -> None:
    assert re.match(r"result +load +throughput", shown(made(2), 150))


def test_what_no_turning_makes_fit_still_names_what_is_left_out() -> None:
    text = shown(made(1), 30)
    assert "not shown in 30" in text
    assert max(cell_len(line) for line in text.splitlines()) <= 30


@pytest.mark.parametrize("width", [60, 80])
def test_commands_fit_into_pipes(files: Path, width: int) -> None:
    columns = {"COLUMNS": str(width)} if width != 80 else {}
    simulated("before", files)
    simulated("after", files, "p.toml")
    commands = (
        ["simulate", "w.toml", "s.toml", "--requests", "5000"],
        ["simulate", "p.toml", "s.toml", "--requests", "5000"],
        ["compare", "before", "after"],
        ["sweep", "w.toml", "s.toml", "--vary", "load=0.3,0.6", "--requests", "1000"],
        ["workload", "list"],
    )
    for command in commands:
        done = thinktime(*command, cwd=files, **columns)
        assert done.returncode in (0, 1), done.stderr
        table = [line for line in done.stdout.splitlines() if not line.endswith(".")]
        assert max(map(cell_len, table)) <= width, done.stdout
        assert "…" not in done.stdout
        assert ESCAPE not in done.stdout + done.stderr


def test_a_pipe_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain.sys.stdout, "isatty", lambda: False, raising=False)
    for columns, width in (("60", 60), ("0", 80), ("wide", 80), ("", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        assert plain.width() == width
    monkeypatch.setattr(plain.sys.stdout, "isatty", lambda: True, raising=False)
    assert plain.width() is None


# ---- colours


def on_a_terminal(arguments: list[str], cwd: Path, **environment: str) -> str:
    """A command's output with both outputs on a terminal."""
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd, stdout=theirs, stderr=theirs, env=clean | {"TERM": "xterm"} | environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    process.wait(timeout=300)
    return shown.decode()


def test_a_terminal_has_colours_unless_they_are_not_wanted(files: Path) -> None:
    command = ["simulate", "w.toml", "s.toml", "--requests", "300000"]
    colourful = on_a_terminal(command, files)
    assert STYLED.search(colourful), colourful
    assert "simulating" in colourful
    for arguments, environment in (
        (command, {"NO_COLOR": "1"}),
        ([*command, "--no-color"], {}),
        (["--no-color", *command], {}),
    ):
        text = on_a_terminal(arguments, files, **environment)
        assert "the SLO is not met" in text
        assert "simulating" in text
        assert not STYLED.search(text), text


def test_the_view_of_a_run_is_plain_where_asked(files: Path) -> None:
    with tt.serve(tt.System(SYSTEM)) as server:
        command = ["run", "w.toml", "--target", server.url, "--duration", "1s"]
        for arguments, styled in ((command, True), ([*command, "--no-color"], False)):
            text = on_a_terminal(arguments, files)
            assert "in flight" in text
            assert bool(STYLED.search(text)) == styled, text
        piped = thinktime(*command, cwd=files)
    assert ESCAPE not in piped.stdout + piped.stderr


def test_a_command_within_a_command_takes_no_color_too(files: Path) -> None:
    assert STYLED.search(on_a_terminal(["history", "list", "--store", "none"], files))
    plain_text = on_a_terminal(["history", "list", "--store", "none", "--no-color"], files)
    assert plain_text
    assert not STYLED.search(plain_text)


def test_a_quiet_simulation_shows_nothing_while_it_runs(files: Path) -> None:
    command = ["simulate", "w.toml", "s.toml", "--requests", "300000"]
    text = on_a_terminal([*command, "--quiet"], files)
    assert "simulating" not in text
    assert "throughput" in text


# ---- names that would steer a terminal


STEERING = "a\\u202eb :smile:"
"""As in a file: in the other direction, and with characters that look like a face."""


def test_a_name_cannot_steer_the_terminal(files: Path) -> None:
    text = WORKLOAD.replace('"w"', f'"{STEERING}"') + f'[[request]]\nname="{STEERING}"\nget="/"\n'
    (files / "w.toml").write_text(text + f'[slo."{STEERING}"]\np50="1us"\n')
    simulated("one", files)
    simulated("two", files)
    commands = (
        ["simulate", "w.toml", "s.toml", "--requests", "500"],
        ["simulate", "w.toml", "s.toml", "--requests", "500", "-o", "three"],
        ["compare", "three", "one"],
        ["history", "add", "three"],
        ["history", "list"],
    )
    shown = [command_copies.thinktime(words, files, timeout_s=300) for words in commands]
    for done in shown:
        assert not re.search("[\x1b\x9b\u202e]", done.stdout + done.stderr), done.args
        assert "a\ufffdb" in done.stdout
    assert "b :smile:" in shown[0].stderr


@pytest.mark.parametrize("steering", ["\\u001b[31m", "\\u009b31m", "\\u0007"])
def test_a_name_with_control_characters_is_refused_in_plain_text(
    steering: str, files: Path
) -> None:
    (files / "w.toml").write_text(WORKLOAD.replace('"w"', f'"{steering}"'))
    done = command_copies.thinktime(["simulate", "w.toml", "s.toml"], files, timeout_s=300)
    assert done.returncode == 2
    assert "holds control characters" in done.stderr
    assert not re.search("[\x1b\x9b\x07]", done.stdout + done.stderr)


def test_what_moves_a_terminals_cursor_is_left_alone() -> None:
    console = plain.console()
    console.file, console._force_terminal = io.StringIO(), True
    console.show_cursor(False)
    assert console.file.getvalue() == f"{ESCAPE}[?25l"


def test_a_page_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    empty = page.Page("t", page.Headline("h"), [])
    with file_limit(10), pytest.raises(OSError, match=rf"{MESSAGE}: '.*a\.html'"):
        page.write(empty, tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


# ---- long lines


LONG = "words that go on and on, " * 12 + "to http://127.0.0.1:8080/" + "a" * 70


def test_long_lines_are_folded_on_terminals_alone() -> None:
    for label, indent in (("note: ", 6), ("warning: ", 9), ("error: ", 7), ("", 2), ("  ", 4)):
        lines = plain.folded(label + LONG, 60).split("\n")
        *narrow, _ = lines
        assert max(map(len, narrow)) <= 60
        assert {len(line) - len(line.lstrip()) for line in lines[1:]} == {indent}
        assert " ".join(line.strip() for line in lines) == (label + LONG).strip()
    assert plain.folded("result: " + LONG, 60) == "result: " + LONG
    assert plain.folded("note: short\n\nnote: short", 60) == "note: short\n\nnote: short"
    console = plain.console(width=60)
    for is_terminal in (True, False):
        console.file, console._force_terminal = io.StringIO(), is_terminal
        console.print("note:", LONG, markup=False, soft_wrap=True)
        console.print(LONG, markup=False, soft_wrap=True, no_wrap=True)
        note, whole = console.file.getvalue().rsplit("\n", 2)[:2]
        assert note == (plain.folded(f"note: {LONG}", 60) if is_terminal else f"note: {LONG}")
        assert whole == LONG


def test_a_command_folds_its_notes_on_a_terminal(files: Path) -> None:
    (files / "w.toml").write_text(WORKLOAD.replace("1ms", "1us"))
    command = ["simulate", "w.toml", "s.toml", "--requests", "3000", "--no-color", "--quiet"]
    shown = on_a_terminal(command, files, COLUMNS="60").replace("\r\n", "\n")
    assert re.search(r"^note: the warm-up was found .*\n {6}\S", shown, re.M), shown
    assert re.search(r"^error: the SLO is not met: .*\n {7}\S", shown, re.M), shown
    piped = thinktime(*command, cwd=files, COLUMNS="60")
    assert "\n " not in piped.stderr
