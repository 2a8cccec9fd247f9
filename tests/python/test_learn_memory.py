"""Logs of very many users: the same result, in less memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from traffic.scenarios import scenario

from thinktime.learn import learn, memory

pytestmark = pytest.mark.usefixtures("brief_advice")
KEPT = """
import polars as pl
from thinktime.cli.memory import give_back_large
from thinktime.learn import memory
from thinktime.learn.logs.requests import ROWS, Requests

def taken():
    status = open("/proc/self/status").read()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024

class Some(Requests):
    def __init__(self, users): object.__setattr__(self, "users", range(users))
    def __len__(self): return memory.USERS + 1

give_back_large()
arrays = [bytearray(100_000) for _ in range(1000)]
for one in arrays:
    one[::4096] = b"1" * len(range(0, 100_000, 4096))
del arrays[:-1]
before = taken()
memory.give_back(Some(memory.USERS))
between = taken()
memory.give_back(Some(memory.USERS + 1))
print(before - between, between - taken())
"""


def test_only_of_many_users_free_memory_is_given_back() -> None:
    """The last of a thousand arrays keeps the others' memory, some 95 MiB, in the heap."""
    told = subprocess.run(
        [sys.executable, "-c", KEPT], capture_output=True, text=True, check=True
    ).stdout
    kept, given = (float(one) for one in told.split())
    assert abs(kept) < 1
    assert given > 50


@pytest.mark.parametrize("timeout", [None, "auto"])
def test_many_users_are_learned_as_few_are(
    timeout: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = scenario("pollers", 11, 0.03).write(tmp_path)
    few = learn([log], timeout=timeout)
    monkeypatch.setattr(memory, "USERS", 0)
    assert memory.many(few.log.requests)
    many = learn([log], timeout=timeout)
    assert many.to_dict() == few.to_dict()
    assert many.workload_text == few.workload_text
