"""The server of tokens that fits a result whose responses report their tokens.

The mean time between two tokens of a response is that of the steps under way meanwhile:

    step_time + request_time * requests in the step + prompt_token_time * tokens of prompts read

The number of requests and the tokens of prompts follow from the rows, so that the three times are
found by least squares, none below 0. Pieces of prompts, and the number of places in the batch, are
those of a few whose simulation of the same arrivals and tokens has the nearest first tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import InputError
from thinktime.explain.token_steps import GAPS_MIN, Responses, rows_of, step_times
from thinktime.explain.visits import FAILED_MAX
from thinktime.inputs.dicts import toml_of
from thinktime.operations import simulate
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.results.result import Result

REQUESTS_MIN = 100
"""Fewer requests do not tell three times."""

REQUESTS_MAX = 20_000
"""If there are more requests, the first ones are used."""

OFF_MAX = 0.1
"""A mean of the model may be off by this share."""

STEP_MIN_S = 1e-6
"""No step of a language model is shorter."""

CHUNKS = (None, 128, 256, 512, 1024, 2048, 4096, 8192)
"""The pieces of prompts that are tried."""

FIGURES = {
    "first_token_s": "first token",
    "mean_gap_s": "mean between tokens",
    "response_s": "response",
}
"""The times that are compared: from sending to the first token, between the tokens of a response on
average, and of whole responses."""

_OF_STATIONS = ("demand", "log", "low_load", "scale")
"""Arguments of `explain_result` that are about stations."""

_SHARES = {"p50": 0.5, "p99": 0.99}

Numbers = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TokenServerFit:
    """A server of tokens that was found in a result. Times are in seconds."""

    step_time_s: float
    request_time_s: float
    prompt_token_time_s: float
    max_batch: int
    """The places of the batch; a server that was never full may have more."""

    prefill_chunk: int | None
    """The pieces in which prompts are read; None if they are read whole."""

    measured: Mapping[str, Mapping[str, float]]
    """Mean, p50 and p99 of the times of `FIGURES`."""

    modelled: Mapping[str, Mapping[str, float]]
    """The same, of the same arrivals and tokens on the model."""

    @property
    def model(self) -> dict[str, Any]:
        """The system of the model."""
        keys: dict[str, Any] = {
            "name": "gpu",
            "step_time": f"{self.step_time_s:.7g}s",
            "request_time": f"{self.request_time_s:.4g}s",
            "prompt_token_time": f"{self.prompt_token_time_s:.4g}s",
            "max_batch": self.max_batch,
        }
        if self.prefill_chunk is not None:
            keys["prefill_chunk"] = self.prefill_chunk
        return {"name": "a server of tokens, fitted", "token_server": [keys]}

    @property
    def system(self) -> str:
        """The model as a system file."""
        return toml_of(self.model)

    @property
    def parts(self) -> list[tuple[str, Mapping[str, float], Mapping[str, float]]]:
        """The times by name, measured and on the model."""
        return [(words, self.measured[key], self.modelled[key]) for key, words in FIGURES.items()]

    @property
    def refusal(self) -> str | None:
        """Why it does not resemble the measurement; None if it does."""
        for words, measured, modelled in self.parts:
            real, found = measured["mean"], modelled["mean"]
            if not abs(found - real) <= OFF_MAX * real:
                return (
                    f"no server of tokens fits: the nearest one has a mean of "
                    f"{units.seconds(found)} ({words}), and {units.seconds(real)} was measured"
                )
        return None

    @property
    def sentence(self) -> str:
        """The server in words, or the reason that none fits."""
        if self.refusal is not None:
            return self.refusal
        pieces = f", which it reads in pieces of {self.prefill_chunk}" if self.prefill_chunk else ""
        return (
            f"a server of tokens fits: a step takes {units.seconds(self.step_time_s)}, "
            f"{units.seconds(self.request_time_s)} more for each request in it, and "
            f"{units.seconds(self.prompt_token_time_s)} for each token of a prompt{pieces}; its "
            f"batch has {units.counted(self.max_batch, 'place')} or more"
        )

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return asdict(self) | {
            "sentence": self.sentence,
            "refused": self.refusal,
            "system": self.system,
        }


def has_tokens(result: Result) -> bool:
    """Whether its responses report their tokens."""
    return result.summary.get("output_tokens") is not None


def is_of_tokens(result: Result, given: Mapping[str, Any]) -> bool:
    """Whether `explain` looks for a server of tokens: unless an argument is about stations.

    Args:
        result: The result that is explained.
        given: The further arguments of `explain_result`, by name.
    """
    return has_tokens(result) and not any(given.get(name) for name in _OF_STATIONS)


def token_server_of(result: Result, requests_max: int = REQUESTS_MAX) -> TokenServerFit:
    """Find the server of tokens of a result.

    Args:
        result: A run or a simulation with all its rows, whose responses report their tokens.
        requests_max: If there are more requests, the first ones are used.

    Raises:
        InputError: if the result is not to be trusted, rows were not kept or are too few, requests
            failed or were tried again, or responses do not report their tokens.
    """
    where = result.path or "the result"
    if result.untrusted:
        raise InputError(f"{where}: it is not to be trusted: {result.untrusted}")
    responses = Responses(rows_of(result, requests_max))
    if refusal := _refusal(result, responses):
        raise InputError(f"{where}: {refusal}")
    step_s, request_s, prompt_token_s = step_times(responses)
    if step_s + request_s < STEP_MIN_S:
        raise InputError(
            f"{where}: the tokens of a response came together, so that no step can be seen: is "
            "there a proxy that collects them?"
        )
    bare = TokenServerFit(
        step_time_s=step_s, request_time_s=request_s, prompt_token_time_s=prompt_token_s,
        max_batch=1, prefill_chunk=None, measured=_figures(responses.rows), modelled={},
    )  # fmt: skip
    longest = responses.column("prompt").max()
    chunks = [chunk for chunk in CHUNKS if chunk is None or chunk < longest]
    # Those whose prompts are read have places too, and those in the line have none.
    places = {responses.running_max("first"), responses.running_max("sent")}
    tried = [replace(bare, max_batch=n, prefill_chunk=c) for n, c in product(places, chunks)]
    fits = [replace(one, modelled=_figures(_simulated(responses, one.model))) for one in tried]
    return min(fits, key=_distance)


def _refusal(result: Result, responses: Responses) -> str | None:
    """Why rows do not show the steps of a server; None if they may."""
    summary = result.summary
    many, errors = summary.get("requests") or 0, summary.get("errors") or 0
    if errors > FAILED_MAX * many:
        return f"{errors:,} of {many:,} requests failed: explain a run without failures"
    if summary.get("retries"):
        return "requests were tried again: explain a run without retries"
    known = responses.rows.drop_nulls()
    for name, words in (("prompt", "prompts"), ("output", "responses")):
        if responses.rows[name].null_count() > FAILED_MAX * len(responses.rows):
            names = responses.rows.filter(pl.col(name).is_null())["name"].unique().sort()
            of = units.listed([f"`{one}`" for one in names])
            ask = "ask for them by `stream_options = { include_usage = true }`"
            return f"the tokens of {words} are not in all responses to {of}: {ask}"
    few = int((known["output"] > GAPS_MIN).sum())
    if few < REQUESTS_MIN:
        return (
            f"{units.counted(few, 'response')} had more than {GAPS_MIN} tokens, and "
            f"{REQUESTS_MIN} are needed: run it for longer"
        )
    return None


def _simulated(responses: Responses, system: dict[str, Any]) -> pl.DataFrame:
    """The same arrivals and tokens on a model."""
    with TemporaryDirectory(prefix="thinktime-") as place:
        trace = Path(place) / "rows.csv"
        responses.known.select("sent", "prompt", "output").write_csv(trace)
        of = {name: f"trace({trace}, column={name})" for name in ("sent", "prompt", "output")}
        tokens = {name: of[name] for name in ("prompt", "output")}
        workload = {
            "name": "replay",
            "arrivals": {"model": "open", "process": of["sent"]},
            "request": [{"name": "ask", "stream": "sse", "tokens": tokens}],
        }
        # With a duration, a server that is too slow is no error.
        span_s = 2 * float(responses.column("sent").max()) + 1
        result = simulate(workload, system, duration=span_s, warmup=0, rows="all")
        return rows_of(result, len(responses.known))


def _figures(rows: pl.DataFrame) -> dict[str, dict[str, float]]:
    rows = rows.drop_nulls()
    several = rows.filter(pl.col("output") > 1)
    times = {
        "first_token_s": rows["first"] - rows["sent"],
        "mean_gap_s": (several["last"] - several["first"]) / (several["output"] - 1),
        "response_s": rows["last"] - rows["sent"],
    }

    def figures(values: Numbers) -> dict[str, float]:
        quantiles = {name: float(np.quantile(values, share)) for name, share in _SHARES.items()}
        return {"mean": float(values.mean())} | quantiles

    return {name: figures(values.to_numpy()) for name, values in times.items()}


def _distance(found: TokenServerFit) -> float:
    """How far the model's first tokens are from the measured ones, in logarithms."""
    real, ours = found.measured["first_token_s"], found.modelled["first_token_s"]
    return sum(abs(float(np.log(ours[name] / real[name]))) for name in ("mean", "p50", "p99"))
