"""The examples of the pages for users of wrk, Locust, JMeter and Gatling, as they stand there.

They run against servers that note what came; that of k6 has a file of its own. Nothing is said of
speed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars
import pytest
from answering import Answer, Asked, answering
from docs_snippets import snippets

import thinktime as tt


def files(folder: Path, tool: str) -> None:
    """The files of a page, and those that they name."""
    for one in snippets(f"docs/coming-from-{tool}.md"):
        if one.file is not None:
            (folder / one.file).write_text(one.text)
    (folder / "users.csv").write_text("user,password\nann,secret\nbob,a b&c\n")


def fine(summary: dict[str, Any], requests: int) -> None:
    assert (summary["requests"], summary["errors_by_kind"]) == (requests, {})


def held(summary: dict[str, Any]) -> dict[str, int]:
    """How often each check held; fails where one did not."""
    assert all(one["failed"] == 0 for one in summary["checks"].values()), summary["checks"]
    return {name: one["passed"] for name, one in summary["checks"].items()}


# ---- wrk


def exact(folder: Path, workload: str) -> dict[str, Any]:
    """What theory says of a workload at the page's server."""
    words = ["simulate", workload, "two.toml", "--requests", "1000", "--json"]
    program = "from thinktime.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    return dict(json.loads(done.stdout)["theory"])


@pytest.mark.parametrize(
    ("workload", "throughput", "times"),
    [("ten.toml", 910, (11.0, 9.71, 22.3)), ("users.toml", 728, (41.1, 4.18, 458))],
)
def test_the_exact_rows_are_those_of_the_page(
    workload: str, throughput: float, times: tuple[float, ...], tmp_path: Path
) -> None:
    files(tmp_path, "wrk")
    theory = exact(tmp_path, workload)
    assert theory["throughput"] == pytest.approx(throughput, rel=1e-2)
    found = [theory["response_time_s"][name] * 1000 for name in ("mean", "p50", "p99")]
    assert found == pytest.approx(times, rel=5e-3)


def test_a_form_goes_as_wrk_sends_it(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    with answering(lambda _: Answer()) as (url, seen):
        fine(tt.run(tmp_path / "post.toml", url, requests=20).summary, 20)
    assert all(one.form == {"foo": "bar", "baz": "quux"} for one in seen)
    kinds = {one.headers["Content-Type"] for one in seen}
    assert kinds == {"application/x-www-form-urlencoded"}


def test_each_number_is_asked_for_once(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    with answering(lambda _: Answer()) as (url, seen):
        fine(tt.run(tmp_path / "counter.toml", url, requests=50).summary, 50)
    assert sorted(int(one.path.removeprefix("/page/")) for one in seen) == list(range(1, 51))
    assert all(one.headers["X-Counter"] == one.path.removeprefix("/page/") for one in seen)


def test_each_session_brings_its_own_token(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    given: list[str] = []

    def answer(asked: Asked) -> Answer:
        if asked.path == "/authenticate":
            given.append(f"t{len(given)}")
            return Answer(headers=[("X-Token", given[-1])])
        return Answer(status=200 if asked.headers.get("X-Token") in given else 401)

    with answering(answer) as (url, seen):
        fine(tt.run(tmp_path / "token.toml", url, requests=200).summary, 200)
    brought = Counter(one.headers["X-Token"] for one in seen if one.path == "/resource")
    assert len(given) >= 10
    assert len(brought) >= 8


def test_even_requests_are_evenly_apart(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    with answering(lambda _: Answer()) as (url, _):
        result = tt.run(tmp_path / "even.toml", url, requests=50, rate="500/s")
    due = sorted(polars.DataFrame(result.requests)["scheduled_ns"].to_list())
    assert {late - early for early, late in zip(due, due[1:], strict=False)} == {2_000_000}
