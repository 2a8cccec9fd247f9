"""The command that takes the docs' pictures: it has all of them, and shows the first charts."""

from __future__ import annotations

import re
from pathlib import Path

import page_subjects
import pictures
import pytest
from browser import CHROMIUM, MISSING, Browser

from thinktime.present import page
from thinktime.report.results_page import page_of
from thinktime.validity import DOUBTFUL, FINE, Finding

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"(?:\(|src(?:set)?=\")(?:docs/)?([\w-]+\.png)[)\"]")


def test_every_picture_of_the_docs_is_taken_by_the_command() -> None:
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    shown = {Path(name).name for text in texts for name in SHOWN.findall(text.read_text("utf-8"))}
    assert len(shown) > 5
    assert shown <= set(pictures.PICTURES)
    assert {one.name for one in (ROOT / "docs").glob("*.png")} <= set(pictures.PICTURES)


def test_pictures_of_doors_and_the_front_page_are_no_higher_than_a_screen() -> None:
    image = pytest.importorskip("PIL.Image")
    for name in ("demo", "learn", "run"):
        for look in ("light", "dark"):
            with image.open(ROOT / "docs" / f"{name}-{look}.png") as taken:
                assert 0.8 * pictures.SCREEN < taken.size[0] <= pictures.SCREEN
                assert taken.size[1] <= pictures.SCREEN_HEIGHT


def test_a_run_that_the_machine_made_late_is_not_shown() -> None:
    fine = [Finding(name, FINE, "") for name in pictures.NEEDED]
    assert pictures.is_quiet(None, fine)
    assert not pictures.is_quiet("the generator itself was late", fine)
    assert not pictures.is_quiet(None, fine[:1])
    assert not pictures.is_quiet(None, [fine[0], Finding("punctuality", DOUBTFUL, "")])


@pytest.mark.usefixtures("no_explanation")
def test_pictures_reach_down_to_the_first_charts_on_screens_telephones_and_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Charts follow in a tenth of a second, unless the machine is busy; three seconds are for docs.
    monkeypatch.setattr(pictures, "SETTLING_S", 0.5)
    if CHROMIUM is None:
        pytest.skip(MISSING)
    image = pytest.importorskip("PIL.Image")
    path = page.write(page_of([page_subjects.measured()]), tmp_path / "report.html")
    with Browser(tmp_path / "profile") as browser:
        browser.open(path, pictures.WIDTH)
        heat = "document.querySelector('#section-heat').getBoundingClientRect().bottom"
        end = browser.evaluate(heat)
        pictures.taken(browser, tmp_path / "report-{}.png")
        pictures.elsewhere(browser, tmp_path, "report")
    sizes = {}
    for name in ("light", "dark", "phone", "print"):
        with image.open(tmp_path / f"report-{name}.png") as taken:
            sizes[name] = taken.size
    assert sizes["light"] == sizes["dark"]
    assert sizes["light"][1] >= end - 1
    assert min(height for _, height in sizes.values()) > 1000
    assert [sizes[name][0] for name in ("light", "phone", "print")] == [
        pictures.WIDTH, pictures.PHONE, pictures.PAPER,
    ]  # fmt: skip
