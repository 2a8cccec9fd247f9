"""The study of the bookstore: its mixes, its relay, and in small the whole of it.

Of times nothing is asserted: other work on the machine would spoil them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import labs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from postgres_server import USER, Database, program

import thinktime as tt

STUDY = Path(__file__).resolve().parents[2] / "studies" / "bookstore"
sys.path.insert(0, str(STUDY))

import classes  # noqa: E402 - the study is a folder of scripts
import demands  # noqa: E402 - as above
import mixes  # noqa: E402 - as above
import predict  # noqa: E402 - as above
import relay  # noqa: E402 - as above
import replay  # noqa: E402 - as above
import store  # noqa: E402 - as above
import tables  # noqa: E402 - as above

# From the benchmark's specification, in percent.
PUBLISHED = {
    "browsing": {"home": 29.0, "best-sellers": 11.0, "search-results": 11.0, "buy-confirm": 0.69},
    "shopping": {"home": 16.0, "best-sellers": 5.0, "search-results": 17.0, "buy-confirm": 1.2},
    "ordering": {"home": 9.12, "best-sellers": 0.46, "search-results": 13.08, "buy-confirm": 10.18},
}


@pytest.mark.parametrize("mix", mixes.MIXES)
def test_mixes_are_those_of_the_benchmark(mix: str) -> None:
    shares = mixes.shares(mix)
    assert len(shares) == 14
    assert set(mixes.interactions(10)) == set(shares)
    for name, percent in PUBLISHED[mix].items():
        assert 100 * shares[name] == pytest.approx(percent, abs=0.02)


@pytest.fixture
def customers(tmp_path: Path) -> Path:
    file = tmp_path / "customers.csv"
    file.write_text("customer\n1\n2\n3\n")
    return file


@pytest.mark.parametrize("model", mixes.MODELS)
def test_all_users_have_the_same_mix(model: str, customers: Path) -> None:
    """Of 40,000 requests a share differs by 1.1 points with a probability below 1e-5.

    A share of one half has a standard deviation of 0.25 points; journeys are correlated, which
    at most doubles that of these shares.
    """
    flat = {name: demands.Demand([0.001] * 10, 0.0) for name in mixes.shares("shopping")}
    workload = mixes.workload_of(model, "shopping", 10, customers, rate=100.0, users=5)
    system = predict.system(flat, 1.0, "default", kernel=False)
    found = tt.simulate(workload, system, requests=40_000, warmup=0, rows="none")
    by_name = found.summary["by_request"]
    for name, share in mixes.shares("shopping").items():
        seen = by_name.get(name, {"requests": 0})["requests"] / found.summary["requests"]
        assert seen == pytest.approx(share, abs=0.011), name


def test_pools_by_class_bring_the_same_requests(customers: Path) -> None:
    whole = mixes.by_class("browsing", 10, customers, rate=100.0)
    flat = {name: demands.Demand([0.001] * 10, 0.0) for name in mixes.shares("browsing")}
    rates = {one["name"]: float(one["arrivals"]["rate"][:-2]) for one in whole["population"]}
    assert rates == pytest.approx({"short": 89.0, "long": 11.0}, abs=0.02)
    found = tt.simulate(
        whole, predict.system(flat, 1.0, "PESJF", kernel=False), duration=50, warmup=0
    )
    assert set(found.populations) == {"short", "long"}


def test_a_law_has_the_mean_of_what_was_measured() -> None:
    demand = demands.Demand([k / 1000 for k in range(1, 58)], 0.0)
    assert tt.Distribution(demand.law(2.0)).mean == pytest.approx(2 * demand.mean_s, rel=0.02)
    mean, cv2 = demands.moments(
        {"a": demands.Demand([1.0], 0.0), "b": demands.Demand([3.0], 0.0)}, {"a": 0.5, "b": 0.5}
    )
    assert (mean, cv2) == (2.0, 0.25)


def test_short_ones_first_is_what_theory_says_of_two_classes(customers: Path) -> None:
    """Preemptive priority, M/G/1: T = S/(1-r) + lambda S2/2/((1-r)(1-r')), of the short class.

    Long ones, which are alike, would wait less if they came first, first served: they go in turns.
    100,000 requests at a load of 0.6; 5 % are many standard errors.
    """
    each = {name: demands.Demand([0.001], 0.0) for name in mixes.shares("browsing")}
    each[mixes.LONG] = demands.Demand([0.010], 0.0)
    workload = mixes.workload_of("open", "browsing", 10, customers)
    model = predict.system(each, 1.0, "PESJF", kernel=False)
    found = tt.simulate(workload, model, load=0.6, requests=100_000, rows="none")
    rate = found.workload.request_rate
    long = rate * mixes.shares("browsing")[mixes.LONG]
    busy = (rate - long) * 0.001
    short_s = 0.001 + (rate - long) * 0.001**2 / 2 / (1 - busy)
    long_s = 0.010 / (1 - busy) + (
        ((rate - long) * 0.001**2 + long * 0.010**2) / 2 / (1 - busy) / (1 - busy - long * 0.010)
    )
    seen = predict.figures(found.summary)
    assert seen["short_s"] == pytest.approx(short_s, rel=0.05)
    assert 1.05 * long_s < seen["long_s"] < 2 * long_s


@given(st.lists(st.tuples(st.sampled_from(b"PBEQS"), st.binary(max_size=9))), st.binary(max_size=4))
def test_the_relay_finds_whole_messages(parts: list[tuple[int, bytes]], rest: bytes) -> None:
    expected = [(bytes([kind]), body) for kind, body in parts]
    data = b"".join(kind + (4 + len(body)).to_bytes(4, "big") + body for kind, body in expected)
    assert relay.messages(data + rest) == (expected, rest)


@pytest.mark.skipif(os.geteuid() != 0, reason="scheduling classes are for root to set")
def test_backends_get_the_class_that_is_said() -> None:
    process = subprocess.Popen(["sleep", "300"], start_new_session=True)
    pid = process.pid
    try:
        classes.round_robin(pid)
        assert os.sched_getscheduler(pid) == os.SCHED_RR
        classes.idle(pid)
        assert os.sched_getscheduler(pid) == os.SCHED_IDLE
        classes.nice(pid)
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(classes.NICE + 19, 19)
        classes.other(pid)
        assert os.sched_getscheduler(pid) == os.SCHED_OTHER
        assert os.getpriority(os.PRIO_PROCESS, pid) == classes.NICE
        if classes.GROUP_NICE is not None:
            classes.light_group(pid)
            assert classes.group_nice(pid) == min(classes.GROUP_NICE + 19, 19)
            classes.ordinary_group(pid)
            assert classes.group_nice(pid) == classes.GROUP_NICE
        assert relay.cpu_s(pid) > 0
    finally:
        process.kill()
        process.wait()
    assert relay.cpu_s(pid) == 0


def test_all_of_the_database_is_confined_to_one_core() -> None:
    """Including later processes: the backends of clients."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("with one core nothing is confined")
    with store.filled(store.Size(books=20, customers=20), cores[-1]) as filled:
        database = filled.database
        assert database.process is not None
        clients = [psql(database) for _ in range(2)]
        try:
            backends = {int(client.stdout.readline()) for client in clients}
            own = database.process.pid
            children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
            assert len(backends) == 2
            assert backends < set(map(int, children))  # some write logs and pages
            for pid in (own, *map(int, children)):
                assert os.sched_getaffinity(pid) == {cores[-1]}, pid
        finally:
            for client in clients:
                client.communicate()


def psql(database: Database) -> subprocess.Popen[str]:
    """A client that stays, and first reports the process that serves it."""
    command = [program("psql"), "-h", str(database.directory), "-p", str(database.port)]
    client = subprocess.Popen(
        [*command, "-U", USER, "-qAt", "postgres"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdin is not None
    client.stdin.write("select pg_backend_pid();\n")
    client.stdin.flush()
    return client


def test_the_page_has_the_ratios_of_the_results() -> None:
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    assert "\n".join(tables.statements(found)) in (STUDY / "README.md").read_text("utf-8")
    assert "\n".join(tables.cells(found)) in (STUDY / "tables.md").read_text("utf-8")


# ---- the whole


NOT_ROOT = ["default"]
"""The policies of users other than root."""


@pytest.mark.parametrize("kind", [tables.corrected, tables.predicted, None])
def test_what_is_kept_has_the_shape_of_the_paper(kind: Any) -> None:
    """Open users wait longest; PESJF's gain over PELJF is larger for them than for closed users.

    For partly-open ones only the long run counts: runs of seconds are too rough.
    """
    found = json.loads((STUDY / "results.json").read_text("utf-8"))
    mean_s = {
        (one["model"], one["policy"]): one["long_run"]["mean_s"]
        if kind is None
        else tables.middle(one["runs"], kind)
        for one in found["cells"]
        if one["load"] == 0.9 and not one["pools"]
    }
    assert all(mean_s["open", one] > mean_s["closed", one] for one in ("default", "PELJF"))
    gain = {model: mean_s[model, "PELJF"] / mean_s[model, "PESJF"] for model in mixes.MODELS}
    assert gain["open"] > gain["closed"] > 1
    if kind is None:
        assert gain["open"] > gain["partly open"] > gain["closed"]


def test_a_replay_of_a_queue_is_that_queue() -> None:
    """Worked out by hand, in ms: a long one from 0 on; shorts at 2 and 3, with 2 each.

    They preempt it until 6, or share with it. Later two that are alone.
    """
    trips = [
        relay.RoundTrip(10.000, True, 0, 10.008, 0.004),
        relay.RoundTrip(10.002, False, 0, 10.005, 0.002),
        relay.RoundTrip(10.003, False, 0, 10.007, 0.002),
        relay.RoundTrip(10.020, False, 0, 10.021, 0.001),
        relay.RoundTrip(10.030, True, 0, 10.031, 0.001),
    ]
    found = replay.replayed(trips, "PESJF", 0.0)
    assert found["measured_s"] == pytest.approx((8 + 3 + 4 + 1 + 1) / 5 * 1e-3)
    assert found["replayed_s"] == pytest.approx((8 + 2 + 3 + 1 + 1) / 5 * 1e-3)
    # Shared by two from 2 on, by three from 3 on: two are done at 7.5, the last one at 8.
    shared = replay.replayed(trips, "default", 0.0)
    assert shared["replayed_s"] == pytest.approx((7.5 + 5.5 + 5 + 1 + 1) / 5 * 1e-3)
    after = replay.replayed(trips, "PESJF", 0.010)
    assert after == {"measured_s": pytest.approx(0.001), "replayed_s": pytest.approx(0.001)}


def test_who_is_not_root_gets_the_default_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert list(classes.permitted()) == list(classes.POLICIES)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert list(classes.permitted()) == NOT_ROOT


def test_no_study_needs_what_tests_are_made_with() -> None:
    """Neither in the text of any, nor if this one is imported without it."""
    for file in sorted(STUDY.parent.rglob("*.py")):
        text = file.read_text("utf-8")
        assert not re.search(r"^\s*(import|from) (pytest|hypothesis)\b", text, re.MULTILINE), file
        assert not re.search(r"[\"'/]tests[\"'/]", text), file
    blocked = "import sys; sys.modules['pytest'] = sys.modules['_pytest'] = None; import study"
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=STUDY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("option", "value", "right"),
    [
        ("--loads", "1.5", "above 0 and below 1"),
        ("--loads", "0", "above 0 and below 1"),
        ("--loads", "abc", "as in 0.5,0.7,0.9"),
        ("--loads", "0.5,,0.7", "as in 0.5,0.7,0.9"),
        ("--loads", "nan", "above 0 and below 1"),
        ("--loads", "0.9,0.5", "that rise"),
        ("--books", "0", "a whole number from 10"),
        ("--customers", "-1", "a whole number from 10"),
        ("--customers", "many", "a whole number from 10"),
        ("--seconds", "0", "more than 0"),
    ],
)
def test_arguments_are_checked_before_anything_is_started(
    option: str, value: str, right: str, tmp_path: Path
) -> None:
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path / "to")]
    done = subprocess.run([*command, f"{option}={value}"], capture_output=True, text=True)
    assert done.returncode == 2
    said = done.stderr.splitlines()[-1]
    assert f"argument {option}: found '{value}', wanted" in said
    assert right in said
    assert not (tmp_path / "to").exists()


@contextmanager
def in_small(words: list[str], to: Path) -> Iterator[subprocess.Popen[str]]:
    """The study in small, started like this; its database and its folder leave nothing behind."""
    program("initdb")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("the study needs two cores")
    # PostgreSQL runs as a user who may not read the folders of tests.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    command = [*words, str(STUDY / "study.py"), "--quick", "--to", str(to)]
    try:
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd="/",
            env=os.environ | {"TMPDIR": str(folder)},
        )  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
            process.communicate()
        assert os.listdir(folder) == []
        assert databases(folder) == []
    finally:
        shutil.rmtree(folder)


