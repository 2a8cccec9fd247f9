"""Scripts' shared values on a server of Redis or Valkey: the same as in one process, for many
loops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answer_server import Answer, answer_server
from shared_server import KINDS, Shared, shared_server

import thinktime as tt

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(params=KINDS)
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Shared]:
    with shared_server(tmp_path, kind=request.param) as server:
        yield server


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with tt.serve({"name": "s", "station": [{"name": "s", "demand": "const(100us)"}]}) as server:
        yield server.url


def scripted(directory: Path, body: str, shared: str | None, arrivals: str) -> tt.Workload:
    """A workload whose sessions run this program; `shared` is the value of the key, in TOML."""
    (directory / "client.luau").write_text(f"return function(client)\n{body}\nend")
    key = "" if shared is None else f"shared = {shared}\n"
    text = f'name = "s"\n{key}[arrivals]\n{arrivals}\n[session]\nscript = "client.luau"\n'
    (directory / "workload.toml").write_text(text)
    return tt.Workload.load(directory / "workload.toml")


def closed(clients: int) -> str:
    return f'model = "closed"\nclients = {clients}'


def checks(result: tt.Result) -> dict[str, Any]:
    found: dict[str, Any] = result.summary.get("checks", {})
    return found


EVERYTHING = """
local shared = client.shared
local function fails(about, call)
    local ok, why = pcall(call)
    client:check(about, not ok and string.find(why, about, 1, true) ~= nil)
