"""Traces of inference in the columns of those that are public, against a second implementation."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars
import pytest
from reference_tokens import Asked, Server, serve

import thinktime as tt

SERVER = Server(step=9_000_000, request=400_000, prompt_token=20_000, batch=8, chunk=256)
SYSTEM = (
    'name = "s"\n[[token_server]]\nname = "gpu"\nstep_time = "9ms"\nrequest_time = "400us"\n'
    'prompt_token_time = "20us"\nmax_batch = 8\nprefill_chunk = 256\n'
)


@dataclass(frozen=True)
class Row:
    """A request of a trace; its time is in milliseconds."""

    at: int
    prompt: int
    output: int


def rows(seed: int) -> list[Row]:
    draw, at = random.Random(seed), 0
    found = []
    for _ in range(60):
        found.append(Row(at, draw.randint(1, 900), draw.randint(1, 60)))
        at += draw.randint(1, 400)
    return found


def azure(trace: list[Row]) -> str:
    begin = datetime(2023, 11, 16, 23, 59, 55, tzinfo=UTC)
    lines = [
        f"{begin + timedelta(milliseconds=one.at):%Y-%m-%d %H:%M:%S.%f}0,{one.prompt},{one.output}"
        for one in trace
    ]
    return "\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *lines])


def burst(trace: list[Row]) -> str:
    lines = [f"{one.at / 1e3},ChatGPT,{one.prompt},{one.output},0,log" for one in trace]
    head = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
    return "\n".join([head, *lines])


def mooncake(trace: list[Row]) -> str:
    return "".join(
        json.dumps(
            {
                "timestamp": one.at,
                "input_length": one.prompt,
                "output_length": one.output,
                "hash_ids": [1, 2],
            }
        )
        + "\n"
        for one in trace
    )


@pytest.mark.parametrize(
    ("kind", "time", "prompt", "output"),
    [
        (azure, "TIMESTAMP", "ContextTokens", "GeneratedTokens"),
        (burst, "Timestamp", "'Request tokens'", "'Response tokens'"),
        (mooncake, "timestamp, unit=ms", "input_length", "output_length"),
    ],
)
def test_a_trace_is_served_row_by_row(
    kind: Callable[[list[Row]], str], time: str, prompt: str, output: str, tmp_path: Path
) -> None:
    """A stamp of today is a double to 0.24 us, and no step is shorter than 9 ms."""
    trace = rows(seed=5)
    (tmp_path / "trace.csv").write_text(kind(trace))
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[arrivals]\nmodel = "open"\n'
        f'process = "trace(trace.csv, column={time})"\n'
        '[[request]]\nname = "ask"\nstream = "sse"\n[request.tokens]\n'
        f'prompt = "trace(trace.csv, column={prompt})"\n'
        f'output = "trace(trace.csv, column={output})"\n'
    )
    tt.simulate(
        tmp_path / "w.toml", tt.System(SYSTEM), warmup=0, rows="all", output=tmp_path / "result"
    )
    found = polars.read_parquet(tmp_path / "result" / "requests.parquet").sort("scheduled_ns")
    at = found["scheduled_ns"].to_list()
    assert [time - at[0] for time in at] == pytest.approx([1e6 * one.at for one in trace], abs=1000)
    asked = [Asked(due, one.prompt, one.output) for due, one in zip(at, trace, strict=True)]
    serve(SERVER, asked)
    assert found["events"].to_list() == [one.output for one in trace]
    assert found["first_byte_ns"].to_list() == [one.given[0] for one in asked]
    assert found["done_ns"].to_list() == [one.given[-1] for one in asked]


def test_a_trace_of_tokens_has_no_begin() -> None:
    with pytest.raises(tt.InputError, match="a trace of tokens has no `begin` and no `unit`"):
        tt.Workload(
            'name = "w"\n[arrivals]\nmodel = "open"\nrate = 1\n[[request]]\nname = "r"\n'
            'tokens = { prompt = "trace(a.csv, begin=0s)", output = 1 }'
        )
