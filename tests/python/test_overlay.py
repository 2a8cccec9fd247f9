"""Overlays: one rule by which a file is laid over a workload or a system."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.inputs import overlay
from thinktime.inputs.files import named_workload, system_of, workload_of
from thinktime.results import provenance

SHOP = """name = "shop"
[arrivals]
model = "partly-open"
rate = "5/s"
[session]
requests = "geometric(3)"
think = "exp(1s)"
data = ["users.csv"]
[[request]]
name = "item"
weight = 3
get = "/item"
timeout = "2s"
[[request]]
name = "order"
post = "/order"
"""
PEOPLE = """name = "two"
[[population]]
name = "people"
[population.arrivals]
model = "open"
rate = "5/s"
[[population.request]]
name = "item"
get = "/item"
[[population]]
name = "robots"
[population.arrivals]
model = "open"
rate = "1/s"
[[population.request]]
name = "item"
get = "/item?robot"
[[population.request]]
name = "map"
get = "/map"
"""
SYSTEM = """name = "s"
[[station]]
name = "cpu"
demand.item = "1ms"
demand.order = "2ms"
[[station]]
name = "disk"
demand = "1ms"
"""


def files(tmp_path: Path, **texts: str) -> list[Path]:
    paths = [tmp_path / f"{name}.toml" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


def laid(tmp_path: Path, base: str, over: str, kind: type = tt.Workload) -> dict:
    (tmp_path / "users.csv").write_text("user\nann\n")
    below, above = files(tmp_path, base=base, over=over)
    with overlay.laid([above], [tt.Workload, tt.System]):
        read = workload_of(below) if kind is tt.Workload else system_of(below)
    return tomllib.loads(read.to_toml())


def test_keys_of_tables_replace_and_the_others_stay(tmp_path: Path) -> None:
    found = laid(tmp_path, SHOP, "[arrivals]\nrate = '9/s'\n[slo]\np99 = '250ms'\n")
    assert found["arrivals"]["rate"] == "9/s"
    assert found["arrivals"]["model"] == "partly-open"
    assert found["slo"] == {"p99": "250ms"}
    assert found["session"]["think"] == "exp(1s)"


def test_tables_of_a_list_are_found_by_their_names(tmp_path: Path) -> None:
    over = "[[request]]\nname = 'order'\ntimeout = '1s'\nretry = { attempts = 3 }\n"
    item, order = laid(tmp_path, SHOP, over)["request"]
    assert "retry" not in item
    assert item["timeout"] == "2s"
    assert order["retry"] == {"attempts": 3}
    assert order["post"] == "/order"


def test_a_star_is_each_of_them(tmp_path: Path) -> None:
    over = "[[request]]\nname = '*'\ntimeout = '1s'\n[[request]]\nname = 'item'\nweight = 7\n"
    item, order = laid(tmp_path, SHOP, over)["request"]
    assert (item["timeout"], item["weight"], order["timeout"]) == ("1s", 7.0, "1s")


def test_tables_of_a_population_lie_over_each(tmp_path: Path) -> None:
    over = "[[request]]\nname = '*'\ntimeout = '1s'\n[[request]]\nname = 'map'\nweight = 2\n"
    people, robots = laid(tmp_path, PEOPLE, over)["population"]
    requests = people["request"] + robots["request"]
    assert [one["timeout"] for one in requests] == ["1s"] * 3
    assert [one.get("weight", 1.0) for one in requests] == [1.0, 1.0, 2.0]


def test_one_population_is_named(tmp_path: Path) -> None:
    over = "[[population]]\nname = 'robots'\n[population.arrivals]\nrate = '3/s'\n"
    people, robots = laid(tmp_path, PEOPLE, over)["population"]
    assert (people["arrivals"]["rate"], robots["arrivals"]["rate"]) == ("5/s", "3/s")


def test_systems_have_the_same_rule(tmp_path: Path) -> None:
    over = "[[station]]\nname = 'cpu'\npolicy = 'ps'\ndemand.item = '4ms'\n[[link]]\nname = 'wan'\n"
    found = laid(tmp_path, SYSTEM, over, tt.System)
    cpu, disk = found["station"]
    assert cpu["demand"] == {"item": "4ms", "order": "2ms"}
    assert cpu["policy"] == "ps"
    assert "policy" not in disk
    assert found["link"] == [{"name": "wan"}]


def test_the_last_overlay_counts_and_presets_are_files_too(tmp_path: Path) -> None:
    paths = files(tmp_path, one="seed = 5\nname = 'x'\n", two="seed = 6\n")
    with overlay.laid(paths, [tt.Workload]):
        read = named_workload(Path("clubweb"))
    assert (read.seed, read.name) == (6, "x")
    assert named_workload(Path("clubweb")).seed != 6


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ("[slo]\np99 = '5 parsecs'\n", "over.toml:2: slo.p99: "),
        ("seed = 1\n[arrivals]\nrat = '9/s'\n", "over.toml:3: arrivals.rat"),
        ("[[request]]\nname = 'itme'\n", "over.toml:2: request[1].name: "),
        ("[[request]]\nname = 'itme'\n", "did you mean `item`?"),
        ("\n[[request]]\nname = 'order'\nretry = { attempts = -1 }\n", "over.toml:4: request[1]"),
        ("[[population]]\nname = 'a'\n", "over.toml:1: population"),
        (
            "[arivals]\nrate = '1/s'\n",
            "over.toml:1: arivals: unknown key: did you mean `arrivals`?",
        ),
        ("[[station]]\nname = 'a'\n[slo]\np99 = '1s'\n", "make two files"),
        ("", "over.toml: is empty"),
        ("a = = 1\n", "over.toml:1: "),
        ("[arrivals]\nmodel = 'closed'\n", "over.toml"),
        ("[[request]]\nname = 'item'\npost = '/x'\n", "over.toml"),
    ],
)
def test_errors_name_the_overlay_and_its_key(tmp_path: Path, over: str, said: str) -> None:
    with pytest.raises(tt.InputError) as caught:
        laid(tmp_path, SHOP, over)
    assert said in str(caught.value)


def test_a_star_without_anything_is_an_error(tmp_path: Path) -> None:
    base = "name = 'w'\narrivals = { model = 'open', rate = '1/s' }\n"
    with pytest.raises(tt.InputError, match=r"over\.toml:2: request\[1\]\.name: .* names none"):
        laid(tmp_path, base, "[[request]]\nname = '*'\ntimeout = '1s'\n")


def command(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(one) for one in words])
    return done.exit_code, done.stdout, done.stderr


def test_show_prints_what_would_be_run(tmp_path: Path) -> None:
    impatient, disks = (
        "[[request]]\nname = '*'\ntimeout = '7s'\n",
        "[[station]]\nname = 'disk'\nservers = 4\n",
    )
    alone = SHOP.replace('data = ["users.csv"]\n', "")
    work, system, one, two = files(tmp_path, work=alone, system=SYSTEM, one=impatient, two=disks)
    status, out, _ = command("show", work, system, "--with", one, "--with", two, "--scale", "2")
    first, _, second = out.partition(f"\n# system: {system}\n")
    shown = tomllib.loads(first)
    assert status == 0
    assert shown["request"][0]["timeout"] == "7s"
    assert tt.Workload(first).session_rate == 10.0
    assert tt.System(second).stations[1].servers == 4


def test_results_record_what_was_simulated(tmp_path: Path) -> None:
    work, system, over = files(
        tmp_path, work=SHOP.replace('data = ["users.csv"]\n', ""), system=SYSTEM,
        over="[arrivals]\nrate = '7/s'\n",
    )  # fmt: skip
    words = ("simulate", work, system, "--with", over, "-n", "200", "-o", tmp_path / "out", "-q")
    assert command(*words)[0] == 0
    done = tt.Result.load(tmp_path / "out")
    assert done.workload.session_rate == 7.0
    made = provenance.read(tmp_path / "out")
    assert made is not None
    assert {one.use for one in made.files} == {"overlay 1", "workload", "system"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("simulate", "--again", "x"), "the command was given none"),
        (("run", "http://127.0.0.1:9"), "the command was given none"),
        (("serve", "{system}"), "the command was given none"),
    ],
)
def test_an_overlay_that_nothing_takes_is_an_error(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    system, over = files(tmp_path, system=SYSTEM, over="seed = 3\n")
    status, _, err = command(*(one.format(system=system) for one in words), "--with", over)
    assert status == 2
    assert said in err


def test_serve_and_switch_read_overlays(tmp_path: Path) -> None:
    system, over = files(tmp_path, system=SYSTEM, over="[[station]]\nname = 'cpu'\npolicy = 'x'\n")
    for words in (("serve", system), ("switch", system, "--server", "http://127.0.0.1:9")):
        status, _, err = command(*words, "--with", over)
        assert status == 2
        assert "over.toml:3: station[1].policy" in err
