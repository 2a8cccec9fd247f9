"""A dict as a workload or a system: keys of None, and places of what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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
