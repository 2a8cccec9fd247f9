"""EEVDF, request by request, against a second implementation (`reference_eevdf.py`)."""

from __future__ import annotations

import polars as pl
import pytest
import reference_eevdf
from reference_eevdf import Step

import thinktime as tt

MS = 1_000_000
STEPS: dict[str, list[Step]] = {
    "short": [("use", 1_100_001)],
    "long": [("use", 7_000_003)],
    "pauses": [("use", 2_000_007), ("sleep", 3_000_011), ("use", 2_000_007)],
}
WORKLOAD = """
name = "w"
[arrivals]
model = "open"
rate  = "270/s"
[[request]]
name   = "short"
weight = 5
[[request]]
name   = "long"
weight = 2
[[request]]
name   = "pauses"
weight = 3
"""


def system(slice_us: int, tick_ms: int | None, threads: int | None) -> tt.System:
    tick = "false" if tick_ms is None else f'"{tick_ms}ms"'
    demands = "".join(f'demand.{name} = "{steps[0][1]}ns"\n' for name, steps in STEPS.items())
    pause = f'{{ delay = "{STEPS["pauses"][1][1]}ns" }}'
    text = f"""
name = "s"
[[machine]]
name    = "m"
os      = "linux-eevdf"
threads = {threads or '"per-request"'}
scheduler.time_sharing = {{ scaled_by_cores = false, slice = "{slice_us}us", tick = {tick} }}
{demands}
[[behaviour]]
request = "pauses"
steps   = [{{ use = "m" }}, {pause}, {{ use = "m" }}]
"""
    return tt.System(text)


@pytest.mark.parametrize("threads", [None, 6])
@pytest.mark.parametrize(
    ("slice_us", "tick_ms"), [(1400, 4), (700, 1), (3000, 4), (9000, 4), (3000, None)]
)
def test_each_request_ends_at_the_very_nanosecond(
    slice_us: int, tick_ms: int | None, threads: int | None
) -> None:
    for seed in range(1, 4):
        workload = tt.Workload(WORKLOAD).with_seed(seed)
        result = tt.simulate(
            workload, system(slice_us, tick_ms, threads), requests=1500, warmup=0, rows="all"
        )
        rows = pl.DataFrame(result.requests).sort("scheduled_ns")
        arrivals = list(zip(rows["scheduled_ns"], rows["name"], strict=True))
        tick_ns = None if tick_ms is None else tick_ms * MS
        core = reference_eevdf.Core(slice_us * 1000, tick_ns, threads)
        expected = core.run([(at, STEPS[name]) for at, name in arrivals])
        differing = [
            (row, at, want, got)
            for row, ((at, _), want, got) in enumerate(
                zip(arrivals, expected, rows["done_ns"], strict=True)
            )
            if want != got
        ]
        assert not differing, (seed, len(differing), differing[:3])
