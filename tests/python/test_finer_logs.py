"""The log formats that docs/learn.md advises show the server."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from road.log import START_S
from road.simulator import Visit, visits
from road.site import Site

from thinktime.learn import learn
from thinktime.learn.server.finer_log import WAYS, finer

TEXT = (Path(__file__).resolve().parents[2] / "docs/learn.md").read_text(encoding="utf-8")
SITE = Site(5, "fcfs", 1, 0.05, 1.0, 0.5, 400.0, True, False)


def nginx() -> str:
    """The text of the format: its quoted parts together."""
    (block,) = re.findall(r"log_format timed escape=json (.*?);\n", TEXT, re.DOTALL)
    return "".join(re.findall(r"'(.*?)'", block))


def apache() -> str:
    """The text of the format."""
    (line,) = re.findall(r'LogFormat "(.*)" timed\n', TEXT)
    return line.replace('\\"', '"')


def of_nginx(one: Visit) -> str:
    values = {
        "msec": f"{START_S + one.end_s:.3f}",
        "request_time": f"{one.end_s - one.begin_s:.3f}",
        "remote_addr": f"10.0.{one.user // 250}.{one.user % 250}",
        "request_method": "GET",
        "request_uri": f"/{one.page}",
        "status": "200",
        "body_bytes_sent": "4000",
        "host": "www.example.com",
        "http_referer": "",
        "http_user_agent": "Mozilla/5.0",
    }
    return re.sub(r"\$(\w+)", lambda found: values[found[1]], nginx())


def of_apache(one: Visit) -> str:
    begin = datetime.fromtimestamp(START_S + one.begin_s, UTC)
    values = {
        "%h": f"10.0.{one.user // 250}.{one.user % 250}",
        "%{%d/%b/%Y:%T}t": begin.strftime("%d/%b/%Y:%H:%M:%S"),
        "%{msec_frac}t": f"{begin.microsecond // 1000:03d}",
        "%{%z}t": "+0000",
        "%r": f"GET /{one.page} HTTP/1.1",
        "%>s": "200",
        "%b": "4000",
        "%{User-Agent}i": "Mozilla/5.0",
        "%D": f"{(one.end_s - one.begin_s) * 1e6:.0f}",
    }
    return re.sub(r"%(>|\{[^}]*\})?\w", lambda found: values.get(found[0], "-"), apache())


@pytest.mark.usefixtures("brief_advice")
@pytest.mark.parametrize(("line", "format"), [(of_nginx, None), (of_apache, f"apache:{apache()}")])
def test_the_advised_formats_show_the_server(
    line: object, format: str | None, tmp_path: Path
) -> None:
    assert callable(line)
    log = tmp_path / "access.log"
    log.write_text("".join(f"{line(one)}\n" for one in visits(SITE, SITE.length_s, 1)))
    server = learn([log], format=format, fidelity=False).server()
    assert server is not None
    assert (server.policy, server.workers, server.guesses) == ("fcfs", 1, ())
    assert server.demand_s == pytest.approx(SITE.demand_s, rel=0.15)


def test_each_format_has_its_own_way() -> None:
    assert "$msec" in finer(["nginx"])
    assert "%D" not in finer(["nginx"])
    assert "$msec" in finer(["combined"])
    assert "%D" in finer(["combined"])
    assert "Traefik" in finer(["traefik"])
    assert "duration_ms" in finer(["csv", "parquet"])
    assert all(way == way.strip(".") for way in WAYS.values())
