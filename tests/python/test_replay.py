"""Replaying access logs: the requests, times and users are those of the log."""

from __future__ import annotations

import gzip
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path

import cases
import numpy as np
import polars
import pytest
from real_runs import HttpServer
from skips import no_log

import thinktime as tt

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SERVER = cases.system(("fcfs", "const(100ms)", 50))
FORMAT = '$remote_addr $msec $request_time "$request" $status "$http_user_agent"'
"""A log_format of nginx with milliseconds and durations; it stamps the end of a request."""

Line = tuple[float, float, str, str, str]
"""The arrival of a request, its duration (both in seconds), the address, method and target."""

LINES: list[Line] = [
    (0.0, 0.2, "a", "GET", "/"),
    (0.5, 0.0, "b", "GET", "/item/1?page=2"),
    (1.0, 0.3, "a", "HEAD", "/item/2"),
    (1.1, 0.0, "a", "OPTIONS", "/c"),
    (1.5, 0.25, "b", "POST", "/order"),
    (1.75, 0.0, "b", "GET", "/d"),
    (4.0, 0.0, "a", "GET", "/e"),
]
"""With a timeout of 2 s user `a` comes twice."""

KINDS = (
    '[[request]]\nname = "item"\nget = "/item/{zipf(n=9, s=1)}"\n'
    '[[request]]\nname = "other"\ntimeout = "30s"\n'
)


def write_log(path: Path, lines: list[Line], start_s: float = 1.7e9) -> None:
    """Writes the log as nginx would, in the order in which requests ended."""
    ended = sorted(lines, key=lambda line: line[0] + line[1])
    path.write_text(
        "".join(
            f'{address} {start_s + at + took:.3f} {took:.3f} "{method} {target} HTTP/1.1" 200 "x"\n'
            for at, took, address, method, target in ended
        )
    )


def replay(folder: Path, model: str, more: str = "", rest: str = KINDS) -> tt.Workload:
    """The workload that replays LINES."""
    write_log(folder / "access.log", LINES)
    clients = "clients = 2\n" if model == "closed" else ""
    process = f"process = '''trace(access.log{more}, format='{FORMAT}')'''\n"
    text = f'name = "r"\n[arrivals]\nmodel = "{model}"\n{clients}{process}{rest}'
    (folder / "w.toml").write_text(text)
    return tt.Workload.load(folder / "w.toml")


def rows_of(result: tt.Result) -> polars.DataFrame:
    """The rows in the order in which they were scheduled, with that time in seconds."""
    rows = polars.DataFrame(result.requests).sort("scheduled_ns", "session", "request")
    return rows.with_columns(at=polars.col("scheduled_ns") / 1e9)


def test_an_open_replay_has_the_logs_times(tmp_path: Path) -> None:
    result = tt.simulate(replay(tmp_path, "open", ", methods=all"), SERVER)
    rows = rows_of(result)
    assert rows["scheduled_ns"].to_list() == [round(line[0] * 1e9) for line in LINES]
    assert rows["session"].to_list() == list(range(7))
    assert set(rows["request"]) == {0}
    names = ["other", "item", "item", "other", "other", "other", "other"]
    assert rows["name"].cast(str).to_list() == names
    summary = result.summary
    assert (summary["requests"], summary["sessions"], summary["warmup_s"]) == (7, 7, 0)
    assert summary["duration_s"] == 4.0
    assert not [text for text in summary["warnings"] if "access.log" in text]
    assert result.theory is None


