"""The files installed beside the command: manual pages, completion; and the test of wheels
itself."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import typer

from thinktime.cli import app
from thinktime.cli.group import COMMANDS
from thinktime.reference import command_help, manual_pages

sys.path.append(str(Path(__file__).resolve().parents[1]))
import wheel

ROOT = Path(__file__).resolve().parents[2]
THINKTIME = [sys.executable, "-c", "from thinktime.cli import main; main()"]


# ---- the list of commands


def test_the_list_says_what_each_command_says_of_itself() -> None:
    group = typer.main.get_command(app)
    with group.make_context("thinktime", [], resilient_parsing=True) as context:
        for name, summary in COMMANDS.items():
            help_text = group.get_command(context, name).help or ""
            first = " ".join(help_text.partition("\n\n")[0].split())
            assert first == summary, name


def test_every_file_of_a_command_is_on_the_list() -> None:
    folder = ROOT / "python" / "thinktime" / "cli"
    files = {
        file.stem.replace("_", "-")
        for file in folder.glob("*.py")
        if re.search(r"^(?:def command\(|app = typer\.Typer\()", file.read_text(), re.M)
    } - {"--init--"}
    assert files == set(COMMANDS)


# ---- manual pages


def test_every_command_and_option_has_its_place_in_a_manual_page() -> None:
    pages = manual_pages.pages()
    assert {f"thinktime-{name}.1" for name in COMMANDS} | {"thinktime.1"} <= set(pages)
    group = typer.main.get_command(app)
    with group.make_context("thinktime", [], resilient_parsing=True) as context:
        for name in COMMANDS:
            text = pages[f"thinktime-{name}.1"].replace("\\-", "-")
            command = group.get_command(context, name)
            for parameter in command.params:
                argument = parameter.param_type_name == "argument"
                words = [parameter.human_readable_name] if argument else parameter.opts
                for word in words:
                    assert word in text, (name, word)


def test_roff_finds_nothing_wrong_with_the_pages(tmp_path: Path) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    manual_pages.main(str(tmp_path))
    files = sorted(tmp_path.glob("*.1"))
    done = subprocess.run(
        [groff, "-man", "-ww", "-Tutf8", *files], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "Hold this load" in " ".join(done.stdout.split())


def statuses_of(text: str) -> set[str]:
    """The statuses of the table on the page."""
    return set(re.findall(r"^\| (\d+) \|", text, re.M))


def test_the_manual_lists_the_exit_statuses_of_the_page() -> None:
    page = (ROOT / "docs" / "running.md").read_text("utf-8")
    told = {status for status, _ in command_help.STATUSES}
    assert told == statuses_of(page)
    assert {"0", "129", "130", "141", "143"} <= told


# ---- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(shell: str) -> None:
    assert "simulate" in completed(shell, "thinktime sim")
    assert "--replications" in completed(shell, "thinktime simulate --rep")
    assert "simulate" not in completed(shell, "thinktime sw")


def completed(shell: str, line: str) -> str:
    """The command's suggestions for a line, in the shell's form."""
    environment = os.environ | {
        "_THINKTIME_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": line.split()[-1],
    }
    done = subprocess.run(THINKTIME, capture_output=True, text=True, env=environment, timeout=300)
    assert done.stderr == ""
    return done.stdout


# ---- wheels


def made(
    folder: Path,
    machine: int,
    glibc: str,
    name: str = "x86_64",
    preset: str = "clubweb",
    page: str = "learn",
) -> Path:
    """A wheel whose extension is a head and a symbol, with one preset and one page."""
    path = folder / f"thinktime-0.1.0-cp311-abi3-manylinux_2_17_{name}.manylinux2014_{name}.whl"
    head = b"\x7fELF" + bytes(14) + struct.pack("<H", machine) + b"\0GLIBC_2.2.5\0" + glibc.encode()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thinktime/_core.abi3.so", head)
        archive.writestr(f"thinktime/workload/presets/{preset}.toml", "")
        archive.writestr(f"thinktime/assistants/pages/{page}.md", "")
    return path


def test_wheels_are_looked_at(tmp_path: Path) -> None:
    assert "glibc 2.17" in wheel.look(made(tmp_path, 62, "GLIBC_2.17"))
    assert "aarch64" in wheel.look(made(tmp_path, 183, "GLIBC_2.17", "aarch64"))
    with pytest.raises(AssertionError, match="machine 62"):
        wheel.look(made(tmp_path, 62, "GLIBC_2.17", "aarch64"))
    with pytest.raises(AssertionError, match="needs glibc"):
        wheel.look(made(tmp_path, 62, "GLIBC_2.28"))
    with pytest.raises(AssertionError, match=r"has no .*clubweb\.toml"):
        wheel.look(made(tmp_path, 62, "GLIBC_2.17", preset="other"))
    with pytest.raises(AssertionError, match=r"has no .*learn\.md"):
        wheel.look(made(tmp_path, 62, "GLIBC_2.17", page="other"))
