"""The metrics of a switch for Prometheus."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from ports import free_port
from switch_servers import (
    Backend,
    after,
    backends,
    connected,
    echo,
    get,
    says,
    sent,
    switching,
    system,
)

import thinktime as tt

SAMPLE = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\[\\"n])*)"')


class Metrics:
    """The metrics of a page in Prometheus' text format, every line of which must be well formed."""

    def __init__(self, text: str) -> None:
        self.values: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        self.kinds: dict[str, str] = {}
        assert text.endswith("\n")
        for line in text.splitlines():
            if line.startswith("# "):
                _, what, name, rest = line.split(" ", 3)
                assert what in ("HELP", "TYPE")
                assert rest
                if what == "TYPE":
                    assert name not in self.kinds
                    self.kinds[name] = rest
                continue
            found = SAMPLE.fullmatch(line)
            assert found, line
            family = re.sub("_(bucket|sum|count)$", "", found[1])
            assert family in self.kinds or found[1] in self.kinds, line
            key = (found[1], frozenset(LABEL.findall(found[2])))
            assert key not in self.values, line
            self.values[key] = float(found[3])

    def get(self, name: str, **labels: str) -> float:
        """The value of the only metric that has these labels, perhaps beside others."""
        wanted = set(labels.items())
        found = [
            value
            for (known, having), value in self.values.items()
            if known == f"thinktime_switch_{name}" and wanted <= having
        ]
        assert len(found) == 1, (name, labels, found)
        return found[0]

    def by_server(self, name: str) -> list[float]:
        """The values of the first two servers."""
        return [self.get(name, server=str(number)) for number in (0, 1)]


def told(proxy: tt.switch) -> Metrics:
    """The metrics of a switch, now."""
    assert proxy.metrics_url is not None
    place, _, path = proxy.metrics_url.rpartition("/")
    status, text = get(place, f"/{path}")
    assert status == 200
    return Metrics(text)


def until(proxy: tt.switch, name: str, value: float, **labels: str) -> Metrics:
    """The metrics when one of them has this value."""
    while True:
        if (metrics := told(proxy)).get(name, **labels) == value:
            return metrics
        time.sleep(0.01)


def test_all_is_counted_by_server() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    given = {"metrics": "127.0.0.1:0", "failures": 2, "closed": "24h", "body_bytes": 10}
    with backends(after(0.03)) as servers:
        both: list[Backend | str] = [servers[0], nobody]
        with switching("jsq(2)", both, **given) as proxy:
            before = told(proxy)
            assert before.by_server("requests_total") == [0, 0]
            assert before.by_server("server_open") == [1, 1]
            while told(proxy).get("server_open", server="1") == 1:
                assert get(proxy.url, "/")[0] == 200
            passed = len(servers[0].heads)
            assert get(proxy.url, "/", "Content-Length: 11\r\n\r\n", "POST")[0] == 413
            metrics = until(proxy, "client_connections", 0)
    labels = {"cluster": "web", "policy": "jsq(2)", "url": servers[0].url}
    assert metrics.get("requests_total", server="0", **labels) == passed
    assert metrics.get("failures_total", server="1", url=nobody) == 2
    assert metrics.get("requests_refused_total", cluster="web", policy="jsq(2)") == 1
    assert metrics.by_server("requests_in_progress") == [0, 0]
    assert metrics.get("requests_waiting") == 0
    kinds = {name.removeprefix("thinktime_switch_"): kind for name, kind in metrics.kinds.items()}
    assert kinds["requests_total"] == "counter"
    assert kinds["server_open"] == "gauge"
    assert kinds["response_time_seconds"] == "histogram"


def test_response_times_are_a_histogram() -> None:
    """Ten responses of 30 ms and more: none within 25 ms, all within any time, in rising order."""
    given = {"metrics": "127.0.0.1:0"}
    with (
        backends(after(0.03), echo) as servers,
        switching("round-robin", servers, **given) as proxy,
    ):
        for _ in range(10):
            get(proxy.url)
        metrics = told(proxy)
    name = "response_time_seconds"
    assert metrics.by_server(f"{name}_count") == [5, 5]
    assert metrics.get(f"{name}_bucket", server="0", le="0.025") == 0
    assert metrics.get(f"{name}_bucket", server="1", le="0.025") > 0
    assert metrics.get(f"{name}_sum", server="0") >= 5 * 0.03
    for server in ("0", "1"):
        rising = sorted(
            (float(labels["le"]), value)
            for (known, having), value in metrics.values.items()
            if known == f"thinktime_switch_{name}_bucket"
            and (labels := dict(having))["server"] == server
        )
        assert [value for _, value in rising] == sorted(value for _, value in rising)
        assert rising[-1] == (float("inf"), 5)


