"""Only the server sees clients' credentials: no viewer, collector, page or file does."""

from __future__ import annotations

import html
import json
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from answer_server import Answer, Received, answer_server
from live_commands import Watched
from typer.testing import CliRunner

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
        answer_server(lambda _: Answer("ok")) as (target, asked),
        answer_server(lambda _: Answer({})) as (collector, pushed),
    ):
        command = ["run", "w.toml", "--target", target, "--duration", "8s", "-o", "out"]
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
    with answer_server(lambda _: Answer("ok")) as (target, asked):
        result = tt.run(
            tmp_path / "w.toml", target, requests=20, warmup=0.0, output=tmp_path / "out"
        )
        places = ["clients.headers.Cookie", "clients.headers.X-Api-Key", "request[0].get"]
        # In memory nothing is missing; in the directory they are.
        assert result.secrets == []
        assert tt.Result.load(tmp_path / "out").secrets == places
        again = ["run", "--again", str(tmp_path / "out"), "--quiet"]
        refused = said.invoke(app, again)
        assert refused.exit_code == 2
        assert all(f"`{place}`" in refused.output.replace("\n", " ") for place in places)
        sent = len(asked)
        done = said.invoke(app, [*again, str(tmp_path / "other.toml")])
        assert done.exit_code in (0, 3), done.output  # 3: late, on a busy machine
        seen = {(one.headers["Cookie"], one.target) for one in asked[sent:]}
        assert seen == {("sid=NEW", "/item?access_token=NEW&page=1")}
        plain = tmp_path / "plain.toml"
        plain.write_text(WORKLOAD.replace("headers = ", "# "))
        wrong = said.invoke(app, [*again, str(plain)])
        assert wrong.exit_code == 2
        assert "has no such secret at `clients.headers.Cookie`" in wrong.output.replace("\n", " ")


