"""Objects of pages by their times alone: logs with neither endings nor referrers.

Logs are of fixed seeds, so that nothing here fails by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from thinktime.learn import Learned, learn

START = 1_790_000_000
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def line(time_s: float, user: int, target: str, more: str, status: int = 200) -> tuple[float, str]:
    stamp = datetime.fromtimestamp(START + time_s, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    address = f"10.1.{user // 250}.{user % 250 + 1}"
    return time_s, f'{address} - - [{stamp}] "GET {target} HTTP/1.1" {status} 900{more}'


def visitors(think_s: float, objects: int, more: str, redirect: bool = False) -> Iterator:
    """400 people, each with one session of 4 pages on average, of objects each."""
    draw = np.random.default_rng(7)
    for user in range(400):
        time_s = draw.uniform(0, 4 * 3600)
        for _ in range(draw.geometric(0.25)):
            if redirect:
                yield line(time_s, user, f"/login/{draw.integers(90)}", more, 302)
                time_s += 0.01
            yield line(time_s, user, f"/page/{draw.integers(900)}", more)
            for _ in range(objects):
                time_s += draw.exponential(0.08)
                kind = ("pic", "style", "code")[draw.integers(3)]
                yield line(time_s, user, f"/{kind}/{draw.integers(900)}", more)
            time_s += 1 + draw.exponential(think_s)


def programs() -> Iterator:
    """30 programs that ask for three things at once, in any order, every 40 s or so."""
    draw = np.random.default_rng(8)
    for user in range(30):
        for start_s in np.cumsum(draw.exponential(40.0, 100)):
            for at, target in enumerate(draw.permutation(["/a/1", "/b/1", "/c/1"])):
                yield line(start_s + 0.02 * at, user, target, "")


def learned(folder: Path, lines: Iterator, **how: bool) -> Learned:
    log = folder / "access.log"
    log.write_text("".join(f"{text}\n" for _, text in sorted(lines)))
    return learn([log], fidelity=False, **how)


@pytest.mark.parametrize("more", ["", f' "-" "{AGENT}"', f' "-" "{AGENT}" rt=0.004'])
def test_pages_are_found_by_time(tmp_path: Path, more: str) -> None:
    found = learned(tmp_path, visitors(20.0, 8, more))
    assert found.figures.pages.tally.mean == pytest.approx(4.0, rel=0.1)
    assert [one.name for one in found.split.populations] == ["people"]
    (note,) = [one.text for one in found.split.findings if one.name == "objects by time"]
    assert all(part in note for part in ("89 % of the requests", "--no-pages", "/pic/*"))
    apart = learned(tmp_path, visitors(20.0, 8, more), pages=False)
    assert not [one for one in apart.split.findings if one.name == "objects by time"]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(lambda: visitors(3.0, 0, ""), id="quick readers"),
        pytest.param(lambda: visitors(20.0, 0, "", redirect=True), id="redirects"),
        pytest.param(programs, id="programs"),
    ],
)
def test_what_has_no_order_or_follows_a_redirect_is_no_object(tmp_path: Path, lines) -> None:
    found = learned(tmp_path, lines())
    assert not [one for one in found.split.findings if one.name == "objects by time"]
