"""Requests written in the forms of many programs: each reading has the begins and the durations.

The forms are those of the programs' documentation and source; the requests are known, because the
lines are made from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

import thinktime as tt
from thinktime.learn.logs.log import Log, read

BEGIN_MS = 1_790_000_000_123
COUNT = 60
USERS = 12

Line = Callable[[int, int, int], str]
"""A line of a request, by its number, its begin and its duration in milliseconds."""


def _begin(n: int) -> int:
    return BEGIN_MS + 7_000 * n


def _took(n: int) -> int:
    return 3 + 37 * (n % 50)


def _client(n: int) -> str:
    return f"198.51.100.{n % USERS}"


def _at(ms: int, pattern: str = "%Y-%m-%dT%H:%M:%S") -> str:
    """Down to whole seconds."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime(pattern)


def _iso(ms: int) -> str:
    return f"{_at(ms)}.{ms % 1000:03}Z"


def _clf(n: int, ms: int, client: str | None = None) -> str:
    stamp = _at(ms, "%d/%b/%Y:%H:%M:%S +0000")
    return f'{client or _client(n)} - - [{stamp}] "GET /p{n} HTTP/1.1" 200 5 "-" "Firefox"'


def _object(**keys: Any) -> str:
    return json.dumps(keys)


def _caddy(n: int, end: int, duration: float) -> dict[str, Any]:
    asked = {"remote_ip": _client(n), "method": "GET", "host": "a.example", "uri": f"/p{n}"}
    return {"ts": end / 1000, "request": asked, "duration": duration, "size": 5, "status": 200}


def _console(n: int, begin: int, took: int) -> str:
    end = begin + took
    stamp = f"{_at(end, '%Y/%m/%d %H:%M:%S')}.{end % 1000:03}"
    keys = {"request": _caddy(n, end, 0)["request"], "duration": took / 1000, "status": 200}
    return f"{stamp}\tINFO\thttp.log.access\thandled request\t{json.dumps(keys)}"


def _plain(n: int, **more: Any) -> str:
    return _object(method="GET", path=f"/p{n}", status=200, ip=_client(n), **more)


def _gateway(n: int, **more: Any) -> str:
    """Azure's Application Gateway; the units are those of its documentation."""
    times = {key: more.pop(key) for key in ("time", "timeStamp") if key in more}
    own = {
        "instanceId": "appgw_1", "clientIP": _client(n), "clientPort": 4444, "httpMethod": "GET",
        "requestUri": f"/p{n}", "httpStatus": 200, "receivedBytes": 65, "sslEnabled": "on",
    }  # fmt: skip
    return _object(**times, category="ApplicationGatewayAccessLog", properties=own | more)


