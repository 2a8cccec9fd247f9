"""Named workloads: each works, and follows its source.

Laws are read from the files' text and judged by formulas of this file or of scipy. Simulations have
fixed seeds, and all intervals of this file together miss a true value with a probability of 1e-4 at
most.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from preset_files import FAST, Z, kinds, read
from scipy import stats

import thinktime as tt
from thinktime import workload
from thinktime.cli.group import COMMANDS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
THINKTIME = [sys.executable, "-c", "from thinktime.cli import main; main()"]
STARTED_BEFORE = 2**40
"""Sessions from this number on were there at the start, somewhere in their course."""


def thinktime(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*THINKTIME, *words], cwd=cwd, capture_output=True, text=True, timeout=300
    )


# ---- all of them


@pytest.mark.parametrize("name", workload.names())
def test_each_says_what_it_is_and_works(name: str) -> None:
    described = workload.describe(name)
    assert read(name)["name"] == described.name == name
    assert workload.text(name).startswith(f"# {described.about}\n#\n# Source: ")
    assert described.about.endswith(".")
    assert re.search(r"\b(19|20)\d\d\b", described.source), "no year in the source"
    loaded = workload.load(Path(name))
    assert loaded.name == name
    assert loaded.request_names == described.requests
    result = tt.simulate(loaded, tt.System(FAST), requests=3000)
    assert result.summary["requests"] > 1000
    assert result.summary["errors"] == 0


@pytest.mark.parametrize("name", workload.names())
def test_shares_sum_to_one(name: str) -> None:
    for kind in read(name)["request"]:
        if "next" in kind:
            assert math.fsum(kind["next"].values()) == pytest.approx(1, abs=1e-7), kind["name"]


# ---- clubweb

NUMBERS = re.compile(r"(\w+)=([\d.]+)")


def parameters(law: str) -> dict[str, float]:
    """The arguments of a law, in its written units."""
    return {name: float(value) for name, value in NUMBERS.findall(law)}


def rounded_pareto(shape: float, scale: float, k: int) -> float:
    """P(N = k) for N = X rounded, halves up."""

    def above(x: float) -> float:
        return min(1.0, (x / scale) ** -shape)

    return above(k - 0.5) - above(k + 0.5)


def test_laws_of_clubweb_are_those_of_table_1() -> None:
    session, by_name = read("clubweb")["session"], kinds("clubweb")
    assert session["requests"] == "inverse_gaussian(mu=3.86, lambda=9.46)"
    think = parameters(session["think"])
    assert session["think"].startswith("pareto(")
    assert think == {"shape": 1.4, "scale": 1}
    assert think["shape"] * think["scale"] / (think["shape"] - 1) == pytest.approx(3.5)
    bases = [kind for kind in by_name.values() if "objects" in kind]
    assert len(bases) == 3
    for kind in bases:
        count = kind["objects"]["count"]
        assert count.startswith("pareto(")
        assert parameters(count) == {"shape": 1.33, "scale": 2}
    assert pytest.approx(8.0606, abs=1e-4) == 1.33 * 2 / 0.33


def test_classes_of_clubweb_are_40_40_and_20_percent() -> None:
    by_name = kinds("clubweb")
    classes = {"static": 0.4, "light": 0.4, "heavy": 0.2}
    weights = {name: by_name[f"page-{name}"]["weight"] for name in classes}
    for name, share in classes.items():
        assert weights[name] / sum(weights.values()) == pytest.approx(share)
        assert by_name[f"page-{name}"]["objects"]["of"] == classes


@pytest.fixture(scope="module")
def clubweb_rows() -> pl.DataFrame:
    """Requests of sessions that came while the simulation ran, and that had time to end.

    They do not think, so that the session of a request that is not among the last is whole.
    """
    hasty = workload.load(Path("clubweb")).with_value("session.think", '"0s"')
    result = tt.simulate(hasty, tt.System(FAST), requests=400_000, warmup="0s", rows="all")
    rows = pl.DataFrame(result.requests).filter(pl.col("session") < STARTED_BEFORE)
    end = rows["done_ns"].max()
    late = rows.filter(pl.col("done_ns") > 0.98 * end)["session"].min()
    return rows.filter(pl.col("session") < late)


def test_sessions_of_clubweb_have_pages_as_in_table_1(clubweb_rows: pl.DataFrame) -> None:
    bases = clubweb_rows.filter(pl.col("name").cast(str).str.starts_with("page-"))
    pages = bases.group_by("session").len()["len"].to_numpy()
    law = stats.invgauss(mu=3.86 / 9.46, scale=9.46)
    k = np.arange(1, 1000)
    above = np.concatenate(([1.0], law.sf(k + 0.5)))  # P(N > 0), P(N > 1), ...
    mean = above.sum()
    variance = ((2 * np.arange(len(above)) + 1) * above).sum() - mean**2
    assert mean == pytest.approx(3.859, abs=5e-4)
    assert len(pages) > 10_000
    assert abs(pages.mean() - mean) < Z * math.sqrt(variance / len(pages))


def test_pages_of_clubweb_have_objects_as_in_table_1(clubweb_rows: pl.DataFrame) -> None:
    is_base = pl.col("name").cast(str).str.starts_with("page-")
    by_page = clubweb_rows.group_by("session", "page").agg(
        is_base.sum().alias("bases"), (~is_base).sum().alias("objects")
    )
    assert by_page["bases"].to_list() == [1] * len(by_page)
    objects = by_page["objects"].to_numpy()
    for k in (2, 3, 4, 5, 6, 8, 12):
        share = rounded_pareto(1.33, 2, k)
        half_width = Z * math.sqrt(share * (1 - share) / len(objects))
        assert abs((objects == k).mean() - share) < half_width, k
    assert objects.min() == 2


def test_requests_of_clubweb_are_of_their_classes(clubweb_rows: pl.DataFrame) -> None:
    counts = dict(clubweb_rows["name"].cast(str).value_counts().iter_rows())
    for prefix in ("", "page-"):
        total = sum(counts[f"{prefix}{name}"] for name in ("static", "light", "heavy"))
        for name, share in (("static", 0.4), ("light", 0.4), ("heavy", 0.2)):
            half_width = Z * math.sqrt(share * (1 - share) / total)
            assert abs(counts[f"{prefix}{name}"] / total - share) < half_width, name


@pytest.mark.parametrize(("bound", "busiest"), [("cpu", "cpu"), ("disk", "disk")])
def test_clubweb_is_bound_as_its_example_says(bound: str, busiest: str) -> None:
    system = tt.System.load(EXAMPLES / f"clubweb-{bound}-bound.toml")
    given = workload.load(Path("clubweb"))
    result = tt.simulate(given, system, requests=50_000, warmup="0s", rows="none")
    loads = {name: one["load"] for name, one in result.summary["stations"].items()}
    assert max(loads, key=lambda name: loads[name]) == busiest
    assert 0.1 < loads[busiest] < 1


# ---- sizes


def lognormal_below(mu: float, sigma: float, hi: float = math.inf) -> float:
    """The mean of a lognormal law given that it is below `hi`."""
    z = (math.log(hi) - mu) / sigma
    inner = stats.norm.cdf(z - sigma) / stats.norm.cdf(z)
    return math.exp(mu + sigma**2 / 2) * inner


def pareto_between(shape: float, lo: float, hi: float) -> float:
    """The mean of a Pareto law of this shape between two bounds."""
    mass = 1 - (lo / hi) ** shape
    if shape == 1:
        return lo * math.log(hi / lo) / mass
    return shape / (shape - 1) * lo * (1 - (lo / hi) ** (shape - 1)) / mass


def test_sizes_of_clubweb_have_the_means_of_table_1() -> None:
    by_name = kinds("clubweb")
    body = lognormal_below(7.630, 1.001, 10240)
    tail = pareto_between(1, 10240, 10e6)
    assert body == pytest.approx(2610.2, abs=0.1)
    html = 0.93 * body + 0.07 * tail
    embedded = lognormal_below(8.215, 1.46)
    assert html == pytest.approx(7367, abs=1)
    assert embedded == pytest.approx(10730.0, abs=0.1)
    for kind in by_name.values():
        expected = html if "objects" in kind else embedded
        assert tt.Distribution(kind["size"]).mean == pytest.approx(expected, rel=1e-6)


def test_sizes_of_surge_are_those_of_its_paper() -> None:
    expected = 0.93 * lognormal_below(9.357, 1.318, 133e3)
    expected += 0.07 * pareto_between(1.1, 133e3, 100e6)
    for kind in kinds("surge").values():
        assert tt.Distribution(kind["size"]).mean == pytest.approx(expected, rel=1e-6)


def test_sizes_of_a_modern_page_have_the_published_percentiles() -> None:
    """Medians and 90th percentiles of files in KB of 1024 B; a style is an eighth of its page."""
    published = {
        "page": (35, 152),
        "image": (8, 183),
        "script": (4.6, 83.5),
        "font": (23, 79),
        "style": (83 / 8, 274 / 8),
    }
    for name, percentiles in published.items():
        size = kinds("modern-page")[name]["size"]
        found = parameters(size.replace("1MiB", "1048576"))
        assert found.pop("hi") == 2**20
        law = stats.lognorm(s=found["sigma"], scale=math.exp(found["mu"]))
        for share, kilobytes in zip((0.5, 0.9), percentiles, strict=True):
            assert law.ppf(share) / 1024 == pytest.approx(kilobytes, rel=0.01), name
        # The bound removes only a small part of the files.
        assert law.sf(2**20) < 0.03, name


def test_a_size_is_that_of_the_target() -> None:
    """The popular files of `surge` have one size, as page or embedded, for all users."""
    result = tt.simulate(workload.load(Path("surge")), tt.System(FAST), requests=5000, rows="all")
    rows = pl.DataFrame(result.requests)
    top = rows["bytes_received"].value_counts(sort=True)
    # 12.2 % of the requests are for the most popular of 2,000 files by Zipf's law.
    share = 1 / sum(1 / k for k in range(1, 2001))
    half_width = Z * math.sqrt(share * (1 - share) / len(rows))
    assert abs(top["count"][0] / len(rows) - share) < half_width


# ---- surge, modern-page


def test_laws_of_surge_are_those_of_its_paper() -> None:
    assert parameters(read("surge")["session"]["think"]) == {"shape": 1.5, "scale": 1}
    assert 1.5 * 1 / 0.5 == 3
    base = kinds("surge")["base"]
    assert parameters(base["objects"]["count"]) == {"shape": 2.43, "scale": 1}
    assert base["objects"]["connections"] == 1


def test_a_modern_page_has_as_many_objects_as_published() -> None:
    objects = kinds("modern-page")["page"]["objects"]
    count = parameters(objects["count"])
    law = stats.lognorm(s=count["sigma"], scale=math.exp(count["mu"]))
    assert 1 + law.median() == pytest.approx(77, abs=0.1)
    assert 1 + law.ppf(0.9) == pytest.approx(185, abs=2)
    assert sum(objects["of"].values()) == 76


# ---- the command


def test_the_list_has_all(tmp_path: Path) -> None:
    done = thinktime("workload", "list", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "workload" in COMMANDS
    for name in workload.names():
        assert re.search(rf"^{name} ", done.stdout, re.MULTILINE)
    assert "partly open," in done.stdout


def test_what_is_shown_is_a_file_to_change(tmp_path: Path) -> None:
    done = thinktime("workload", "show", "clubweb", cwd=tmp_path)
    assert done.stdout == workload.text("clubweb")
    (tmp_path / "my.toml").write_text(done.stdout.replace('"3/s"', '"2/s"'))
    (tmp_path / "fast.toml").write_text(FAST)
    assert workload.load(tmp_path / "my.toml").session_rate == 2
    done = thinktime("simulate", "my.toml", "fast.toml", "--requests", "500", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "clubweb", "fast.toml", "--requests", "500"],
        ["sweep", "surge", "fast.toml", "--vary", "arrivals.clients=2,5", "--requests", "500"],
        ["capacity", "surge", "fast.toml"],
        ["run", "surge", "--target", "http://127.0.0.1:1", "--duration", "10ms"],
    ],
)
def test_a_name_stands_for_a_file(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "fast.toml").write_text(FAST)
    done = thinktime(*words, cwd=tmp_path)
    # A search for the capacity needs objectives, which the presets leave to their users; and the
    # target has no listener.
    expected = {
        "capacity": (2, "the workload `surge` has no objectives"),
        "run": (3, "cannot be reached"),
    }
    status, said = expected.get(words[0], (0, ""))
    assert done.returncode == status, done.stderr
    assert said in done.stderr + done.stdout


def test_a_file_goes_before_a_preset_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "surge").write_text('name = "mine"\n[arrivals]\nmodel = "open"\nrate = "1/s"\n')
    assert workload.load(tmp_path / "surge").name == "mine"
    (tmp_path / "clubweb").mkdir()  # as a result of it, written by `-o clubweb`
    (tmp_path / "fast.toml").write_text(FAST)
    done = thinktime("simulate", "surge", "fast.toml", "--json", "--requests", "9", cwd=tmp_path)
    assert '"model": "open"' in done.stdout, done.stderr
    done = thinktime("simulate", "clubweb", "fast.toml", "--requests", "500", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate", "clubwb", "s.toml"], "clubwb: there is no such file; did you mean the"),
        (["simulate", "surge.toml", "s.toml"], "did you mean the preset `surge`?"),
        (["simulate", "bookstore", "s.toml"], "`bookstore-browsing` or `bookstore-ordering` or"),
        (["simulate", "shop.toml", "s.toml"], "shop.toml: No such file"),
        (["workload", "show", "clubwb"], "unknown preset `clubwb`: did you mean `clubweb`?"),
        (["workload", "show", "shop"], "unknown preset `shop`: there are bookstore-browsing, "),
        (["workload", "show", "../presets/surge"], "unknown preset"),
    ],
)
def test_unknown_names_are_told_with_what_is_near(
    words: list[str], said: str, tmp_path: Path
) -> None:
    done = thinktime(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_server_takes_a_preset_by_name(tmp_path: Path) -> None:
    (tmp_path / "fast.toml").write_text(FAST)
    words = ["serve", "fast.toml", "--listen", "127.0.0.1:0", "--workload"]
    with subprocess.Popen(
        [*THINKTIME, *words, "surge"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            assert line.startswith("serving on http://127.0.0.1:"), line
        finally:
            server.terminate()
    wrong = thinktime(*words, "surg", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "did you mean the preset `surge`?" in wrong.stderr
