"""What clients log in with is seen by the server alone: by no viewer, collector, page or file."""

from __future__ import annotations

import re
import time
import urllib.request
from pathlib import Path

import pytest
from answering import Answer, answering
from typer.testing import CliRunner
from watched_commands import Watched

import thinktime as tt
from thinktime import _core
from thinktime.cli import app

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
        shown[path.name] = path.read_bytes().decode("latin-1")
    report(tmp_path / "out", shown)
    assert len(shown) > 9
    assert "shop" in shown["report"]
    assert {name for name, text in shown.items() if "HIDDEN" in text} == set()


def report(result: Path, shown: dict[str, str]) -> None:
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


def test_a_result_without_its_secrets_is_made_again_with_the_workload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TT_BEARER", "HIDDEN")
    (tmp_path / "w.toml").write_text(WORKLOAD)
    other = WORKLOAD.replace("HIDDEN", "NEW").replace("100/s", "1/s")
    (tmp_path / "other.toml").write_text(other)
    said = CliRunner()
    with answering(lambda _: Answer("ok")) as (target, asked):
        result = tt.run(
            tmp_path / "w.toml", target, requests=20, warmup=0.0, output=tmp_path / "out"
        )
        places = ["clients.headers.Cookie", "clients.headers.X-Api-Key", "request[0].get"]
        # In memory nothing is missing; in the directory it is.
        assert result.secrets == []
        assert tt.Result.load(tmp_path / "out").secrets == places
        again = ["run", "--again", str(tmp_path / "out"), "--quiet"]
        refused = said.invoke(app, again)
        assert refused.exit_code == 2
        assert all(f"`{place}`" in refused.output.replace("\n", " ") for place in places)
        sent = len(asked)
        done = said.invoke(app, [*again, str(tmp_path / "other.toml")])
        assert done.exit_code == 0, done.output
        seen = {(one.headers["Cookie"], one.target) for one in asked[sent:]}
        assert seen == {("sid=NEW", "/item?access_token=NEW&page=1")}
        plain = tmp_path / "plain.toml"
        plain.write_text(WORKLOAD.replace("headers = ", "# "))
        wrong = said.invoke(app, [*again, str(plain)])
        assert wrong.exit_code == 2
        assert "has no such secret at `clients.headers.Cookie`" in wrong.output.replace("\n", " ")


def test_a_workload_is_not_given_where_there_are_no_secrets(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('name = "a"\n[arrivals]\nmodel = "open"\nrate = "9/s"\n')
    with answering(lambda _: Answer("ok")) as (target, _):
        result = tt.run(tmp_path / "w.toml", target, requests=5, warmup=0.0)
        with pytest.raises(tt.InputError, match="there were none"):
            tt.again(result, workload=tt.Workload.load(tmp_path / "w.toml"))


@pytest.mark.parametrize("text", ["redis://user:HIDDEN@host:1/0", "http://a/?token=HIDDEN&x=1"])
def test_an_address_is_shown_without_its_secrets(text: str) -> None:
    shown = _core.without_secrets(text)
    assert "HIDDEN" not in shown
    assert "REMOVED" in shown
