"""What clients log in with is seen by the server alone: by no viewer, collector, page or file."""

from __future__ import annotations

import re
import time
import urllib.request
from pathlib import Path

import pytest
from answering import Answer, answering
from watched_commands import Watched

from thinktime.report.masked import without_secrets

WORKLOAD = """
name = "shop"
[arrivals]
model = "open"
rate = "100/s"
[clients]
bearer = "env:TT_BEARER"
headers = { Cookie = "sid=HIDDEN", X-Api-Key = "HIDDEN" }
[[request]]
name = "item"
get = "/item?access_token=HIDDEN&page=1"
"""
SEEN_BY_SERVER = ("Bearer HIDDEN", "sid=HIDDEN", "/item?access_token=HIDDEN&page=1")


def test_secrets_stay_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TT_BEARER", "HIDDEN")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20HIDDEN")
    (tmp_path / "w.toml").write_text(WORKLOAD)
    with (
        answering(lambda _: Answer("ok")) as (target, asked),
        answering(lambda _: Answer({})) as (collector, pushed),
    ):
        command = ["run", "w.toml", "--target", target, "--duration", "3s", "-o", "out"]
        watching = ["--live", "--metrics", "127.0.0.1:0", "--otlp", collector]
        with Watched([*command, *watching], tmp_path) as watched:
            shown = seen_while_it_runs(watched)
            assert watched.ended() in (0, 3), watched.said
        request = asked[0]
        assert (request.headers["Authorization"], request.headers["Cookie"], request.target) == (
            SEEN_BY_SERVER
        )
        assert [one.headers["Authorization"] for one in pushed] == ["Basic HIDDEN"] * len(pushed)
        assert any(one.path == "/v1/metrics" for one in pushed)
        shown |= {"pushed": "".join(one.body for one in pushed), "terminal": watched.said}
    for path in (tmp_path / "out").iterdir():
        # Where the workload's own text is kept, so that it can be done again.
        if path.name != "run.toml":
            shown[path.name] = path.read_bytes().decode("latin-1")
    report(tmp_path / "out", shown)
    assert len(shown) > 8
    assert "shop" in shown["report"]
    assert {name for name, text in shown.items() if "HIDDEN" in text} == set()


def report(result: Path, shown: dict[str, str]) -> None:
    import thinktime as tt

    made = tt.report([tt.Result.load(result)], result.parent / "report.html")
    shown["report"] = made.read_text("utf-8")


def seen_while_it_runs(watched: Watched) -> dict[str, str]:
    """The page and its events, until it is over, and metrics."""
    found = None
    while found is None:
        assert watched.process.poll() is None, watched.said
        time.sleep(0.05)
        found = re.search(r"metrics: (\S+)", watched.said)
    shown = {"page": fetched(watched.url), "events": ""}
    with urllib.request.urlopen(f"{watched.url}events", timeout=60) as events:
        for line in events:
            shown["metrics"] = fetched(found[1]) if b'"main"' in line else shown.get("metrics", "")
            shown["events"] += line.decode()
            if b'"over"' in line:
                break
    shown["final"] = fetched(watched.url)
    assert "thinktime_requests_total" in shown["metrics"]
    return shown


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(answer.read().decode())


HIDDEN = {
    "table": 'headers = { Authorization = "Bearer HIDDEN", Cookie = \'sid=HIDDEN\', Accept = "a" }',
    "quoted": '"X-Auth-Token" = "HIDDEN \\" HIDDEN"',
    "query": 'get = "/a?access_token=HIDDEN&x=1&sid=HIDDEN"',
    "url": 'url = "redis://user:HIDDEN@host:1/0"',
    "json in a text": 'json = "{\\"password\\": \\"HIDDEN\\", \\"a\\": \\"b\\"}"',
    "json in single quotes": 'json = \'{"password": "HIDDEN", "a": "b"}\'',
    "json": 'json = { password = "HIDDEN", n = 1 }',
    "form": 'body = "password=HIDDEN&b=1"',
    "lines": 'body = """\nuser=a&password=HIDDEN\n"""',
    "long": 'token = """HIDDEN\nHIDDEN"""',
    "list": 'authorization = ["Basic HIDDEN"]',
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_pages_show_files_without_secrets(text: str) -> None:
    masked = without_secrets(f'name = "shop"\n{text}\nget = "/item?page=1"\n')
    assert "HIDDEN" not in masked
    assert "REMOVED" in masked
    assert masked.startswith('name = "shop"\n')
    assert masked.endswith('get = "/item?page=1"\n')


@pytest.mark.parametrize(
    "text",
    [
        'bearer = "env:TOKEN"',
        'password = "file:/run/secrets/x"',
        'take = { token = "$.access_token" }',
        'name = "session"\n[session]\nthink = "exp(1s)"',
        'get = "/items?page=1&sort=price"',
        'headers = { Accept = "text/html" }',
    ],
)
def test_what_is_no_secret_is_shown_as_it_is(text: str) -> None:
    assert without_secrets(text) == text