def test_stamps_of_whole_seconds_are_spread_over_them(tmp_path: Path) -> None:
    """A Poisson process of 50 requests a second, logged by the second: one FCFS server sees an
    M/M/1 again. Sent at the begin of each second, the mean would be several times as long. Of
    50,000 requests at load 0.5 the mean's standard error is 1.4 %: 4 of them (false alarm
    0.006 %)."""
    generator = np.random.default_rng(20261122)
    times = np.floor(np.cumsum(generator.exponential(1 / 50, 50_000))).astype(int)
    lines = [
        f"10.0.{n % 250}.1 - - [{datetime.fromtimestamp(1.7e9 + at, UTC):%d/%b/%Y:%H:%M:%S} "
        '+0000] "GET / HTTP/1.1" 200 5\n'
        for n, at in enumerate(times.tolist())
    ]
    (tmp_path / "access.log").write_text("".join(lines))
    (tmp_path / "w.toml").write_text(
        'name = "seconds"\n[arrivals]\nmodel = "open"\nprocess = "trace(access.log)"\n'
        '[[request]]\nname = "x"\n'
    )
    server = cases.system(("fcfs", "exp(10ms)"))
    summary = tt.simulate(tmp_path / "w.toml", server, rows="none").summary
    assert summary["response_time_s"]["mean"] == pytest.approx(0.01 / (1 - 0.5), rel=0.056)


def test_partly_open_sessions_think_as_logged(tmp_path: Path) -> None:
    """Responses take 100 ms here, whatever they took when they were logged."""
    result = tt.simulate(replay(tmp_path, "partly-open", ", timeout=2s"), SERVER)
    rows = rows_of(result)
    seen = [(row["session"], row["request"], row["at"]) for row in rows.iter_rows(named=True)]
    assert seen == [
        (0, 0, 0.0),
        (1, 0, 0.5),
        (0, 1, pytest.approx(0.1 + 0.8)),  # 1.0 - 0.0 - 0.2 after the response
        (0, 2, pytest.approx(1.0)),  # the one before had not ended: at once
        (1, 1, pytest.approx(0.6 + 1.25)),  # the order is left out
        (2, 0, 4.0),
    ]
    warning = "access.log: 1 of 7 requests are left out: 1 whose method may change something"
    assert [text for text in result.summary["warnings"] if warning in text]
    assert result.workload.requests_per_session == 2


def test_closed_clients_take_sessions_one_after_another(tmp_path: Path) -> None:
    result = tt.simulate(replay(tmp_path, "closed", ", methods=all, timeout=2s"), SERVER)
    rows = rows_of(result)
    # Client 0 has user a's three requests, and then those of user a's return.
    seen = [(row["session"], round(row["at"], 9)) for row in rows.iter_rows(named=True)]
    assert seen == [(0, 0), (1, 0), (0, 0.1), (1, 0.1), (0, 0.2), (1, 0.2), (0, 0.3)]
    assert result.summary["requests"] == 7
    assert result.summary["sessions"] == 2
    assert result.summary["duration_s"] == pytest.approx(0.3)


@pytest.mark.parametrize("model", ["open", "partly-open"])
def test_speed_scales_the_log(tmp_path: Path, model: str) -> None:
    fast = rows_of(tt.simulate(replay(tmp_path, model, ", speed=4"), SERVER))
    begins = fast.filter(polars.col("request") == 0)["at"].to_list()
    logged = [line[0] / 4 for line in LINES if line[3] != "POST"]
    assert begins == (logged if model == "open" else [0.0, 0.125])


def test_a_limit_ends_a_replay_early(tmp_path: Path) -> None:
    workload = replay(tmp_path, "open", ", methods=all")
    counts = [
        tt.simulate(workload, SERVER, **limit).summary["requests"]
        for limit in ({"requests": 3}, {"duration": 1.05}, {"duration": 100}, {"warmup": 0.5})
    ]
    assert counts == [3, 3, 7, 6]


def many_users(folder: Path) -> list[str]:
    """A log of 300 users with 4 requests each; the addresses in the order of the log."""
    lines = [(at / 10, 0.0, f"10.0.0.{at % 300}", "GET", f"/{at % 300}") for at in range(1200)]
    write_log(folder / "many.log", lines)
    return [line[2] for line in lines]


