"""Logs of a few lines give a workload that can be run, or are refused with the needed size."""

from __future__ import annotations

from pathlib import Path

import pytest

import thinktime as tt
from thinktime.learn import learn

pytestmark = pytest.mark.usefixtures("brief_advice")
SYSTEM = 'name = "s"\n[[station]]\nname = "x"\ndemand = "exp(5ms)"\n'
PERSON, CRAWLER = "Mozilla/5.0 (X11) Firefox/120.0", "Googlebot/2.1"

Line = tuple[float, int, str, str]
"""Its time in seconds, its user, its path and its agent."""


def logged(file: Path, lines: list[Line], *, fine: bool) -> Path:
    """Lines with stamps in microseconds, or in whole seconds."""
    text = []
    for at, user, path, agent in lines:
        clock = f"08:{int(at) // 60:02d}:{int(at) % 60:02d}"
        if fine:
            text.append(
                f'{{"time":"2026-03-02T{clock}.{round(at % 1 * 1e6):06d}Z",'
                f'"remote_addr":"10.0.0.{user}",'
                f'"request":"GET {path} HTTP/1.1","status":200,"bytes_sent":5,"request_time":0.004,'
                f'"http_user_agent":"{agent}"}}\n'
            )
        else:
            text.append(
                f'10.0.0.{user} - - [02/Mar/2026:{clock} +0000] "GET {path} HTTP/1.1" 200 5 "-" '
                f'"{agent}"\n'
            )
    file.write_text("".join(text))
    return file


@pytest.mark.parametrize("count", [1, 40])
def test_a_log_of_one_instant_is_refused_with_what_would_do(tmp_path: Path, count: int) -> None:
    lines = [(1.123457, n % 5, "/x", PERSON) for n in range(count)]
    log = logged(tmp_path / "a.json", lines, fine=True)
    with pytest.raises(tt.InputError, match="at two different times at least") as raised:
        learn([log])
    assert str(log) in str(raised.value)


USABLE: dict[str, tuple[list[Line], bool]] = {
    "one line": ([(0.0, 1, "/", PERSON)], False),
    "two of one second": ([(0.0, 1, "/", PERSON)] * 2, False),
    "fifty of one second": ([(0.0, n % 7, f"/{n}", PERSON) for n in range(50)], False),
    "two lines": ([(0.0, 1, "/", PERSON), (5.0, 1, "/a", PERSON)], False),
    "two microseconds": ([(0.1, 1, "/", PERSON), (0.100001, 2, "/a", PERSON)], True),
    "five lines": ([(n * 2.0, n % 3, f"/{n}", PERSON) for n in range(5)], True),
    "two apart": ([(0.0, 1, "/", PERSON), (3000.0, 2, "/", PERSON)], True),
    "a crawler that is first": (
        [(0.123457, 1, "/x", CRAWLER), *((1.0 + n, n, "/y", PERSON) for n in range(2, 6))],
        True,
    ),
    "a crowd that is first": (
        [(0.123457, 1, "/x", CRAWLER)] * 3 + [(0.123457 + n, n, "/y", PERSON) for n in range(2, 6)],
        True,
    ),
    "all objects": ([(0.0, 1, "/a.png", PERSON), (0.5, 1, "/b.css", PERSON)], True),
}


@pytest.mark.parametrize("name", USABLE)
def test_what_a_short_log_gives_can_be_run(tmp_path: Path, name: str) -> None:
    lines, fine = USABLE[name]
    found = learn([logged(tmp_path / "a.log", lines, fine=fine)])
    found.save(tmp_path / "w.toml")
    result = tt.simulate(tmp_path / "w.toml", tt.System(SYSTEM), duration="1h", warmup=0)
    if not any(part.closed for part in found.parts):
        assert result.summary["requests"] == pytest.approx(len(lines), abs=max(2, len(lines) / 5))
    assert {part.population.confidence for part in found.parts} <= {"unsure", "likely"}


def test_sizes_of_one_number_of_bytes_are_that_number(tmp_path: Path) -> None:
    log = logged(
        tmp_path / "a.log", [(float(n), n % 5, "/x", PERSON) for n in range(60)], fine=False
    )
    sizes = learn([log], fidelity=False).figures.sizes
    assert (sizes.tally.mean, sizes.tally.quantile(0.5), sizes.law) == (5.0, 5.0, "const(5B)")


def test_one_user_is_no_users(tmp_path: Path) -> None:
    for count in (1, 2):
        log = logged(tmp_path / f"{count}.log", [(0.0, 1, "/", "curl/8")] * count, fine=False)
        (only,) = learn([log], fidelity=False).split.populations
        assert only.reason.startswith("1 user")