def test_what_is_in_progress_and_waits_is_seen() -> None:
    """LARD/R lets two requests in for two servers, low = 1 and high = 2; a third one waits."""
    with backends(echo, echo) as servers:
        given = {"metrics": "127.0.0.1:0", "wait": "5min"}
        with switching("lard-r(low=1, high=2)", servers, **given) as proxy:
            clients = []
            for number in range(3):
                clients.append(connected(proxy.url))
                head = f"POST /{number} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"
                clients[-1].sendall(head.encode())
            metrics = until(proxy, "requests_waiting", 1)
            assert sum(metrics.by_server("requests_in_progress")) == 2
            assert metrics.get("client_connections") == 3
            for client in clients:
                client.close()
            metrics = until(proxy, "client_connections", 0)
            assert metrics.get("requests_waiting") == 0
            assert metrics.by_server("requests_in_progress") == [0, 0]


def test_a_response_without_end_has_no_time() -> None:
    half = says(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    with backends(half) as servers, switching("jsq", servers, metrics="127.0.0.1:0") as proxy:
        sent(proxy.url, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        metrics = until(proxy, "failures_total", 1)
    assert metrics.get("requests_total") == 1
    assert metrics.get("response_time_seconds_count") == 0


def test_labels_say_what_the_file_says() -> None:
    """A name that ends its own label is still one label."""
    more = 'weights = [1]\n[cluster.cache]\nsize = "1MB"'
    text = system(1, "jsq", more).to_toml().replace('"web"', r'"a\\b\"} 7"')
    with tt.switch(tt.System(text), [f"http://127.0.0.1:{free_port()}"],
                   metrics="127.0.0.1:0") as proxy:  # fmt: skip
        assert told(proxy).get("requests_waiting", cluster=r"a\\b\"} 7") == 0


def test_only_metrics_are_told() -> None:
    with switching("jsq", ["http://127.0.0.1:1"], metrics="127.0.0.1:0") as proxy:
        place = str(proxy.metrics_url).removesuffix("/metrics")
        assert get(place, "/") == (404, "404: metrics are at /metrics\n")
        assert get(place, "/metrics", method="POST")[0] == 405
        assert get(place, "/metrics", method="HEAD") == (200, "")
        # A silent client is not waited for.
        with connected(place) as silent:
            silent.sendall(b"GET")
            assert get(place, "/metrics")[0] == 200
    with switching("jsq", ["http://127.0.0.1:1"]) as proxy:
        assert proxy.metrics_url is None


def test_where_metrics_cannot_be_told_is_said() -> None:
    port = free_port()
    one = system(1, "jsq")
    at = f"127.0.0.1:{port}"
    with pytest.raises(tt.InputError, match=f"listens on {at} itself: metrics need another port"):
        tt.switch(one, ["http://127.0.0.1:1"], listen=at, metrics=at)
    with pytest.raises(tt.InputError, match="`9100` is not of the form HOST:PORT"):
        tt.switch(one, ["http://127.0.0.1:1"], metrics="9100")
    why = f"cannot listen on {at}: Address already in use"
    taken = switching("jsq", ["http://127.0.0.1:1"], listen=at)
    with taken, pytest.raises(tt.RunError, match=why):
        tt.switch(one, ["http://127.0.0.1:1"], metrics=at)


def test_the_command_says_where_metrics_are(tmp_path: Path) -> None:
    """They are available until the last request has ended."""
    (tmp_path / "c.toml").write_text(system(1, "jsq").to_toml())
    command = [str(Path(sys.executable).with_name("thinktime")), "switch", "c.toml"]
    begun, go_on = threading.Event(), threading.Event()

    def held(server: Backend, connection: socket.socket, target: str) -> bool:
        begun.set()
        assert go_on.wait(300)
        return echo(server, connection, target)

    with backends(held) as servers:
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", "--server", servers[0].url,
             "--metrics", "127.0.0.1:0", "--drain", "5min"],
            cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[2].rstrip(";")
            metrics = process.stdout.readline().removeprefix("metrics at ").strip()
            client = threading.Thread(target=get, args=(url, "/held"))
            client.start()
            assert begun.wait(300)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            status, text = get(metrics.removesuffix("/metrics"), "/metrics")
            assert status == 200
            assert Metrics(text).get("requests_in_progress", server="0") == 1
            go_on.set()
            rest, _ = process.communicate(timeout=300)
            client.join()
        finally:
            process.kill()
    assert "forwarded 1 request" in rest
