"""Lines of access logs, in the formats of servers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

EPOCH = 1_789_948_800
"""The log's begin: Monday, 21 September 2026, 00:00:00 UTC."""

PROXY = "10.254.0.1"
"""The address in all lines of a server behind a proxy that reports its clients."""

Row = dict[str, Any]
Line = Callable[[Row, float], str]
"""A row of the truth and its stamp, in seconds since the log's begin, as a line."""


class _Clock:
    """Texts of times; each second's is made once."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._known: dict[int, str] = {}

    def __call__(self, second: int) -> str:
        text = self._known.get(second)
        if text is None:
            moment = datetime.fromtimestamp(EPOCH + second, UTC)
            text = self._known[second] = moment.strftime(self._pattern)
        return text


_common_date = _Clock("%d/%b/%Y:%H:%M:%S +0000")
_iso_date = _Clock("%Y-%m-%dT%H:%M:%S")


def _request(row: Row) -> str:
    return f'"{row["method"]} {row["path"]} HTTP/1.1" {row["status"]} {row["bytes"]}'


def _behind(row: Row) -> str:
    return f'"{row["referrer"]}" "{row["agent"]}"'


def _duration_ms(row: Row) -> int:
    return math.floor((row["done"] - row["arrival"]) * 1000)


def _combined(row: Row, stamp: float) -> str:
    date = _common_date(math.floor(stamp))
    return f"{row['address']} - - [{date}] {_request(row)} {_behind(row)}"


def _timed(row: Row, stamp: float) -> str:
    return f"{_combined(row, stamp)} {_duration_ms(row) / 1000:.3f}"


def _apache_timed(row: Row, stamp: float) -> str:
    return f"{_combined(row, stamp)} {math.floor((row['done'] - row['arrival']) * 1e6)}"


def _vhost(row: Row, stamp: float) -> str:
    return f"{row['host']}:443 {_combined(row, stamp)}"


def _forwarded(row: Row, stamp: float) -> str:
    inner = f"{PROXY} - - [{_common_date(math.floor(stamp))}] {_request(row)} {_behind(row)}"
    return f'{inner} "{row["address"]}"'


def _msec(row: Row, stamp: float) -> str:
    # Whole milliseconds: a float of the epoch in seconds would be rounded, not cut off.
    whole = EPOCH * 1000 + math.floor(stamp * 1000)
    date = f"{whole // 1000}.{whole % 1000:03}"
    time = f"{_duration_ms(row) / 1000:.3f}"
    return f"{row['address']} {date} {time} {_request(row)} {_behind(row)}"


# No text here needs an escape in JSON, and concatenation is faster.


def _json(row: Row, stamp: float) -> str:
    whole = EPOCH * 1000 + math.floor(stamp * 1000)
    return (
        f'{{"msec":"{whole // 1000}.{whole % 1000:03}","remote_addr":"{row["address"]}",'
        f'"host":"{row["host"]}","request_method":"{row["method"]}",'
        f'"request_uri":"{row["path"]}","status":{row["status"]},'
        f'"body_bytes_sent":{row["bytes"]},"request_time":{_duration_ms(row) / 1000:.3f},'
        f'"http_referer":"{row["referrer"]}","http_user_agent":"{row["agent"]}"}}'
    )


def _json_start(row: Row, stamp: float) -> str:
    milliseconds = math.floor(stamp * 1000)
    date = f"{_iso_date(milliseconds // 1000)}.{milliseconds % 1000:03}Z"
    return (
        f'{{"start_time":"{date}","duration_ms":{_duration_ms(row)},'
        f'"client_ip":"{row["address"]}","host":"{row["host"]}","method":"{row["method"]}",'
        f'"path":"{row["path"]}","status":{row["status"]},"bytes":{row["bytes"]},'
        f'"referrer":"{row["referrer"]}","user_agent":"{row["agent"]}"}}'
    )


@dataclass(frozen=True)
class Format:
    """One format."""

    name: str
    line: Line
    resolution_s: float
    stamp: str
    """`arrival` or `done`: the column of the stamp."""

    duration_s: float | None
    """The resolution of the duration, if there is one."""

    definition: str | None = None
    """The argument of `learn --format`, if `learn` does not find the format by itself."""

    suffix: str = ".log"


_NGINX = '"$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
_APACHE = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"'

FORMATS = {
    one.name: one
    for one in [
        Format("combined", _combined, 1.0, "arrival", None),
        Format("combined-end", _combined, 1.0, "done", None),
        Format(
            *("timed", _timed, 1.0, "done", 1e-3),
            f"nginx:$remote_addr - $remote_user [$time_local] {_NGINX} $request_time",
        ),
        Format("apache-timed", _apache_timed, 1.0, "arrival", 1e-6, f"apache:{_APACHE} %D"),
        Format("vhost", _vhost, 1.0, "arrival", None, f"apache:%v:%p {_APACHE}"),
        Format(
            *("forwarded", _forwarded, 1.0, "done", None),
            f'nginx:$remote_addr - $remote_user [$time_local] {_NGINX} "$http_x_forwarded_for"',
        ),
        Format(
            *("msec", _msec, 1e-3, "done", 1e-3),
            f"nginx:$remote_addr $msec $request_time {_NGINX}",
        ),
        Format("json", _json, 1e-3, "done", 1e-3, suffix=".json"),
        Format("json-start", _json_start, 1e-3, "arrival", 1e-3, suffix=".json"),
    ]
}
"""All formats by name. Lines are in the order of completion in each."""


def lines(rows: Iterator[Row], form: Format, bunch_s: float | None = None) -> Iterator[str]:
    """The lines, without their ends.

    With `bunch_s` the stamps are not the requests' but a collector's, which takes its lines at this
    interval.
    """
    for row in rows:
        stamp = row[form.stamp]
        if bunch_s:
            stamp = math.ceil(stamp / bunch_s) * bunch_s
        yield form.line(row, stamp)
