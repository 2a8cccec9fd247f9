"""Arguments of public functions are checked against their signatures: wrong ones are explained."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import numpy as np
import pytest

import thinktime as tt
from thinktime.inputs.arguments import checked

SYSTEM = cases.system(("fcfs", "exp(10ms)"))
NO_TARGET = "http://127.0.0.1:1"


class Nothing:
    """Values that no function accepts."""


WRONG = [Nothing(), 3.5, [1], {}, {1}, b"x", -1, 2**70, True, float("nan")]
RIGHT: dict[str, dict[str, Any]] = {
    "again": {"result": "nowhere"},
    "capacity": {"workload": "nowhere", "system": SYSTEM},
    "collect": {"result": "nowhere"},
    "difference": {"first": "no result", "second": "no result"},
    "recover": {"path": "nowhere"},
    "report": {"results": "no result"},
    "run": {"workload": "nowhere", "target": NO_TARGET},
    "schema": {"kind": "nothing"},
    "serve": {"system": "nowhere"},
    "simulate": {"workload": "nowhere", "system": SYSTEM},
    "sweep": {"workload": "nowhere", "system": SYSTEM, "vary": ["load=0.5"]},
    "switch": {"system": "nowhere", "servers": [NO_TARGET]},
    "trace_id": {"seed": -1, "session": 1, "request": 1},
    "traceparent": {"seed": -1, "session": 1, "request": 1},
    "traces": {"result": "no result"},
}
"""Arguments with which each raises an error at once, whatever the others are."""

FUNCTIONS = [name for name in tt.__all__ if name.islower() and not name.startswith("_")]


def test_every_function_is_looked_at() -> None:
    assert sorted(RIGHT) == FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_arguments_are_wrong_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(tt, name)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        for wrong in WRONG:
            with pytest.raises(tt.InputError):
                function(**RIGHT[name] | {parameter.name: wrong})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tt.traces("results"), r'result: must be a Result, not "results": .*Result\.load'),
        (lambda: tt.difference(1, 2), "first: must be a Result, not 1"),
        (lambda: tt.report([3]), r"results\[1\]: must be a Result, not 3"),
        (lambda: tt.recover(b"there"), "path: must be a text or a path, not bytes"),
        (lambda: tt.Result(3), "outcome: must be a ResultData, not 3"),
        (lambda: tt.Result.load(None), "path: must be a text or a path, not None"),
        (lambda: tt.trace_id(1, 1, 2**32), "request: must be a whole number from 0 to 4294967295"),
        (lambda: tt.traceparent(1, 1, 1, 0), "attempt: must be a whole number from 1 to"),
        (lambda: tt.run({}, NO_TARGET, sources="127.0.0.2"), "sources: must be a list, not"),
        (lambda: tt.run({}, NO_TARGET, resolve=["a", 3]), r"resolve\[2\]: must be a text, not 3"),
        (lambda: tt.run({}, NO_TARGET, progress=3), "progress: must be a function, not 3"),
        (lambda: tt.simulate({}, {}, load="high"), 'load: must be a number, not "high"'),
        (lambda: tt.serve(SYSTEM, cores=[0, "b"]), r"cores\[2\]: must be a whole number"),
        (lambda: tt.sweep(cases.open_model(80), SYSTEM, [3]), "`vary` is a list of texts"),
        (lambda: tt.schema(3), "kind: must be a text, not 3"),
        (lambda: tt.simulate({}, {}, seed=-1), "seed: must be a whole number, 0 or more, not -1"),
        (lambda: tt.simulate({}, {}, seed=2**63), "seed: must be .* from 0 to 9223372036854775807"),
        (lambda: tt.simulate({}, {}, precision=[1]), "precision: must be a number or a text, not"),
        (lambda: tt.simulate("\ud800", {}), "workload: holds bytes that are no text in UTF-8"),
        (lambda: tt.simulate({}, {}, output="\ud800"), "output: holds bytes that are no text in"),
        (lambda: tt.Result.load("\ud800"), "path: holds bytes that are no text in UTF-8"),
    ],
)
def test_the_message_says_what_would_be_right(call: Callable[[], object], words: str) -> None:
    with pytest.raises(tt.InputError, match=words):
        call()


def test_what_is_done_again_has_options() -> None:
    done = tt.simulate(cases.open_model(80), SYSTEM, requests=100)
    with pytest.raises(tt.InputError, match=r"`demand` is no option of `simulate`.*: there are"):
        tt.again(done, demand=3)
    assert tt.again(done, requests=50, label="less").summary["requests"] == 50


def test_numbers_of_numpy_and_none_are_what_they_stand_for() -> None:
    assert tt.trace_id(np.uint64(7), np.int32(1), 2) == tt.trace_id(7, 1, 2)
    workload = cases.open_model(80)
    one = tt.simulate(workload, SYSTEM, load=np.float32(0.5), requests=np.int64(1_000), label=None)
    assert one.summary["requests"] == 1_000


def test_what_is_missing_or_too_much_is_said_by_python() -> None:
    @checked
    def two(first: int, second: int = 1) -> int:
        return first + second

    assert two(1) == 2
    with pytest.raises(TypeError, match="missing 1 required"):
        two()  # type: ignore[call-arg] # wrong on purpose
    with pytest.raises(TypeError, match="unexpected keyword"):
        two(1, third=2)  # type: ignore[call-arg] # wrong on purpose