def replay_many(share: str, seed: int = 1, model: str = "partly-open") -> str:
    """A workload of some of those users."""
    return (
        f'name = "m"\nseed = {seed}\n[arrivals]\nmodel = "{model}"\n'
        f"process = '''trace(many.log, users={share}, user=address, format='{FORMAT}')'''\n"
    )


def test_a_share_of_the_users_comes_with_all_they_did(tmp_path: Path) -> None:
    """100 of 300 users in the mean, 4.5 standard deviations (false alarm 7e-6, the seeds fixed)."""
    users = many_users(tmp_path)
    chosen = {}
    for seed in (1, 2):
        text = replay_many("1/3", seed, "open")
        rows = rows_of(tt.simulate(tt.Workload(text, str(tmp_path / "w.toml")), SERVER))
        places = (rows["at"] * 10).round().cast(int).to_list()
        counts = Counter(users[place] for place in places)
        assert set(counts.values()) == {4}
        assert abs(len(counts) - 100) < 4.5 * (300 * 2 / 9) ** 0.5
        chosen[seed] = set(counts)
    assert chosen[1] != chosen[2]
    again = tt.Workload(replay_many("1/3", 1, "partly-open"), str(tmp_path / "w.toml"))
    assert tt.simulate(again, SERVER).summary["sessions"] == len(chosen[1])
    assert tt.simulate(again.with_seed(2), SERVER).summary["sessions"] == len(chosen[2])