MILLISECONDS: dict[str, Line] = {
    "envoy": lambda n, begin, took: _plain(
        n, time=_iso(begin), duration=took, response_flags="-", upstream_cluster="c"
    ),
    "contour": lambda n, begin, took: _object(
        **{"@timestamp": _iso(begin)}, method="GET", path=f"/p{n}", duration=took,
        response_code=200, response_flags="-", x_forwarded_for=_client(n), authority="a.example",
    ),
    "lograge": lambda n, begin, took: (
        f"time={_iso(begin + took)} method=GET path=/p{n} format=html controller=A action=show "
        f"status=200 duration={took:.2f} view=1.00 db=0.50 remote_ip={_client(n)}"
    ),
    "serilog": lambda n, begin, took: _object(
        **{"@t": _iso(begin + took)}, RequestMethod="GET", RequestPath=f"/p{n}", StatusCode=200,
        Elapsed=took * 1.0, ClientIp=_client(n),
    ),
    "pino, flat": lambda n, begin, took: _plain(
        n, time=begin + took, pid=7, hostname="h", responseTime=took
    ),
    "express-winston": lambda n, begin, took: _object(
        timestamp=_iso(begin + took), level="info",
        meta={
            "req": {"url": f"/p{n}", "method": "GET", "ip": _client(n)},
            "res": {"statusCode": 200}, "responseTime": took,
        },
    ),
    "httplog": lambda n, begin, took: _object(
        timestamp=_iso(begin + took),
        httpRequest={"url": f"http://a.example/p{n}", "method": "GET", "remoteIP": _client(n)},
        httpResponse={"status": 200, "elapsed": took * 1.0},
    ),
    "caddy, ms": lambda n, begin, took: json.dumps(_caddy(n, begin + took, took)),
    "caddy, ns": lambda n, begin, took: json.dumps(_caddy(n, begin + took, took * 1_000_000)),
    "caddy, seconds": lambda n, begin, took: json.dumps(_caddy(n, begin + took, took / 1000)),
    "caddy, console": _console,
    "Cloudflare, ns": lambda n, begin, took: _object(
        ClientIP=_client(n), ClientRequestMethod="GET", ClientRequestURI=f"/p{n}",
        EdgeStartTimestamp=begin * 10**6, EdgeEndTimestamp=(begin + took) * 10**6,
    ),
    "API Gateway": lambda n, begin, took: _object(
        requestTimeEpoch=begin, requestTime=_at(begin, "%d/%b/%Y:%H:%M:%S +0000"), ip=_client(n),
        httpMethod="GET", path=f"/p{n}", status=200, responseLatency=took,
    ),
    "Application Gateway": lambda n, begin, took: _gateway(
        n, time=_iso(begin + took), timeTaken=took, requestQuery="SERVER-STATUS=200"
    ),
    "Application Gateway v2": lambda n, begin, took: _gateway(
        n, timeStamp=_iso(begin + took), timeTaken=took / 1000, requestQuery="",
        originalRequestUriWithArgs=f"/p{n}", serverResponseLatency="0.001",
    ),
    "App Service": lambda n, begin, took: _object(
        time=_iso(begin + took), category="AppServiceHTTPLogs",
        properties={"CIp": _client(n), "SPort": "443", "CsMethod": "GET", "CsUriStem": f"/p{n}",
                    "TimeTaken": took, "ScStatus": "200"},
    ),
    "DataStream": lambda n, begin, took: _object(
        reqTimeSec=f"{begin / 1000:.3f}", cliIP=_client(n), reqMethod="GET", reqPath=f"/p{n}",
        statusCode="200", reqEndTimeMSec="1", turnAroundTimeMSec=str(took - 3),
        transferTimeMSec="2", tlsOverheadTimeMSec="9",
    ),
    "Elasticsearch": lambda n, begin, took: _object(
        _index="filebeat", _id=str(n), _source={
            "@timestamp": _iso(begin + took), "source": {"ip": _client(n)},
            "http": {"request": {"method": "GET"}, "response": {"status_code": 200}},
            "url": {"original": f"/p{n}"}, "event": {"duration": took * 10**6},
        },
    ),
    "values against names": lambda n, begin, took: _object(
        timestamp=_iso(begin + took), time=took / 1000, duration_ms=took, method="GET",
        path=f"/p{n}", status="success", status_code=200, ip=_client(n),
    ),
    "Linkerd": lambda n, begin, took: json.dumps({
        "client.addr": f"{_client(n)}:4444", "method": "GET", "processing_ns": "39826",
        "status": 200, "timestamp": _iso(begin + took), "total_ns": str(took * 10**6),
        "uri": f"http://web.svc/p{n}", "response_bytes": "5",
    }),
}  # fmt: skip
"""Lines with stamps of milliseconds and durations."""


def logged(path: Path, line: Line, head: str = "") -> Path:
    """A log of all requests, in the order of their ends."""
    order = sorted(range(COUNT), key=lambda n: _begin(n) + _took(n))
    path.write_text(head + "".join(f"{line(n, _begin(n), _took(n))}\n" for n in order))
    return path


def check(found: Log, step_ms: int = 0) -> None:
    """That the log has all requests, each at its time within a step of the stamps."""
    rows = found.requests.rows
    paths = found.requests.paths["path"].to_list()
    assert sorted(paths) == sorted(f"/p{n}" for n in range(COUNT))
    assert found.bad_lines == []
    assert len(found.requests.users["address"].unique()) == USERS
    for row in rows.iter_rows(named=True):
        n = int(paths[row["path"]][2:])
        assert row["duration_us"] == pytest.approx(1000 * _took(n), abs=100)
        # Of a whole second, the place within it is not known.
        off_ms = _begin(n) - row["time_ns"] / 1e6
        assert -step_ms - 0.2 <= off_ms <= step_ms + 0.2, (n, off_ms)


@pytest.mark.parametrize("name", MILLISECONDS)
def test_begins_and_durations_are_those_of_the_program(name: str, tmp_path: Path) -> None:
    found = read([logged(tmp_path / "access.log", MILLISECONDS[name])])
    check(found)
    assert not [text for text in found.warnings if "seconds" in text]


