"""`thinktime tour`: one workload file and one system file, the whole way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from labs import WAIT_S, need_root, need_tun, nothing_left
from test_lab_killed import of_lab

import thinktime as tt
from thinktime import tour
from thinktime.tour import agreement, stage

SHORT = "duration=8.0, requests=1000"
TOUR = (
    "import sys; from pathlib import Path; from thinktime import tour; "
    f"done = tour.main(Path('out'), lambda one: print(one, flush=True), {SHORT}); "
    "print('doubts:', done.doubts)"
)
"""A short tour in the folder of the test, which prints its doubts last."""

ALL = {"measured", "simulated", "learned", "jsq", "round-robin", "lard", "cap"}


def without_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "missing", lambda: "there are no namespaces here")


def kept(folder: Path) -> set[str]:
    """The results of a tour."""
    return {path.parent.name for path in (folder / "out").glob("**/summary.json")}


def test_there_is_one_system_file_and_one_workload_file() -> None:
    """Neither the package nor the program has another one, or the text of one."""
    assert {one.name for one in tour.HERE.glob("*.toml")} == {tour.SYSTEM, tour.WORKLOAD}
    sources = "".join(one.read_text() for one in tour.HERE.glob("*.py"))
    named = set(re.findall(r"[\w-]+\.toml", sources))
    assert named == {tour.SYSTEM, tour.WORKLOAD, "learned.toml"}, "the third is learned"
    assert not re.search(r"\[\[(cluster|station|request|link)", sources)


def test_without_namespaces_the_rest_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_lab(monkeypatch)
    said: list[str] = []
    done = tour.main(tmp_path / "out", said.append, duration=5.0, requests=2000)
    assert kept(tmp_path) == ALL
    assert done.doubts == []
    assert "there are no namespaces here" in said[0]
    assert any("measured" in one and "simulated" in one for one in done.sentences)
    assert any("learned from the switch's log: " in one for one in done.sentences)
    assert done.page is not None
    page = done.page.read_text()
    assert "One file, the whole way" in page
    assert "as learned from the log" in page
    measured = tt.Result.load(tmp_path / "out" / "measured")
    assert measured.summary["errors"] == 0
    assert measured.summary["pages"] > 0


def test_a_machine_without_tun_has_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    need_root()
    monkeypatch.setattr("thinktime.lab.requirements.TUN", "/dev/net/no-tun")
    assert "is missing or not open" in str(stage.missing())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(tt.InputError, match="exists already"):
        tour.main(tmp_path, lambda _: None, duration=3.0, requests=1000)
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


def test_an_interrupted_tour_has_a_page_of_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_lab(monkeypatch)

    def tell(what: str) -> None:
        if "under round-robin" in what:
            raise KeyboardInterrupt

    done = tour.main(tmp_path / "out", tell, duration=3.0, requests=1000)
    assert kept(tmp_path) == ALL - {"round-robin", "lard", "cap"}
    assert "interrupted" in done.doubts[0]
    assert done.page is not None


def figures(mean: float, p90: float, **more: object) -> tt.Result:
    class Made:
        summary = {
            "errors": 0,
            "lateness_s": {"p99": 0.002},
            "page_response_time_s": {"mean": mean, "p90": p90},
        } | more
        untrusted = theory = None
        no_theory = "it is made up"

    return Made()  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (figures(0.109, 0.182), "agree within 10 %"),
        (figures(0.111, 0.2), "differ by more than 10 %"),
        (figures(0.1, 0.223), "differ by more than 10 %"),
        (figures(0.2, 0.2, errors=3), "3 requests failed"),
        (
            figures(0.2, 0.2, validity=[{"verdict": "doubtful", "found": "it waited for a core"}]),
            "it waited for a core",
        ),
        (figures(0.2, 0.2, page_response_time_s={}), "no page was measured"),
    ],
)
def test_a_difference_is_said_with_its_reason(measured: tt.Result, said: str) -> None:
    assert said in next(agreement.sentences([measured, figures(0.1, 0.2)]))


def started(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TOUR], cwd=folder, stdout=subprocess.PIPE, text=True
    )


def waited(folder: Path, process: subprocess.Popen[str], there: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not there():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, of_lab(folder)
        time.sleep(0.05)


def children(folder: Path, mark: str) -> list[int]:
    return [int(one.partition(":")[0]) for one in of_lab(folder) if mark in one]


def logged(folder: Path) -> bool:
    """Whether the run has begun: the switch has logged a request."""
    return bool(read(folder / "out" / stage.LOG))


def forwarders() -> list[int]:
    return [
        int(one.name)
        for one in Path("/proc").glob("[0-9]*")
        if b"/lab/forwarder.py" in read(one / "cmdline")
    ]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.usefixtures("no_other_labs")
@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("system.toml --server 1", "server-1"),
        ("switch system.toml", "switch"),
        ("run workload.toml", "measured"),
        ("thinktime.lab.hostile", "slow-headers"),
        ("forwarder", "link visitors-site"),
    ],
)
def test_a_killed_child_is_said_and_nothing_is_left(tmp_path: Path, mark: str, said: str) -> None:
    need_root()
    need_tun()
    with nothing_left():
        process = started(tmp_path)

        def found() -> list[int]:
            return forwarders() if mark == "forwarder" else children(tmp_path, mark)

        def begun() -> bool:
            return "hostile" in mark or logged(tmp_path)

        try:
            waited(tmp_path, process, lambda: bool(found() and begun()))
            for one in found():
                os.kill(one, signal.SIGKILL)
            out, _ = process.communicate(timeout=WAIT_S)
        finally:
            process.kill()
        doubts = out[out.index("doubts:") :]
        assert said in doubts
        assert of_lab(tmp_path) == []
    assert {"simulated", "jsq", "cap"} <= kept(tmp_path), "what needs no child is done"
    assert ("measured" in kept(tmp_path)) == (mark != "run workload.toml")


@pytest.mark.usefixtures("no_other_labs")
def test_ctrl_c_during_the_run_keeps_the_result_and_leaves_nothing(tmp_path: Path) -> None:
    need_root()
    need_tun()
    with nothing_left():
        process = started(tmp_path)
        try:
            waited(tmp_path, process, lambda: logged(tmp_path))
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=WAIT_S)
        finally:
            process.kill()
        assert of_lab(tmp_path) == []
    assert "interrupted" in out[out.index("doubts:") :]
    assert kept(tmp_path) == {"measured"}
    assert (tmp_path / "out" / "report.html").exists()
