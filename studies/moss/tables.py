"""The study's tables, in Markdown."""

from __future__ import annotations

from typing import Any

import cells

Rows = list[dict[str, Any]]

# Figure 10c and the text: the medians of the monitoring requests (ms) that were measured.
MEASURED_MS = {
    (1, 180, "linux-2.6.22"): 261,
    (1, 180, "windows-server-2003"): 814,
    (2, 180, "linux-2.6.22"): 255,
    (2, 360, "linux-2.6.22"): 258,
    (2, 180, "windows-server-2003"): 256,
    (2, 360, "windows-server-2003"): 458,
    (4, 180, "linux-2.6.22"): 305,
    (4, 360, "linux-2.6.22"): 305,
    (4, 720, "linux-2.6.22"): 286,
    (4, 180, "windows-server-2003"): 250,
    (4, 360, "windows-server-2003"): 252,
    (4, 720, "windows-server-2003"): 523,
}
# So far from processor sharing a scheduler's median and 95th percentile may be, for it to do.
GOOD_ENOUGH = 0.1


def of_cells(found: Rows) -> str:
    """All cells, and beside them what the paper measured."""
    text = "# MOSS: the tables\n\nTimes in ms; means over the runs, with 95 % intervals.\n\n"
    text += (
        "| cores | requests/min | system | request | median | interval | mean | p95 | measured |\n"
    )
    text += "|---|---|---|---|---|---|---|---|---|\n"
    for one in found:
        key = (one["cores"], one["rate_per_min"], one["os"])
        measured = MEASURED_MS.get(key) if one["request"] == "monitoring" else None
        beside = "" if measured is None else f"{measured} ({one['median_ms'] / measured - 1:+,.0%})"
        low, high = one["ci95_ms"]
        text += (
            f"| {one['cores']} | {one['rate_per_min']} | {one['os']} | {one['request']} "
            f"| {one['median_ms']:,.1f} | {low:,.1f} to {high:,.1f} | {one['mean_ms']:,.0f} "
            f"| {one['p95_ms']:,.0f} | {beside} |\n"
        )
    return text


def of_sharing(found: Rows, shared: Rows) -> str:
    """Where processor sharing would have been good enough."""
    text = "\n## Processor sharing instead\n\n"
    text += (
        "| cores | requests/min | request | median, p95 shared | Linux 2.6.22 | Windows 2003 |\n"
    )
    text += "|---|---|---|---|---|---|\n"
    for one in shared:
        beside = [_against(found, one, os) for os in cells.SYSTEMS]
        text += (
            f"| {one['cores']} | {one['rate_per_min']} | {one['request']} "
            f"| {one['median_ms']:,.1f}, {one['p95_ms']:,.0f} | {beside[0]} | {beside[1]} |\n"
        )
    return text


def _against(found: Rows, shared: dict[str, Any], os: str) -> str:
    same = ("cores", "rate_per_min", "request")
    one = next(x for x in found if x["os"] == os and all(x[key] == shared[key] for key in same))
    off = [shared[key] / one[key] - 1 for key in ("median_ms", "p95_ms")]
    verdict = "good enough" if max(map(abs, off)) <= GOOD_ENOUGH else "no"
    return f"{verdict} ({off[0]:+,.0%}, {off[1]:+,.0%})"


def of_readings(readings: Rows) -> str:
    """What each reading changes."""
    text = "\n## Two cores, 360 requests a minute, read otherwise\n\nMedians in ms.\n\n"
    text += "| reading | system | page | p95 of page | monitoring | reporting |\n"
    text += "|---|---|---|---|---|---|\n"
    for at in range(0, len(readings), len(cells.REQUESTS)):
        page, monitoring, reporting = readings[at : at + len(cells.REQUESTS)]
        text += (
            f"| {page['reading']} | {page['os']} "
            f"| {page['median_ms']:,.1f} | {page['p95_ms']:,.1f} "
            f"| {monitoring['median_ms']:,.0f} | {reporting['median_ms']:,.0f} |\n"
        )
    return text
