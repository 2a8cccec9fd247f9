"""The server of tokens that fits a result whose responses report their tokens.

The mean time between two tokens of a response is that of the steps under way meanwhile:

    step_time + request_time * requests in the step + prompt_token_time * tokens of prompts read

The number of requests and the tokens of prompts follow from the rows, so that the three times are
found by least squares, none below 0. Pieces of prompts, and places of the batch, are those whose
simulation of the same arrivals and tokens has the nearest first tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime import InputError
from thinktime.inputs.dicts import toml_of
from thinktime.operations import simulate
from thinktime.present import units

if TYPE_CHECKING:
    from thinktime.results.result import Result

REQUESTS_MIN = 100
"""Fewer requests do not tell three times."""

TOKENS_MIN = 5
"""The mean of fewer gaps says little of steps."""

OFF_MAX = 0.1
"""A mean of the model may be off by this share."""

CHUNKS = (None, 128, 256, 512, 1024, 2048, 4096, 8192)
"""The pieces of prompts that are tried."""

FIGURES = {
    "first_event_s": "first token",
    "event_gap_s": "between tokens",
    "response_s": "response",
}

_SHARES = {"p50": 0.5, "p99": 0.99}

Numbers = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TokenServerFit:
    """A server of tokens that was found in a result. Times are in seconds."""

    step_time_s: float
    request_time_s: float
    prompt_token_time_s: float
    max_batch: int
    """The most requests that were in the batch together: it may have had more places."""

    prefill_chunk: int | None
    """The pieces in which prompts are read; None if they are read whole."""

    measured: Mapping[str, Mapping[str, float]]
    """Mean, p50 and p99 of the time to the first token, between tokens, and of responses."""

    modelled: Mapping[str, Mapping[str, float]]
    """The same, of the same arrivals and tokens on the model."""

    @property
    def system(self) -> str:
        """The model as a system file."""
        keys: dict[str, Any] = {
            "name": "gpu",
            "step_time": f"{self.step_time_s:.7g}s",
            "request_time": f"{self.request_time_s:.4g}s",
            "prompt_token_time": f"{self.prompt_token_time_s:.4g}s",
            "max_batch": self.max_batch,
        }
        if self.prefill_chunk is not None:
            keys["prefill_chunk"] = self.prefill_chunk
        return toml_of({"name": "a server of tokens, fitted", "token_server": [keys]})

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
        """The server in words, or why there is none."""
        if self.refusal is not None:
            return self.refusal
        pieces = f", which it reads in pieces of {self.prefill_chunk}" if self.prefill_chunk else ""
        return (
            f"a server of tokens fits: a step takes {units.seconds(self.step_time_s)}, "
            f"{units.seconds(self.request_time_s)} more for each request in it, and "
            f"{units.seconds(self.prompt_token_time_s)} for each token of a prompt{pieces}; up to "
            f"{units.counted(self.max_batch, 'request')} were in a step"
        )

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return asdict(self) | {
            "sentence": self.sentence,
            "refused": self.refusal is not None,
            "system": self.system,
        }


def has_tokens(result: Result) -> bool:
    """Whether its responses report their tokens."""
    return result.summary.get("output_tokens") is not None


def token_server_of(result: Result) -> TokenServerFit:
    """Find the server of tokens of a result.

    Args:
        result: A run or a simulation with all its rows, whose responses report their tokens.

    Raises:
        InputError: if rows were not kept, or those that have tokens are too few.
    """
    if result.requests is None:
        raise InputError("rows were not kept: run it anew with --rows all")
    seen = _Seen(pl.DataFrame(result.requests))
    if len(seen.rows) < REQUESTS_MIN:
        raise InputError(
            f"{units.counted(len(seen.rows), 'response')} reported their tokens, and "
            f"{REQUESTS_MIN} are needed: run it for longer"
        )
    step_s, request_s, prompt_token_s = _times(seen)
    measured = _figures(seen.rows)

    def fit(chunk: int | None) -> TokenServerFit:
        found = TokenServerFit(
            step_time_s=step_s, request_time_s=request_s, prompt_token_time_s=prompt_token_s,
            max_batch=seen.running_max, prefill_chunk=chunk, measured=measured, modelled={},
        )  # fmt: skip
        modelled = _figures(_simulated(seen, found.system))
        return TokenServerFit(**{**found.__dict__, "modelled": modelled})

    return min((fit(chunk) for chunk in _chunks(seen)), key=_distance)


@dataclass(frozen=True)
class _Seen:
    """The answered requests of a result, in the order of their sending. Times are in seconds."""

    all_rows: pl.DataFrame

    @cached_property
    def rows(self) -> pl.DataFrame:
        times = self.all_rows.filter(
            pl.col("error").is_null() & pl.col("output_tokens").is_not_null()
        ).select(
            sent=pl.col("sent_ns") * 1e-9,
            first=pl.col("first_event_s") + pl.col("scheduled_ns") * 1e-9,
            last=pl.col("done_ns") * 1e-9,
            prompt=pl.col("prompt_tokens").fill_null(1),
            output=pl.col("output_tokens"),
        )
        return times.sort("sent")

    def column(self, name: str) -> Numbers:
        return self.rows[name].cast(pl.Float64).to_numpy()

    @cached_property
    def _levels(self) -> tuple[Numbers, Numbers]:
        """The times at which a response began or ended, and how many were under way from then."""
        first, last = self.column("first"), self.column("last")
        at = np.concatenate([first, last])
        change = np.concatenate([np.ones(len(first)), -np.ones(len(last))])
        order = np.lexsort((change, at))
        return at[order], np.cumsum(change[order])

    @property
    def running_max(self) -> int:
        return max(1, int(self._levels[1].max()))

    def running_mean(self) -> Numbers:
        """The mean number of responses under way, from the first token of each to its last."""
        at, level = self._levels
        area = np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(at))])

        def until(time: Numbers) -> Numbers:
            place = np.searchsorted(at, time, side="right") - 1
            return np.asarray(area[place] + level[place] * (time - at[place]))

        first, last = self.column("first"), self.column("last")
        return (until(last) - until(first)) / np.maximum(last - first, 1e-12)

    def prompts_meanwhile(self) -> Numbers:
        """The tokens of prompts that were read between the first token of each and its last."""
        order = np.argsort(self.column("first"))
        first = self.column("first")[order]
        total = np.concatenate([[0.0], np.cumsum(self.column("prompt")[order])])

        def until(time: Numbers) -> Numbers:
            return total[np.searchsorted(first, time, side="right")]

        return until(self.column("last")) - until(self.column("first"))


def _times(seen: _Seen) -> tuple[float, float, float]:
    """Of a step, of each request in it, and of each token of a prompt that it reads."""
    from scipy.optimize import nnls

    gaps = seen.column("output") - 1
    use = gaps >= TOKENS_MIN
    if use.sum() < REQUESTS_MIN:
        raise InputError(
            f"{units.counted(int(use.sum()), 'response')} had more than {TOKENS_MIN} tokens, and "
            f"{REQUESTS_MIN} are needed: run it for longer"
        )
    gaps = gaps[use]
    mean = (seen.column("last") - seen.column("first"))[use] / gaps
    causes = np.column_stack(
        [np.ones_like(gaps), seen.running_mean()[use], seen.prompts_meanwhile()[use] / gaps]
    )
    # A mean of more gaps is known better.
    weight = np.sqrt(gaps)
    found, _ = nnls(causes * weight[:, None], mean * weight)
    return float(found[0]), float(found[1]), float(found[2])


def _chunks(seen: _Seen) -> Iterator[int | None]:
    longest = seen.column("prompt").max()
    return (chunk for chunk in CHUNKS if chunk is None or chunk < longest)


def _simulated(seen: _Seen, system: str) -> pl.DataFrame:
    """The same arrivals and tokens on a model."""
    import thinktime as tt

    with TemporaryDirectory(prefix="thinktime-") as place:
        trace = Path(place) / "rows.csv"
        seen.rows.select("sent", "prompt", "output").write_csv(trace)
        column = {name: f"trace({trace}, column={name})" for name in ("sent", "prompt", "output")}
        workload = {
            "name": "replay",
            "arrivals": {"model": "open", "process": column["sent"]},
            "request": [
                {
                    "name": "ask",
                    "stream": "sse",
                    "tokens": {name: column[name] for name in ("prompt", "output")},
                }
            ],
        }
        result = simulate(workload, tt.System(system), warmup=0, rows="all")
        assert result.requests is not None
        return _Seen(pl.DataFrame(result.requests)).rows


def _figures(rows: pl.DataFrame) -> dict[str, dict[str, float]]:
    several = rows.filter(pl.col("output") > 1)
    times = {
        "first_event_s": rows["first"] - rows["sent"],
        "event_gap_s": (several["last"] - several["first"]) / (several["output"] - 1),
        "response_s": rows["last"] - rows["sent"],
    }

    def figures(values: Numbers) -> dict[str, float]:
        quantiles = {name: float(np.quantile(values, share)) for name, share in _SHARES.items()}
        return {"mean": float(values.mean())} | quantiles

    return {name: figures(values.to_numpy()) for name, values in times.items()}


def _distance(found: TokenServerFit) -> float:
    """How far the model's first tokens are from the measured ones, in logarithms."""
    real, ours = found.measured["first_event_s"], found.modelled["first_event_s"]
    return sum(abs(float(np.log(ours[name] / real[name]))) for name in ("mean", "p50", "p99"))