def test_a_workload_is_not_given_where_there_are_no_secrets(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text('name = "a"\n[arrivals]\nmodel = "open"\nrate = "9/s"\n')
    with answer_server(lambda _: Answer("ok")) as (target, _):
        result = tt.run(tmp_path / "w.toml", target, requests=5, warmup=0.0)
        with pytest.raises(tt.InputError, match="there were none"):
            tt.again(result, workload=tt.Workload.load(tmp_path / "w.toml"))


@pytest.mark.parametrize("text", ["redis://user:HIDDEN@host:1/0", "http://a/?token=HIDDEN&x=1"])
def test_an_address_is_shown_without_its_secrets(text: str) -> None:
    shown = _core.without_secrets(text)
    assert "HIDDEN" not in shown
    assert "REMOVED" in shown


ECHOED = """
name = "echoed"
[arrivals]
model = "open"
rate = "100/s"
[session]
data = ["users.csv"]
[clients]
bearer = "env:TT_BEARER"
headers = { X-Tenant = "shop" }
[[request]]
name = "bearer"
get = "/plain"
[[request]]
name = "header"
get = "/plain"
headers = { Authorization = "Basic dXNlcjpISURERU4tQkFTSUM=", Cookie = "sid=HIDDEN-sid; a=b" }
[[request]]
name = "query"
get = "/a?code=HIDDEN1a&key=HIDDEN2b&pin=HIDDEN-pin&SAMLResponse=HIDDEN%2Fsaml&page=7"
[[request]]
name = "form"
method = "POST"
target = "/b"
body = "client_secret=HIDDEN-form&passwd=HIDDEN+passwd"
[[request]]
name = "xml"
method = "POST"
target = "/c"
body = "<login><password>HIDDEN-xml</password></login>"
[[request]]
name = "json"
post = "/d"
json = { user = { pwd = "HIDDEN\\"pwd", refreshToken = "HIDDEN<token" } }
[[request]]
name = "row"
post = "/e"
json = { user = "{user}", password = "{password}" }
"""
ECHOES = {
    "as it is": str,
    "as JSON": json.dumps,
    "as HTML": html.escape,
    "decoded": urllib.parse.unquote_plus,
    "encoded": urllib.parse.quote,
}


def echoing(echo: Callable[[str], str]) -> Callable[[Received], Answer]:
    """A server that fails, and repeats the request."""

    def answer(asked: Received) -> Answer:
        sent = (asked.headers.get(name, "") for name in ("Authorization", "Cookie", "X-Tenant"))
        return Answer(f"said: {echo(' '.join((asked.target, *sent, asked.body)))}", 500)

    return answer


@pytest.mark.parametrize("how", ECHOES)
def test_a_server_that_repeats_requests_tells_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TT_BEARER", "HIDDEN-bearer")
    Path("w.toml").write_text(ECHOED)
    Path("users.csv").write_text("user,password\nann,HIDDEN-row\n")
    with answer_server(echoing(ECHOES[how])) as (target, asked):
        command = ["run", "w.toml", "--target", target, "--duration", "1s", "--show-errors"]
        done = CliRunner().invoke(app, [*command, "--markdown", "m.md", "-o", "out"])
    assert done.exit_code == 3, done.output
    sent = " ".join(f"{one.target} {one.headers} {one.body}" for one in asked)
    assert sent.count("HIDDEN") > 7
    shown = {path.name: path.read_bytes().decode("latin-1") for path in Path("out").iterdir()}
    shown |= {"terminal": done.output, "markdown": Path("m.md").read_text()}
    report(tmp_path / "out", shown)
    told = {name for name, text in shown.items() if "HIDDEN" in text or "dXNlcjp" in text}
    assert told == set()
    bodies = {
        name: one["bodies"]["status 500"]
        for name, one in json.loads(shown["summary.json"])["by_request"].items()
    }
    assert len(bodies) == 7
    for name, body in bodies.items():
        assert body.startswith("said: "), name
        assert "REMOVED" in body, name
    assert "page=7" in urllib.parse.unquote(bodies["query"])
    assert "shop" in bodies["form"]


def test_messages_of_scripts_repeat_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TT_BEARER", "HIDDEN")
    (tmp_path / "s.luau").write_text(
        'return function(client) error("said " .. client:get("/").body) end'
    )
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "partly-open"\nrate = "50/s"\n'
        '[session]\nscript = "s.luau"\n[clients]\nbearer = "env:TT_BEARER"\n'
    )
    with answer_server(echoing(str)) as (target, asked):
        result = tt.run(tmp_path / "w.toml", target, duration=0.5, warmup=0.0)
    assert asked[0].headers["Authorization"] == "Bearer HIDDEN"
    told = json.dumps(result.summary)
    assert "said: / Bearer REMOVED" in told or "said: / REMOVED" in told
    assert "HIDDEN" not in told


def test_a_restart_command_is_kept_without_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "100/s"\n')
    restart = "true --password=HIDDEN1 --token HIDDEN2 --port 80"
    with answer_server(lambda _: Answer("ok")) as (target, _):
        command = ["run", "w.toml", "--target", target, "--duration", "300ms", "--runs", "2"]
        done = CliRunner().invoke(app, [*command, "--restart", restart, "-o", "out"])
        assert done.exit_code in (0, 3), done.output
        failing = CliRunner().invoke(app, [*command, "--restart", "false --token HIDDEN"])
    assert failing.exit_code == 3
    assert "--token REMOVED: it ended with 1" in failing.output.replace("\n", " ")
    for number in (1, 2):
        made = tt.Result.load(f"out/run-{number}").made
        assert made is not None
        assert made.command is not None
        assert "true --password=REMOVED --token REMOVED --port 80" in made.command
    texts = [path.read_bytes() for path in Path("out").rglob("*") if path.is_file()]
    assert not any(b"HIDDEN" in text for text in texts)


def test_the_secret_of_a_target_is_neither_told_nor_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.toml").write_text('name = "w"\n[arrivals]\nmodel = "open"\nrate = "9/s"\n')
    command = ["run", "w.toml", "--duration", "300ms", "--target"]
    for target in ("http://127.0.0.1:1/?token=HIDDEN", "ws://127.0.0.1:1/?token=HIDDEN"):
        refused = CliRunner().invoke(app, [*command, target])
        assert refused.exit_code in (2, 3)
        assert "127.0.0.1:1/?..." in refused.output
        assert "HIDDEN" not in refused.output
