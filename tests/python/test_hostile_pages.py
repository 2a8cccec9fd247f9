"""Pages of strangers' texts, in a real browser: lines of logs and answers are text."""

from __future__ import annotations

from pathlib import Path

import pytest
from answer_server import Answer, answer_server
from browser import Browser
from test_learn_hostile import entry, written

import thinktime as tt
from thinktime.learn import learn
from thinktime.learn.views import page as learned_page
from thinktime.report import report

PATHS = (
    "/<img/src=x/onerror=window.hacked=1>",
    "/</script><script>window.hacked=1</script>",
    "/{{7*7}}%{x}",
    "/a?q=%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    "/\u202e&lt;b&gt;'",
    "/javascript:window.hacked=1",
)
AGENT = "<svg/onload=window.hacked=1></textarea><script>window.hacked=1</script>"
ANSWER = (
    '</td></table></script><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
)


def is_text(browser: Browser, page: Path) -> str:
    """The text of a page that ran nothing: it has only its own elements."""
    browser.complaints.clear()
    browser.open(page, 1280)
    assert browser.evaluate("window.hacked === undefined")
    strange = "document.querySelectorAll('img, iframe, textarea, svg[onload], [onerror]').length"
    assert browser.evaluate(strange) == 0
    handlers = (
        "[...document.querySelectorAll('*')]"
        ".some(one => one.getAttributeNames().some(name => name.startsWith('on')))"
    )
    assert not browser.evaluate(handlers)
    assert browser.evaluate("[...document.scripts].every(one => !one.src)")
    assert browser.complaints == []
    return str(browser.evaluate("document.body.textContent"))


def test_the_page_of_a_hostile_log(browser: Browser, tmp_path: Path) -> None:
    lines = [
        entry(5 * i, PATHS[i % len(PATHS)], i % 50).replace("Mozilla/5.0", f"Mozilla/5.0 {AGENT}")
        for i in range(3000)
    ]
    name = "<img src=x onerror=window.hacked=1>.log"
    learned = learn([written(tmp_path / name, lines)], fidelity=False)
    page = tmp_path / "learned.html"
    learned_page.write(learned, page)
    said = is_text(browser, page)
    assert "/*" in said  # no path with such characters is named
    assert "<img" not in said.replace(name, "")


def test_the_report_of_a_hostile_server(browser: Browser, tmp_path: Path) -> None:
    """Its first answers are shown on request, with its names and causes."""
    workload = tt.Workload(
        'name = "w"\n[arrivals]\nmodel = "closed"\nclients = 2\n[session]\nthink = "5ms"\n'
        "[[request]]\nname = '<b>item</b>'\nget = '/a'\n"
        "[request.checks]\n"
        "'<script>window.hacked=1</script>' = { of = 'header:X-Error', contains = 'nothing' }\n"
    )
    headers = [("X-Error", ANSWER), ("Content-Type", "text/html")]
    with answer_server(lambda _: Answer(ANSWER, 500, headers)) as (url, _):
        result = tt.run(workload, url, duration=2, show_errors=True, output=tmp_path / "out")
    bodies = result.summary["by_request"]["<b>item</b>"]["bodies"]
    assert any("window.hacked=1" in text for text in bodies.values())
    said = is_text(browser, report(tt.Result.load(tmp_path / "out"), tmp_path / "report.html"))
    assert '<img src=x onerror="window.hacked=1">' in said
    assert "<b>item</b>" in said
    assert "status 500" in said


def test_a_script_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    """This browser detects a page that shows its input unescaped."""
    (tmp_path / "bad.html").write_text(f"<!DOCTYPE html><body><p>{ANSWER}</p></body>")
    with pytest.raises(AssertionError):
        is_text(browser, tmp_path / "bad.html")