@contextmanager
def recording() -> Iterator[tuple[str, list[tuple[str, str, str | None]]]]:
    """A server that notes method, target and Content-Length of each request; its URL."""
    seen: list[tuple[str, str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def note(self) -> None:
            seen.append((self.command, self.path, self.headers.get("Content-Length")))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_HEAD = do_OPTIONS = do_POST = note  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HttpServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def body_of(method: str) -> str | None:
    """The Content-Length of a replayed request: no body is known, so that of a POST is empty."""
    return "0" if method == "POST" else None


def test_a_real_server_gets_the_logs_requests(tmp_path: Path) -> None:
    workload = replay(tmp_path, "open", ", methods=all, speed=4")
    with recording() as (url, seen):
        result = tt.run(workload, url)
    # A machine that pauses has several in flight at once, which may overtake each other.
    assert Counter(seen) == Counter((line[3], line[4], body_of(line[3])) for line in LINES)
    rows = rows_of(result)
    assert rows["scheduled_ns"].to_list() == [round(line[0] / 4 * 1e9) for line in LINES]
    assert (rows["sent_ns"] >= rows["scheduled_ns"]).all()
    assert (result.summary["requests"], result.summary["errors"]) == (7, 0)


def test_closed_clients_end_with_the_log(tmp_path: Path) -> None:
    with recording() as (url, seen):
        result = tt.run(replay(tmp_path, "closed", ", methods=all"), url)
    assert Counter(seen) == Counter((line[3], line[4], body_of(line[3])) for line in LINES)
    assert (result.summary["requests"], result.summary["sessions"]) == (7, 2)


def test_what_is_simulated_is_what_is_run(tmp_path: Path) -> None:
    """Sessions, their requests and names are the same; think times follow the responses."""
    workload = replay(tmp_path, "partly-open", ", speed=10")
    with tt.serve(cases.system(("ps", "const(2ms)"))) as server:
        real = rows_of(tt.run(workload, server.url))
    modelled = rows_of(tt.simulate(workload, cases.system(("ps", "const(2ms)"))))
    columns = ["session", "request", "name", "status"]
    real, modelled = (rows.sort("session", "request") for rows in (real, modelled))
    assert real.select(columns[:3]).equals(modelled.select(columns[:3]))
    for rows in (real, modelled):
        first = rows.filter(polars.col("session") == 0)
        think = first["at"][1] - first["done_ns"][0] / 1e9
        assert think == pytest.approx(0.08, abs=1e-6)


def test_columns_of_times_are_what_they_were(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("0\n1\n3\n")
    (tmp_path / "times").write_text("0\n1\n3\n")
    for process in ("trace(times.csv)", "trace(times, format=times)"):
        text = f'name = "t"\n[arrivals]\nmodel = "open"\nprocess = "{process}"\n'
        workload = tt.Workload(text, str(tmp_path / "w.toml"))
        rows = rows_of(tt.simulate(workload, SERVER, requests=3, warmup=0))
        assert rows["at"].to_list() == [1.5, 2.5, 4.5]  # the first after one mean gap


def test_the_unit_of_a_column_that_nobody_names_is_the_one_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("t_ms\n5\n10\n200\n500\n")
    polars.DataFrame({"d_ms": [1.0, 2.0]}).write_parquet(tmp_path / "demands.parquet")
    system = 'name = "s"\n[[station]]\nname = "x"\ndemand = "trace(demands.parquet)"\n'
    server = tt.System(system, str(tmp_path / "s.toml"))
    for process in ("trace(times.csv)", "trace(times.csv, column=t_ms)"):
        text = f'name = "t"\n[arrivals]\nmodel = "open"\nprocess = "{process}"\n'
        result = tt.simulate(tt.Workload(text, str(tmp_path / "w.toml")), server)
        # All count, as in a log: the first comes one mean gap after the start.
        at_s = polars.DataFrame(result.requests)["scheduled_ns"] * 1e-9
        assert at_s.to_list() == pytest.approx([0.165, 0.170, 0.360, 0.660])
        assert result.summary["requests"] == 4
        assert result.summary["response_time_s"]["mean"] == pytest.approx(0.0015)
        assert result.summary["warnings"] == []


def test_logs_are_read_packed_and_in_parts(tmp_path: Path) -> None:
    write_log(tmp_path / "all.log", LINES)
    lines = (tmp_path / "all.log").read_text().splitlines(keepends=True)
    (tmp_path / "part.log.1").write_text("".join(lines[4:]))
    (tmp_path / "part.log.2.gz").write_bytes(gzip.compress("".join(lines[:4]).encode()))
    text = (
        'name = "p"\n[arrivals]\nmodel = "open"\n'
        f"process = '''trace(part.log*, methods=all, format='{FORMAT}')'''\n"
    )
    rows = rows_of(tt.simulate(tt.Workload(text, str(tmp_path / "w.toml")), SERVER))
    assert rows["at"].to_list() == [line[0] for line in LINES]


def test_a_result_is_read_again_even_if_its_log_has_gone(tmp_path: Path) -> None:
    tt.simulate(replay(tmp_path, "open"), SERVER, output=tmp_path / "result")
    assert tt.Result.load(tmp_path / "result").workload.requests_per_session == 1
    (tmp_path / "access.log").unlink()
    result = tt.Result.load(tmp_path / "result")
    assert (result.summary["requests"], result.workload.model) == (6, "open")


WRONG = {
    "/empty.log: holds no request; so there is": ("trace(empty.log)", ""),
    "no.log: No such file": ("trace(no.log)", ""),
    "has no format that is known": ("trace(times)", ""),
    "(if it is a column of times, say format=times)": ("trace(times)", ""),
    "unknown format `combind`: did you mean `combined`?": ("trace(times, format=combind)", ""),
    "add format=auto": ("trace(times.csv, speed=2)", ""),
    "make it faster or slower by `speed`": ("trace(access.log)", 'rate = "5/s"'),
}


@pytest.mark.parametrize("message", WRONG)
def test_mistakes_are_explained(tmp_path: Path, message: str) -> None:
    process, more = WRONG[message]
    write_log(tmp_path / "access.log", LINES)
    (tmp_path / "times").write_text("0\n1\n3\n")
    (tmp_path / "times.csv").write_text("0\n1\n3\n")
    (tmp_path / "empty.log").write_text("")
    file = tmp_path / "w.toml"
    text = f'name = "t"\n[arrivals]\nmodel = "open"\nprocess = "{process}"\n{more}\n'
    with pytest.raises(tt.InputError) as raised:
        tt.Workload(text, str(file))
    place = f"{file}:5: arrivals.rate: " if more else f"{file}:4: arrivals.process: "
    assert str(raised.value).startswith(place)
    assert message in str(raised.value)


def test_a_log_has_no_load_and_no_rate(tmp_path: Path) -> None:
    workload = replay(tmp_path, "open")
    assert (workload.request_rate, workload.poisson, workload.plain) == (None, False, False)
    assert (workload.replayed_requests, cases.open_model(1).replayed_requests) == (6, None)
    with pytest.raises(tt.InputError, match="HTTP servers only"):
        tt.run(workload, "tcp://127.0.0.1:1")
    with pytest.raises(tt.InputError, match="a log has its own times"):
        tt.simulate(workload, SERVER, load=0.5)


def test_a_public_log_is_replayed_whole(tmp_path: Path) -> None:
    """Sessions are those that a plain reading of the log in Python gives."""
    log = SHARED / "semicomplete-2015-05.access.log"
    if not log.exists():
        no_log(log)
    visits: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        parts = line.split('"')
        if len(parts) < 7:  # one line is cut
            continue
        address, stamp = parts[0].split(" ", 1)[0], parts[0].split("[")[1].rstrip("] ")
        method = parts[1].split(" ", 1)[0]
        if method in ("GET", "HEAD", "OPTIONS"):
            at = datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC).timestamp()
            visits[address, parts[5]].append(at)
    for times in visits.values():
        times.sort()
    gaps = [b - a for times in visits.values() for a, b in pairwise(times)]
    sessions = len(visits) + sum(gap > 1800 for gap in gaps)
    text = f'name = "s"\n[arrivals]\nmodel = "MODEL"\nprocess = "trace({log})"\n'
    partly, open_ = (
        tt.simulate(tt.Workload(text.replace("MODEL", model)), SERVER, rows="all")
        for model in ("partly-open", "open")
    )
    total = sum(map(len, visits.values()))
    assert partly.summary["requests"] == open_.summary["requests"] == total > 9900
    assert partly.summary["sessions"] == sessions
    times = sorted(at for times in visits.values() for at in times)
    logged = [round((at - times[0]) * 1e9) for at in times]
    # The log's clock counts seconds; the replay spreads each second's requests over it.
    sent = rows_of(open_)["scheduled_ns"].to_list()
    assert all(abs(one - other) < 1e9 for one, other in zip(sent, logged, strict=True))
    assert sum(one % 10**9 == 0 for one in sent) < 10


def test_a_log_beside_pollers_counts_whole_and_its_end_is_told(tmp_path: Path) -> None:
    """All of it was cut off as a warm-up, and a million requests of the pollers were left."""
    write_log(tmp_path / "access.log", LINES)
    text = (
        'name = "both"\n[[population]]\nname = "yesterday"\n[population.arrivals]\n'
        f"model = 'open'\nprocess = '''trace(access.log, format='{FORMAT}')'''\n"
        '[[population]]\nname = "pollers"\n[population.arrivals]\nmodel = "closed"\nclients = 2\n'
        '[population.session]\nthink = "const(200ms)"\n'
    )
    workload = tt.Workload(text, str(tmp_path / "both.toml"))
    note = "`yesterday` had no arrivals after 4.00 s, and the run lasted until"
    long = tt.simulate(workload, SERVER, requests=2000).summary
    assert long["by_population"]["yesterday"]["requests"] == 6
    assert any(one.startswith(note) for one in long["notes"])
    short = tt.simulate(workload, SERVER, duration="4.2s").summary
    assert short["by_population"]["yesterday"]["requests"] == 6
    assert not any("no arrivals" in one for one in short["notes"])
    with tt.serve(SERVER) as server:
        run = tt.run(workload, server.url, duration="6s").summary
    assert run["by_population"]["yesterday"]["requests"] == 6
    assert any(one.startswith(note) for one in run["notes"])
