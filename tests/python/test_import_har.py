"""Imports of HAR: entries from caches, and pages behind redirects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from import_results import imported, loads, requests, table
from test_import_recordings import SHOP, entry, har

from thinktime.importing import Imported

CACHED = "it came from the browser's cache"


def without(one: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entry with other fields."""
    return one | more


PAGE = entry("00.000", f"{SHOP}/")
PICTURE = entry("00.200", f"{SHOP}/a.png", kind="image/png")


@pytest.mark.parametrize(
    "kept",
    [
        {"_fromCache": "memory"},
        {"_fetchType": "Memory Cache"},
        {"_fetchType": "Disk Cache"},
        {"_fetchType": "Service Worker"},
        {"timings": {}, "time": 0},
    ],
)
def test_an_entry_from_a_cache_is_left_out_and_named(kept: dict[str, Any]) -> None:
    made = imported(har(PAGE, without(PICTURE, **kept)))
    assert list(requests(made)) == ["home"]
    assert list(made.notes) == [f"entry 2: left out: {CACHED}"]


@pytest.mark.parametrize(
    "sent",
    [
        {"_fetchType": "Network Load"},
        {"timings": {}, "serverIPAddress": "192.0.2.1"},
        {"timings": {"wait": 0}, "time": 0},
        {"cache": {"beforeRequest": None}},
    ],
)
def test_an_entry_from_the_server_is_an_object(sent: dict[str, Any]) -> None:
    made = imported(har(PAGE, without(PICTURE, **sent)))
    assert list(requests(made)) == ["home", "a-png"]
    assert not list(made.notes)


def test_a_recording_without_timings_is_not_from_a_cache() -> None:
    made = imported(har(without(PAGE, timings={}), without(PICTURE, timings={})))
    assert list(requests(made)) == ["home", "a-png"]


def redirect(begun: str, url: str, to: str, status: int = 302, **more: Any) -> dict[str, Any]:
    """An entry that redirects; `redirectURL` is missing if `to` begins with `Location: `."""
    one: dict[str, Any] = json.loads(json.dumps(entry(begun, url, kind="", took=20.0, **more)))
    field = to.removeprefix("Location: ")
    one["response"] |= {
        "status": status,
        "redirectURL": "" if field != to else to,
        "headers": [{"name": "location", "value": field}] if field != to else [],
    }
    return one


def journey(made: Imported) -> list[tuple[str, list[str]]]:
    """The steps in their order, with the names of their objects."""
    loads(made)
    return [
        (one.get("get") or one["post"], list(one.get("objects", {}).get("of", {})))
        for one in table(made)["request"]
        if "next" in one
    ]


OBJECTS = (
    entry("00.200", f"{SHOP}/a.css", kind="text/css"),
    entry("00.210", f"{SHOP}/b.js", kind="text/javascript"),
)


@pytest.mark.parametrize("page", ["page_1", ""])
@pytest.mark.parametrize(
    "to", [f"{SHOP}/new#top", "/new", "Location: new", f"Location: {SHOP}/new"]
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_page_behind_a_redirect_is_a_step_with_its_objects(
    status: int, to: str, page: str
) -> None:
    behind = (entry("00.050", f"{SHOP}/new", took=50.0), *OBJECTS)
    steps = [redirect("00.000", f"{SHOP}/old", to, status), *behind]
    made = imported(har(*(one | {"pageref": page} for one in steps)))
    assert journey(made) == [("/old", []), ("/new", ["a-css", "b-js"])]
    assert not list(made.notes)


def test_a_chain_of_redirects_is_a_step_each() -> None:
    made = imported(har(
        redirect("00.000", f"{SHOP}/in", "/one", 303, method="POST"),
        redirect("00.030", f"{SHOP}/one", "/two"),
        entry("00.060", f"{SHOP}/two"), *OBJECTS,
    ))  # fmt: skip
    assert journey(made) == [("/in", []), ("/one", []), ("/two", ["a-css", "b-js"])]


def test_an_object_that_is_redirected_stays_one() -> None:
    made = imported(har(
        PAGE, redirect("00.150", f"{SHOP}/x", "/a.css"), *OBJECTS,
        entry("00.300", f"{SHOP}/old"),
    ))  # fmt: skip
    assert list(requests(made)["home"]["objects"]["of"]) == ["x", "a-css", "b-js", "old"]


def test_the_target_is_that_of_the_page_and_not_of_its_redirect() -> None:
    made = imported(har(
        redirect("00.000", "http://shop.example/", f"{SHOP}/") | {"pageref": ""},
        entry("00.050", f"{SHOP}/") | {"pageref": ""},
    ))  # fmt: skip
    assert made.origin == SHOP
    assert any("goes to http://shop.example" in note for note in made.notes)