def databases(folder: Path) -> list[str]:
    """The processes of PostgreSQL whose files are in this folder."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (one / "cmdline").read_bytes():
                found.append(one.name)
        except OSError:
            continue
    return found


@pytest.mark.study("bookstore")
def test_the_study_in_small(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("scheduling classes are for root to set")
    with in_small([sys.executable], tmp_path) as study:
        said = study.communicate(timeout=300)[1]
    assert study.returncode == 0, said
    assert "left out" not in said
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert [one["model"] for one in found["cells"]] == list(mixes.MODELS)
    for one in found["cells"]:
        assert one["measured"]["errors"] == 0
        assert one["measured"]["requests"] > 0
        # Long requests come after short ones over the same connections, and the other way round.
        assert one["measured"]["switches"] > 0
        assert one["predicted"]["mean_s"] > 0
    assert set(found["demands"]) == set(mixes.shares("browsing"))
    page = (tmp_path / "tables.md").read_text("utf-8")
    assert re.search(r"^\| closed \| PESJF \| 0.5 \|", page, re.MULTILINE)
    assert (tmp_path / "figures" / "open.svg").exists()


@pytest.mark.study("bookstore")
def test_an_ordinary_user_measures_the_default_scheduling() -> None:
    """And it reports the omitted parts, at once and in the tables."""
    to = Path(tempfile.mkdtemp())
    to.chmod(0o777)
    try:
        with in_small(labs.ordinary_python(to, str(STUDY / "study.py")), to) as study:
            said = study.communicate(timeout=300)[1]
        assert study.returncode == 0, said
        assert "left out, as only root may schedule so: PESJF; PELJF; PESJF, idle;" in said
        found = json.loads((to / "results.json").read_text("utf-8"))
        cells = [(one["model"], one["policy"]) for one in found["cells"]]
        assert cells == [(model, "default") for model in mixes.MODELS]
        assert all(one["measured"]["errors"] == 0 for one in found["cells"])
        assert all(one["measured"]["requests"] > 0 for one in found["cells"])
        page = (to / "tables.md").read_text("utf-8")
        assert "Left out, as only root may schedule so: PESJF; PELJF;" in page
    finally:
        shutil.rmtree(to)


@pytest.mark.study("bookstore")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_who_ends_the_study_ends_its_database(how: signal.Signals, tmp_path: Path) -> None:
    with in_small([sys.executable], tmp_path) as study:
        assert study.stderr is not None
        assert any("measuring demands" in line for line in study.stderr)
        study.send_signal(how)
        study.communicate(timeout=300)
        assert study.returncode == {signal.SIGTERM: 143, signal.SIGINT: -signal.SIGINT}[how]
    assert not (tmp_path / "results.json").exists()
