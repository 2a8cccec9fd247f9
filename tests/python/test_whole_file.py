"""Files that are written whole or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from thinktime.present.whole_file import write_whole

WRITERS, TIMES = 8, 50


def test_writers_of_one_file_at_a_time_do_not_disturb_one_another(tmp_path: Path) -> None:
    contents = [f"{writer}\n" * 20_000 for writer in range(WRITERS)]

    def write(content: str) -> None:
        for _ in range(TIMES):
            write_whole(tmp_path / "site.toml", content)

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, contents))  # raises what a writer has raised
    assert (tmp_path / "site.toml").read_text() in contents
    assert [one.name for one in tmp_path.iterdir()] == ["site.toml"]


def test_the_draft_of_a_killed_writer_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "site.toml.new").write_text("half of a longer fi")
    write_whole(tmp_path / "site.toml", "whole")
    assert (tmp_path / "site.toml").read_text() == "whole"
    assert [one.name for one in tmp_path.iterdir()] == ["site.toml"]


def test_a_file_that_cannot_be_replaced_leaves_no_draft(tmp_path: Path) -> None:
    (tmp_path / "site.toml").mkdir()
    (tmp_path / "site.toml" / "other").touch()
    with pytest.raises(OSError, match=r"site\.toml'"):
        write_whole(tmp_path / "site.toml", "whole")
    assert [one.name for one in tmp_path.iterdir()] == ["site.toml"]
