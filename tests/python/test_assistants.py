"""`thinktime mcp` answers an assistant: tools, their schemas, answers, progress and prompts."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from answer_server import Answer, Received, answer_server
from assistants import OPEN, Assistant, folder_of, talk

import thinktime
from thinktime.assistants.search import PAGES, SKILL, passages
from thinktime.assistants.tools import tools
from thinktime.results.verdict import UNJUDGED

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_an_assistant_learns_what_it_can_do(tmp_path: Path) -> None:
    async def say(one: Assistant) -> None:
        offered = (await one.session.list_tools()).tools
        assert [tool.name for tool in offered] == list(tools())
        by_name = {tool.name: tool for tool in offered}
        requests = by_name["simulate"].input_schema["properties"]["requests"]
        assert requests["type"] == "integer"
        assert "begin after the warm-up" in requests["description"]
        assert by_name["docs"].annotations.read_only_hint
        assert by_name["run"].annotations.open_world_hint
        (prompt,) = (await one.session.list_prompts()).prompts
        (said,) = (await one.session.get_prompt(prompt.name)).messages
        assert "Open, closed or partly open" in said.content.text

    talk(folder_of(tmp_path), say)


@pytest.mark.parametrize("name", tools())
def test_every_argument_is_described_by_its_function(name: str) -> None:
    tool = tools()[name]
    members = tool.schema["properties"]
    assert members
    assert all(one.get("description") for one in members.values()), members
    known = {one for each in tool.functions for one in inspect.signature(each).parameters}
    assert set(members) <= known


@pytest.mark.parametrize(
    ("name", "member", "schema"),
    [
        ("learn", "timeout", {"type": ["number", "string"], "default": "1800s"}),
        ("learn", "logs", {"type": "array", "items": {"type": "string"}}),
        ("simulate", "workload", {"type": ["object", "string"]}),
        ("capacity", "what", {"type": "string", "enum": ["rate", "clients", "scale"]}),
        ("run", "stop_on_slo", {"type": "boolean", "default": False}),
        ("explain", "result", {"type": "string"}),
    ],
)
def test_an_annotation_is_a_schema(name: str, member: str, schema: dict[str, Any]) -> None:
    found = dict(tools()[name].schema["properties"][member])
    del found["description"]
    assert found == schema


@pytest.mark.parametrize("name", ["run", "sweep", "capacity", "simulate", "learn"])
def test_options_that_lead_elsewhere_are_not_offered(name: str) -> None:
    offered = set(tools()[name].schema["properties"])
    assert not offered & {"on", "proxy", "resolve", "unix_socket", "link", "sources", "follow"}


def test_a_simulation_is_answered_verdict_first_and_kept(tmp_path: Path) -> None:
    heard: list[str] = []

    async def say(one: Assistant) -> None:
        given = {"workload": "open.toml", "system": "server.toml", "requests": 300_000}
        found = await one.call("simulate", heard.append, **given)
        answer = found.structured_content
        assert list(answer)[:3] == ["verdict", "doubts", "findings"]
        assert answer["verdict"]["status"] == "met"
        same = thinktime.simulate(folder / "open.toml", folder / "server.toml", requests=300_000)
        times = answer["figures"]["response_time_s"]
        assert times["mean"] == same.summary["response_time_s"]["mean"]
        assert times["ci95"] > 0
        links = {link.name: link.uri for link in found.content[1:]}
        assert links["result"] == (folder / "results" / "simulate-1").as_uri()
        assert Path(answer["files"]["page"]).read_text("utf-8").startswith("<!DOCTYPE html>")
        assert thinktime.Result.load(answer["files"]["result"]).summary["requests"] == 300_000
        again = await one.answer("simulate", **given | {"requests": 30_000}, scale=1.5)
        assert again["files"]["result"].endswith("simulate-2")
        compared = await one.answer("compare", results=["results/simulate-1", "results/simulate-2"])
        assert "%" in compared["verdict"]["sentence"]
        explained = await one.answer("explain", result="results/simulate-2")
        assert "processor sharing" in explained["verdict"]["sentence"]
        page = await one.answer("report", results=["results/simulate-1"], output="both.html")
        assert Path(page["files"]["page"]).exists()

    folder = folder_of(tmp_path)
    talk(folder, say)
    assert any("requests in" in one for one in heard)


TOKENS = """
name = "tokens"

[arrivals]
model = "open"
rate = "2/s"

[[request]]
name = "ask"
stream = "sse"
tokens = { prompt = "geometric(100)", output = "geometric(50)" }
"""
TOKEN_SERVER = """
name = "tokens"

