"""The server of tokens that `explain` finds in rows, against the one that made them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.explain import token_steps
from thinktime.explain.token_server import token_server_of

WORKLOAD = (
    'name = "questions"\nseed = {seed}\n[arrivals]\nmodel = "open"\nrate = 1\n[[request]]\n'
    'name = "ask"\nstream = "sse"\n'
    'tokens = {{ prompt = "lognormal(mu={mu}, sigma=0.9)", output = "geometric({output})" }}\n'
)


def measured(seed: int, folder: Path, load: float, more: str = "") -> tuple[tt.Result, list[float]]:
    """A result of a random server of tokens, and the three times of its steps."""
    draw = random.Random(seed)
    times = [draw.uniform(4e-3, 30e-3), draw.uniform(50e-6, 400e-6), draw.uniform(5e-6, 60e-6)]
    keys = ("step_time", "request_time", "prompt_token_time")
    lines = [f'{key} = "{time:.9f}s"' for key, time in zip(keys, times, strict=True)]
    batch = draw.choice([8, 16, 64])
    system = f'name = "s"\n[[token_server]]\nname = "gpu"\nmax_batch = {batch}\n{more}'
    text = WORKLOAD.format(seed=seed, mu=draw.uniform(4, 6), output=draw.choice([30, 100, 200]))
    result = tt.simulate(
        tt.Workload(text), tt.System(system + "\n" + "\n".join(lines)), load=load,
        requests=3000, warmup=0, rows="all", output=folder / "result",
    )  # fmt: skip
    return result, times


@pytest.mark.parametrize("seed", range(6))
def test_the_times_of_steps_are_found(seed: int, tmp_path: Path) -> None:
    result, (step, request, prompt_token) = measured(seed, tmp_path, 0.7, "prefill_chunk = 512")
    found = token_server_of(result)
    assert found.refusal is None
    # Means over many steps lie beside a line by a few per cent: who joins, joins between steps.
    assert found.step_time_s == pytest.approx(step, rel=0.05)
    assert found.request_time_s == pytest.approx(request, rel=0.15)
    assert found.prompt_token_time_s == pytest.approx(prompt_token, rel=0.15, abs=1e-6)
    assert tt.System(found.system).name
    for _, real, model in found.parts:
        assert model["mean"] == pytest.approx(real["mean"], rel=0.1)


def test_prompts_that_are_read_whole_leave_the_times_as_they_are() -> None:
    """Steps with a prompt are 30 times as long here; by time they would weigh as many steps."""
    keys = {"step_time": "1ms", "request_time": "500us", "prompt_token_time": "400us"}
    system = {"name": "s", "token_server": [{"name": "gpu", "max_batch": 8, **keys}]}
    text = WORKLOAD.format(seed=2, mu=4, output=60)
    result = tt.simulate(
        tt.Workload(text), system, load=0.7, requests=2000, warmup=0, rows="all"
    )  # fmt: skip
    found = token_server_of(result)
    assert found.step_time_s == pytest.approx(1e-3, rel=0.05)
    assert found.request_time_s == pytest.approx(500e-6, rel=0.03)
    assert found.prompt_token_time_s == pytest.approx(400e-6, rel=0.03)


def test_requests_without_tokens_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    text = WORKLOAD.format(seed=2, mu=4, output=60)
    short = '[[request]]\nname = "short"\nstream = "sse"\ntokens = { prompt = 5, output = 5 }\n'
    system = {"name": "s", "token_server": [{"name": "gpu", "max_batch": 8, "step_time": "1ms"}]}
    result = tt.simulate(tt.Workload(text + short), system, requests=500, warmup=0, rows="all")

    def lacking(of: tt.Result, most: int) -> pl.DataFrame:
        known = pl.when(pl.col("name") != "short").then(pl.col("prompt"))
        return token_steps.rows_of(of, most).with_columns(prompt=known)

    monkeypatch.setattr("thinktime.explain.token_server.rows_of", lacking)
    with pytest.raises(tt.InputError, match="not in all responses to `short`: ask for them by"):
        token_server_of(result)


def test_the_command_shows_it_and_its_file_can_be_simulated(tmp_path: Path) -> None:
    measured(1, tmp_path, 0.6)
    shown = CliRunner().invoke(app, ["explain", str(tmp_path / "result")])
    assert shown.exit_code == 0, shown.output
    assert "a server of tokens fits: a step takes" in " ".join(shown.output.split())
    done = CliRunner().invoke(app, ["explain", str(tmp_path / "result"), "--json"])
    found = json.loads(done.stdout)
    assert not found["refused"]
    assert "token_server" in found["system"]


def test_a_server_that_preempts_is_refused(tmp_path: Path) -> None:
    """Preemptions for lack of memory follow from none of the three times."""
    result, _ = measured(3, tmp_path, 0.9, "memory = 1500")
    found = token_server_of(result)
    assert found.refusal is not None
    assert "no server of tokens fits" in found.sentence
    done = CliRunner().invoke(app, ["explain", str(tmp_path / "result")])
    assert done.exit_code == 3, done.output


def test_one_replication_is_looked_at(tmp_path: Path) -> None:
    text = WORKLOAD.format(seed=1, mu=4, output=30)
    folder = tmp_path / "result"
    tt.simulate(
        tt.Workload(text), tt.System(SMALL), requests=1500, warmup=0, rows="all",
        replications=3, output=folder,
    )  # fmt: skip
    found = token_server_of(tt.Result.load(folder))
    assert found.refusal is None
    assert found.step_time_s == pytest.approx(5e-3, rel=0.02)


SMALL = 'name = "s"\n[[token_server]]\nname = "gpu"\nmax_batch = 8\nstep_time = "5ms"\n'


@pytest.mark.parametrize(
    ("requests", "rows", "more", "message"),
    [
        (50, "all", "", "had more than 5 tokens, and 100 are needed: run it for longer"),
        (1500, "1/2", "", "all its rows are needed"),
        (1500, "all", 'timeout = "40ms"', "of 1,500 requests failed: explain a run without"),
        (1500, "all", 'timeout = "40ms"\nretry = { attempts = 3 }', "failed|tried again"),
    ],
)
def test_rows_that_do_not_show_steps_are_refused(
    requests: int, rows: str, more: str, message: str
) -> None:
    text = WORKLOAD.format(seed=1, mu=4, output=30) + more
    result = tt.simulate(
        tt.Workload(text), tt.System(SMALL), requests=requests, warmup=0, rows=rows
    )
    with pytest.raises(tt.InputError, match=message):
        token_server_of(result)


def test_tokens_that_come_together_show_no_steps(tmp_path: Path) -> None:
    """As behind a proxy that collects a response before it sends it on."""
    measured(1, tmp_path, 0.6)
    rows = pl.read_parquet(tmp_path / "result" / "requests.parquet")
    done = (pl.col("done_ns") - pl.col("scheduled_ns")) * 1e-9
    rows.with_columns(first_event_s=done).write_parquet(tmp_path / "result" / "requests.parquet")
    with pytest.raises(tt.InputError, match="came together"):
        token_server_of(tt.Result.load(tmp_path / "result"))
