"""The examples of the pages for users of wrk, Locust, JMeter and Gatling, verbatim.

They run against servers that record the requests; that of k6 has a file of its own. Speed is not
asserted.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars
import pytest
from answer_server import Answer, Received, answer_server
from docs_snippets import snippets

import thinktime as tt
from thinktime.importing import import_file


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
    """The theory of a workload at the page's server."""
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
    with answer_server(lambda _: Answer()) as (url, seen):
        fine(tt.run(tmp_path / "post.toml", url, requests=20).summary, 20)
    assert all(one.form == {"foo": "bar", "baz": "quux"} for one in seen)
    kinds = {one.headers["Content-Type"] for one in seen}
    assert kinds == {"application/x-www-form-urlencoded"}


def test_each_number_is_asked_for_once(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    with answer_server(lambda _: Answer()) as (url, seen):
        fine(tt.run(tmp_path / "counter.toml", url, requests=50).summary, 50)
    assert sorted(int(one.path.removeprefix("/page/")) for one in seen) == list(range(1, 51))
    assert all(one.headers["X-Counter"] == one.path.removeprefix("/page/") for one in seen)


def test_each_session_brings_its_own_token(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    given: list[str] = []

    def answer(asked: Received) -> Answer:
        if asked.path == "/authenticate":
            given.append(f"t{len(given)}")
            return Answer(headers=[("X-Token", given[-1])])
        return Answer(status=200 if asked.headers.get("X-Token") in given else 401)

    with answer_server(answer) as (url, seen):
        fine(tt.run(tmp_path / "token.toml", url, requests=200).summary, 200)
    brought = Counter(one.headers["X-Token"] for one in seen if one.path == "/resource")
    assert len(given) >= 10
    assert len(brought) >= 8


def test_even_requests_are_evenly_apart(tmp_path: Path) -> None:
    files(tmp_path, "wrk")
    with answer_server(lambda _: Answer()) as (url, _):
        result = tt.run(tmp_path / "even.toml", url, requests=50, rate="500/s")
    due = sorted(polars.DataFrame(result.requests)["scheduled_ns"].to_list())
    assert {late - early for early, late in itertools.pairwise(due)} == {2_000_000}


# ---- imports of Locust and JMeter


@pytest.mark.parametrize(("tool", "script"), [("locust", "locustfile.py"), ("jmeter", "plan.jmx")])
def test_an_import_is_what_the_page_shows(tool: str, script: str, tmp_path: Path) -> None:
    files(tmp_path, tool)
    made = import_file(tmp_path / script)
    blocks = list(snippets(f"docs/coming-from-{tool}.md"))
    assert [one.text for one in blocks if one.text.startswith("# Made by")] == [made.text]
    shown = next(one.text for one in blocks if f"import {script}" in one.text)
    assert re.findall(r"^  (.+)$", shown, re.MULTILINE) == list(made.notes)
    assert f"made of {made.kind}: {made.requests} requests\n" in shown


# ---- sessions that sign in


def shop(given: list[str]) -> Any:
    """A server that gives each session a token of its own, and requires it."""

    def answer(asked: Received) -> Answer:
        if asked.path in ("/authenticate", "/login"):
            said = json.loads(asked.body) if asked.path == "/authenticate" else asked.form
            user = str(said.get("username", said.get("user")))
            known = {"ann": "secret", "bob": "a b&c"}.get(user) == said["password"]
            given.append(f"t{len(given)}")
            body = {"message": "Welcome", "token": given[-1], "accessToken": given[-1]}
            return Answer(body if known else "who?", headers=[("Set-Cookie", f"id={given[-1]}")])
        token = asked.headers.get("Authorization", "").removeprefix("Bearer ")
        cookie = asked.headers.get("Cookie", "").removeprefix("id=")
        if not {token, cookie} & set(given):
            return Answer(status=401)
        if asked.method == "POST":
            assert json.loads(asked.body)["item"] in ("tea", "7")
        return Answer({"items": [{"id": "7"}]})

    return answer


@pytest.mark.parametrize(
    ("tool", "file", "paths"),
    [
        ("locust", "login.toml", {"/authenticate", "/profile/ann", "/profile/bob"}),
        ("jmeter", "order.toml", {"/login", "/cart", "/order"}),
        ("gatling", "login.toml", {"/login", "/cart", "/buy"}),
    ],
)
def test_sessions_sign_in(tool: str, file: str, paths: set[str], tmp_path: Path) -> None:
    files(tmp_path, tool)
    with answer_server(shop([])) as (url, seen):
        summary = tt.run(
            tmp_path / file, url, requests=60, rate="100/s", think="5ms", seed=3
        ).summary
    fine(summary, 60)
    assert {one.path for one in seen} == paths
    if "checks" in summary:
        held(summary)


def test_a_script_branches_and_loops(tmp_path: Path) -> None:
    files(tmp_path, "jmeter")
    text = (tmp_path / "search.luau").read_text().replace("uniform(1s, 5s)", "1ms")
    (tmp_path / "search.luau").write_text(text)

    def answer(asked: Received) -> Answer:
        return Answer("next page" if asked.query.get("page", ["9"])[0] in "12" else "the end")

    with answer_server(answer) as (url, seen):
        summary = tt.run(tmp_path / "search.toml", url, requests=200, rate="100/s").summary
    fine(summary, 200)
    asked = Counter(one.target for one in seen)
    assert "/search?page=4" not in asked
    assert asked["/search?page=3"] >= asked["/login"] - 40
    # Three of ten sessions buy: of some 45, none or all would do so with one seed in a million.
    assert 0 < asked["/buy"] < asked["/login"]


# ---- rates


@pytest.mark.parametrize(
    ("tool", "file", "pattern", "length", "counts"),
    [
        # 10 %, 50 %, 50 %, 100 % of 100/s in the first four minutes, each a tenth of a second here.
        ("locust", "stages.toml", r"(\d)min", "{}00ms", [1, 5, 5, 10]),
        ("gatling", "ramp.toml", r"30s", "1s", [2.5, 7.5, 10, 10]),
    ],
)
def test_rates_have_the_shape_of_the_page(
    tool: str, file: str, pattern: str, length: str, counts: list[float], tmp_path: Path
) -> None:
    files(tmp_path, tool)
    text = (tmp_path / file).read_text().replace('"100/s"\n', '"100/s"\nprocess = "even"\n')
    text = re.sub(pattern, lambda found: length.format(*found.groups()), text)
    text = text.replace("0s: 10%", "0ms: 10%")
    system = tt.System('name = "s"\n[[station]]\nname = "server"\ndemand = "1us"\n')
    part = 0.1 if tool == "locust" else 0.5
    workload = tt.Workload(text)
    result = tt.simulate(workload, system, duration=f"{4 * part}s", warmup="0s", rows="all")
    due = polars.DataFrame(result.requests)["scheduled_ns"] / 1e9
    found = [due.is_between(n * part, (n + 1) * part, closed="left").sum() for n in range(4)]
    assert found == pytest.approx(counts, abs=1)


def test_two_kinds_of_users_are_told_apart(tmp_path: Path) -> None:
    files(tmp_path, "gatling")
    with answer_server(lambda _: Answer()) as (url, seen):
        summary = tt.run(tmp_path / "kinds.toml", url, duration="2s").summary
    assert set(summary["by_population"]) == {"visitors", "workers"}
    assert {one.path for one in seen} == {"/fr", "/us", "/poll"}


def test_limits_are_judged(tmp_path: Path) -> None:
    for tool, file, names in (
        ("locust", "limits.toml", {"errors", "mean", "p95"}),
        ("gatling", "asserted.toml", {"errors", "mean", "p95", "checks"}),
    ):
        files(tmp_path, tool)
        with answer_server(lambda _: Answer()) as (url, _):
            good = tt.run(tmp_path / file, url, requests=600, rate="600/s").summary
        with answer_server(lambda _: Answer(status=500)) as (url, _):
            bad = tt.run(tmp_path / file, url, requests=200, rate="400/s").summary
        assert {one["name"] for one in good["objectives"]} == names
        verdicts = {one["name"]: one["verdict"] for one in bad["objectives"]}
        assert verdicts["errors"] == "not met"


def test_every_file_of_the_pages_is_used_here_or_run_there() -> None:
    here = Path(__file__).read_text()
    for tool in ("wrk", "locust", "jmeter", "gatling"):
        page = list(snippets(f"docs/coming-from-{tool}.md"))
        words = {word for one in page for command in one.commands for word in command}
        scripts = {word for one in page for word in re.findall(r'script = "(\S+)"', one.text)}
        named = [one.file for one in page if one.file is not None]
        assert named
        unused = [f for f in named if f not in words | scripts and f'"{f}"' not in here]
        assert unused == []
