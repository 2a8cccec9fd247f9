"""How a program logs the times that a log lacks."""

from __future__ import annotations

from collections.abc import Sequence

WAYS = {
    "nginx": "let nginx log `$msec` and `$request_time`",
    "apache": "let Apache log `%D` and `%{msec_frac}t`",
    "traefik": "let Traefik log JSON, whose `StartUTC` and `Duration` are in nanoseconds",
    "caddy": "let Caddy log `ts` and `duration` as numbers",
    "iis": "let a proxy before IIS log stamps in ms: its own log has whole seconds",
    "s3": "take the log of a proxy before S3: its own log has whole seconds",
    "cloudfront": "take CloudFront's real-time logs, with `timestamp` and `time-taken`",
    "json": "log `time` with its milliseconds, and `duration_ms`",
}
"""What to do, by the name of the format."""

SAME = {
    "csv": "json",
    "parquet": "json",
    "traefik-json": "traefik",
}
"""Formats that are logged by the same program."""


def finer(formats: Sequence[str]) -> str:
    """What to change so that logs of these formats have durations and fine stamps."""
    names = [SAME.get(name, name) for name in formats]
    ways = [WAYS[name] for name in names if name in WAYS]
    found = ways or [WAYS["nginx"], WAYS["apache"]]
    return f"{', or '.join(dict.fromkeys(found))} (docs/learn.md has the lines)"
