"""The study of token servers, in small: each way at one load, and what must hold among them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import thinktime as tt

STUDY = Path(__file__).resolve().parents[2] / "studies" / "token-servers"


@pytest.mark.study("token-servers")
def test_each_way_reports_its_own_of_one_server(tmp_path: Path) -> None:
    command = [sys.executable, str(STUDY / "study.py"), "--quick", "--to", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    found = {one["way"]: one for one in json.loads((tmp_path / "results.json").read_text())}
    closed, reported = found["closed"], found["rate and limit, as reported"]
    due = found["rate and limit, from due"]
    # Of the same requests, those counted from when they were due wait longer by the line alone.
    assert due["response_mean"] == pytest.approx(
        reported["response_mean"] + reported["line_mean"], rel=1e-9
    )
    assert due["first_p99"] > reported["first_p99"]
    assert found["open"]["first_p99"] > closed["first_p99"]
    # All at one throughput: 4,000 requests tell a rate to 1.6 %, and four times that is allowed.
    for one in found.values():
        assert one["throughput"] == pytest.approx(closed["throughput"], rel=0.065)


def test_the_page_shows_the_results() -> None:
    sys.path.insert(0, str(STUDY))
    import study
    import ways

    found = [ways.Seen(**one) for one in json.loads((STUDY / "results.json").read_text())]
    assert "\n".join(study.lines(found)) in study.PAGE.read_text("utf-8")


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The modules of the study with a real server; other studies may have some of these names."""
    before = dict(sys.modules)
    monkeypatch.syspath_prepend(str(STUDY.parent))
    monkeypatch.syspath_prepend(str(STUDY))
    names = ("ways", "real_server", "real_ways", "real_tables", "real", "vocabulary", "listening")
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    for name in sys.modules.keys() - before.keys():
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(STUDY.parent):
            del sys.modules[name]


KNOWN = (
    'name = "s"\n[[token_server]]\nname = "gpu"\nmax_batch = 8\nstep_time = "0.5ms"\n'
    'request_time = "250us"\nprompt_token_time = "200us"\n'
)


@pytest.mark.study("token-servers")
def test_a_known_server_is_predicted(
    parts: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A modelled server in place of the real one: all figures follow from the seeds."""

    def ask(self: Any, workload: dict[str, Any], seed: int) -> tt.Result:
        return tt.simulate(workload, tt.System(KNOWN), seed=seed, rows="all", **self.length.run)

    monkeypatch.setattr(parts.real.Asking, "__call__", ask)
    arguments = ["real.py", "--small", "--url", "http://127.0.0.1:9", "--to", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", arguments)
    assert parts.real.main() == 0
    whole = json.loads((tmp_path / "real.json").read_text())
    assert "\n".join(parts.real_tables.lines(whole)) in (tmp_path / "real.md").read_text()
    found = {(one["way"], one["figure"]): one for one in whole["ways"]}
    assert len(found) == 30
    for (way, figure), one in found.items():
        # Of the same arrivals and tokens; the fit's times are within 15 % (docs/explain.md).
        if way in ("open", "rate and limit, as reported") and not figure.endswith("p99"):
            assert one["predicted"] == pytest.approx(one["measured"], rel=0.2)
    due, reported = ("rate and limit, from due", "rate and limit, as reported")
    assert found[due, "first_mean"]["measured"] > found[reported, "first_mean"]["measured"]


def test_a_server_of_openai_s_interface_is_asked_with_the_laws(
    parts: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "system.toml").write_text(KNOWN)
    open_model = parts.real_ways.asked(parts.ways.open_model(100))
    with parts.listening.listening(["serve", str(tmp_path / "system.toml")]) as (server,):
        result = tt.run(open_model, server.url, requests=40, rows="all", seed=3)
    assert result.summary["errors"] == 0
    assert len(parts.ways.rows_of(result)) == 40
    # The numbers of tokens are an event of their own.
    assert result.summary["events"] == result.summary["output_tokens"] + 40
    assert 10 * 40 < result.summary["prompt_tokens"] < 200 * 40


def test_a_python_without_llama_cpp_is_named_with_the_command(parts: SimpleNamespace) -> None:
    for python in ("/bin/false", "/nowhere/python"):
        with (
            pytest.raises(SystemExit, match=f"{python} has no llama.cpp(.|\n)*pip install xllama"),
            parts.real_server.llama(python, 8),
        ):
            pass


def test_the_model_knows_the_words_of_prompts(parts: SimpleNamespace) -> None:
    words = parts.vocabulary.words()
    assert len(set(words)) == len(words) == 128


def test_the_pages_show_the_real_results(parts: SimpleNamespace) -> None:
    whole = json.loads((STUDY / "real.json").read_text())
    assert "\n".join(parts.real_tables.lines(whole)) in (STUDY / "real.md").read_text("utf-8")
    page = STUDY.parents[1] / "docs" / "studies-token-servers.md"
    assert "\n".join(parts.real_tables.summary(whole)) in page.read_text("utf-8")
