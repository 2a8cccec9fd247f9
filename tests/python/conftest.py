"""What all tests share."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_not_ignored() -> Iterator[None]:
    """A shell starts its background jobs with Ctrl-C ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a fixture of their file stay together; all others go to whoever is free."""
    for item in items:
        shared = [
            fixture
            for fixtures in item._fixtureinfo.name2fixturedefs.values()
            for fixture in fixtures
            if fixture.scope != "function" and fixture.baseid.endswith(".py")
        ]
        if shared:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
