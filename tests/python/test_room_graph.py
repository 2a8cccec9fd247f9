"""The checks of the order of rooms, against packages with a right and with a wrong order."""

from __future__ import annotations

from pathlib import Path

import pytest
from room_graph import Package, circle, upward_imports

HOUSE = {
    "__init__.py": "from thinktime._core import System\n"
    "from thinktime.present.units import seconds\n"
    'if TYPE_CHECKING:\n    from thinktime.runs import run\nHTML = "thinktime.page:html"\n',
    "present/__init__.py": "",
    "present/units.py": "from . import table",
    "present/table.py": "if TYPE_CHECKING:\n    from thinktime.runs import Result",
    "runs.py": "from thinktime import System, seconds\nimport thinktime.present.table",
    "page.py": "def html():\n    from .runs import run",
}
"""A package in order, by file; the face has the page by its name in a text."""

IN_ORDER = "present\nruns\npage\nthinktime"


def house(folder: Path, **more: str) -> Package:
    """A package of these files in a folder; `more` are lines that files have as well."""
    place = folder / "thinktime"
    for name, text in HOUSE.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        own = more.get(name.removesuffix(".py").replace("/", "_"), "")
        (place / name).write_text(f"{text}\n{own}")
    return Package(place)


def test_a_house_in_order_is_no_fault(tmp_path: Path) -> None:
    package = house(tmp_path)
    assert package.room_graph() == {
        "thinktime": {"present", "runs", "page"},
        "present": set(),
        "runs": {"present"},
        "page": {"runs"},
    }
    assert package.file_graph()["present.units"] == {"present.table"}
    assert list(upward_imports(package, IN_ORDER)) == []
    assert circle(package.room_graph()) == circle(package.file_graph()) == []


@pytest.mark.parametrize(
    "line",
    [
        "from thinktime.runs import run",
        "import thinktime.runs",
        "from thinktime import run",
        "from thinktime import runs",
        "from ..runs import run",
        "def late():\n    from thinktime.runs import run",
        "def late():\n    import thinktime",
        "def late():\n    from .. import page",
    ],
)
def test_an_import_of_a_higher_floor_is_found(line: str, tmp_path: Path) -> None:
    package = house(tmp_path, present_table=line)
    (found,) = upward_imports(package, IN_ORDER)
    assert found.startswith("present.table, line ")
    assert circle(package.room_graph())


def test_an_import_of_the_same_floor_is_found(tmp_path: Path) -> None:
    floors = "present\nruns page\nthinktime"
    assert len(list(upward_imports(house(tmp_path), floors))) == 1


def test_what_the_face_imports_late_has_a_floor_below_it(tmp_path: Path) -> None:
    floors = "present\nruns\nthinktime\npage"
    assert len(list(upward_imports(house(tmp_path), floors))) == 1


def test_rooms_without_a_floor_and_floors_without_a_room_are_found(tmp_path: Path) -> None:
    floors = "present\nruns\nattic\nthinktime"
    found = list(upward_imports(house(tmp_path), floors))
    assert found[:2] == ["page has no floor: add it to FLOORS", "there is no room attic"]


def test_a_circle_of_python_files_is_found(tmp_path: Path) -> None:
    package = house(tmp_path, present_table="def late():\n    from thinktime.present import units")
    assert list(upward_imports(package, IN_ORDER)) == []
    assert {"present.units", "present.table"} <= set(circle(package.file_graph()))