SECONDS: dict[str, Line] = {
    "morgan": lambda n, begin, took: f"{_clf(n, begin + took)} {took:.3f} ms",
    "with a unit": lambda n, begin, took: f"{_clf(n, begin + took)} {took}ms",
    "behind a name": lambda n, begin, took: f"{_clf(n, begin + took)} Time: {took / 1000}s",
    "Rack": lambda n, begin, took: f"{_clf(n, begin + took)} {took / 1000:.4f}",
    "Gunicorn": lambda n, begin, took: f"{_clf(n, begin + took)} {took / 1000:.6f}",
    "mapped addresses": lambda n, begin, took: (
        f"{_clf(n, begin + took, ('::ffff:' if n % 2 else '') + _client(n))} {took / 1000:.3f}"
    ),
    "a pod's name": lambda n, begin, took: f"web-7d nginx {_clf(n, begin + took)} {took}ms",
    "a number": lambda n, begin, took: f"{begin}\t{_clf(n, begin + took)} {took}ms",
    "Fastly": lambda n, begin, took: f"<134>{_iso(begin)} fra log[7]: {_clf(n, begin)} {took}ms",
    "Acquia's balancer": lambda n, begin, took: (
        f'{_clf(n, begin + took, "127.0.0.1")} http_host=a.example upstream_addr="10.0.0.9:80" '
        f'request_time={took / 1000:.3f} forwarded_for="{_client(n)}, 10.0.0.8" x="1"'
    ),
    "forwarded, with ports": lambda n, begin, took: (
        f'{_clf(n, begin + took, "10.0.0.7")} "{_client(n)}:{40000 + n}, 10.0.0.8" {took}ms'
    ),
}
"""Lines of the Common and Combined Log Format, whose stamps are whole seconds."""


@pytest.mark.parametrize("name", SECONDS)
def test_what_stands_around_lines_is_known_by_its_form(name: str, tmp_path: Path) -> None:
    found = read([logged(tmp_path / "access.log", SECONDS[name])])
    check(found, step_ms=2000)


TABLES: dict[str, tuple[str | None, Line]] = {
    "date,time,duration_ms": (None, lambda n, b, t: f"{_iso(b)[:10]},{_iso(b)[11:23]},{t}"),
    "start_time,end_time": (None, lambda n, b, t: f"{_iso(b)},{_iso(b + t)}"),
    "begun,done": ("csv:time=begun,end=done", lambda n, b, t: f"{_iso(b)},{_iso(b + t)}"),
}
"""Columns of times, the format that names them, and their values."""


@pytest.mark.parametrize("columns", TABLES)
def test_a_table_has_day_and_time_or_begin_and_end(columns: str, tmp_path: Path) -> None:
    format, times = TABLES[columns]
    log = logged(
        tmp_path / "table.csv",
        lambda n, begin, took: f"{times(n, begin, took)},{_client(n)},GET,/p{n}",
        head=f"{columns},ip,method,path\n",
    )
    check(read([log], format=format))


def test_a_day_alone_is_no_time(tmp_path: Path) -> None:
    log = logged(
        tmp_path / "days.csv",
        lambda n, begin, took: f"{_iso(begin)[:10]},{_client(n)},/p{n}",
        head="date,ip,path\n",
    )
    with pytest.raises(tt.InputError, match="no time"):
        read([log])


