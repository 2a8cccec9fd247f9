"""What all tests share."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import ray_cluster
import study_selection
from browser import CHROMIUM, MISSING, Browser
from hypothesis import HealthCheck, settings
from idle_threads import still_busy
from labs import alone
from record_servers import Server, shop
from skips import record
from validity_runs import closed as closed
from validity_runs import fine as fine
from xdist.scheduler import LoadFileScheduling

from thinktime.explain import questions
from thinktime.recording import Recorder, connection
from thinktime.report import explanation

# The same cases everywhere, at any pace: no test depends on luck, or on what else is at work.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_not_ignored() -> Iterator[None]:
    """A shell starts its background jobs with Ctrl-C ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="module")
def _nothing_computes_after_its_tests() -> Iterator[None]:
    """All later tests of the process would be slow."""
    yield
    if where := still_busy(within_s=5.0):
        pytest.fail(f"threads of these tests still compute:\n{where}", pytrace=False)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """A recording proxy."""
    with Recorder("127.0.0.1:0") as found:
        yield found


@pytest.fixture
def server() -> Iterator[Server]:
    """A shop that may be recorded."""
    with shop() as found:
        yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests of a file."""
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with Browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy waits less for clients that it refuses."""
    monkeypatch.setattr(connection, "LINGER_S", 0.05)


@pytest.fixture
def brief_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """`learn` simulates little for its advice, in tests that do not look at it."""
    monkeypatch.setattr("thinktime.learn.advice.models.REQUESTS", 6_000)


@pytest.fixture
def one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """`explain` asks its model one question, that for the measured workload, in tests that do not
    look at answers to others."""
    every = questions._questions
    monkeypatch.setattr(questions, "_questions", lambda *about: islice(every(*about), 1))


@pytest.fixture
def no_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of runs do not ask what other systems would have shown, which takes seconds, in tests
    that do not look at it."""
    monkeypatch.setattr(explanation, "lines_of", lambda _result: [])


@pytest.fixture
def no_other_labs() -> Iterator[None]:
    """No other test makes labs during this one."""
    with alone():
        yield


# Labs wait for one another, and mostly for their links: a single worker makes them all, beside the
# others, and begins with them.
LABS = (
    "test_study_siege.py",
    "test_run_link.py",
    "test_run_link_command.py",
    "test_lab.py",
    "test_lab_killed.py",
    "test_study_static_server.py",
    "test_study_wide_area.py",
    "test_lab_hostile.py",
    "test_lab_hostile_wire.py",
    "test_link_classes.py",
)

# Pages of every kind take twenty seconds of a core to make: a single worker makes them, once.
PAGES = (
    "test_accessibility.py",
    "test_page_layout.py",
    "test_page_tables.py",
    "test_chart_script.py",
    "test_page_weights.py",
    "test_pages.py",
)

# One Ray cluster for all tests that need three nodes, by a single worker. Those that kill nodes
# come last.
CLUSTERS = (
    "test_many_machines.py",
    "test_cluster_work.py",
    "test_remote_rows.py",
    "test_generator_losses.py",
)

ONE_WORKER = {name: files[0] for files in (LABS, PAGES, CLUSTERS) for name in files}
"""The files that are dealt out together, under the name of the first."""

# Files whose tests wait for most of their time: for servers, browsers and runs. Some workers begin
# with these, and the others with those that compute, so that neither a core nor a wait is idle.
WAITING = (
    *LABS,
    "test_docs.py",
    *CLUSTERS,
    "test_live_page.py",
    "test_recovery.py",
    "test_explain_three.py",
    "test_tutorial.py",
    "test_study_omission_and_collapse.py",
    "test_database_failures.py",
    "test_api.py",
    "test_plain_text.py",
    "test_study_bookstore.py",
    "test_pipelines.py",
    "test_cli.py",
    "test_monitor_secrets.py",
    "test_replay_loops.py",
    "test_demo.py",
    "test_shared_failures.py",
    "test_database_connections.py",
    "test_traces.py",
    "test_databases.py",
    "test_pictures.py",
)

COMPUTING = (
    *PAGES,
    "test_extreme_numbers.py",
    "test_assistants_hostile.py",
    "test_assistants.py",
    "test_tour.py",
    "test_learn.py",
    "test_tidy.py",
    "test_scripts.py",
    "test_report_page.py",
    "test_capacity.py",
    "test_http3.py",
    "test_study_output.py",
    "test_site.py",
)

# Files that compute and measure no time. They may be slow, and so run on what the tests that are
# measured one by one leave of the processor.
PURE = (
    "test_ciw.py",
    "test_cluster_split.py",
    "test_compare_intervals.py",
    "test_conservation.py",
    "test_cpn*.py",
    "test_explain.py",
    "test_explain_[cdls]*.py",
    "test_explain_ti*.py",
    "test_explain_to*.py",
    "test_fit*.py",
    "test_learn_*.py",
    "test_learned_server.py",
    "test_random_systems.py",
    "test_road*.py",
    "test_second_implementation.py",
    "test_simulation_theory.py",
    "test_statistics.py",
    "test_theory*.py",
    "test_two_implementations.py",
    "test_validity_false_alarms.py",
)

# Files that take long, the longest first: a worker takes a file at a time, in this order, and a
# long one that began last would leave the others with nothing to do. All other files follow.
LONGEST = (*WAITING, *COMPUTING)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files come first; the order within each stays. Studies as they were are left out,
    unless a test is named. Tests that only compute are marked, before marks are chosen from."""
    for item in items:
        if any(fnmatch(item.path.name, one) for one in PURE):
            item.add_marker("pure")
    if not any("::" in one for one in config.args):
        _leave_out_studies(config, items)
    if gone := [name for name in LONGEST if not Path(__file__).with_name(name).exists()]:
        raise pytest.UsageError(f"LONGEST in tests/python/conftest.py: there is no {gone[0]}")
    items.sort(key=lambda item: (*LONGEST, item.path.name).index(item.path.name))


def _leave_out_studies(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that run a study in small, if it is as it was when it last passed."""
    unchanged = {name for name in study_selection.names() if not study_selection.changed(name)}
    out = [item for item in items if _study(item) in unchanged]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if _study(item) not in unchanged]


def _study(item: pytest.Item) -> str | None:
    """The study that a test runs, if it does."""
    mark = item.get_closest_marker("study")
    return None if mark is None else str(mark.args[0])


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After the last test on a cluster the cluster has no more use."""
    if item.path.name in CLUSTERS and (nextitem is None or nextitem.path.name not in CLUSTERS):
        ray_cluster.end()


def pytest_collection_finish() -> None:
    """What has been imported stays: it need not be looked through for garbage again and again."""
    gc.collect()
    gc.freeze()


class _WaitingBesideComputing(LoadFileScheduling):
    """A file at a time, and those of one worker as if they were one."""

    def _split_scope(self, nodeid: str) -> str:
        file = Path(super()._split_scope(nodeid)).name
        return ONE_WORKER.get(file, file)

    def _assign_work_unit(self, node: Any) -> None:
        waits = self.nodes.index(node) % 2 == 0
        for file in self.workqueue:
            if (file in WAITING) == waits:
                self.workqueue.move_to_end(file, last=False)
                break
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Only where files are what is dealt out."""
    return _WaitingBesideComputing(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Skipped tests go to the list of `.ci/run`."""
    reports = terminalreporter.stats.get("skipped", [])
    record((one.nodeid, one.longrepr[2].removeprefix("Skipped: ")) for one in reports)
