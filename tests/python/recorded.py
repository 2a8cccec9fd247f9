"""Recorded results: twenty simulations whose rows and summaries stay the same to the last bit.

    .venv/bin/python tests/python/recorded.py --write "why they change"

records anew those that differ, with the reason and the date. What is hashed is the content of
`requests.parquet` (columns and values), not the file's bytes, which depend on the version of the
Parquet writer, and `summary.json`. Neither holds a version or a host. Logarithms and exponentials
come from the C library: with another one than glibc last digits may differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from recorded_pairs import EXAMPLES, PAIRS, Pair, write_log

import thinktime as tt

FILE = Path(__file__).with_name("recorded.json")

Record = dict[str, Any]
"""The hashes of one pair, a few figures that show people the change, and its date and reason."""


def record(pair: Pair) -> Record:
    """Simulate a pair as it would be recorded."""
    with TemporaryDirectory() as folder, _inside(Path(folder)):
        workload = _file(pair.workload, "workload.toml")
        system = _file(pair.system, "system.toml")
        if pair.vary:
            table = tt.sweep(workload, system, list(pair.vary), **pair.options)
            return {"rows": _hash(_content(table)), "points": table.height}
        result = tt.simulate(workload, system, output="result", **pair.options)
        rows = pl.read_parquet("result/requests.parquet")
        summary = json.loads(Path("result/summary.json").read_text("utf-8"))
    assert result.summary == summary
    return {
        "rows": _hash(_content(rows)),
        # The checks' findings are words, which other tests examine.
        "summary": _hash({key: one for key, one in summary.items() if key != "validity"}),
        "requests": summary["requests"],
        "mean_s": summary["response_time_s"]["mean"],
        "loads": {name: one["load"] for name, one in summary["stations"].items()},
    }


def same(one: Record, other: Record) -> bool:
    """Whether both hold the same results, whatever their reasons."""
    return _bare(one) == _bare(other)


def recorded() -> dict[str, Record]:
    """The content of the file."""
    found: dict[str, Record] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def _bare(one: Record) -> Record:
    return {key: value for key, value in one.items() if key != "why"}


def _file(text: str, name: str) -> Path:
    if text.endswith(".toml"):
        return EXAMPLES / text
    write_log(Path("access.log"))
    Path(name).write_text(text, encoding="utf-8")
    return Path(name)


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _content(table: pl.DataFrame) -> dict[str, list[Any]]:
    # These came later, and are empty without populations, pages or doubts.
    later = {"population", "page", "untrusted"}
    kept = [name for name in table.columns if name not in later or not _is_empty(table[name])]
    return {name: table[name].to_list() for name in kept}


def _is_empty(column: pl.Series) -> bool:
    return column.null_count() == len(column)


def _hash(content: object) -> str:
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write(why: str) -> None:
    """Record the differing ones anew."""
    old, new = recorded(), {}
    for name, pair in PAIRS.items():
        found = record(pair)
        if name in old and same(found, old[name]):
            new[name] = old[name]
            continue
        new[name] = found | {"why": f"{date.today().isoformat()}: {why}"}
        print(f"{name}: {_bare(old.get(name, {}))} -> {found}")
    FILE.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--write", reason] if reason.strip():
            write(reason)
        case _:
            sys.exit('recorded.py --write "why they change"')