[[token_server]]
name = "gpu"
step_time = "10ms"
max_batch = 8
"""


def test_a_server_of_tokens_is_explained_as_by_the_command(tmp_path: Path) -> None:
    async def say(one: Assistant) -> None:
        given = {"workload": "tokens.toml", "system": "token-server.toml", "requests": 2e3}
        kept = await one.answer("simulate", **given, output="kept")
        assert kept["verdict"]["sentence"] == UNJUDGED
        assert kept["figures"]["requests"] == 2000
        assert kept["figures"]["first_event_s"]["mean"] > 10e-3
        assert "gpu" in kept["figures"]["token_servers"]
        answer = await one.answer("explain", result="kept")
        assert answer["verdict"]["sentence"].startswith("a server of tokens fits")
        # A response's mean gap is exactly the step's time, since nothing else takes time.
        assert answer["figures"]["step_time_s"] == pytest.approx(10e-3, rel=0.05)
        assert answer["tables"][0]["rows"][0][0] == "first token: measured"
        stations = await one.answer("explain", result="kept", demand="exp(500ms)")
        assert "server of tokens" not in stations["verdict"]["sentence"]

    files = {"tokens": TOKENS, "token-server": TOKEN_SERVER}
    talk(folder_of(tmp_path, **files), say)


def test_what_a_sweep_and_a_search_find_is_kept(tmp_path: Path) -> None:
    async def say(one: Assistant) -> None:
        given = {"workload": "open.toml", "system": "server.toml", "requests": 20_000}
        swept = await one.answer("sweep", **given, vary=["load=0.3,0.6"])
        assert [row[0] for row in swept["tables"][0]["rows"]] == ["0.3", "0.6"]
        assert Path(swept["files"]["page"]).exists()
        found = await one.answer("capacity", **given, output="found")
        low, high = found["figures"]["ci95"]
        assert low <= found["figures"]["value"] <= high
        assert found["figures"]["unit"] == "/s"
        assert (tmp_path / "found" / "capacity.json").exists()

    talk(folder_of(tmp_path), say)


def test_a_run_goes_to_an_allowed_target(tmp_path: Path) -> None:
    def reply(_: Received) -> Answer:
        return Answer("as you like")

    async def say(one: Assistant) -> dict[str, Any]:
        return await one.answer("run", workload="open.toml", target=target, duration="2s")

    with answer_server(reply) as (target, seen):
        found = talk(folder_of(tmp_path), say, target)
    assert found["figures"]["requests"] == len(seen) > 0
    assert found["figures"]["kind"] == "run"


def test_a_log_is_learned_and_simulated(tmp_path: Path) -> None:
    line = '10.0.{}.{} - - [01/Mar/2024:10:{:02}:{:02} +0000] "GET /p{} HTTP/1.1" 200 512 "-" "a"\n'
    visits = [(n % 7, n % 200, n // 60 % 60, n % 60, n % 9) for n in range(3000)]
    lines = [line.format(*one) for one in sorted(visits, key=lambda one: one[2:4])]
    (folder_of(tmp_path) / "site.log").write_text("".join(lines), "utf-8")

    async def say(one: Assistant) -> None:
        learned = await one.answer("learn", logs=["*.log"], output="site", demand="exp(2ms)")
        assert learned["figures"]["requests"] == 3000
        assert set(learned["files"]) == {"workload", "system", "page"}
        given = {"workload": "site.toml", "system": "site.system.toml", "scale": 2.0}
        found = await one.answer("simulate", **given, requests=5000)
        assert found["figures"]["requests"] == 5000

    talk(tmp_path, say)


def test_files_are_checked_and_shown(tmp_path: Path) -> None:
    async def say(one: Assistant) -> None:
        found = await one.answer("validate", workload="open.toml", system="server.toml")
        assert found["figures"]["objectives"] == {"p99": "500ms"}
        shown = await one.answer("show", system="server.toml")
        assert shown["figures"]["system"]["station"][0]["servers"] == 1
        words = await one.refusal("validate", workload="wrong.toml")
        assert "wrong.toml:7" in words
        assert "rat" in words
        assert "give a `workload`" in await one.refusal("show")

    talk(folder_of(tmp_path, wrong=OPEN.replace("rate", "rat")), say)


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("what does lateness mean for a result?", "statistics.md"),
        ("What does the learned model check doubt?", "validity.md"),
        ("import a HAR file", "import.md"),
        ("geometric number of requests per session", "workload-file.md"),
    ],
)
def test_the_docs_answer_questions(question: str, page: str) -> None:
    assert page in [one.page for one in passages(question)]


@pytest.mark.parametrize("question", ["", "the of and", "qqzzxx \U000e0041 ☃"])
def test_what_no_page_says_is_not_found(question: str) -> None:
    assert passages(question) == []


def test_the_package_has_every_page_of_the_docs() -> None:
    """A wheel has copies of what these links lead to."""
    assert {path.name for path in PAGES.iterdir()} == {
        *(path.name for path in DOCS.glob("*.md") if not made(path)),
        SKILL.name,
    }
    for path in PAGES.iterdir():
        assert path.is_symlink()
        assert path.resolve().is_relative_to(DOCS)


def made(path: Path) -> bool:
    """Whether git ignores a page, because `make site` makes it."""
    return path.name in ("commands.md", "keys.md", "python-reference.md")


def test_the_skill_names_tools_that_exist() -> None:
    head, _, text = SKILL.read_text("utf-8").removeprefix("---\n").partition("---\n")
    assert "name: plan-a-load-test\n" in head
    assert all(f"`{name}`" in text for name in tools() if name != "report")


def test_without_the_sdk_the_command_says_how_to_install_it(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from thinktime.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'thinktime[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--allow", "127.0.0.1:8080"], "is no plain address: write SCHEME://HOST:PORT"),
        (["--allow", "http://a@b@c"], "is no plain address"),
        (["--directory", "nowhere"], "there is no folder"),
    ],
)
def test_a_wrong_start_has_status_2(tmp_path: Path, words: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from thinktime.cli import main; main()", "mcp", *words],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
