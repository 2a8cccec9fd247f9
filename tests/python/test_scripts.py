"""Clients as scripts: the same when simulated and when run; their mistakes are reported."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import cases
import polars
import pytest
from volume import oracle, volume

import thinktime as tt
from thinktime.theory.match import theory_for

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KINDS = '[[request]]\nname = "item"\n[[request]]\nname = "buy"\n'
SERVER = cases.system(("ps", "exp(5ms)"))


def scripted(directory: Path, body: str, arrivals: str = "") -> tt.Workload:
    """A workload whose sessions run this program."""
    (directory / "client.luau").write_text(f"return function(client)\n{body}\nend")
    arrivals = arrivals or 'model = "partly-open"\nrate = "20/s"'
    text = f'name = "s"\n[arrivals]\n{arrivals}\n[session]\nscript = "client.luau"\n{KINDS}'
    (directory / "workload.toml").write_text(text)
    return tt.Workload.load(directory / "workload.toml")


@oracle
def test_a_script_is_the_workload_it_describes(tmp_path: Path) -> None:
    """Sessions of a geometric number of requests with exponential think times, written as a script:
    under PS the mean is E[S] / (1 - load) for any sessions (product form). Ten replications, 4.09
    standard errors (Student's t: false alarm 0.27 %)."""
    loop = (
        'repeat\nclient:get("/")\nlocal last = client.random:uniform() < 0.25\n'
        'if not last then client:think("exp(1s)") end\nuntil last'
    )
    workload = scripted(tmp_path, loop, 'model = "partly-open"\nrate = "30/s"')
    many = volume(16_000, 40_000)
    result = tt.simulate(workload, SERVER, requests=many, warmup=20, replications=10, rows="none")
    times = result.summary["response_time_s"]
    exact = 0.005 / (1 - 30 * 4 * 0.005)
    assert abs(times["mean"] - exact) < 4.09 * times["ci95"] / 2.262
    assert times["mean"] == pytest.approx(exact, rel=0.03 * (40_000 / many) ** 0.5)
    # Sessions of the warm-up are counted too.
    assert result.summary["requests"] / result.summary["sessions"] == pytest.approx(
        4 * many / (many + 20 * 120), rel=0.04
    )


@oracle
def test_closed_clients_begin_again(tmp_path: Path) -> None:
    """Ten clients that think for exp(100ms): mean value analysis has the same system."""
    workload = scripted(
        tmp_path, 'client:get("/")\nclient:think("exp(100ms)")', 'model = "closed"\nclients = 10'
    )
    plain = cases.closed_model(10, "exp(100ms)")
    options = {"requests": volume(10_000, 25_000), "replications": 10, "warmup": 10, "rows": "none"}
    exact = theory_for(plain, SERVER)
    times = tt.simulate(workload, SERVER, **options).summary["response_time_s"]
    assert exact is not None
    assert abs(times["mean"] - exact.mean_s) < 4.09 * times["ci95"] / 2.262


def test_the_same_seed_gives_the_same_sessions() -> None:
    options = {"requests": 10_000, "rows": "none", "warmup": 0}
    paths = (EXAMPLES / "buyers.toml", EXAMPLES / "shop-server.toml")
    one, same = (tt.simulate(*paths, **options).summary for _ in range(2))
    other = tt.simulate(*paths, seed=7, **options).summary
    assert one == same
    assert one["response_time_s"]["mean"] != other["response_time_s"]["mean"]
    assert one["checks"]["home answers"]["failed"] == 0
    assert one["metrics"]["items seen"]["mean"] == pytest.approx(1 / 0.3, rel=0.05)
    assert set(one["by_request"]) == {"home", "item", "buy"}


def test_a_result_is_read_again_even_if_its_script_has_gone(tmp_path: Path) -> None:
    workload = scripted(tmp_path, 'client:get("/")')
    tt.simulate(workload, SERVER, requests=1000, output=tmp_path / "result")
    assert tt.Result.load(tmp_path / "result").workload.script == "client.luau"
    (tmp_path / "client.luau").unlink()
    result = tt.Result.load(tmp_path / "result")
    assert result.workload.script == "client.luau"
    again = tt.simulate(result.workload, SERVER, duration=5, rows="none").summary
    assert again["requests"] == 0
    assert any("client.luau" in warning for warning in again["warnings"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('client:think("exp(7)s")', "client.luau:2"),
        ('client:get("/")\nlocal x = nil + 1', "client.luau:3"),
        ('client:get("/", { name = "sell" })', "the workload has no request `sell`"),
        ("", "without a request or a think time"),
        ("while true do end", "without waiting"),
        ("while true do client:think(0) end", "while no time passed"),
    ],
)
def test_mistakes_end_their_session_and_are_told(tmp_path: Path, body: str, words: str) -> None:
    arrivals = 'model = "closed"\nclients = 3'
    for arrival in (arrivals, 'model = "partly-open"\nrate = "2/s"'):
        workload = scripted(tmp_path, body, arrival)
        summary = tt.simulate(workload, SERVER, duration=2, requests=50, rows="none").summary
        assert any(words in warning for warning in summary["warnings"]), summary["warnings"]


def test_sessions_that_never_ask_end_the_run(tmp_path: Path) -> None:
    workload = scripted(
        tmp_path, "while true do client:think(1) end", 'model = "closed"\nclients = 3'
    )
    summary = tt.simulate(workload, SERVER, requests=100, rows="none", warmup=0).summary
    assert summary["requests"] == 0
    assert any("no request" in warning for warning in summary["warnings"])


@pytest.mark.parametrize(
    ("script", "key", "words"),
    [
        ("return function(client", "session.script", "client.luau:1"),
        ("return function(client) end", "arrivals.model", "a program is a session"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, script: str, key: str, words: str) -> None:
    model = "open" if "model" in key else "partly-open"
    (tmp_path / "client.luau").write_text(script)
    (tmp_path / "w.toml").write_text(
        f'name = "s"\n[arrivals]\nmodel = "{model}"\nrate = "1/s"\n'
        '[session]\nscript = "client.luau"\n'
    )
    with pytest.raises(tt.InputError, match=words):
        tt.Workload.load(tmp_path / "w.toml")


def test_a_load_is_refused(tmp_path: Path) -> None:
    workload = scripted(tmp_path, 'client:get("/")')
    with pytest.raises(tt.InputError, match="script decides"):
        tt.simulate(workload, SERVER, load=0.5)


def test_the_server_of_the_buyers_knows_their_requests_by_their_targets() -> None:
    with tt.serve(EXAMPLES / "shop-server.toml") as server:
        summary = tt.run(EXAMPLES / "buyers.toml", server.url, duration=2).summary
    assert summary["by_request"]["home"]["requests"] > 0
    assert "status" not in summary["errors_by_kind"]


def asked_by_session(result: tt.Result) -> dict[int, list[str]]:
    """The names of each session's requests, in their order."""
    rows = polars.DataFrame(result.requests).sort("session", "request")
    found: dict[int, list[str]] = defaultdict(list)
    for session, name in rows.select("session", "name").iter_rows():
        found[session].append(name)
    return found


def test_a_script_is_run_as_it_is_simulated(tmp_path: Path) -> None:
    """Against a real server: the same sessions ask for the same things."""
    paths = (EXAMPLES / "buyers.toml", EXAMPLES / "shop-server.toml")
    with tt.serve(paths[1]) as server:
        real = tt.run(paths[0], server.url, duration=4, demands=paths[1], output=tmp_path / "real")
    simulated = tt.simulate(*paths, duration=4, warmup=0)
    assert real.summary["errors"] == 0
    assert real.summary["checks"]["home answers"]["failed"] == 0
    ours, theirs = asked_by_session(real), asked_by_session(simulated)
    assert set(ours) == set(theirs)
    # Responses take longer for real, so that some last requests come after the end.
    for session, names in ours.items():
        both = min(len(names), len(theirs[session]))
        assert names[:both] == theirs[session][:both], session
    assert json.loads((tmp_path / "real" / "summary.json").read_text())["metrics"]


def test_scripts_without_an_end_are_given_up(tmp_path: Path) -> None:
    """Each session takes a million steps; twenty are enough, whatever the duration."""
    workload = scripted(tmp_path, "while true do end")
    result = tt.simulate(workload, SERVER, duration="100h", rows="none")
    assert "the script failed before its first request" in str(result.untrusted)
    (told,) = [one for one in result.summary["warnings"] if "the script ended" in one]
    assert "20 sessions" in told


@pytest.mark.parametrize(
    "arrivals",
    ['model = "partly-open"\nrate = "20/s"', 'model = "closed"\nclients = 3'],
    ids=["partly open", "closed"],
)
@pytest.mark.parametrize("options", [{}, {"duration": 5}], ids=["endless", "5s"])
def test_scripts_that_only_fail_end_and_are_not_trusted(
    tmp_path: Path, arrivals: str, options: dict[str, float]
) -> None:
    workload = scripted(tmp_path, 'client:think("10ms")\nerror("no such item")', arrivals)
    result = tt.simulate(workload, SERVER, rows="none", **options)
    assert result.summary["requests"] == 0
    assert result.untrusted is not None
    assert "the script failed before its first request" in result.untrusted


def test_a_run_whose_scripts_only_fail_says_so(tmp_path: Path) -> None:
    workload = scripted(tmp_path, 'error("no such item")', 'model = "partly-open"\nrate = "20/s"')
    with tt.serve(SERVER) as server:
        result = tt.run(workload, server.url, duration=1)
    assert "the script failed before its first request" in str(result.untrusted)