end
client:check("empty", shared:get("x") == nil)
shared:put("x", "text \\0 \\r\\n \\255")
client:check("text", shared:get("x") == "text \\0 \\r\\n \\255")
shared:put("x", true)
client:check("flag", shared:get("x") == true)
fails("is no number", function() shared:add("x") end)
shared:put("x", nil)
client:check("gone", shared:get("x") == nil)
client:check("sum", shared:add("x", 0.1) == 0.1)
client:check("exact", shared:add("x", 0.2) == 0.1 + 0.2)
client:check("default", shared:add("y") == 1)
shared:put("y", 1 / 0)
client:check("infinite", shared:get("y") == math.huge and shared:add("y") == math.huge)
local first = shared:lock("a")
fails("has the lock `a` already", function() shared:lock("a") end)
shared:unlock("a")
fails("has no lock `a`", function() shared:unlock("a") end)
client:check("token", shared:lock("a") > first)
client:get("/")
client:think("1h")
"""


def test_a_server_says_what_one_process_says(server: Shared, target: str, tmp_path: Path) -> None:
    results = [
        tt.run(scripted(tmp_path, EVERYTHING, shared, closed(1)), target, duration="2s")
        for shared in (None, f'"{server.url}"', f'"{server.url.replace("redis", "valkey")}/3"')
    ]
    for result in results:
        assert len(checks(result)) == 12
        assert all(one["failed"] == 0 for one in checks(result).values()), checks(result)
        assert not any("client.luau" in one for one in result.summary["warnings"])
    assert [checks(one) for one in results[1:]] == [checks(results[0])] * 2


@pytest.mark.parametrize("loops", [1, 3])
def test_counts_are_exact_over_event_loops(
    server: Shared, target: str, tmp_path: Path, loops: int
) -> None:
    """Both the sums of `add`, and those that only a lock protects."""
    body = """
    local page = client:get("/")
    client.shared:add("added")
    client.shared:lock("mine")
    local count = client.shared:get("counted") or 0
    client.shared:put("counted", count + 1)
    client.shared:unlock("mine")
    client:check("counted", true)
    """
    workload = scripted(tmp_path, body, f'"{server.url}"', closed(30))
    result = tt.run(workload, target, requests=500, loops=loops)
    assert result.summary["requests"] == 500
    assert result.summary["errors"] == 0
    assert checks(result)["counted"] == {"passed": 500, "failed": 0}
    assert server.number("added") == server.number("counted") == 500


def test_locks_go_by_priority_then_by_turn(server: Shared, tmp_path: Path) -> None:
    """Sessions ask one after another while the first has the lock; the server sees the next one."""
    body = """
    local shared, me = client.shared, client:session()
    if me == 0 then
        local token = shared:lock("a")
        shared:put("turn", 1)
        while shared:get("turn") < 6 do client:think("10ms") end
        client:think("100ms")
        shared:unlock("a")
        client:think("1h")
    end
    while shared:get("turn") ~= me do client:think("10ms") end
    shared:put("turn", me + 1)
    local priorities = {5, -1, 5, 0, -1}
    local token = shared:lock("a", priorities[me])
    client:get(string.format("/%d/%d", me, token))
    shared:unlock("a")
    client:think("1h")
    """
    with answer_server(lambda _: Answer()) as (url, asked):
        workload = scripted(tmp_path, body, f'"{server.url}"', closed(6))
        tt.run(workload, url, requests=5)
        seen = [one.target.split("/")[1:] for one in asked]
    assert [int(session) for session, _ in seen] == [2, 5, 4, 1, 3]
    tokens = [int(token) for _, token in seen]
    assert tokens == sorted(set(tokens))


def test_sessions_that_leave_give_their_locks_back(
    server: Shared, target: str, tmp_path: Path
) -> None:
    body = (
        'client.shared:lock("a")\nclient:get("/")\nif client:session() % 2 == 0 then error("x") end'
    )
    workload = scripted(tmp_path, body, f'"{server.url}"', closed(5))
    result = tt.run(workload, target, requests=200)
    assert result.summary["requests"] == 200


def test_what_children_share(server: Shared, target: str, tmp_path: Path) -> None:
    body = """
    local all = {}
    for at = 1, 20 do
        all[at] = function()
            client.shared:lock("a")
            local count = client.shared:get("count") or 0
            client:get("/")
            client.shared:put("count", count + 1)
        end
    end
    client:parallel(all, 7)
    client:check("all", client.shared:get("count") == 20)
    client:get("/")
    client:think("1h")
    """
    result = tt.run(scripted(tmp_path, body, f'"{server.url}"', closed(1)), target, requests=21)
    assert server.number("count") == 20
    assert checks(result) == {"all": {"passed": 1, "failed": 0}}


def test_runs_share_nothing_with_one_another(server: Shared, target: str, tmp_path: Path) -> None:
    workload = scripted(tmp_path, EVERYTHING, f'"{server.url}"', closed(1))
    for _ in range(2):
        result = tt.run(workload, target, duration="1s")
        assert all(one["failed"] == 0 for one in checks(result).values()), checks(result)


def test_a_simulation_shares_within_itself(tmp_path: Path) -> None:
    """The address has no listener, and no request goes there."""
    bodies = [scripted(tmp_path, EVERYTHING, shared, closed(1)) for shared in
              (None, '"redis://127.0.0.1:1"')]  # fmt: skip
    system = {"name": "s", "station": [{"name": "s", "demand": "const(1ms)"}]}
    results = [tt.simulate(one, system, requests=50) for one in bodies]
    assert checks(results[0]) == checks(results[1])
    assert results[0].summary["response_time_s"] == results[1].summary["response_time_s"]


@pytest.mark.parametrize("loops", [1, 2])
def test_sessions_of_the_example_take_turns(server: Shared, tmp_path: Path, loops: int) -> None:
    """The target sees the orders of each account one by one, each with a larger token."""
    for name in ("accounts.toml", "account.luau"):
        text = (EXAMPLES / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace("redis://127.0.0.1:6379", server.url))
    with answer_server(lambda _: Answer()) as (url, seen):
        result = tt.run(tmp_path / "accounts.toml", url, rate="200/s", requests=150, loops=loops)
    # Sessions that were waiting for their turns when the load ended had none.
    assert result.summary["sessions"] >= result.summary["requests"] == len(seen) == 150
    assert checks(result)["an order is taken"] == {"passed": len(seen), "failed": 0}
    assert 150 <= server.number("sessions") <= result.summary["sessions"]
    queries = [one.query for one in seen]
    accounts = {one["account"][0] for one in queries}
    assert len(accounts) == 20
    for account in accounts:
        its = [one for one in queries if one["account"] == [account]]
        assert [int(one["number"][0]) for one in its] == list(range(1, len(its) + 1))
        tokens = [int(one["token"][0]) for one in its]
        assert tokens == sorted(set(tokens))


def test_the_example_is_simulated() -> None:
    result = tt.simulate(EXAMPLES / "accounts.toml", EXAMPLES / "two-speeds.toml", duration="60s")
    orders = checks(result)["an order is taken"]
    assert orders == {"passed": result.summary["requests"], "failed": 0}


def test_a_password_is_taken_from_the_environment(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_server(tmp_path, "--requirepass", "hunter2") as server:
        table = f'{{ url = "{server.url}", password = "env:SHARED" }}'
        body = 'client.shared:add("n")\nclient:get("/")'
        monkeypatch.setenv("SHARED", "hunter2")
        out = tmp_path / "out"
        tt.run(scripted(tmp_path, body, table, closed(2)), target, requests=10, output=out)
        kept = b"".join(one.read_bytes() for one in out.rglob("*") if one.is_file())
        assert b"env:SHARED" in kept
        assert b"hunter2" not in kept
        monkeypatch.setenv("SHARED", "wrong")
        with pytest.raises(tt.RunError, match=r"WRONGPASS.*`shared.password`"):
            tt.run(scripted(tmp_path, body, table, closed(2)), target, requests=10)
        with pytest.raises(tt.RunError, match=r"NOAUTH.*`shared.password`"):
            tt.run(scripted(tmp_path, body, f'"{server.url}"', closed(2)), target, requests=10)
        monkeypatch.delenv("SHARED")
        with pytest.raises(tt.InputError, match=r":\d+: shared.password: the secret in \$SHARED"):
            tt.run(scripted(tmp_path, body, table, closed(2)), target, requests=10)


def test_what_is_wrong_is_said_before_the_run(target: str, tmp_path: Path) -> None:
    body = 'client:get("/")'
    with pytest.raises(tt.RunError, match=r"redis://127.0.0.1:1 cannot be reached"):
        tt.run(scripted(tmp_path, body, '"redis://127.0.0.1:1"', closed(1)), target, requests=1)
    http = target.removeprefix("http://")
    with pytest.raises(tt.RunError, match="neither Redis nor Valkey"):
        tt.run(scripted(tmp_path, body, f'"redis://{http}"', closed(1)), target, requests=1)
    plain = {
        "name": "w",
        "shared": "redis://h",
        "arrivals": {"model": "open", "rate": "1/s"},
        "request": [{"name": "a", "get": "/"}],
    }
    with pytest.raises(tt.InputError, match="goes with a `script` only"):
        tt.run(plain, target, requests=1)
    with pytest.raises(tt.InputError, match="`shared` names a server that keeps them for several"):
        tt.run(scripted(tmp_path, body, None, closed(2)), target, requests=1, loops=2)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ('"http://127.0.0.1"', "is written as redis://HOST:PORT"),
        ('"rediss://127.0.0.1"', "is written as redis://HOST:PORT"),
        ('"redis://127.0.0.1:port"', "is written as redis://HOST:PORT"),
        (
            '"redis://:hunter2@127.0.0.1"',
            'password is kept elsewhere: `{ url = ..., password = "env',
        ),
        (
            '"redis://me:hunter2@h:6379/0"',
            'password is kept elsewhere: `{ url = ..., password = "env',
        ),
        ('{ url = "redis://me:hunter2@h" }', "a password is kept elsewhere"),
        ('{ url = "redis://h", password = "hunter2" }', "`password` names the place"),
        ('{ url = "redis://h", user = "me" }', "a `user` goes with a `password`"),
        ('{ url = "redis://h", wait = "1ms" }', "`wait` must be from 10ms to 1h"),
        ('{ url = "redis://h", lease = "2h" }', "`lease` must be from 100ms to 1h"),
        ('{ url = "redis://h", leese = "2h" }', "unknown key `leese`: did you mean `lease`?"),
        ("6379", "the url of a server"),
    ],
)
def test_mistakes_are_told_by_line_and_key_and_no_password_is(
    tmp_path: Path, value: str, says: str
) -> None:
    """Nor is a value kept that looks like a secret: a user who writes one has it in no result."""
    with pytest.raises(tt.InputError) as raised:
        scripted(tmp_path, 'client:get("/")', value, closed(1))
    said = str(raised.value)
    assert "workload.toml:2" in said
    assert says in said
    assert "hunter2" not in said
