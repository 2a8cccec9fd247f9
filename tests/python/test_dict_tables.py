"""A dict as a workload or a system: keys of None, and places of what is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fuzzing import seeds

import thinktime as tt
from thinktime import workload
from thinktime.inputs.files import system_of, workload_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PRESETS = Path(workload.__file__).parent / "presets"
SYSTEMS = ("server", "shop-visitors-server", "three-tier", "machine-cluster")
SHOP: dict[str, Any] = {
    "name": "shop",
    "arrivals": {"model": "open", "rate": 10},
    "request": [{"name": "item", "get": "/item"}],
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_tables_of_a_system_are_read_back(name: str, tmp_path: Path) -> None:
    """They have all keys, of which some are None."""
    system = tt.System.load(EXAMPLES / f"{name}.toml")
    kinds = {"shop-visitors-server": "shop-visitors"}
    workload = EXAMPLES / f"{kinds.get(name, 'shop')}.toml"
    options: dict[str, Any] = {"requests": 300, "warmup": 0}
    from_file = tt.simulate(workload, system, **options)
    from_tables = tt.simulate(workload, dict(system.tables), **options)
    assert from_tables.summary["response_time_s"] == from_file.summary["response_time_s"]


def test_a_key_of_none_is_as_one_left_out() -> None:
    station = {"name": "disk", "demand": "exp(10ms)"}
    found = [
        tt.simulate(SHOP, {"name": "server", "station": [one]}, requests=100, warmup=0)
        for one in (station, {**station, "servers": None})
    ]
    without, with_none = found
    assert with_none.summary["response_time_s"] == without.summary["response_time_s"]


def test_a_key_that_the_whole_dict_lacks_is_not_said_of_its_first_table() -> None:
    nameless = {key: value for key, value in SHOP.items() if key != "name"}
    system = {"name": "server", "station": [{"name": "disk", "demand": "10ms"}]}
    with pytest.raises(tt.InputError, match=r"^the dict of the workload: missing key `name`"):
        tt.simulate(nameless, system)
    with pytest.raises(tt.InputError, match=r"`station\[1\]`: missing key `name`"):
        tt.simulate(SHOP, {**system, "station": [{"demand": "10ms"}]})


# ---- what `tables` gives is read back


def read_back(made: tt.Workload | tt.System) -> tt.Workload | tt.System:
    """The one of its tables, which went through JSON."""
    tables = json.loads(json.dumps(made.tables))
    return workload_of(tables) if isinstance(made, tt.Workload) else system_of(tables)


def examples() -> list[tuple[type[tt.Workload | tt.System], Path]]:
    found: list[tuple[type[tt.Workload | tt.System], Path]] = []
    for file in sorted([*EXAMPLES.glob("*.toml"), *PRESETS.glob("*.toml")]):
        for kind in (tt.Workload, tt.System):
            with suppress(tt.InputError):
                kind.load(file)
                found.append((kind, file))
    return found


@pytest.mark.parametrize(("kind", "file"), examples())
def test_the_tables_of_an_example_are_read_back(
    kind: type[tt.Workload | tt.System], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)  # files that a dict names are beside the current folder
    made = kind.load(file)
    assert read_back(made).tables == made.tables


def random_population(draw: Random, name: str) -> dict[str, Any]:
    """The tables of one population, each key there or not."""
    model = draw.choice(["open", "closed", "partly-open"])
    arrivals: dict[str, Any] = {"model": model}
    session: dict[str, Any] = {}
    if model == "closed":
        arrivals["clients"] = draw.randint(1, 9)
    else:
        arrivals["rate"] = draw.choice([3, 0.5, "20/s"])
        arrivals |= some(draw, process=["even", "h2(1s, cv2=4)"], profile=["steps(0s: 1, 9s: 2)"])
    if model != "open":
        session["think"] = draw.choice(["2s", "exp(1s)"])
        session |= some(draw, on_error=["continue", "end"], cookies=[True, False])
    if model == "partly-open":
        session["requests"] = draw.choice(["3", "geometric(4)"])
        arrivals |= some(draw, start=["empty", "steady"])
    requests = [
        {"name": f"{name}{number}", "get": f"/{number}"}
        | some(draw, timeout=["1s"], weight=[1, 2.5], headers=[{"x": "1"}, {}])
        | some(draw, retry=[{"attempts": 3}, {"attempts": 2, "backoff": "1s"}] if number else [{}])
        for number in range(draw.randint(1, 3))
    ]
    found = {"arrivals": arrivals, "session": session, "request": requests}
    return found | some(draw, clients=[{"concurrency": 4}])


def some(draw: Random, **values: list[Any]) -> dict[str, Any]:
    """Each key with one of its values, in half of the cases."""
    kept = {key: draw.choice(each) for key, each in values.items() if draw.random() < 0.5}
    return {key: value for key, value in kept.items() if value != {}}


def random_workload(draw: Random) -> dict[str, Any]:
    own = {"name": "w", **some(draw, seed=[1, 7], slo=[{"p99": "1s"}])}
    if draw.random() < 0.5:
        return own | random_population(draw, "all")
    several = [
        {"name": name} | random_population(draw, name) for name in "abc"[: draw.randint(1, 3)]
    ]
    return own | {"population": several}


@pytest.mark.parametrize("seed", seeds(range(100), fresh=300))
def test_the_tables_of_any_workload_are_read_back(seed: int) -> None:
    made = workload_of(random_workload(Random(seed)))
    again = read_back(made)
    assert isinstance(again, tt.Workload)
    assert again.tables == made.tables
    system, options = {"name": "s", "station": [{"name": "a", "demand": "1ms"}]}, {"requests": 50}
    found = [tt.simulate(one, system, warmup=0, **options) for one in (made, made.tables)]
    assert found[0].summary["response_time_s"] == found[1].summary["response_time_s"]


def test_the_tables_of_a_replay_are_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log forbids a `rate` and a `profile`."""
    monkeypatch.chdir(tmp_path)
    line = '192.0.2.{} - - [22/Nov/2026:10:00:{:02} +0000] "GET /{} HTTP/1.1" 200 9 "-" "-"\n'
    Path("access.log").write_text("".join(line.format(n % 3, n, n) for n in range(30)))
    arrivals = {"model": "partly-open", "process": "trace(access.log)"}
    made = workload_of({"name": "w", "arrivals": arrivals})
    assert read_back(made).tables == made.tables


def test_a_default_that_does_not_fit_is_still_refused_if_someone_writes_it() -> None:
    """Without all the keys of a table, `process` is what its author wanted."""
    closed = {"model": "closed", "clients": 2, "process": "poisson"}
    with pytest.raises(tt.InputError, match="process"):
        workload_of({"name": "w", "arrivals": closed, "session": {"think": "1s"}})
