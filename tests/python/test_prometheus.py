"""A real Prometheus scrapes a run while it runs: the dashboard's figures and native histograms."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from event_server import event_server, events
from live_commands import Watched
from ports import free_port

PROMETHEUS = shutil.which("prometheus")
pytestmark = pytest.mark.skipif(PROMETHEUS is None, reason="prometheus is not installed")

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 100
GAPS_S = (0.002, 0.001)
"""No request takes less than their sum."""
WORKLOAD = """name = "shop"
[arrivals]
model = "open"
rate = "80/s"
[[request]]
name = "good"
get = "/good"
weight = 9
stream = "sse"
[[request]]
name = "hasty"
get = "/hasty"
timeout = "1ms"
[slo]
p99 = "1s"
"""


@contextmanager
def scraped(folder: Path, *options: str) -> Iterator[str]:
    """A run that lasts until the end of the block, and the address of its scraper."""
    (folder / "w.toml").write_text(WORKLOAD)
    with event_server(lambda *_: events(*GAPS_S)) as url:
        command = ["run", "w.toml", "--target", url, "--duration", "200s"]
        with Watched([*command, "--live", "--metrics", "127.0.0.1:0"], folder) as watched:
            found = told(watched, r"metrics: http://(\S+)/metrics")
            with prometheus(folder, found, *options) as address:
                yield address
            watched.process.send_signal(signal.SIGINT)
            assert watched.ended() in (0, 1, 3, 130), watched.said


def told(watched: Watched, pattern: str) -> str:
    while True:
        if found := re.search(pattern, watched.said):
            return found[1]
        assert watched.process.poll() is None, watched.said
        time.sleep(0.05)


@contextmanager
def prometheus(folder: Path, target: str, *options: str) -> Iterator[str]:
    """It scrapes the target twice a second."""
    job = {"job_name": "runs", "static_configs": [{"targets": [target]}]}
    settings = {"global": {"scrape_interval": "500ms"}, "scrape_configs": [job]}
    (folder / "prometheus.yml").write_text(json.dumps(settings))  # which is YAML, too
    address = f"127.0.0.1:{free_port()}"
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [str(PROMETHEUS), "--config.file=prometheus.yml", "--storage.tsdb.path=data",
             f"--web.listen-address={address}", *options],
            cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield address
        finally:
            process.kill()
            process.wait()


def asked(address: str, expression: str, at_s: float | None = None) -> list[dict[str, Any]]:
    """The value of an expression, now or at a time; empty if Prometheus does not yet answer."""
    at = {} if at_s is None else {"time": at_s}
    query = urllib.parse.urlencode({"query": expression} | at)
    try:
        with urllib.request.urlopen(f"http://{address}/api/v1/query?{query}", timeout=60) as answer:
            found = json.load(answer)
    except OSError as error:
        if getattr(error, "code", 503) != 503:
            raise  # it does not understand the expression
        return []
    result: list[dict[str, Any]] = found["data"]["result"]
    return result


def awaited(address: str, expressions: set[str]) -> dict[str, list[dict[str, Any]]]:
    """The value of each, once all of them have one."""
    found: dict[str, list[dict[str, Any]]] = {}
    end = time.monotonic() + PATIENCE_S
    while left := expressions - found.keys():
        assert time.monotonic() < end, f"nothing came of {left}"
        for expression in left:
            if result := asked(address, expression):
                found[expression] = result
        time.sleep(0.2)
    return found


def value(result: list[dict[str, Any]]) -> float:
    (one,) = result
    return float(one["value"][1])


def test_all_that_the_dashboard_asks_for_is_there(tmp_path: Path) -> None:
    board = json.loads((ROOT / "examples" / "grafana-dashboard.json").read_text("utf-8"))
    expressions = {
        target["expr"].replace("$workload", "shop").replace("$__rate_interval", "5s")
        for panel in board["panels"]
        for target in panel["targets"]
    }
    assert len(expressions) >= 10
    with scraped(tmp_path) as address:
        found = awaited(address, expressions)
        outcomes = [one["metric"]["outcome"] for result in found.values() for one in result
                    if "outcome" in one["metric"]]  # fmt: skip
        kinds = {one["metric"]["kind"] for result in found.values() for one in result
                 if "kind" in one["metric"]}  # fmt: skip
        assert {"succeeded", "failed"} == set(outcomes)
        assert kinds == {"timeout"}


def test_response_times_are_a_native_histogram(tmp_path: Path) -> None:
    times = "thinktime_response_time_seconds"
    with scraped(tmp_path, "--enable-feature=native-histograms") as address:
        awaited(address, {f"histogram_count({times}) > 300", "thinktime_requests_total"})
        now = time.time()

        def found(expression: str) -> float:
            return value(asked(address, expression, now))  # all of the same scrape

        low, middle, high = (found(f"histogram_quantile({q}, {times})") for q in (0, 0.5, 1))
        mean = found(f"histogram_sum({times}) / histogram_count({times})")
        # A bucket is 4 % wide.
        assert 0.95 * sum(GAPS_S) <= low <= middle <= high
        assert low < high
        assert low <= mean <= high
        # No time is above the last bucket, so the buckets hold as many as are counted.
        share = found(f"histogram_fraction(0, {2 * high}, {times})")
        assert share == pytest.approx(1, abs=1e-9)
        assert found(f"histogram_count({times})") > 300