def test_milliseconds_of_aspnet_have_a_fraction(tmp_path: Path) -> None:
    head = "#Version: 1.0\n#Start-Date: 2026-09-21 00:00:00\n#Fields: date time c-ip cs-method "
    log = logged(
        tmp_path / "w3clog.txt",
        lambda n, begin, took: (
            f"{_at(begin, '%Y-%m-%d %H:%M:%S')} {_client(n)} GET /p{n} 200 {took}.4567"
        ),
        head=head + "cs-uri-stem sc-status time-taken\n",
    )
    found = read([log])
    rows = found.requests.rows
    assert rows["duration_us"].min() == 3_456
    begins = {_begin(n) // 1000 for n in range(COUNT)}
    assert set((rows["time_ns"] // 10**9).to_list()) == begins


def test_an_address_under_another_name_is_named_by_an_option_that_works(tmp_path: Path) -> None:
    """Tomcat's JsonAccessLogValve has the client as `host`."""
    log = logged(
        tmp_path / "tomcat.json",
        lambda n, begin, took: _object(
            host=_client(n), logicalUserName="-", user="-", statusCode="200",
            time=f"[{_at(begin, '%d/%b/%Y:%H:%M:%S +0000')}]", request=f"GET /p{n} HTTP/1.1",
        ),
    )  # fmt: skip
    with pytest.raises(tt.InputError, match="--format json:address=NAME"):
        read([log])
    found = read([log], format="json:address=host")
    assert len(found.requests.users["address"].unique()) == USERS


def test_answers_on_lines_of_their_own_are_joined(tmp_path: Path) -> None:
    """As Fastify writes them: a line when a request comes, and one when it is answered."""

    def asked(n: int, begin: int, took: int) -> dict[str, Any]:
        req = {"method": "GET", "url": f"/p{n}", "remoteAddress": _client(n)}
        return {"time": begin, "pid": 1, "reqId": f"r{n}", "req": req}

    def answered(n: int, begin: int, took: int) -> dict[str, Any]:
        res = {"res": {"statusCode": 200}, "responseTime": took * 1.0}
        return {"time": begin + took, "pid": 1, "reqId": f"r{n}"} | res

    apart = logged(
        tmp_path / "apart.log",
        lambda *of: f"{json.dumps(asked(*of))}\n{json.dumps(answered(*of))}",
    )
    check(read([apart]))
    joined = logged(tmp_path / "joined.log", lambda *of: json.dumps(asked(*of) | answered(*of)))
    check(read([joined]))


def test_seconds_behind_a_line_that_are_hardly_seconds_are_doubted(tmp_path: Path) -> None:
    """morgan's `:response-time`, in milliseconds, looks as nginx's `$request_time`."""
    log = logged(tmp_path / "a.log", lambda n, b, t: f"{_clf(n, b + t)} {t}.250")
    doubt = next(note for note in read([log]).notes if "in seconds" in note)
    assert "`%{ms}T`" in doubt
    names = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %{ms}T'
    taken_us = read([log], format=f"apache:{names}").requests.rows["duration_us"]
    assert taken_us.min() == 3_250


def test_a_whole_number_is_the_duration_if_the_order_of_lines_says_so(tmp_path: Path) -> None:
    """Apache's `%D` alone: 600 requests of 3 s on average, four begun a second, stamps in seconds.

    About 2,000 pairs of lines are out of order by their stamps, so 12 lines are by far.
    """
    random = Random(1)
    begin, ended = float(BEGIN_MS), []
    for n in range(600):
        begin += random.expovariate(1 / 250)
        took_us = int(random.expovariate(1 / 3e6))
        ended.append((begin + took_us / 1000, _clf(n, int(begin)), took_us))
    ended.sort()
    text = "".join(f"{line} {took_us}\n" for _, line, took_us in ended)
    log = tmp_path / "apache.log"
    log.write_text(text)
    found = read([log])
    (note,) = (note for note in found.notes if "in the order of the lines" in note)
    assert "in microseconds" in note
    assert "--format" in note
    assert sorted(found.requests.rows["duration_us"]) == sorted(took for *_, took in ended)
    # By half of the durations nothing is in order, and the number is not used.
    log.write_text("".join(f"{line} {took_us // 3}\n" for _, line, took_us in ended))
    assert not any("in the order" in note for note in read([log]).notes)


def test_whole_numbers_are_hardly_seconds(tmp_path: Path) -> None:
    """The median of a fast service's milliseconds is 0."""
    log = logged(tmp_path / "fast.json", lambda n, b, t: _plain(n, time=_iso(b), duration=n // 50))
    (warning,) = (text for text in read([log]).warnings if "whole number" in text)
    assert warning.endswith("--format json:duration_ms=COLUMN")


def test_nanoseconds_are_named_with_their_option(tmp_path: Path) -> None:
    """Go's slog writes a duration so in JSON."""
    log = logged(
        tmp_path / "slog.json",
        lambda n, b, t: _plain(n, time=_iso(b + t), duration=t * 1_000_000),
    )
    (warning,) = (text for text in read([log]).warnings if "nanoseconds" in text)
    assert "json:duration_us=COLUMN or :duration_ns=COLUMN" in warning
    check(read([log], format="json:duration_ns=duration"))


def test_a_named_time_of_whole_numbers_is_in_no_known_unit(tmp_path: Path) -> None:
    """Acquia's Apache writes `%D` so, in microseconds: read as seconds it would be days."""
    log = logged(tmp_path / "a.log", lambda n, b, t: f"{_clf(n, b)} pid=7 request_time={t}000")
    found = read([log])
    assert found.requests.rows["duration_us"].null_count() == COUNT
    assert [note for note in found.notes if "`%D` in microseconds" in note]
    names = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" pid=%P request_time=%D'
    check(read([log], format=f"apache:{names}"), step_ms=1000)


def test_a_lone_time_behind_a_line_is_named_with_its_other_reading(tmp_path: Path) -> None:
    log = logged(tmp_path / "a.log", lambda n, b, t: f"{_clf(n, b + t)} {t / 1000:.3f}")
    (note,) = (note for note in read([log]).notes if "$upstream_response_time" in note)
    assert "--format" in note
    # A second one that is never longer tells which is which.
    both = logged(
        tmp_path / "b.log", lambda n, b, t: f"{_clf(n, b + t)} {t / 1000:.3f} {t / 2000:.3f}"
    )
    assert not [note for note in read([both]).notes if "$upstream_response_time" in note]
