"""A page of every kind, made once for all tests of a process that need them."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import page_subjects
from made_logs import Known, make

from thinktime.capacity_search.report import report_of as capacity_report
from thinktime.history.report import report_of as history_report
from thinktime.learn import learn
from thinktime.learn.views.page import page_of as learned_page
from thinktime.present.page import Page, render, render_live
from thinktime.report.results_page import page_of as report_page
from thinktime.sweeps.report import report_of as swept_report

NAMES = (
    "report", "run", "failing", "simulate", "compare", "sweep", "sweep-measured", "sweep-wide",
    "capacity", "learn", "history", "live",
)  # fmt: skip


@cache
def pages() -> dict[str, Page]:
    """The pages by the name of their kind."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "access.log"
        make(Known(sessions=400, rate=5.0), log)
        learned = learned_page(learn([log]))
    swept, measured = page_subjects.swept(), page_subjects.swept(measured=True)
    wide = page_subjects.swept_wide()
    results = page_subjects.results()
    return {
        "report": report_page(results),
        "run": report_page([page_subjects.measured()]),
        "failing": report_page([page_subjects.failing()]),
        "simulate": report_page([page_subjects.simulated()]),
        "compare": report_page(results[-3:-1]),
        "sweep": swept_report(swept).page,
        "sweep-measured": swept_report(measured).page,
        "sweep-wide": swept_report(wide).page,
        "capacity": capacity_report(page_subjects.capacity()).page,
        "learn": learned,
        "history": history_report(page_subjects.history()).page,
        "live": page_subjects.watched().page(),
    }


def written(folder: Path) -> dict[str, Path]:
    """The pages as files, by name; that of a run under way as its server shows it."""
    found = {}
    for name, made in pages().items():
        found[name] = folder / f"{name}.html"
        text = render_live(made, 2 / 3, False) if name == "live" else render(made)
        found[name].write_text(text, "utf-8")
    return found
